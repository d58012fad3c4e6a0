#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// The packed states of idle sources, by path. There may be a million: each uses one memory block, with its path
// relative to its root, and one tree node. One thread.
class IdleSources {
 public:
  explicit IdleSources(const std::vector<std::filesystem::path>& roots);

  // Owned by this class, valid until the path is put or erased.
  std::optional<std::string_view> find(std::string_view path) const;
  bool contains(std::string_view path) const { return find(path).has_value(); }
  void put(std::string_view path, std::string_view bytes);  // replaces the old bytes
  void erase(std::string_view path);
  void clear() { entries_.clear(); }

  // Visits in the order of roots, then paths, until the visitor returns false. The visitor must not change this object.
  using Visitor = std::function<bool(const std::string& path, std::string_view bytes)>;
  void each(const Visitor& visit) const;
  void each_below(std::string_view directory, const Visitor& visit) const;

 private:
  struct Key {
    std::size_t root = 0;
    std::string_view path;  // below the root
    auto operator<=>(const Key&) const = default;
  };
  // A header, the path and the bytes.
  struct Entry {
    std::unique_ptr<char[]> block;
    Key key() const;
    std::string_view bytes() const;
  };
  struct ByKey {
    using is_transparent = void;
    bool operator()(const Entry& a, const Entry& b) const { return a.key() < b.key(); }
    bool operator()(const Entry& a, const Key& b) const { return a.key() < b; }
    bool operator()(const Key& a, const Entry& b) const { return a < b.key(); }
  };
  Key key_of(std::string_view path) const;
  static Entry make(const Key& key, std::string_view bytes);
  // Returns false if the visitor stopped.
  bool visit_from(const Key& first, const Visitor& visit) const;

  std::vector<std::string> roots_;  // each with a trailing slash; the last is empty, for paths outside all roots
  std::set<Entry, ByKey> entries_;
};

}  // namespace memd
