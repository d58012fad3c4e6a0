#include "daemon/tools/line_trace.hpp"

#include "schemas/base/ascii.hpp"

#include <algorithm>

namespace memd::tools {
namespace {

template <class Visit>
void for_each_line(std::string_view text, Visit&& visit) {
  while (!text.empty())
    visit(ascii::take_until(text, '\n'));
}

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

// Returns the index of `part` in `lines` if it occurs exactly once.
std::optional<std::size_t> only_place(const std::vector<std::string>& lines, const std::vector<std::string>& part) {
  if (part.empty()) return std::nullopt;
  const auto at = std::search(lines.begin(), lines.end(), part.begin(), part.end());
  if (at == lines.end()) return std::nullopt;
  if (std::search(at + 1, lines.end(), part.begin(), part.end()) != lines.end()) return std::nullopt;
  return static_cast<std::size_t>(at - lines.begin());
}

// The contents of a file, reconstructed from its edits, beginning with one that wrote the whole file. An edit that does
// not fit shows that somebody else changed the file; the contents are then unknown until the next whole write. One
// thread.
class KnownContents {
 public:
  // Applies the edit. Sets the line numbers of a hunk without them if its old lines occur exactly once.
  void apply(TraceStep& step);

 private:
  void write_whole(const TraceStep& step);
  bool apply_one(EditHunk& hunk, std::int64_t grown);

