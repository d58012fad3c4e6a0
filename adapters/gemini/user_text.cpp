#include "adapters/gemini/user_text.hpp"

#include "adapters/json/json_text.hpp"

namespace memd::gemini {

Spoken who_speaks(std::string_view text) {
  constexpr std::string_view hook = "<hook_context>";
  constexpr std::string_view files = "--- Content from referenced files ---";
  constexpr std::string_view shell = "I ran the following shell command:";
  text = json::trimmed(text);
  if (text.empty()) return {};
  if (text.starts_with("<session_context>")) return {Voice::injected, text};
  if (text.starts_with("<state_snapshot>")) return {Voice::summary, text};
  if (text == "System: Please continue." || text == "Please continue.") return {Voice::nudge, text};
  for (const std::string_view added : {files, hook})
    if (const auto at = text.find(added); at != std::string_view::npos) text = json::trimmed(text.substr(0, at));
  if (text.empty()) return {Voice::injected, text};
  if (text.starts_with(shell)) return {Voice::shell, text};
  const bool command =
      text.size() > 1 && text[0] == '/' && text.find('/', 1) == std::string_view::npos && text[1] != ' ';
  return {command ? Voice::command : Voice::human, text};
}

}  // namespace memd::gemini
