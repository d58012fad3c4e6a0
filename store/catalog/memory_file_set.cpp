#include "store/catalog/memory_file_set.hpp"

#include "schemas/hash.hpp"
#include "schemas/project_identity.hpp"
#include "store/files/whole_file.hpp"
#include "store/memory/memory_json.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <system_error>
#include <thread>
#include <unordered_set>
#include <utility>

namespace memd::catalog {
namespace {

namespace fs = std::filesystem;
using memory::MemoryOrigin;
using memory::MemoryPlace;
using memory::MemoryPlaces;

constexpr std::size_t kWorthThreads = 64;  // number of files from which threads are used
constexpr unsigned kMostThreads = 4;

std::int64_t file_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

bool is_below(const fs::path& path, const fs::path& directory) {
  const std::string& name = path.native();
  return name.starts_with(directory.native()) &&
         (name.size() == directory.native().size() || name[directory.native().size()] == '/');
}

// Checks whether files stay inside their directories after resolving links. Lives for one scan.
class Links {
 public:
  bool stays(const fs::path& file, const fs::path& root) {
    std::error_code ec;
    if (fs::is_symlink(file, ec)) return is_below(real(file), real(root));
    const auto [it, fresh] = parents_.try_emplace(file.parent_path(), false);
    if (fresh) it->second = is_below(real(file.parent_path()), real(root));
    return it->second;
  }

 private:
  static fs::path real(const fs::path& path) {
    std::error_code ec;
    return fs::canonical(path, ec);
  }
  std::map<fs::path, bool> parents_;
};

}  // namespace

std::vector<std::string> SessionDirectoriesQuery::run(sqlite::Database& db) const {
  std::vector<std::string> out;
  auto& q = db.prepare(
      "SELECT DISTINCT cwd FROM sessions WHERE cwd LIKE '/%' UNION"
      " SELECT identity_key FROM projects WHERE identity_key LIKE '/%'");
  for (q.bind(); q.step();)
    out.push_back(q.str(0));
  q.reset();
  return out;
}

std::vector<fs::path> project_roots(const std::vector<std::string>& directories, const fs::path& home) {
  std::set<fs::path> out;
  for (const std::string& directory : directories) {
    std::error_code ec;
    fs::path start = fs::path(directory).lexically_normal();
    if (!start.has_filename()) start = start.parent_path();
    if (!fs::is_directory(start, ec) || start == home || !start.has_relative_path()) continue;
    fs::path root = start;
    for (fs::path at = start; at.has_relative_path() && at != home; at = at.parent_path())
      if (fs::exists(at / ".git", ec)) {
        root = at;
        break;
      }
    out.insert(std::move(root));
  }
  return {out.begin(), out.end()};
}

MemoryFileSet::MemoryFileSet(MemoryFileRoots places) : home_(places.home), left_out_(std::move(places.is_left_out)) {
  const auto add = [&](const fs::path& project) {
    const MemoryPlaces of{places.home, project, places.enterprise, places.policy};
    const ProjectIdentity identity = project.empty() ? ProjectIdentity() : project_identity(project.native());
    for (const MemoryPlace& place : of.places()) {
      const bool of_project = place.scope == MemoryScope::project || place.scope == MemoryScope::local;
      if (of_project == project.empty()) continue;
      add_place({place.directory, place.dialect, place.scope, identity.key, identity.name}, place, project);
    }
    agents_.push_back({of, identity.key, identity.name});
    const fs::path etc = "/etc/claude-code";
    for (const MemoryScope scope : kAllMemoryScopes) {
      const bool of_project = scope == MemoryScope::project || scope == MemoryScope::local;
      if (of_project == project.empty()) continue;
      const fs::path& root = of_project ? project : scope == MemoryScope::global ? places.home : etc;
      add_place({root, MemoryDialect::agent, scope, identity.key, identity.name}, std::nullopt, project);
    }
  };
  add({});
  for (const fs::path& project : places.projects)
    if (!is_left_out(project)) add(project);
}

std::size_t MemoryFileSet::add_place(CatalogPlace row, std::optional<MemoryPlace> directory, const fs::path& project) {
  rows_.push_back(std::move(row));
  directories_.push_back(std::move(directory));
  projects_.push_back(project);
  return rows_.size() - 1;
}

// For a file of an agent.
std::size_t MemoryFileSet::place_of(const MemoryOrigin& origin, const Agents& agents) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (!directories_[i] && rows_[i].scope == origin.scope &&
        (origin.scope == MemoryScope::enterprise || origin.scope == MemoryScope::global ||
         rows_[i].directory == agents.places.project))
      return i;
  return 0;
}

