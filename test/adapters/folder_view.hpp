#pragma once

#include "adapters/snapshot_reader.hpp"
#include "schemas/base/error.hpp"
#include "test/support/temp_dir.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace memd::test {

// An in-memory FileView. Each write gives the file a later modification time.
class FolderView : public FileView {
 public:
  void write(const std::string& path, std::string text) {
    File& file = files_[path];
    file.text = std::move(text);
    file.changed = ++clock_;
  }
  void append(const std::string& path, std::string_view text) { write(path, files_[path].text + std::string(text)); }
  void remove(const std::string& path) { files_.erase(path); }
  const std::string& text(const std::string& path) const { return files_.at(path).text; }
  bool holds(const std::string& path) const { return files_.contains(path); }

  // Copies a directory from disk, as if it were at `as`.
  void take(const std::filesystem::path& directory, const std::filesystem::path& as) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      if (!entry.is_regular_file()) continue;
      write((as / entry.path().lexically_relative(directory)).string(), bytes_of(entry.path()));
    }
  }
  std::set<std::string> paths() const {
    std::set<std::string> out;
    for (const auto& [path, file] : files_)
      out.insert(path);
    return out;
  }

  std::optional<Entry> stat(const std::string& path) const override {
    if (const auto it = files_.find(path); it != files_.end()) return entry(it->first, it->second);
    const auto inside = files_.lower_bound(path + "/");
    if (inside == files_.end() || !inside->first.starts_with(path + "/")) return std::nullopt;
    return Entry{path, true};
  }
  Result<std::string> read(const std::string& path, std::uint64_t offset, std::uint64_t length) const override {
    const auto it = files_.find(path);
    if (it == files_.end()) return Error(Errc::not_found, path);
    const std::string& text = it->second.text;
    read_ += std::min<std::uint64_t>(length, text.size() - std::min<std::uint64_t>(offset, text.size()));
    return offset >= text.size() ? std::string() : text.substr(offset, length);
  }
  std::vector<Entry> list(const std::string& directory) const override {
    std::vector<Entry> out;
    const std::string prefix = directory + "/";
    for (auto it = files_.lower_bound(prefix); it != files_.end() && it->first.starts_with(prefix); ++it) {
      const std::string name = it->first.substr(0, it->first.find('/', prefix.size()));
      if (out.empty() || out.back().path != name) out.push_back(*stat(name));
    }
    return out;
  }

  std::uint64_t bytes_read() const { return read_; }
  void forget_reads() { read_ = 0; }

 private:
  struct File {
    std::string text;
    std::int64_t changed = 0;
  };
  static Entry entry(const std::string& path, const File& file) {
    constexpr std::int64_t kStart = 1'760'000'000'000;
    return {path, false, 1, 1, file.text.size(), kStart + file.changed, (kStart + file.changed) * 1'000'000};
  }
  std::map<std::string, File> files_;
  std::int64_t clock_ = 0;
  mutable std::uint64_t read_ = 0;
};

}  // namespace memd::test
