#include "daemon/tools/past_texts.hpp"

#include "store/insight/continuity/working_state.hpp"
#include "store/read/exchanges.hpp"
#include "store/text/redaction/redactor.hpp"

namespace memd::tools {
namespace {

constexpr std::size_t kLongestText = 32 * 1024;  // of a call; the summary is read whole

std::string read_text(const ToolServices& services, Reader& reader, std::int64_t session_pk, std::int64_t seq,
                      EventKind kind, std::size_t limit) {
  const auto where = reader.ask(EventSourceQuery{session_pk, seq});
  if (!where) return {};
  auto text = services.raw_text.event_text(*where, kind);
  if (!text) return {};
  if (text->size() > limit) {
    while (limit > 0 && (static_cast<unsigned char>((*text)[limit]) & 0xC0U) == 0x80U)
      --limit;
    text->resize(limit);
  }
  redact(*text);
  return std::move(*text);
}

}  // namespace

std::size_t fetch_past_texts(const ToolServices& services, Reader& reader, std::int64_t session_pk,
                             continuity::SessionPast& past) {
  std::size_t missing = 0;
  for (const continuity::TextWish& wish : continuity::texts_to_fetch(past)) {
    std::string text = read_text(services, reader, session_pk, wish.seq, wish.kind, kLongestText);
    if (text.empty())
      ++missing;
    else
      past.full_texts.emplace(wish.seq, std::move(text));
  }
  return missing;
}

std::string platform_summary(const ToolServices& services, Reader& reader, std::int64_t session_pk,
                             const continuity::Boundary& boundary) {
  if (!boundary.summary_seq) return {};
  return read_text(services, reader, session_pk, *boundary.summary_seq, EventKind::lifecycle, std::size_t{1} << 20);
}

}  // namespace memd::tools