bool MemoryFileSet::is_inside_project(std::size_t place) const {
  const auto& directory = directories_[place];
  return !directory || projects_[place].empty() || Links().stays(directory->directory / "file", projects_[place]);
}

std::vector<SeenFile> MemoryFileSet::files() const {
  std::vector<SeenFile> out;
  std::unordered_set<std::string> seen;
  Links links;
  const auto take = [&](const MemoryOrigin& origin, std::size_t place, const fs::path& root) {
    const bool is_own = origin.scope == MemoryScope::enterprise || origin.scope == MemoryScope::global;
    if (!seen.insert(origin.path.native()).second || is_left_out(origin.path)) return;
    if (!is_own && !links.stays(origin.path, root)) return;
    if (const auto stamp = stamp_of(origin.path)) out.push_back({origin, place, *stamp});
  };
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (directories_[i])
      for (const MemoryOrigin& origin : memory::origins_in(*directories_[i]))
        take(origin, i, projects_[i]);
  for (const Agents& agents : agents_)
    for (const MemoryOrigin& origin : agents.places.agent_origins())
      take(origin, place_of(origin, agents),
           is_below(origin.path, agents.places.project) ? agents.places.project : home_);
  return out;
}

std::optional<SeenFile> MemoryFileSet::file(const fs::path& path) const {
  const auto stamp = stamp_of(path);
  if (!stamp || is_left_out(path)) return std::nullopt;
  Links links;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!directories_[i]) continue;
    const auto origin = memory::origin_at(*directories_[i], path);
    if (!origin) continue;
    const bool is_own = origin->scope == MemoryScope::enterprise || origin->scope == MemoryScope::global;
    if (!is_own && !links.stays(path, projects_[i])) return std::nullopt;
    return SeenFile{*origin, i, *stamp};
  }
  for (const Agents& agents : agents_)
    for (const MemoryOrigin& origin : agents.places.agent_origins()) {
      if (origin.path != path) continue;
      const fs::path& root = is_below(path, agents.places.project) ? agents.places.project : home_;
      const bool is_own = origin.scope == MemoryScope::enterprise || origin.scope == MemoryScope::global;
      if (!is_own && !links.stays(path, root)) return std::nullopt;
      return SeenFile{origin, place_of(origin, agents), *stamp};
    }
  return std::nullopt;
}

std::vector<fs::path> MemoryFileSet::watched() const {
  std::set<fs::path> out;
  const auto add = [&](const fs::path& directory, bool with_those_below) {
    std::error_code ec;
    if (is_left_out(directory) || !fs::is_directory(directory, ec)) return;
    out.insert(directory);
    if (!with_those_below) return;
    auto it = fs::recursive_directory_iterator(directory, fs::directory_options::skip_permission_denied, ec);
    for (; !ec && it != fs::recursive_directory_iterator(); it.increment(ec)) {
      std::error_code unreadable;
      if (!it->is_directory(unreadable)) continue;
      if (it->path().filename().native().starts_with('.') || it->is_symlink(unreadable))
        it.disable_recursion_pending();
      else
        out.insert(it->path());
    }
  };
  // Directories of the user are few, so missing ones are watched for too.
  const auto add_own = [&](const fs::path& directory) {
    if (!is_left_out(directory)) out.insert(directory);
  };
  // A file that may appear is detected by watching the directories on its path.
  const auto add_way = [&](const fs::path& to, const fs::path& from) {
    for (fs::path at = to.parent_path(); is_below(at, from); at = at.parent_path())
      add(at, false);
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!directories_[i]) continue;
    const MemoryPlace& place = *directories_[i];
    add(place.directory, place.dialect == MemoryDialect::repository);
    if (projects_[i].empty()) add_own(place.directory);
    if (place.scope == MemoryScope::global) add_way(place.directory, home_ / ".claude");
  }
  for (const Agents& agents : agents_) {
    const fs::path& project = agents.places.project;
    if (project.empty()) {
      for (const char* name : {".claude", ".codex", ".gemini"})
        add_own(home_ / name);
      add_own("/etc/claude-code");
      continue;
    }
    add(project, false);
    for (const char* name : {".claude", ".cursor", ".thunderus"})
      add(project / name, false);
    add(project / ".cursor/rules", true);
    const fs::path notes = memory::notes_directory(agents.places);
    add(notes.parent_path(), false);
    add(notes, true);
    add_way(agents.places.project / agents.places.policy.legacy_path, project);
    add_way(agents.places.project / agents.places.policy.platform_path, project);
  }
  return {out.begin(), out.end()};
}

