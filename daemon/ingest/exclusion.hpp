#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memd {

// Which places are not captured. Constant; thread-safe.
class Exclusion {
 public:
  Exclusion() = default;
  // `projects`: names, or absolute directories with all below. `patterns`: of absolute paths, with * for any letters,
  // slashes too; one that a directory fits holds for all below. Letters of either case are alike in names of projects.
  Exclusion(std::vector<std::string> projects, std::vector<std::string> patterns);

  bool is_empty() const { return projects_.empty() && patterns_.empty(); }
  // Where an agent worked, as it wrote it.
  bool has_directory(std::string_view directory) const;
  // Where an agent keeps a session.
  bool has_file(const std::string& path) const;
  // Whether the name of a directory on the way to `path` is what Claude Code makes of an excluded project's directory:
  // "-home-me-secret". Other directories may have that name too.
  bool may_have_stand_in(std::string_view path) const;

 private:
  bool fits_pattern(const std::string& path) const;

  std::vector<std::string> projects_;
  std::vector<std::string> patterns_;
};

}  // namespace memd
