#include "daemon/tools/known_contents.hpp"

#include "daemon/tools/line_trace.hpp"

#include <algorithm>

namespace memd::tools {
namespace {

constexpr std::size_t kMostLines = 50'000;

struct Sides {
  std::vector<std::string> before;
  std::vector<std::string> after;
};

Sides sides_of(const EditHunk& hunk) {
  Sides out;
  for_each_line(hunk.text, [&](std::string_view line) {
    const char sign = line.empty() ? ' ' : line.front();
    const std::string text(line.empty() ? line : line.substr(1));
    if (sign != '+') out.before.push_back(text);
    if (sign != '-') out.after.push_back(text);
  });
  return out;
}

// Where `part` stands in `lines`, if in one place only.
std::optional<std::size_t> only_place(const std::vector<std::string>& lines, const std::vector<std::string>& part) {
  if (part.empty()) return std::nullopt;
  const auto at = std::search(lines.begin(), lines.end(), part.begin(), part.end());
  if (at == lines.end()) return std::nullopt;
  if (std::search(at + 1, lines.end(), part.begin(), part.end()) != lines.end()) return std::nullopt;
  return static_cast<std::size_t>(at - lines.begin());
}

}  // namespace

void KnownContents::write_whole(const TraceStep& step) {
  lines_.emplace();
  for (const EditHunk& hunk : step.hunks) {
    auto sides = sides_of(hunk);
    lines_->insert(lines_->end(), sides.after.begin(), sides.after.end());
  }
  if (lines_->size() > kMostLines) lines_.reset();
}

// `grown`: lines that the hunks before it in the same edit have added. False: it does not fit.
bool KnownContents::apply_one(EditHunk& hunk, std::int64_t grown) {
  const Sides sides = sides_of(hunk);
  std::size_t at = 0;
  if (hunk.placed()) {
    // A side without lines counts the line before it.
    const std::int64_t line = hunk.new_lines > 0 ? hunk.new_start - 1 : hunk.old_start - 1 + grown;
    at = static_cast<std::size_t>(std::max<std::int64_t>(line, 0));
    if (at + sides.before.size() > lines_->size() ||
        !std::equal(sides.before.begin(), sides.before.end(), lines_->begin() + static_cast<std::ptrdiff_t>(at)))
      return false;
  } else {
    const auto place = only_place(*lines_, sides.before);
    if (!place) return false;
    at = *place;
    hunk.old_lines = static_cast<std::int64_t>(sides.before.size());
    hunk.new_lines = static_cast<std::int64_t>(sides.after.size());
    hunk.new_start = static_cast<std::int64_t>(at) + (hunk.new_lines == 0 ? 0 : 1);
    hunk.old_start = static_cast<std::int64_t>(at) + 1 - grown;
  }
  const auto begin = lines_->begin() + static_cast<std::ptrdiff_t>(at);
  const auto behind = lines_->erase(begin, begin + static_cast<std::ptrdiff_t>(sides.before.size()));
  lines_->insert(behind, sides.after.begin(), sides.after.end());
  return lines_->size() <= kMostLines;
}

void KnownContents::apply(TraceStep& step) {
  if (step.whole_file) {
    write_whole(step);
    return;
  }
  if (!lines_) return;
  if (step.hunks.empty()) {
    lines_.reset();
    return;
  }
  std::int64_t grown = 0;
  for (EditHunk& hunk : step.hunks) {
    if (!apply_one(hunk, grown)) {
      lines_.reset();
      return;
    }
    grown += hunk.new_lines - hunk.old_lines;
  }
}

}  // namespace memd::tools
