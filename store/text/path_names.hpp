#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Files as agents write them: absolute, or relative to a directory that nobody tells.
namespace memd::continuity {

// Words of a command line that look like the path of a file: a slash and an extension, no pattern. `whole`: the line is
// not cut; else what touches its end is no path.
std::vector<std::string_view> paths_in(std::string_view command, bool whole);

bool is_absolute(std::string_view path);

// Gives one name to each file, whether it was called by a relative or an absolute path. A value; one thread.
class PathNames {
 public:
  // `root`: the working directory, where a relative path stands that fits nothing known.
  explicit PathNames(std::string_view root) : root_(root) {}

  // An absolute path that was seen.
  void add(std::string_view path);
  // The absolute name: of a relative path the one known path that ends with it, else the one known directory that ends
  // with its directory; "a/" and "b/" of a diff are no directories.
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

// Paths as agents write them, and the line that tells of an edit.
namespace memd::assembly {

// `path` as it is meant in `directory`. As it stands when it is absolute, starts with "~" or the directory is unknown.
std::string absolute_path(std::string_view path, std::string_view directory);

// "src/a.cpp +3 -1", and back.
std::string edit_summary(std::string_view path, std::int64_t added, std::int64_t removed);
struct LineCounts {
  std::int64_t added = 0;
  std::int64_t removed = 0;
};
LineCounts counts_of_edit(std::string_view summary);

}  // namespace memd::assembly
