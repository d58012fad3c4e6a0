#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memd {

// The places that are not captured. Constant; thread-safe.
class Exclusion {
 public:
  Exclusion() = default;
  // `projects`: names, or absolute directories including everything below; names compare without regard to case.
  // `patterns`: for absolute paths. `*` matches any characters, slashes included. A pattern that matches a directory
  // covers everything below it.
  Exclusion(std::vector<std::string> projects, std::vector<std::string> patterns);

  bool is_empty() const { return projects_.empty() && patterns_.empty(); }
  // Whether a working directory, as the agent wrote it, is excluded.
  bool has_directory(std::string_view directory) const;
  // Whether the file of a session is excluded.
  bool has_file(const std::string& path) const;
  // Whether a directory on the way to `path` has the name that Claude Code derives from an excluded project's
  // directory, such as "-home-me-secret". Other directories may map to the same name.
  bool may_have_stand_in(std::string_view path) const;

 private:
  bool fits_pattern(const std::string& path) const;

  std::vector<std::string> projects_;
  std::vector<std::string> patterns_;
};

}  // namespace memd
