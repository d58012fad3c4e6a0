#include "daemon/ingest/idle_sources.hpp"

#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

namespace memd {
namespace {

struct Header {
  std::uint32_t bytes = 0;
  std::uint16_t path = 0;  // length of the path
  std::uint8_t root = 0;
};
constexpr std::size_t kHeader = 7;  // packed without padding, because there are many blocks
constexpr std::size_t kMostRoots = std::numeric_limits<std::uint8_t>::max();

Header header_of(const char* block) {
  Header out;
  std::memcpy(&out.bytes, block, sizeof out.bytes);
  std::memcpy(&out.path, block + 4, sizeof out.path);
  std::memcpy(&out.root, block + 6, sizeof out.root);
  return out;
}

}  // namespace

IdleSources::IdleSources(const std::vector<std::filesystem::path>& roots) {
  for (const auto& root : roots)
    if (roots_.size() < kMostRoots) roots_.push_back(root.native() + (root.native().ends_with('/') ? "" : "/"));
  roots_.emplace_back();
}

IdleSources::Key IdleSources::Entry::key() const {
  const Header header = header_of(block.get());
  return {header.root, {block.get() + kHeader, header.path}};
}

std::string_view IdleSources::Entry::bytes() const {
  const Header header = header_of(block.get());
  return {block.get() + kHeader + header.path, header.bytes};
}

IdleSources::Key IdleSources::key_of(std::string_view path) const {
  std::size_t root = 0;
  while (!path.starts_with(roots_[root]))
    ++root;
  return {root, path.substr(roots_[root].size())};
}

IdleSources::Entry IdleSources::make(const Key& key, std::string_view bytes) {
  const Header header{static_cast<std::uint32_t>(bytes.size()), static_cast<std::uint16_t>(key.path.size()),
                      static_cast<std::uint8_t>(key.root)};
  if (header.bytes != bytes.size() || header.path != key.path.size())
    throw std::length_error("the path of a source is too long");
  Entry out{std::make_unique_for_overwrite<char[]>(kHeader + key.path.size() + bytes.size())};
  char* at = out.block.get();
  std::memcpy(at, &header.bytes, sizeof header.bytes);
  std::memcpy(at + 4, &header.path, sizeof header.path);
  std::memcpy(at + 6, &header.root, sizeof header.root);
  at = key.path.copy(at + kHeader, key.path.size()) + at + kHeader;
  bytes.copy(at, bytes.size());
  return out;
}

std::optional<std::string_view> IdleSources::find(std::string_view path) const {
  const auto it = entries_.find(key_of(path));
  return it == entries_.end() ? std::nullopt : std::optional(it->bytes());
}

void IdleSources::put(std::string_view path, std::string_view bytes) {
  const Key key = key_of(path);
  Entry entry = make(key, bytes);
  const auto it = entries_.lower_bound(key);
  if (it == entries_.end() || it->key() != key) {
    entries_.insert(it, std::move(entry));
    return;
  }
  auto node = entries_.extract(it);
  node.value() = std::move(entry);
  entries_.insert(std::move(node));
}

void IdleSources::erase(std::string_view path) {
  if (const auto it = entries_.find(key_of(path)); it != entries_.end()) entries_.erase(it);
}

bool IdleSources::visit_from(const Key& first, const Visitor& visit) const {
  for (auto it = entries_.lower_bound(first); it != entries_.end(); ++it) {
    const Key key = it->key();
    if (key.root != first.root || !key.path.starts_with(first.path)) break;
    if (!visit(roots_[key.root] + std::string(key.path), it->bytes())) return false;
  }
  return true;
}

void IdleSources::each(const Visitor& visit) const {
  for (std::size_t root = 0; root < roots_.size(); ++root)
    if (!visit_from({root, {}}, visit)) return;
}

void IdleSources::each_below(std::string_view directory, const Visitor& visit) const {
  const std::string prefix = directory.ends_with('/') ? std::string(directory) : std::string(directory) + '/';
  for (std::size_t root = 0; root < roots_.size(); ++root) {
    const std::string_view name = roots_[root];
    if (name.starts_with(prefix)) {
      if (!visit_from({root, {}}, visit)) return;
    } else if (prefix.starts_with(name)) {
      if (!visit_from({root, std::string_view(prefix).substr(name.size())}, visit)) return;
    }
  }
}

}  // namespace memd
