#include "adapters/cline/edit_counts.hpp"

namespace memd::cline {
namespace {

template <class Visit>
void each_line(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    visit(line);
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

bool is_marker(std::string_view line, char mark) {
  const auto n = line.find_first_not_of(mark);
  return n != std::string_view::npos ? n >= 3 : line.size() >= 3;
}

EditCounts count_search_replace(std::string_view text) {
  EditCounts counts;
  enum { outside, search, replace } part = outside;
  each_line(text, [&](std::string_view line) {
    if (line.ends_with(" SEARCH") && (is_marker(line, '-') || is_marker(line, '<'))) {
      part = search;
    } else if (part == search && is_marker(line, '=') && line.find_first_not_of('=') == std::string_view::npos) {
      part = replace;
    } else if (line.ends_with(" REPLACE") && (is_marker(line, '+') || is_marker(line, '>'))) {
      part = outside;
    } else if (part == search) {
      ++counts.removed;
    } else if (part == replace) {
      ++counts.added;
    }
  });
  return counts;
}

EditCounts count_unified(std::string_view text) {
  EditCounts counts;
  each_line(text, [&](std::string_view line) {
    if (line.starts_with("+++") || line.starts_with("---")) return;
    if (line.starts_with('+')) ++counts.added;
    if (line.starts_with('-')) ++counts.removed;
  });
  return counts;
}

}  // namespace

EditCounts count_edit(std::string_view shown) {
  if (shown.find(" SEARCH") != std::string_view::npos && shown.find(" REPLACE") != std::string_view::npos)
    return count_search_replace(shown);
  if (shown.starts_with("@@ ") || shown.find("\n@@ ") != std::string_view::npos) return count_unified(shown);
  EditCounts counts;
  each_line(shown, [&](std::string_view) { ++counts.added; });
  return counts;
}

}  // namespace memd::cline
