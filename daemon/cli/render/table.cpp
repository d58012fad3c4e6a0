#include "daemon/cli/render/table.hpp"

#include <algorithm>
#include <utility>

namespace memd::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastWidth = 8;  // minimum width of a column that shrinks

std::size_t taken_by(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (const std::size_t width : widths)
    sum += width > 0 ? width + kGap : 0;
  return sum > 0 ? sum - kGap : 0;
}

}  // namespace

void Table::measure(std::size_t columns) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = 0;
    for (const auto& cells : rows_)
      width = std::max(width, cells[i].columns());
    // An empty column is left out.
    widths_.push_back(width == 0 ? 0 : std::max(width, Line(columns_[i].title).columns()));
  }
  if (columns == 0) return;
  using Fit = Column::Fit;
  const auto spare = [&](std::size_t i) {
    const bool shrinks = columns_[i].fit == Fit::shrinks || columns_[i].fit == Fit::shrinks_or_goes;
    return shrinks && widths_[i] > columns_[i].keeps ? widths_[i] - columns_[i].keeps : 0;
  };
  const auto shrinkable = [&] {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      sum += spare(i);
    return sum;
  };
  for (std::size_t i = columns_.size(); i-- > 0 && taken_by(widths_) > columns + shrinkable();)
    if (columns_[i].fit == Fit::may_go || columns_[i].fit == Fit::shrinks_or_goes) widths_[i] = 0;
  while (taken_by(widths_) > columns) {
    std::size_t most = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].fit == Fit::whole || columns_[i].fit == Fit::may_go || widths_[i] <= kLeastWidth) continue;
      if (most == columns_.size() || std::pair(spare(i), widths_[i]) > std::pair(spare(most), widths_[most])) most = i;
    }
    if (most == columns_.size()) break;
    --widths_[most];
  }
}

void Table::print_row(Screen& screen, const std::vector<Line>& cells) const {
  Line out;
  std::size_t blanks = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (widths_[i] == 0) continue;
    const Line cell = screen.look().columns > 0 ? cells[i].cut(widths_[i]) : cells[i];
    const std::size_t used = cell.columns();
    const std::size_t left = widths_[i] > used ? widths_[i] - used : 0;
    out.add(std::string(blanks + (columns_[i].right ? left : 0), ' ')).append(cell);
    blanks = kGap + (columns_[i].right ? 0 : left);
  }
  screen.line(out);
}

void Table::print(Screen& screen) {
  if (rows_.empty()) return;
  if (widths_.empty()) {
    measure(screen.look().columns);
    std::vector<Line> titles;
    for (const Column& column : columns_)
      titles.emplace_back(column.title, Style::faint);
    if (std::ranges::any_of(columns_, [](const Column& column) { return !column.title.empty(); }))
      print_row(screen, titles);
  }
  for (const auto& cells : rows_) {
    screen.item();
    print_row(screen, cells);
  }
  rows_.clear();
}

}  // namespace memd::cli
