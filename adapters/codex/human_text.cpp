#include "adapters/codex/human_text.hpp"

#include "adapters/json/json_text.hpp"
#include "schemas/ascii.hpp"

#include <array>

namespace memd::codex {
namespace {

struct Bracket {
  std::string_view open;
  std::string_view close;  // empty: the opening alone tells
};

// What the client injects stands in brackets of its own from the first letter to the last. The end is looked at too:
// a person may paste an opening tag and go on.
constexpr std::array kInjected{
    Bracket{"# AGENTS.md instructions for ", ""},
    Bracket{"# AGENTS.md instructions", "</INSTRUCTIONS>"},
    Bracket{"<environment_context>", "</environment_context>"},
    Bracket{"<user_instructions>", "</user_instructions>"},
    Bracket{"<permissions instructions>", "</permissions instructions>"},
    Bracket{"<collaboration_mode>", "</collaboration_mode>"},
    Bracket{"<model_switch>", "</model_switch>"},
    Bracket{"<personality_spec>", "</personality_spec>"},
    Bracket{"<skill>", "</skill>"},
    Bracket{"<skills_instructions>", "</skills_instructions>"},
    Bracket{"<plugins_instructions>", "</plugins_instructions>"},
    Bracket{"<apps_instructions>", "</apps_instructions>"},
    Bracket{"<recommended_plugins>", "</recommended_plugins>"},
    Bracket{"<turn_aborted>", "</turn_aborted>"},
    Bracket{"<subagent_notification>", "</subagent_notification>"},
    Bracket{"<additional_context>", "</additional_context>"},
    Bracket{"<codex_internal_context", "</codex_internal_context>"},
    Bracket{"<user_action>", "</user_action>"},
    Bracket{"<hook_prompt", "</hook_prompt>"},
    Bracket{"<token_budget>", "</token_budget>"},
    Bracket{"<send_user_message_question_reply>", "</send_user_message_question_reply>"},
};

bool stands_in(std::string_view text, const Bracket& b) {
  return text.size() >= b.open.size() + b.close.size() && ascii::equal_nocase(text.substr(0, b.open.size()), b.open) &&
         ascii::equal_nocase(text.substr(text.size() - b.close.size()), b.close);
}

// The editor puts what is open or selected before the prompt, under headings.
std::string_view without_ide_context(std::string_view text) {
  constexpr std::string_view kRequest = "## My request for Codex:";
  if (!text.starts_with("# ")) return text;
  for (auto at = text.find(kRequest); at != std::string_view::npos; at = text.find(kRequest, at + 1))
    if (at == 0 || text[at - 1] == '\n') return json::trimmed(text.substr(at + kRequest.size()));
  return text;
}

std::string_view inside(std::string_view text, const Bracket& b) {
  const auto begin = text.find(b.open);
  if (begin == std::string_view::npos) return {};
  const auto end = text.rfind(b.close);
  const auto from = begin + b.open.size();
  return end == std::string_view::npos || end < from ? std::string_view{}
                                                     : json::trimmed(text.substr(from, end - from));
}

}  // namespace

Spoken who_speaks(std::string_view text) {
  text = without_ide_context(json::trimmed(text));
  if (text.empty()) return {};
  if (stands_in(text, {"<user_shell_command>", "</user_shell_command>"}))
    return {Voice::shell, inside(text, {"<command>", "</command>"}), inside(text, {"<result>", "</result>"})};
  for (const auto& bracket : kInjected)
    if (stands_in(text, bracket)) return {Voice::injected, text, {}};
  if (text == "<image>" || text == "</image>" || (text.starts_with("<image name=") && text.find('\n') == text.npos))
    return {Voice::image, text, {}};
  return {Voice::human, text, {}};
}

bool is_human_kind(std::string_view kind) { return kind.starts_with("user."); }

}  // namespace memd::codex
