#include "daemon/ingest/discovery.hpp"

#include "daemon/ingest/source_file.hpp"
#include "schemas/base/error.hpp"
#include "store/files/path_name.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <unordered_set>
#include <utility>

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
  if (!files::is_inside(path, root.path)) return false;
  const std::string& whole = path.native();
  for (auto slash = whole.find('/', root.path.native().size() + 1); slash != std::string::npos;
       slash = whole.find('/', slash + 1))
    if (!root.adapter->looks_into(root.path, whole.substr(0, slash))) return false;
  return !is_directory || whole.size() == root.path.native().size() || root.adapter->looks_into(root.path, path);
}

std::optional<SourceCandidate> classify_below(const Root& root, const fs::path& file) {
  return reaches(root, file, false) ? root.adapter->classify(root.path, file) : std::nullopt;
}

// Returns the path in the root of a file given by its real path; empty: it is not in the root.
fs::path name_in(const Root& root, const fs::path& real) {
  std::error_code ec;
  const fs::path real_root = fs::canonical(root.path, ec);
  if (ec || !files::is_inside(real, real_root)) return {};
  return real == real_root ? root.path : root.path / real.lexically_relative(real_root);
}

// Searches roots. Follows links as SourceRoots does, into each place once: a link into a root of the same adapter, or
// to a directory with the root in it, leads to nothing new. Not for use after a change of the roots.
class Walk {
 public:
  explicit Walk(std::span<const Root> roots) : roots_(roots) {}

  std::function<void(const fs::directory_entry&)> on_file = [](const fs::directory_entry&) {};
  std::function<void(const fs::path&)> on_directory = [](const fs::path&) {};
  std::function<void(const fs::path&)> on_link_out = [](const fs::path&) {};  // to a directory; it is not followed
  std::error_code* unlisted = nullptr;

  void search(const Root& root, const fs::path& from);

 private:
  void note(const std::error_code& why) const {
    if (unlisted != nullptr && may_pass(why.value())) *unlisted = why;
  }
  bool follows(const Root& root, const fs::path& link, bool to_directory);
  bool is_new_place(const Root& root, const fs::path& path);

  std::span<const Root> roots_;
  std::set<std::tuple<const Adapter*, std::uint64_t, std::uint64_t>> places_;  // reached through links
};

bool Walk::is_new_place(const Root& root, const fs::path& path) {
  const PathStat place = stat_path(path);
  return place.inode != 0 && places_.emplace(root.adapter, place.device, place.inode).second;
}

bool Walk::follows(const Root& root, const fs::path& link, bool to_directory) {
  std::error_code ec;
  const fs::path real = fs::canonical(link, ec);
  if (ec) return false;
  for (const Root& other : roots_) {
    if (other.adapter != root.adapter) continue;
    if (const fs::path name = name_in(other, real); !name.empty()) return !to_directory && !classify_below(other, name);
    if (to_directory && files::is_inside(fs::weakly_canonical(other.path, ec), real)) return false;
  }
  if (!root.is_own || !leads_to_own(root.path, link)) {
    if (to_directory) on_link_out(link);
    return !to_directory;  // opening the file tells why it is not read
  }
  return is_new_place(root, link);
}

void Walk::search(const Root& root, const fs::path& from) {
  std::error_code ec;
  const fs::file_status status = fs::status(from, ec);
  note(ec);
  const bool to_directory = fs::is_directory(status);
  const bool is_link = from != root.path && fs::is_symlink(from, ec);
  if (is_link && (to_directory || fs::is_regular_file(status)) && !follows(root, from, to_directory)) return;
  if (fs::is_regular_file(status)) return on_file(fs::directory_entry(from, ec));
  if (!to_directory || !reaches(root, from, true)) return;
  // A directory that cannot be listed or was removed meanwhile costs only its own files. The standard recursive
  // iterator would stop there.
  struct Waiting {
    fs::path directory;
    bool is_linked = false;  // reached through a link
  };
  std::vector<Waiting> waiting{{from, is_link}};
  while (!waiting.empty()) {
    const auto [directory, is_linked] = std::move(waiting.back());
    waiting.pop_back();
    on_directory(directory);
    std::error_code list_ec;
    for (fs::directory_iterator it(directory, list_ec), end; !list_ec && it != end; it.increment(list_ec)) {
      std::error_code entry_ec;
      const bool leads_to_directory = it->is_directory(entry_ec);
      note(entry_ec);
      const bool links = it->is_symlink(entry_ec);
      if (leads_to_directory) {
        if (!root.adapter->looks_into(root.path, it->path())) continue;
        if (links ? follows(root, it->path(), true) : !is_linked || is_new_place(root, it->path()))
          waiting.push_back({it->path(), is_linked || links});
      } else if (it->is_regular_file(entry_ec) && (!links || follows(root, it->path(), false))) {
        on_file(*it);
      }
    }
    note(list_ec);
  }
}