std::optional<FileStamp> stamp_of(const fs::path& file) {
  struct stat st {};
  if (::stat(file.c_str(), &st) != 0 || !S_ISREG(st.st_mode)) return std::nullopt;
#ifdef __APPLE__
  const auto& changed = st.st_ctimespec;
#else
  const auto& changed = st.st_ctim;
#endif
  return FileStamp{static_cast<std::int64_t>(st.st_size),
                   static_cast<std::int64_t>(changed.tv_sec) * 1'000'000'000 + changed.tv_nsec,
                   static_cast<std::int64_t>(st.st_ino)};
}

void read_into(CatalogChanges& changes, const std::vector<SeenFile>& files, const std::vector<KnownFile>& known,
               TimeMs now) {
  struct Outcome {
    std::optional<MemoryRecord> record;
    std::optional<StampChange> stamp_change;
    bool gone = false;
    std::string unread;  // the reason
  };
  std::vector<Outcome> outcomes(files.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < files.size(); i = next++) {
      const std::string& path = files[i].origin.path.native();
      const std::int64_t read_ns = file_clock_ns();
      const auto bytes = files::read_whole(files[i].origin.path);
      if (!bytes) {
        outcomes[i].gone = bytes.error().is(Errc::not_found);
        if (!outcomes[i].gone) outcomes[i].unread = bytes.error().message();
        continue;
      }
      const auto it = std::lower_bound(known.begin(), known.end(), path,
                                       [](const KnownFile& file, const std::string& p) { return file.path < p; });
      if (it != known.end() && it->path == path && it->file_hash == sha256_hex(*bytes)) {
        outcomes[i].stamp_change = StampChange{path, files[i].stamp, read_ns};
        continue;
      }
      outcomes[i].record = record_of(files[i], *bytes, now, changes.with_vectors);
      outcomes[i].record->read_ns = read_ns;
    }
  };
  {
    std::vector<std::jthread> others;
    if (files.size() >= kWorthThreads)
      for (unsigned i = 1; i < std::min(kMostThreads, std::thread::hardware_concurrency()); ++i)
        others.emplace_back(work);
    work();
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (outcomes[i].record) changes.put.push_back(*std::move(outcomes[i].record));
    if (outcomes[i].stamp_change) changes.stamp_changes.push_back(*std::move(outcomes[i].stamp_change));
    if (outcomes[i].gone) changes.gone.push_back(files[i].origin.path.native());
    if (!outcomes[i].unread.empty()) changes.unread.push_back({files[i].origin.path, std::move(outcomes[i].unread)});
  }
}

void read_graphs(CatalogChanges& changes, const MemoryFileSet& file_set, const std::set<std::size_t>& places,
                 const KnownGraphsQuery::Answer& known) {
  for (const std::size_t i : places) {
    const auto& place = file_set.directories()[i];
    if (!place || place->dialect != MemoryDialect::plugin) continue;
    const auto bytes = files::read_whole(place->directory / "graph.json");
    const auto was = std::find_if(known.begin(), known.end(), [&](const KnownGraphsQuery::Graph& graph) {
      return graph.directory == place->directory.native();
    });
    std::string hash = bytes ? sha256_hex(*bytes) : std::string();
    if (hash == (was != known.end() ? was->hash : std::string())) continue;
    PlaceEdges edges{i, std::move(hash), {}};
    if (auto lists = bytes ? memory::parse_graph(*bytes) : Result<memory::EdgeLists>(memory::EdgeLists()))
      for (auto& [slug, own] : *lists)
        for (MemoryEdge& edge : own)
          edges.edges.push_back({slug, std::move(edge.target), std::move(edge.label), edge.created});
    changes.edges.push_back(std::move(edges));
  }
}

}  // namespace memd::catalog
