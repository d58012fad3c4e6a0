#pragma once

#include "store/insight/continuity/working_state.hpp"
#include "store/text/token_budget.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::continuity {

// The part of a pack that lists files, one line per directory (Pack::files). Borrows `state` and `budget`. One thread.
class FileList {
 public:
  FileList(const WorkingState& state, TokenBudget& budget);

  // Adds files, the best first, for at most `tokens` of the budget. Spends the rest on the purposes of the files.
  // Returns the number of files that did not fit.
  std::int64_t add_files(std::size_t tokens);

  // Adds a name to the entry of the file that contains it, and adds that file if needed: "summarize.go e2
  // {generateSummary:41}". Returns false if the file is unknown, or `tokens` or the budget do not suffice. Subtracts
  // the cost from `tokens`.
  bool add_name(const WorkingName& name, std::size_t& tokens);

  std::vector<std::string> lines() const;

 private:
  struct Entry {
    std::string path;
    std::string text;
    std::string names;  // separated by blanks
  };
  using Line = std::pair<std::string, std::vector<Entry>>;  // directory (with trailing slash) and its files
  // Where files are edited, a directory in which none was is not worth a line; elsewhere one that only commands name.
  bool is_worth_a_line(const std::string& directory) const;
  bool add(const std::string& directory, Entry entry, std::size_t& tokens);
  void add_purposes(std::size_t tokens);
  Entry* find(const std::string& path);
  bool pay(std::size_t cost, std::size_t& tokens);

  const WorkingState& state_;
  TokenBudget& budget_;
  std::vector<Line> lines_;                    // best directory first
  std::size_t named_ = 0;                      // number of names so far
  std::set<std::string, std::less<>> edited_;  // directories
  std::set<std::string, std::less<>> read_;    // directories
};

// Returns the path relative to the working directory if it is below it.
std::string path_below(std::string_view path, std::string_view cwd);

}  // namespace memd::continuity
