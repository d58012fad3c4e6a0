#pragma once

#include "store/insight/continuity/working_state.hpp"
#include "store/text/token_budget.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::continuity {

// The part of a pack that lists files, a line a directory (Pack::files). Borrows `state` and `budget`. One thread.
class FileList {
 public:
  FileList(const WorkingState& state, TokenBudget& budget) : state_(state), budget_(budget) {}

  // Takes files, the best first, for at most `tokens` of the budget; with what is left, what they were touched for.
  // Returns how many did not fit.
  std::int64_t add_files(std::size_t tokens);

  // Puts a name beside the file it lives in, if that is in the list and `tokens` and the budget suffice: "summarize.go
  // e2 {generateSummary:41}". Takes what it costs off `tokens`.
  bool add_name(const NameInPlay& name, std::size_t& tokens);

  std::vector<std::string> lines() const;

 private:
  struct Entry {
    const FileInPlay* file = nullptr;
    std::string text;
    std::string names;  // separated by blanks
  };
  using Line = std::pair<std::string, std::vector<Entry>>;  // directory, with its last slash
  void add_purposes(std::size_t tokens);
  bool pay(std::size_t cost, std::size_t& tokens);

  const WorkingState& state_;
  TokenBudget& budget_;
  std::vector<Line> lines_;  // best directory first
};

// "generateSummary:41", or the name alone where no line is known.
std::string name_with_line(const NameInPlay& name);

// The path's end: below the working directory as far as it is there.
std::string path_below(std::string_view path, std::string_view cwd);

}  // namespace memd::continuity
