#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace memd {

// Which inotify watch stands on which directory. Not thread-safe.
class WatchTable {
 public:
  std::size_t size() const { return paths_.size(); }
  bool contains(const std::filesystem::path& directory) const { return by_path_.contains(directory.native()); }

  void put(int watch, const std::filesystem::path& directory);
  const std::filesystem::path* find(int watch) const;  // valid until the next change
  void erase(int watch);
  // Takes out the directory and all below it; their watches.
  std::vector<int> take_below(const std::filesystem::path& directory);
  void clear();

 private:
  std::unordered_map<int, std::filesystem::path> paths_;
  std::map<std::string, int> by_path_;
};

}  // namespace memd
