#pragma once

#include "schemas/file_history.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::tools {

struct TraceStep;

template <class Visit>
void for_each_line(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    visit(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

// A file as its edits leave it, from one that wrote it whole on, until an edit does not fit: then somebody else has
// changed it, and nothing is known any more.
class KnownContents {
 public:
  // Gives hunks without a place theirs where their old lines stand in one place only. Applies the edit.
  void apply(TraceStep& step);

 private:
  void write_whole(const TraceStep& step);
  bool apply_one(EditHunk& hunk, std::int64_t grown);

  std::optional<std::vector<std::string>> lines_;
};

}  // namespace memd::tools