  std::optional<std::vector<std::string>> lines_;
};

void KnownContents::write_whole(const TraceStep& step) {
  lines_.emplace();
  for (const EditHunk& hunk : step.hunks) {
    auto sides = sides_of(hunk);
    lines_->insert(lines_->end(), sides.after.begin(), sides.after.end());
  }
  if (lines_->size() > kMostLines) lines_.reset();
}

// Applies a hunk. `grown`: lines added by earlier hunks of the same edit. Returns false if the hunk does not fit, or
// the file is too long.
bool KnownContents::apply_one(EditHunk& hunk, std::int64_t grown) {
  const Sides sides = sides_of(hunk);
  std::size_t at = 0;
  if (hunk.placed()) {
    // The start of a side without lines is the line before it.
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

// A run of changed lines inside a hunk.
struct Change {
  std::int64_t old_start = 0;
  std::int64_t old_lines = 0;
  std::int64_t new_start = 0;
  std::int64_t new_lines = 0;
  std::size_t hunk = 0;
};

std::vector<Change> changes_of(const std::vector<EditHunk>& hunks) {
  std::vector<Change> out;
  for (std::size_t h = 0; h < hunks.size(); ++h) {
    const EditHunk& hunk = hunks[h];
    // The start of a side without lines is the line before it; "-0,0" or "+0,0" if the file is empty on that side.
    std::int64_t old_line = hunk.old_lines == 0 ? hunk.old_start + 1 : hunk.old_start;
    std::int64_t new_line = hunk.new_lines == 0 ? hunk.new_start + 1 : hunk.new_start;
    if (hunk.text.empty()) {
      out.push_back({old_line, hunk.old_lines, new_line, hunk.new_lines, h});
      continue;
    }
    bool open = false;
    for_each_line(hunk.text, [&](std::string_view line) {
      const char sign = line.empty() ? ' ' : line.front();
      if (sign != '+' && sign != '-') {
        open = false;
        ++old_line;
        ++new_line;
        return;
      }
      if (!open) out.push_back({old_line, 0, new_line, 0, h});
      open = true;
      if (sign == '-') ++old_line, ++out.back().old_lines;
      if (sign == '+') ++new_line, ++out.back().new_lines;
    });
  }
  std::sort(out.begin(), out.end(), [](const Change& a, const Change& b) { return a.new_start < b.new_start; });
  return out;
}

bool touches(const Change& c, const LineRange& range) {
  if (c.new_lines == 0) return c.new_start >= range.first && c.new_start <= range.last + 1;
  return c.new_start <= range.last && c.new_start + c.new_lines > range.first;
}

// Returns the range as it was before the changes. Empty (last < first) if they wrote all of it.
LineRange before(const std::vector<Change>& changes, const LineRange& range) {
  std::int64_t shift_first = 0;
  std::int64_t shift_last = 0;
  LineRange out = range;
  bool first_inside = false;
  bool last_inside = false;
  for (const Change& c : changes) {
    const std::int64_t behind = c.new_start + c.new_lines;
    const std::int64_t grown = c.new_lines - c.old_lines;
    if (behind <= range.first) shift_first += grown;
    if (behind <= range.last) shift_last += grown;
    if (c.new_lines == 0) continue;
    if (c.new_start <= range.first && range.first < behind) {
      first_inside = true;
      out.first = c.old_start;
    }
    if (c.new_start <= range.last && range.last < behind) {
      last_inside = true;
      out.last = c.old_start + c.old_lines - 1;
    }
  }
  if (!first_inside) out.first -= shift_first;
  if (!last_inside) out.last -= shift_last;
  return out;
}

bool is_placed(const TraceStep& step) {
  return !step.hunks.empty() &&
         std::all_of(step.hunks.begin(), step.hunks.end(), [](const EditHunk& h) { return h.placed(); });
}

std::string texts_of(const std::vector<EditHunk>& hunks) {
  std::string out;
  for (const EditHunk& hunk : hunks)
    out += hunk.text;
  return out;
}

// Adds line numbers to edits without them where the contents of the file are known.
std::vector<TraceStep> with_places(std::vector<TraceStep> edits) {
  KnownContents contents;
  for (TraceStep& step : edits)
    contents.apply(step);
  return edits;
}

bool changed_line_holds(const EditHunk& hunk, std::string_view text) {
  bool found = false;
  for_each_line(hunk.text, [&](std::string_view line) {
    if (!line.empty() && line.front() != ' ' && line.find(text) != std::string_view::npos) found = true;
  });
  return found;
}

}  // namespace

LineTrace trace_lines(const std::vector<TraceStep>& recorded, LineRange asked) {
  const auto edits = with_places(recorded);
  LineTrace out;
  LineRange range = asked;
  bool sure = true;
  for (std::size_t i = edits.size(); i-- > 0;) {
    const TraceStep& step = edits[i];
    if (!is_placed(step)) {
      out.edits.push_back({i, TraceMatch::unplaced, {}, texts_of(step.hunks)});
      sure = false;
      continue;
    }
    const auto changes = changes_of(step.hunks);
    TracedEdit edit{i, sure ? TraceMatch::placed : TraceMatch::estimated, {}, {}};
    std::size_t shown = step.hunks.size();
    for (const Change& c : changes) {
      if (!touches(c, range)) continue;
      const std::int64_t last = c.new_start + std::max<std::int64_t>(c.new_lines, 1) - 1;
      edit.lines.first = edit.lines.first == 0 ? c.new_start : std::min(edit.lines.first, c.new_start);
      edit.lines.last = std::max(edit.lines.last, last);
      if (c.hunk != shown) edit.change += step.hunks[c.hunk].text;
      shown = c.hunk;
    }
    if (edit.lines.first > 0) out.edits.push_back(std::move(edit));
    range = before(changes, range);
    if (step.whole_file || range.last < range.first) {
      out.reaches_origin = true;
      break;
    }
  }
  return out;
}

LineTrace trace_text(const std::vector<TraceStep>& recorded, std::string_view text) {
  const auto edits = with_places(recorded);
  LineTrace out;
  for (std::size_t i = edits.size(); i-- > 0;) {
    TracedEdit edit{i, is_placed(edits[i]) ? TraceMatch::placed : TraceMatch::unplaced, {}, {}};
    for (const EditHunk& hunk : edits[i].hunks) {
      if (!changed_line_holds(hunk, text)) continue;
      edit.change += hunk.text;
      if (!hunk.placed()) continue;
      const std::int64_t last = hunk.new_start + std::max<std::int64_t>(hunk.new_lines, 1) - 1;
      edit.lines.first = edit.lines.first == 0 ? hunk.new_start : std::min(edit.lines.first, hunk.new_start);
      edit.lines.last = std::max(edit.lines.last, last);
    }
    if (!edit.change.empty()) out.edits.push_back(std::move(edit));
  }
  return out;
}

}  // namespace memd::tools
