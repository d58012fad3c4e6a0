#include "store/read/team_exchanges.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/utf8.hpp"
#include "schemas/memory.hpp"
#include "schemas/search_request.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/fts5.hpp"
#include "store/db/rows.hpp"
#include "store/read/file_history.hpp"
#include "store/read/observations.hpp"
#include "store/read/session_titles.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace memd {
namespace {

constexpr std::size_t kMostQuestion = 4096;      // bytes
constexpr std::size_t kMostAnswer = 12288;       // bytes
constexpr std::size_t kLongestWord = 200;        // bytes
constexpr std::size_t kMostWordBytes = 300'000;  // of a tsvector, which takes a megabyte
constexpr std::int64_t kMostPositions = 15;      // of a word; more say nothing more
constexpr std::size_t kMostWordsAsked = 24;

std::string lexeme(std::string_view word) {
  std::string out = "'";
  for (const char c : word)
    out.append(c == '\'' || c == '\\' ? 2 : 1, c);
  return out + "'";
}

std::string vector_of(const std::vector<search::Token>& tokens) {
  std::map<std::string_view, std::int64_t> counts;  // in the order of a tsvector, which the server then need not sort
  std::size_t bytes = 0;
  for (const search::Token& token : tokens) {
    if (token.stem.empty() || token.stem.size() > kLongestWord) continue;
    const auto [known, fresh] = counts.try_emplace(token.stem, 0);
    if (fresh && (bytes += token.stem.size()) > kMostWordBytes) break;
    ++known->second;
  }
  std::string out;
  for (const auto& [word, count] : counts) {
    out.append(lexeme(word));
    for (std::int64_t i = 1; count > 1 && i <= std::min(count, kMostPositions); ++i)
      out.append(i == 1 ? ":" : ",").append(std::to_string(i));
    out += ' ';
  }
  return out;
}

}  // namespace

TeamExchangesQuery::Answer TeamExchangesQuery::run(sqlite::Database& db) const {
  static const std::string head =
      "SELECT" + std::string(queries::kTitleColumns) +
      ", coalesce(p.identity_key, '') FROM sessions s LEFT JOIN projects p USING (project_pk)"
      " WHERE s.uid = ?";
  static const std::string changes =
      sql_text(
          "SELECT p.path, f.lines_added, f.lines_removed FROM exchange_files f JOIN sessions s USING (session_pk)"
          " JOIN paths p USING (path_pk)"
          " WHERE s.uid = ? AND f.exchange_number = ? AND f.access = FileAccess::modified ORDER BY p.path")
          .str();
  constexpr std::string_view observations =
      "SELECT o.type, o.time, o.content FROM observations o JOIN sessions s USING (session_pk)"
      " WHERE s.uid = ? AND o.exchange_number = ? ORDER BY o.event_seq, o.observation_pk";
  static const std::string sql =
      sql_text(
          "SELECT e.exchange_number, e.content_hash, e.started_at, e.user_message, e.interventions, "
          "e.assistant_response,"
          " e.tool_text, e.answer_offset, e.data_completeness = DataCompleteness::metadata_only"
          " FROM exchanges e JOIN sessions s ON s.session_pk = e.session_pk WHERE s.uid = ? ORDER BY e.exchange_number")
          .str();
  Answer out;
  std::string project;
  if (const auto row = db.query(head, session_uid).row()) {
    out.title = queries::session_title(row->text(0), row->text(1));
    project = row->str(2);
  }
  const search::IndexTokenizer tokenizer(db.handle());
  std::map<std::int64_t, std::int64_t> left = hashes;
  auto& q = db.query(sql, session_uid);
  while (q.step()) {
    const std::int64_t number = q.int64(0);
    const auto known = left.extract(number);
    const bool is_equal = !known.empty() && known.mapped() == q.int64(1);
    const bool lacks_vectors = with_vectors != nullptr && !(is_equal && with_vectors->contains(number));
    if (q.int64(8) != 0 || (is_equal && !lacks_vectors)) continue;
    TeamVectors vectors;
    if (lacks_vectors) {
      ExchangeRow row;
      row.user_message = q.text(3);
      row.interventions = q.text(4);
      row.assistant_response = q.text(5);
      row.answer_offset = q.int64(7);
      vectors = vectors_of(row);
    }
    if (is_equal) {
      if (!vectors.empty()) out.bare.push_back({number, 0, q.int64(2), 0, {}, {}, {}, {}, {}, std::move(vectors)});
      continue;
    }
    std::vector<search::Token> tokens;
    for (int column = 3; column < 7; ++column)
      tokenizer.tokenize_stored(q.text(column), tokens);
    const std::string_view response = q.text(5);
    const auto answer = std::clamp<std::int64_t>(q.int64(7), 0, static_cast<std::int64_t>(response.size()));
    out.changed.push_back({number,
                           q.int64(1),
                           q.int64(2),
                           static_cast<std::int64_t>(tokens.size()),
                           vector_of(tokens),
                           std::string(utf8_prefix(q.text(3), kMostQuestion)),
                           std::string(utf8_prefix(response.substr(static_cast<std::size_t>(answer)), kMostAnswer)),
                           {},
                           {},
                           std::move(vectors)});
  }
  for (TeamExchange& one : out.changed) {
    auto& files = db.query(changes, session_uid, one.number);
    while (files.step()) {
      const std::string_view below = queries::below_project(files.text(0), project);
      one.changes.push_back({std::string(below.empty() ? files.text(0) : below), files.int64(1), files.int64(2)});
    }
    one.observations = db.query(observations, session_uid, one.number).all(sqlite::fields_of<TeamObservation>);
  }
  for (const auto& [number, hash] : left)
    out.gone.push_back(number);
  return out;
}

