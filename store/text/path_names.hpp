#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// File names as agents write them: absolute, or relative to an unknown directory.
namespace memd::continuity {

// Returns the words of a command line that look like a file path: with a slash and an extension, without a wildcard.
// Unless `whole`, the line is cut, and a word that touches its end is skipped.
std::vector<std::string_view> paths_in(std::string_view command, bool whole);

bool is_absolute(std::string_view path);

// Maps each file to one name, whether it was given by a relative or an absolute path. A value; one thread.
class PathNames {
 public:
  // `root`: the working directory, to which relative paths without a known match belong.
  explicit PathNames(std::string_view root) : root_(root) {}

  // Adds an absolute path that was seen.
  void add(std::string_view path);
  // Returns the absolute path. For a relative path this is the only known path that ends with it, otherwise the only
  // known directory that ends with its directory. Ignores "a/" and "b/" of a diff.
  std::string absolute(std::string_view path) const;

 private:
  using ByName = std::multimap<std::string, std::string, std::less<>>;  // last component → path
  static void add_to(ByName& to, std::string_view path);
  const std::string* only_with_end(const ByName& in, std::string_view end) const;

  std::string root_;
  ByName files_;
  ByName directories_;
};

}  // namespace memd::continuity

// Paths as agents write them, and the summary line of an edit.
namespace memd::assembly {

// Resolves `path` in `directory`. Returns it unchanged when it is absolute, starts with "~", or the directory is
// unknown.
std::string absolute_path(std::string_view path, std::string_view directory);

// Formats and parses "src/a.cpp +3 -1".
std::string edit_summary(std::string_view path, std::int64_t added, std::int64_t removed);
// Of an edit that deletes the file. `removed`: 0 if not known.
std::string deletion_summary(std::string_view path, std::int64_t removed);
bool is_deletion(std::string_view summary);
struct LineCounts {
  std::int64_t added = 0;
  std::int64_t removed = 0;
};
LineCounts counts_of_edit(std::string_view summary);

}  // namespace memd::assembly
