#include "daemon/ingest/exclusion.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/project_identity.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

namespace memd {
namespace {

bool is_below(std::string_view path, std::string_view directory) {
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

std::string stand_in(std::string_view directory) {
  std::string out(directory);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return !ascii::is_alnum(c); }, '-');
  return out;
}

}  // namespace

Exclusion::Exclusion(std::vector<std::string> projects, std::vector<std::string> patterns)
    : projects_(std::move(projects)), patterns_(std::move(patterns)) {
  for (auto* places : {&projects_, &patterns_})
    for (auto& place : *places)
      while (place.size() > 1 && place.ends_with('/'))
        place.pop_back();
}

bool Exclusion::has_directory(std::string_view directory) const {
  if (is_empty() || directory.empty()) return false;
  const ProjectIdentity project = project_identity(directory);
  for (const auto& wanted : projects_)
    if (wanted.find('/') == std::string::npos ? ascii::equal_nocase(wanted, project.name)
                                              : is_below(directory, wanted) || is_below(project.key, wanted))
      return true;
  return fits_pattern(std::string(directory));
}

bool Exclusion::has_file(const std::string& path) const { return fits_pattern(path); }

bool Exclusion::fits_pattern(const std::string& path) const {
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), path.c_str(), 0) == 0 ||
           ::fnmatch((pattern + "/*").c_str(), path.c_str(), 0) == 0;
  });
}

bool Exclusion::may_have_stand_in(std::string_view path) const {
  for (const auto& project : projects_) {
    // A bare project name gives only the end of the directory.
    const bool is_directory = project.find('/') != std::string::npos;
    const std::string name = stand_in(is_directory ? project : "/" + project);
    for (std::size_t at = 0; at < path.size();) {
      const std::size_t end = std::min(path.find('/', at), path.size());
      const std::string_view part = path.substr(at, end - at);
      if (is_directory ? part == name || part.starts_with(name + "-") : part.ends_with(name)) return true;
      at = end + 1;
    }
  }
  return false;
}

}  // namespace memd
