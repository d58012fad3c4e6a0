#include "daemon/ingest/discovery.hpp"

#include <algorithm>
#include <string>
#include <system_error>

namespace memd {
namespace fs = std::filesystem;
namespace {

bool is_inside(const fs::path& path, const fs::path& root) {
  const auto& p = path.native();
  const auto& r = root.native();
  return p.size() >= r.size() && p.compare(0, r.size(), r) == 0 && (p.size() == r.size() || p[r.size()] == '/');
}

struct Found {
  fs::file_time_type changed;
  SourceCandidate candidate;
};

std::vector<SourceCandidate> in_reading_order(std::vector<Found> found) {
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tie(a.changed, a.candidate.path) < std::tie(b.changed, b.candidate.path);
  });
  std::vector<SourceCandidate> out;
  out.reserve(found.size());
  for (auto& f : found)
    out.push_back(std::move(f.candidate));
  return out;
}

template <class OnFile, class OnDirectory>
void walk(const fs::path& under, OnFile on_file, OnDirectory on_directory) {
  std::error_code ec;
  if (fs::is_regular_file(under, ec)) return on_file(fs::directory_entry(under, ec));
  if (!fs::is_directory(under, ec)) return;
  on_directory(under);
  fs::recursive_directory_iterator it(under, fs::directory_options::skip_permission_denied, ec);
  for (; !ec && it != fs::recursive_directory_iterator(); it.increment(ec)) {
    std::error_code entry_ec;
    if (it->is_symlink(entry_ec) && it->is_directory(entry_ec)) {
      it.disable_recursion_pending();
    } else if (it->is_directory(entry_ec)) {
      on_directory(it->path());
    } else if (it->is_regular_file(entry_ec)) {
      on_file(*it);
    }
  }
}

}  // namespace

Discovery::Discovery(std::span<const Adapter* const> adapters, const fs::path& home,
                     const std::map<Platform, std::vector<fs::path>>& overrides,
                     const std::vector<Platform>& disabled) {
  for (const Adapter* adapter : adapters) {
    const Platform platform = adapter->describe().platform;
    if (std::find(disabled.begin(), disabled.end(), platform) != disabled.end()) continue;
    HomeLayout layout{home, {}};
    if (const auto it = overrides.find(platform); it != overrides.end()) layout.override_roots = it->second;
    for (const auto& root : adapter->roots(layout))
      roots_.push_back({adapter, root.lexically_normal()});
  }
}

const Adapter* Discovery::adapter(Platform platform) const {
  for (const auto& root : roots_)
    if (root.adapter->describe().platform == platform) return root.adapter;
  return nullptr;
}

std::optional<SourceCandidate> Discovery::classify(const fs::path& file) const {
  for (const auto& root : roots_)
    if (is_inside(file, root.path))
      if (auto candidate = root.adapter->classify(root.path, file)) return candidate;
  return std::nullopt;
}

std::vector<SourceCandidate> Discovery::find(const fs::path& under) const {
  std::vector<Found> found;
  const auto on_file = [&](const fs::directory_entry& entry) {
    std::error_code ec;
    auto candidate = classify(entry.path());
    if (!candidate) return;
    const auto size = entry.file_size(ec);
    candidate->size = ec ? 0 : size;
    found.push_back({entry.last_write_time(ec), std::move(*candidate)});
  };
  walk(under, on_file, [](const fs::path&) {});
  return in_reading_order(std::move(found));
}

std::vector<SourceCandidate> Discovery::find_all() const {
  std::vector<SourceCandidate> out;
  for (const auto& root : roots_) {
    auto found = find(root.path);
    out.insert(out.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  return out;
}

std::vector<fs::path> Discovery::directories() const {
  std::vector<fs::path> out;
  for (const auto& root : roots_)
    walk(
        root.path, [](const fs::directory_entry&) {}, [&](const fs::path& dir) { out.push_back(dir); });
  return out;
}

}  // namespace memd
