#include "adapters/claude_code/human_text.hpp"

#include "adapters/json/json_text.hpp"

#include <array>

namespace memd::claude_code {
namespace {

struct Prefix {
  std::string_view text;
  Voice voice;
};

constexpr std::array kPrefixes{
    Prefix{"<command-name>", Voice::command},
    Prefix{"<command-message>", Voice::command},
    Prefix{"<bash-input>", Voice::shell},
    Prefix{"<bash-stdout>", Voice::shell_output},
    Prefix{"<bash-stderr>", Voice::shell_output},
    Prefix{"<local-command-stdout>", Voice::command_output},
    Prefix{"<local-command-stderr>", Voice::command_output},
    Prefix{"<local-command-caveat>", Voice::injected},
    Prefix{"Caveat: The messages below", Voice::injected},
    Prefix{"<task-notification>", Voice::injected},
    Prefix{"<system-reminder>", Voice::injected},
    Prefix{"<teammate-message", Voice::injected},
    Prefix{"<user-prompt-submit-hook>", Voice::injected},
    Prefix{"<ide_opened_file>", Voice::injected},  // one without an end
    Prefix{"<ide_selection>", Voice::injected},
    Prefix{"[Request interrupted by user", Voice::interrupt},
};

struct Wrapper {
  std::string_view open;
  std::string_view close;
};
constexpr std::array kIdeWrappers{Wrapper{"<ide_opened_file>", "</ide_opened_file>"},
                                  Wrapper{"<ide_selection>", "</ide_selection>"}};

// The VS Code extension puts what is open or selected before the prompt, in the same record.
bool strip_ide_wrapper(std::string_view& text) {
  for (const auto& wrapper : kIdeWrappers) {
    if (!text.starts_with(wrapper.open)) continue;
    const auto end = text.find(wrapper.close);
    if (end == std::string_view::npos) return false;
    text = json::trimmed(text.substr(end + wrapper.close.size()));
    return true;
  }
  return false;
}

}  // namespace

Spoken who_speaks(std::string_view text) {
  text = json::trimmed(text);
  while (strip_ide_wrapper(text)) {
  }
  if (text.empty()) return {};
  for (const auto& prefix : kPrefixes)
    if (text.starts_with(prefix.text)) return {prefix.voice, text};
  return {Voice::human, text};
}

std::string_view rejection_words(std::string_view result_text) {
  if (!result_text.starts_with("The user doesn't want to")) return {};
  constexpr std::array<std::string_view, 2> marks{"the user said:\n",
                                                  "provided the following reason for the rejection:"};
  for (const auto mark : marks) {
    const auto at = result_text.find(mark);
    if (at == std::string_view::npos) continue;
    std::string_view words = result_text.substr(at + mark.size());
    // The client's own note behind the words.
    words = json::trimmed(words.substr(0, words.find("\n\nNote: The user's next message")));
    // What the client says when a person asks for other questions instead of answering.
    return words.starts_with("The user wants to clarify these questions.") ? std::string_view{} : words;
  }
  return {};
}

}  // namespace memd::claude_code
