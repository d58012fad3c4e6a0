#pragma once

#include "adapters/snapshot_reader.hpp"
#include "schemas/base/error.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace memd::test {

// An in-memory FileView. Each write gives the file a new modification time.
class MemoryFiles : public FileView {
 public:
  void write(const std::string& path, std::string content) { files_[path] = {std::move(content), ++clock_}; }
  void remove(const std::string& path) { files_.erase(path); }

  std::optional<Entry> stat(const std::string& path) const override {
    ++looks;
    if (const auto it = files_.find(path); it != files_.end()) return entry(it->first, it->second);
    const auto inside = files_.lower_bound(path + "/");
    if (inside == files_.end() || !inside->first.starts_with(path + "/")) return std::nullopt;
    Entry e;
    e.path = path;
    e.is_directory = true;
    return e;
  }
  Result<std::string> read(const std::string& path, std::uint64_t offset, std::uint64_t length) const override {
    const auto it = files_.find(path);
    if (it == files_.end()) return Error(Errc::not_found, path);
    const std::string& content = it->second.content;
    std::string bytes = offset >= content.size() ? std::string() : content.substr(offset, length);
    bytes_read += bytes.size();
    return bytes;
  }
  std::vector<Entry> list(const std::string& directory) const override {
    std::vector<Entry> out;
    const std::string prefix = directory + "/";
    for (auto it = files_.lower_bound(prefix); it != files_.end() && it->first.starts_with(prefix); ++it) {
      const auto slash = it->first.find('/', prefix.size());
      std::string name = it->first.substr(0, slash);
      if (!out.empty() && out.back().path == name) continue;
      if (auto e = stat(name)) out.push_back(std::move(*e));
    }
    return out;
  }

  mutable std::uint64_t bytes_read = 0;
  mutable std::uint64_t looks = 0;

 private:
  struct File {
    std::string content;
    std::int64_t written = 0;
  };
  static Entry entry(const std::string& path, const File& file) {
    Entry e;
    e.path = path;
    e.inode = 1;
    e.size = file.content.size();
    e.mtime = file.written;
    e.mtime_ns = file.written * 1'000'000;
    return e;
  }
  std::map<std::string, File> files_;
  std::int64_t clock_ = 0;
};

}  // namespace memd::test
