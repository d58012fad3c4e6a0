#include "daemon/ingest/watch_table.hpp"

namespace memd {

void WatchTable::put(int watch, const std::filesystem::path& directory) {
  erase(watch);  // the directory may be known by a name it no longer has
  if (const auto it = by_path_.find(directory.native()); it != by_path_.end()) paths_.erase(it->second);
  paths_[watch] = directory;
  by_path_[directory.native()] = watch;
}

const std::filesystem::path* WatchTable::find(int watch) const {
  const auto it = paths_.find(watch);
  return it == paths_.end() ? nullptr : &it->second;
}

void WatchTable::erase(int watch) {
  const auto it = paths_.find(watch);
  if (it == paths_.end()) return;
  by_path_.erase(it->second.native());
  paths_.erase(it);
}

std::vector<int> WatchTable::take_below(const std::filesystem::path& directory) {
  std::vector<int> out;
  if (const auto it = by_path_.find(directory.native()); it != by_path_.end()) {
    out.push_back(it->second);
    paths_.erase(it->second);
    by_path_.erase(it);
  }
  const std::string prefix = directory.native() + "/";
  auto it = by_path_.lower_bound(prefix);
  while (it != by_path_.end() && it->first.starts_with(prefix)) {
    out.push_back(it->second);
    paths_.erase(it->second);
    it = by_path_.erase(it);
  }
  return out;
}

void WatchTable::clear() {
  paths_.clear();
  by_path_.clear();
}

}  // namespace memd
