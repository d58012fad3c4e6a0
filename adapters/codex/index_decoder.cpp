#include "adapters/codex/index_decoder.hpp"

#include "schemas/hash.hpp"
#include "schemas/ids.hpp"

namespace memd::codex {
namespace {

constexpr std::string_view kIndexType = "(session-index)";
constexpr std::string_view kHistoryType = "(history)";

Fate typed(Fate fate, std::string_view type) {
  fate.type = type;
  return fate;
}

}  // namespace

std::uint64_t session_start_key(std::string_view thread_id) {
  return record_key(Platform::codex, std::string("session/").append(thread_id));
}

bool SessionIndexDecoder::open(od::object& root) const { return collect(root, kTable, tokens_); }

bool SessionIndexDecoder::surely_a_record() const { return is_string(tokens_[kId]) && is_string(tokens_[kName]); }

Fate SessionIndexDecoder::read(od::object&, RawRef raw, EventBatch& out) {
  TextReader reader;
  const std::string name = one_line(reader.text(tokens_[kName]), 300);
  const auto id = string_body(tokens_[kId]);
  if (!is_uuid(id)) {
    out.diagnostics.push_back(
        {Platform::codex, DiagnosticType::missing_field, Severity::warning, {"id"}, 0, raw.offset});
    return typed(Fate::unknown("no_session"), kIndexType);
  }
  if (name.empty()) return typed(Fate::skipped("empty_title"), kIndexType);
  SessionUpdate update;
  update.platform = Platform::codex;
  update.title = name;
  update.title_rank = TitleRank::custom;
  update.title_record_key = session_start_key(id);
  out.sessions.push_back(std::move(update));
  return typed(Fate::indexed(), kIndexType);
}

bool HistoryDecoder::open(od::object& root) const { return collect(root, kTable, tokens_); }

bool HistoryDecoder::surely_a_record() const { return is_string(tokens_[kSessionId]) && is_string(tokens_[kText]); }

Fate HistoryDecoder::read(od::object&, RawRef raw, EventBatch& out) {
  TextReader reader(detail_);
  const auto id = string_body(tokens_[kSessionId]);
  if (!is_uuid(id)) return typed(Fate::skipped("no_session"), kHistoryType);
  const HistoryPrompt prompt{Platform::codex,
                             make_session_uid(Platform::codex, id),
                             integer(tokens_[kTime]) * 1000,
                             reader.text(tokens_[kText]),
                             {}};
  return typed(add_history_prompt(prompt, raw, out), kHistoryType);
}

}  // namespace memd::codex
