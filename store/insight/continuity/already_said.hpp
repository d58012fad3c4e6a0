#pragma once

#include "store/insight/continuity/working_state.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::continuity {

// What a text says already: the platform's own summary, which stands in the agent's context anyway.
// Keeps a copy. Constant after construction; every thread may ask.
class AlreadySaid {
 public:
  explicit AlreadySaid(std::string_view text);

  bool has_name(std::string_view name) const;
  // The line itself, one blank between words; of one word: as a command, not as prose.
  bool has_command(std::string_view line) const;
  // The last two components of the path.
  bool has_file(std::string_view path) const;
  // Most of its words that carry a subject stand there in one line.
  bool has_sentence(std::string_view sentence) const;

 private:
  std::string text_;                             // one blank between words
  std::vector<std::vector<std::string>> lines_;  // stems of the words that carry a subject, sorted
};

// Takes out of `state` what is said already. How many items that were.
std::int64_t leave_out(WorkingState& state, const AlreadySaid& said);

}  // namespace memd::continuity
