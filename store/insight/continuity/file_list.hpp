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

  // Puts a name beside the file it lives in, which comes into the list with it: "summarize.go e2 {generateSummary:41}".
  // False if no file is known, or `tokens` or the budget do not suffice. Takes what it costs off `tokens`.
  bool add_name(const NameInPlay& name, std::size_t& tokens);

  std::vector<std::string> lines() const;

 private:
  struct Entry {
    std::string path;
    std::string text;
    std::string names;           // separated by blanks
    bool is_only_named = false;  // nobody read or edited it
  };
  using Line = std::pair<std::string, std::vector<Entry>>;  // directory, with its last slash
  void add_purposes(std::size_t tokens);
  Entry* find(const std::string& path);
  bool pay(std::size_t cost, std::size_t& tokens);

  const WorkingState& state_;
  TokenBudget& budget_;
  std::vector<Line> lines_;  // best directory first
  std::size_t named_ = 0;    // names so far
};

// The path's end: below the working directory as far as it is there.
std::string path_below(std::string_view path, std::string_view cwd);

}  // namespace memd::continuity