// Returns the paths that a path with a `*` in its components stands for; a path without one as it is.
std::vector<fs::path> expanded(const fs::path& pattern) {
  std::vector<fs::path> out{{}};
  for (const fs::path& part : pattern) {
    const auto star = part.native().find('*');
    std::vector<fs::path> next;
    for (const fs::path& base : out) {
      if (star == std::string::npos) {
        next.push_back(base / part);
        continue;
      }
      const auto before = part.native().substr(0, star);
      const auto after = part.native().substr(star + 1);
      std::error_code ec;
      for (fs::directory_iterator it(base, ec), end; !ec && it != end; it.increment(ec)) {
        const std::string name = it->path().filename().native();
        std::error_code entry_ec;
        if (name.size() > before.size() + after.size() && name.starts_with(before) && name.ends_with(after) &&
            it->is_directory(entry_ec))
          next.push_back(it->path());
      }
    }
    out = std::move(next);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Returns where to start walking a root when only paths at or below `under` are wanted.
std::optional<fs::path> start_of(const Root& root, const fs::path& under) {
  if (under.empty() || files::is_inside(root.path, under)) return root.path;
  if (files::is_inside(under, root.path)) return under;
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

std::vector<fs::path> Discovery::root_paths() const {
  std::vector<fs::path> out;
  for (const Root& root : roots_)
    out.push_back(root.path);
  return out;
}

Discovery::Discovery(std::span<const Adapter* const> adapters, const fs::path& home,
                     const std::map<Platform, std::vector<fs::path>>& overrides, const std::vector<Platform>& disabled,
                     std::function<fs::path(const char* name)> directory_of, const std::vector<fs::path>& projects) {
  for (const Adapter* adapter : adapters) {
    const Platform platform = adapter->platform();
    if (std::find(disabled.begin(), disabled.end(), platform) != disabled.end()) continue;
    if (!supports_contract(adapter->contract_version())) {
      unsupported_.push_back(adapter);
      continue;
    }
    read_.push_back(adapter);
    HomeLayout layout{home, {}, directory_of, projects};
    if (const auto it = overrides.find(platform); it != overrides.end()) layout.override_roots = it->second;
    const bool is_own = layout.override_roots.empty();
    for (const auto& path : adapter->roots(layout)) {
      const bool is_pattern = is_own && path.native().find('*') != std::string::npos;
      if (is_pattern) patterns_.push_back({adapter, path, is_own});
      for (const auto& one : is_pattern ? expanded(path) : std::vector{path})
        add_root({adapter, one.lexically_normal(), is_own});
    }
  }
}

void Discovery::add_root(Root root) {
  if (!root.path.has_filename() && root.path.has_relative_path()) root.path = root.path.parent_path();
  if (!has_root(root)) roots_.push_back(std::move(root));
}

bool Discovery::has_root(const Root& root) const {
  return std::any_of(roots_.begin(), roots_.end(),
                     [&](const Root& r) { return r.adapter == root.adapter && r.path == root.path; });
}

const Adapter* Discovery::adapter(Platform platform) const {
  const auto it =
      std::find_if(read_.begin(), read_.end(), [platform](const Adapter* a) { return a->platform() == platform; });
  return it == read_.end() ? nullptr : *it;
}

std::optional<SourceCandidate> Discovery::classify(const fs::path& file) const {
  for (const auto& root : roots_)
    if (auto candidate = classify_below(root, file)) return candidate;
  return std::nullopt;
}

std::optional<Discovery::NamedSource> Discovery::part_of(const fs::path& file) const {
  for (const auto& root : roots_)
    if (files::is_inside(file, root.path))
      if (auto name = root.adapter->part_of(root.path, file); !name.empty())
        return NamedSource{root.adapter->platform(), std::move(name)};
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
  Walk walk(roots_);
  walk.on_file = on_file;
  walk.unlisted = unlisted;
  for (const auto& root : roots_)
    if (const auto start = start_of(root, under)) walk.search(root, *start);
  return in_reading_order(std::move(found));
}

std::vector<SourceCandidate> Discovery::find_all(std::error_code* unlisted) const { return find({}, unlisted); }

std::vector<fs::path> Discovery::directories(const fs::path& under) const {
  std::vector<fs::path> out;
  std::unordered_set<std::string> names;
  const auto add = [&](const fs::path& path) {
    if (names.insert(path.native()).second) out.push_back(path);
  };
  Walk walk(roots_);
  walk.on_directory = add;
  walk.on_file = [&](const fs::directory_entry& file) {
    std::error_code ec;
    if (file.is_symlink(ec) && classify(file.path())) add(file.path());
  };
  for (const auto& root : roots_)
    if (const auto start = start_of(root, under)) walk.search(root, *start);
  return out;
}

bool Discovery::is_second_name(const fs::path& file) const {
  std::error_code ec;
  if (!fs::is_symlink(file, ec)) return false;
  const fs::path real = fs::canonical(file, ec);
  return !ec && std::any_of(roots_.begin(), roots_.end(), [&](const Root& root) {
    const fs::path name = name_in(root, real);
    return !name.empty() && classify_below(root, name);
  });
}

std::vector<Discovery::UnreadPlace> Discovery::unread_places() const {
  std::vector<UnreadPlace> out;
  std::error_code ec;
  Walk walk(roots_);
  for (const Root& root : roots_) {
    walk.on_link_out = [&](const fs::path& link) {
      out.push_back({link.string() + " is a link that leads out of " + root.path.string(),
                     "Name " + fs::canonical(link, ec).string() + " in platforms." +
                         std::string(to_string(root.adapter->platform())) + ".paths."});
    };
    walk.search(root, root.path);
  }
  for (const Root& pattern : patterns_)
    for (const fs::path& path : expanded(pattern.path))
      if (fs::exists(path, ec) && !has_root({pattern.adapter, path.lexically_normal()}))
        out.push_back({path.string() + " appeared after memd had started", "`memd restart` has it read."});
  return out;
}

}  // namespace memd
