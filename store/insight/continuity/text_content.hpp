#pragma once

#include "store/insight/continuity/working_state.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace memd::continuity {

// The names, commands, files and sentences of a text, to find out what repeats them. For example of the platform's own
// summary, which is in the agent's context anyway.
// Keeps a copy. Constant after construction; thread-safe.
class TextContent {
 public:
  explicit TextContent(std::string_view text);

  bool has_name(std::string_view name) const;
  // Matches the line itself, with single blanks between words. A single word has to appear as a command, not as prose.
  bool has_command(std::string_view line) const;
  // Matches the last two components of the path.
  bool has_file(std::string_view path) const;
  // Returns whether most of the sentence's content words occur in one line.
  bool has_sentence(std::string_view sentence) const;

 private:
  std::string text_;                             // one blank between words
  std::vector<std::vector<std::string>> lines_;  // stems of the content words, sorted
};

// Removes the items from `state` that the text already contains. Returns their number.
std::int64_t leave_out(WorkingState& state, const TextContent& said);

}  // namespace memd::continuity