TeamMemoriesQuery::Answer TeamMemoriesQuery::run(sqlite::Database& db) const {
  auto& q = db.query(
      "SELECT d.slug, d.type, d.title, d.tags, d.updated, d.content FROM docs d JOIN doc_places p"
      " USING (place_pk) WHERE iif(?2 = '', p.project = ?1 COLLATE NOCASE, p.project_key = ?2) AND p.scope = ?3"
      " AND p.dialect <> ?4 AND d.is_valid ORDER BY d.slug, p.dialect",
      project, project_key, static_cast<int>(MemoryScope::project), static_cast<int>(MemoryDialect::agent));
  const search::IndexTokenizer tokenizer(db.handle());
  Answer out;
  std::map<std::string, std::string> left = hashes;
  std::string last;
  while (q.step()) {
    if (q.text(0) == last) continue;
    last = q.text(0);
    std::uint64_t hash = static_cast<std::uint64_t>(q.int64(1));
    std::vector<search::Token> tokens;
    for (const int column : {2, 3, 5}) {
      hash = hash64(q.text(column), hash);
      tokenizer.tokenize_stored(q.text(column), tokens);
    }
    const auto known = left.extract(last);
    std::string mark = std::to_string(hash);
    if (!known.empty() && known.mapped() == mark) continue;
    out.changed.push_back({last, std::move(mark), std::string(to_string(static_cast<MemoryType>(q.int64(1)))), q.str(2),
                           q.str(3), q.int64(4), static_cast<std::int64_t>(tokens.size()), vector_of(tokens),
                           std::string(utf8_prefix(q.text(5), kMostAnswer))});
  }
  for (const auto& [slug, hash] : left)
    out.gone.push_back(slug);
  return out;
}

TeamWordsQuery::Answer TeamWordsQuery::run(sqlite::Database& db) const {
  const search::IndexTokenizer tokenizer(db.handle());
  const auto words_of = [&](const std::vector<QueryText>& pieces, bool with_stop_words) {
    std::vector<search::Token> tokens;
    for (const QueryText& piece : pieces)
      if (with_stop_words || !is_stop_word(ascii::lowered(piece.text))) tokenizer.tokenize(piece.text, tokens);
    std::vector<std::string> out;
    for (const search::Token& token : tokens) {
      std::string word = lexeme(token.stem);
      if (token.stem.size() <= kLongestWord && out.size() < kMostWordsAsked &&
          std::find(out.begin(), out.end(), word) == out.end())
        out.push_back(std::move(word));
    }
    return out;
  };
  Answer out{words_of(asked.wanted, false), words_of(asked.excluded, true)};
  if (out.words.empty()) out.words = words_of(asked.wanted, true);
  return out;
}

KnownSessionsQuery::Answer KnownSessionsQuery::run(sqlite::Database& db) const {
  Answer out;
  for (const auto& uid : session_uids)
    if (db.query("SELECT 1 FROM sessions WHERE uid = ?", uid).any()) out.push_back(uid);
  return out;
}

SharesInScopeQuery::Answer SharesInScopeQuery::run(sqlite::Database& db) const {
  return db
      .query(
          "SELECT h.share_pk, h.place, h.project, h.project_key, h.share_id, h.invitation FROM shares h"
          " WHERE ?1 = '' OR instr(lower(h.project), lower(?1)) > 0 OR EXISTS (SELECT 1 FROM projects p"
          "  WHERE iif(h.project_key = '', p.name = h.project COLLATE NOCASE, p.identity_key = h.project_key)"
          "  AND (instr(lower(p.identity_key), lower(?1)) > 0 OR instr(lower(p.name), lower(?1)) > 0"
          "       OR instr(char(1) || lower(p.identity_key) || '/', lower(?1)) = 1))",
          project)
      .all(sqlite::fields_of<ShareRow>);
}

}  // namespace memd
