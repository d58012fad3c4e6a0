#include "store/files/path_name.hpp"

namespace memd::files {

bool is_inside(const std::filesystem::path& path, const std::filesystem::path& directory) {
  const auto& p = path.native();
  const auto& d = directory.native();
  return !d.empty() && p.starts_with(d) && (p.size() == d.size() || p[d.size()] == '/' || d.ends_with('/'));
}

}  // namespace memd::files
