#include "daemon/ingest/discovery.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <tuple>
#include <unordered_set>

namespace memd {
namespace fs = std::filesystem;
namespace {

using Root = Discovery::Root;

struct Found {
  fs::file_time_type changed;
  SourceCandidate candidate;
};

// Whether the walk from the root reaches `path`: the adapter must enter each directory on the way.
bool reaches(const Root& root, const fs::path& path, bool is_directory) {
  if (!is_inside(path, root.path)) return false;
  const std::string& whole = path.native();
  for (auto slash = whole.find('/', root.path.native().size() + 1); slash != std::string::npos;
       slash = whole.find('/', slash + 1))
    if (!root.adapter->looks_into(root.path, whole.substr(0, slash))) return false;
  return !is_directory || whole.size() == root.path.native().size() || root.adapter->looks_into(root.path, path);
}

std::optional<SourceCandidate> classify_below(const Root& root, const fs::path& file) {
  return reaches(root, file, false) ? root.adapter->classify(root.path, file) : std::nullopt;
}

template <class OnFile, class OnDirectory>
void walk(const Root& root, const fs::path& from, OnFile on_file, OnDirectory on_directory,
          std::error_code* unlisted = nullptr) {
  const auto note = [unlisted](const std::error_code& why) {
    if (unlisted != nullptr && may_pass(why.value())) *unlisted = why;
  };
  std::error_code ec;
  const fs::file_status status = fs::status(from, ec);
  note(ec);
  if (fs::is_regular_file(status)) return on_file(fs::directory_entry(from, ec));
  if (!fs::is_directory(status) || !reaches(root, from, true)) return;
  // A directory that cannot be listed or was removed meanwhile costs only its own files. The standard recursive
  // iterator would stop there.
  std::vector<fs::path> waiting{from};
  while (!waiting.empty()) {
    const fs::path directory = std::move(waiting.back());
    waiting.pop_back();
    on_directory(directory);
    std::error_code list_ec;
    for (fs::directory_iterator it(directory, list_ec), end; !list_ec && it != end; it.increment(list_ec)) {
      std::error_code entry_ec;
      const bool is_directory = it->is_directory(entry_ec);
      note(entry_ec);
      if (is_directory) {
        if (!it->is_symlink(entry_ec) && root.adapter->looks_into(root.path, it->path())) waiting.push_back(it->path());
      } else if (it->is_regular_file(entry_ec)) {
        on_file(*it);
      }
    }
    note(list_ec);
  }
}

// Returns where to start walking a root when only paths at or below `under` are wanted.
std::optional<fs::path> start_of(const Root& root, const fs::path& under) {
  if (under.empty() || is_inside(root.path, under)) return root.path;
  if (is_inside(under, root.path)) return under;
  return std::nullopt;
}

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

}  // namespace

bool is_inside(const fs::path& path, const fs::path& directory) {
  const auto& p = path.native();
  const auto& d = directory.native();
  return p.size() >= d.size() && p.compare(0, d.size(), d) == 0 &&
         (p.size() == d.size() || p[d.size()] == '/' || d.ends_with('/'));
}

Discovery::Discovery(std::span<const Adapter* const> adapters, const fs::path& home,
                     const std::map<Platform, std::vector<fs::path>>& overrides,
                     const std::vector<Platform>& disabled) {
  for (const Adapter* adapter : adapters) {
    const Platform platform = adapter->describe().platform;
    if (std::find(disabled.begin(), disabled.end(), platform) != disabled.end()) continue;
    if (!supports_contract(adapter->describe().contract_version)) {
      unsupported_.push_back(adapter);
      continue;
    }
    read_.push_back(adapter);
    HomeLayout layout{home, {}};
    if (const auto it = overrides.find(platform); it != overrides.end()) layout.override_roots = it->second;
    for (const auto& path : adapter->roots(layout)) {
      Root root{adapter, path.lexically_normal()};
      if (!root.path.has_filename() && root.path.has_relative_path()) root.path = root.path.parent_path();
      const auto same = [&](const Root& r) { return r.adapter == adapter && r.path == root.path; };
      if (std::none_of(roots_.begin(), roots_.end(), same)) roots_.push_back(std::move(root));
    }
  }
}

const Adapter* Discovery::adapter(Platform platform) const {
  const auto it = std::find_if(read_.begin(), read_.end(),
                               [platform](const Adapter* a) { return a->describe().platform == platform; });
  return it == read_.end() ? nullptr : *it;
}

std::optional<SourceCandidate> Discovery::classify(const fs::path& file) const {
  for (const auto& root : roots_)
    if (auto candidate = classify_below(root, file)) return candidate;
  return std::nullopt;
}

std::optional<Discovery::NamedSource> Discovery::part_of(const fs::path& file) const {
  for (const auto& root : roots_)
    if (is_inside(file, root.path))
      if (auto name = root.adapter->part_of(root.path, file); !name.empty())
        return NamedSource{root.adapter->describe().platform, std::move(name)};
  return std::nullopt;
}

const Discovery::Root* Discovery::root_of(const fs::path& file) const {
  for (const auto& root : roots_)
    if (classify_below(root, file)) return &root;
  return nullptr;
}

std::vector<SourceCandidate> Discovery::find(const fs::path& under, std::error_code* unlisted) const {
  std::vector<Found> found;
  std::unordered_set<std::string> names;
  const auto on_file = [&](const fs::directory_entry& entry) {
    auto candidate = classify(entry.path());
    if (!candidate || !names.insert(candidate->path).second) return;
    const fs::directory_entry main = candidate->path == entry.path().native() ? entry : [&] {
      std::error_code ec;
      return fs::directory_entry(candidate->path, ec);
    }();
    std::error_code ec;
    const auto size = main.file_size(ec);
    candidate->size = ec ? 0 : size;
    found.push_back({main.last_write_time(ec), std::move(*candidate)});
  };
  for (const auto& root : roots_)
    if (const auto start = start_of(root, under))
      walk(
          root, *start, on_file, [](const fs::path&) {}, unlisted);
  return in_reading_order(std::move(found));
}

std::vector<SourceCandidate> Discovery::find_all(std::error_code* unlisted) const { return find({}, unlisted); }

std::vector<fs::path> Discovery::directories(const fs::path& under) const {
  std::vector<fs::path> out;
  std::unordered_set<std::string> names;
  const auto on_directory = [&](const fs::path& directory) {
    if (names.insert(directory.native()).second) out.push_back(directory);
  };
  for (const auto& root : roots_)
    if (const auto start = start_of(root, under))
      walk(
          root, *start, [](const fs::directory_entry&) {}, on_directory);
  return out;
}

}  // namespace memd
