#pragma once

#include "daemon/cli/render/screen.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cli {

struct Column {
  std::string_view title;
  enum class Fit { whole, shrinks, may_go } fit = Fit::whole;  // where the terminal is too narrow
  bool right = false;                                          // numbers
};

// Rows under titles, as wide as the screen at most. Columns that may go leave first, the last of them first; then those
// that shrink share what is left. Rows printed later keep the widths of the first ones. One thread.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void row(std::vector<Line> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  // Prints the rows added since the last time.
  void print(Screen& screen);

 private:
  void measure(std::size_t columns);
  void print_row(Screen& screen, const std::vector<Line>& cells) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Line>> rows_;
  std::vector<std::size_t> widths_;  // 0: the column is gone
};

}  // namespace memd::cli
