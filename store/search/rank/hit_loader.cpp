#include "store/search/rank/hit_loader.hpp"

#include "store/read/row_filter.hpp"
#include "store/read/sessions.hpp"
#include "store/text/text_chunks.hpp"

#include <algorithm>

namespace memd::search {
namespace {

constexpr std::array<std::string_view, 4> kColumns{"user_message", "interventions", "assistant_response", "tool_text"};

const std::string kSql = "SELECT" + std::string(queries::kTitleColumns) + R"(,
  s.uid, s.platform, coalesce(p.name, ''), e.exchange_number, e.started_at, e.is_sidechain,
  e.user_message, e.interventions, e.assistant_response, e.tool_text, e.answer_offset
  FROM exchanges e JOIN sessions s ON s.session_pk = e.session_pk
  LEFT JOIN projects p ON p.project_pk = s.project_pk WHERE e.exchange_pk = ?1)";

// Empty when the text has changed and has no such chunk any more.
std::string chunk_of(const std::array<std::string_view, 4>& texts, std::int64_t answer_offset, int chunk) {
  if (chunk < 0) return {};
  PendingExchange exchange;
  exchange.user_message = texts[0];
  exchange.interventions = texts[1];
  exchange.assistant_response = texts[2];
  exchange.answer_offset = answer_offset;
  auto chunks = enrichment::chunks_of(exchange);
  const auto at = static_cast<std::size_t>(chunk);
  return at < chunks.size() ? std::move(chunks[at].text) : std::string();
}

// The column that most of the chunk's start stands in.
std::size_t column_of(const std::array<std::string_view, 4>& texts, std::string_view chunk) {
  const std::string_view start = chunk.substr(0, chunk.find('\n'));
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (texts[i].find(start) != std::string_view::npos) return i;
  return 0;
}

}  // namespace

SearchHit load_hit(sqlite::Database& db, const PassageFinder& passages, ExchangeId id, int chunk) {
  SearchHit hit;
  hit.exchange_id = id;
  auto& q = db.prepare(kSql).bind(id);
  if (!q.step()) {
    q.reset();
    return hit;
  }
  hit.session_title = queries::session_title(q.text(0), q.text(1));
  hit.session_uid = q.str(2);
  hit.platform = queries::platform_of(q.text(3));
  hit.project = q.str(4);
  hit.exchange_number = q.int64(5);
  hit.time = q.int64(6);
  hit.is_sidechain = q.int64(7) != 0;
  const std::array<std::string_view, 4> texts{q.text(8), q.text(9), q.text(10), q.text(11)};
  hit.user_message = texts[0];
  const auto answer = std::clamp<std::int64_t>(q.int64(12), 0, static_cast<std::int64_t>(texts[2].size()));
  hit.assistant_response = texts[2].substr(static_cast<std::size_t>(answer));
  hit.text_bytes = static_cast<std::int64_t>(texts[0].size() + texts[1].size() + texts[2].size());
  if (const std::string stretch = chunk_of(texts, answer, chunk); !stretch.empty()) {
    hit.snippet = passages.best({stretch, {}, {}, {}}).text;
    hit.matched_in = kColumns[column_of(texts, stretch)];
  } else {
    Passage passage = passages.best(texts);
    hit.snippet = std::move(passage.text);
    hit.matched_in = kColumns[passage.column];
  }
  q.reset();
  return hit;
}

}  // namespace memd::search
