#include "adapters/claude_code/history_decoder.hpp"

#include "adapters/json/prompt_history.hpp"
#include "schemas/hash.hpp"
#include "schemas/ids.hpp"

#include <cstdio>
#include <string>

namespace memd::claude_code {
namespace {

constexpr std::string_view kHistoryType = "(history)";

enum : std::size_t { kPastedType, kPastedContent, kPastedKeys };
constexpr KeyTable<kPastedKeys> kPastedTable{{"type", "content"}};

// Puts pasted text where the line shows "[Pasted text #1 +20 lines]", as the model got it.
void expand_paste(std::string& text, std::string_view number, std::string_view pasted) {
  const std::string mark = "[Pasted text #" + std::string(number);
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const auto end = text.find(']', at);
    const char next = at + mark.size() < text.size() ? text[at + mark.size()] : ']';
    if (end == std::string::npos || (next != ' ' && next != ']')) continue;
    text.replace(at, end + 1 - at, pasted);
    return;
  }
}

bool expand_pastes(TextReader& reader, od::object& root, std::string& text) {
  od::object pasted;
  if (!seek_object(root, "pastedContents", pasted)) return true;
  return for_each_field(pasted, [&](std::string_view number, od::value& value) {
    od::object entry;
    Tokens<kPastedKeys> tokens;
    if (value.get_object().get(entry)) return true;
    if (!collect(entry, kPastedTable, tokens)) return false;
    if (string_body(tokens[kPastedType]) == "text" && is_string(tokens[kPastedContent]))
      expand_paste(text, number, reader.text(tokens[kPastedContent]));
    return true;
  });
}

std::string session_of_day(std::string_view project, TimeMs time) {
  char id[48];
  std::snprintf(id, sizeof id, "history-%016llx-%.10s", static_cast<unsigned long long>(hash64(project)),
                format_rfc3339(time).c_str());
  return make_session_uid(Platform::claude_code, id);
}

Fate typed(Fate fate) {
  fate.type = kHistoryType;
  return fate;
}

}  // namespace

bool HistoryDecoder::open(od::object& root) const { return collect(root, kTable, tokens_); }

bool HistoryDecoder::surely_a_record() const { return is_string(tokens_[kDisplay]) && !tokens_[kTimestamp].empty(); }

Fate HistoryDecoder::read(od::object& root, RawRef raw, EventBatch& out) {
  TextReader reader(detail_);
  const auto diagnose = [&](FieldName field) {
    out.diagnostics.push_back(
        {Platform::claude_code, DiagnosticType::missing_field, Severity::warning, {field}, 0, raw.offset});
  };
  if (!is_string(tokens_[kDisplay])) {
    diagnose("display");
    return typed(Fate::unknown("unknown_type"));
  }
  HistoryPrompt prompt;
  prompt.platform = Platform::claude_code;
  prompt.text = reader.text(tokens_[kDisplay]);
  prompt.time = integer(tokens_[kTimestamp]);
  prompt.cwd = reader.text(tokens_[kProject]);
  if (!expand_pastes(reader, root, prompt.text)) return Fate::damaged();
  if (prompt.time == 0) {
    diagnose("timestamp");
    return typed(Fate::skipped("no_time"));
  }
  const auto session = string_body(tokens_[kSessionId]);
  prompt.session_uid = is_identifier(session) ? make_session_uid(Platform::claude_code, session)
                                              : session_of_day(prompt.cwd, prompt.time);
  return typed(add_history_prompt(prompt, raw, out));
}

}  // namespace memd::claude_code
