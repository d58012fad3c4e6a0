#pragma once

#include "daemon/cli/render/screen.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace memd::cli {

struct Column {
  std::string_view title;
  // What happens when the terminal is too narrow.
  enum class Fit { whole, shrinks, may_go, shrinks_or_goes } fit = Fit::whole;
  bool right = false;      // right-aligned, for numbers
  std::size_t keeps = 16;  // width of one that shrinks for which others go, or shrink before it
};

// A table with titles, at most as wide as the screen. If it is too wide, columns that may go are dropped, the last one
// first; then those that shrink share the remaining width. Rows printed later keep the widths of the first ones. One
// thread.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void row(std::vector<Line> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  // Prints the rows added since the last call.
  void print(Screen& screen);

 private:
  void measure(std::size_t columns);
  void print_row(Screen& screen, const std::vector<Line>& cells) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Line>> rows_;
  std::vector<std::size_t> widths_;  // 0: the column is dropped
};

}  // namespace memd::cli
