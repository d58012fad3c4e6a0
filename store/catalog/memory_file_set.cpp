#include "store/catalog/memory_file_set.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/project_identity.hpp"
#include "store/memory/memory_directory.hpp"
#include "store/memory/memory_json.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
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

}  // namespace

std::vector<std::string> SessionDirectoriesQuery::run(sqlite::Database& db) const {
  std::vector<std::string> out;
  auto& q = db.prepare(
      "SELECT DISTINCT cwd FROM sessions WHERE cwd LIKE '/%' UNION"
      " SELECT identity_key FROM projects WHERE identity_key LIKE '/%'");
  for (q.bind(); q.step();)
    out.push_back(q.str(0));
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

std::vector<SeenFile> MemoryFileSet::files() const {
  std::vector<SeenFile> out;
  std::unordered_set<std::string> seen;
  const auto take = [&](const MemoryOrigin& origin, std::size_t place) {
    if (!seen.insert(origin.path.native()).second || is_left_out(origin.path)) return;
    if (const auto stamp = origin.root.facts(origin.path)) out.push_back({origin, place, *stamp});
  };
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (directories_[i])
      for (const MemoryOrigin& origin : memory::origins_in(*directories_[i]))
        take(origin, i);
  for (const Agents& agents : agents_)
    for (const MemoryOrigin& origin : agents.places.agent_origins())
      take(origin, place_of(origin, agents));
  return out;
}

std::optional<SeenFile> MemoryFileSet::file(const fs::path& path) const {
  if (is_left_out(path)) return std::nullopt;
  const auto seen = [](const MemoryOrigin& origin, std::size_t place) -> std::optional<SeenFile> {
    const auto stamp = origin.root.facts(origin.path);
    return stamp ? std::optional(SeenFile{origin, place, *stamp}) : std::nullopt;
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!directories_[i]) continue;
    if (const auto origin = memory::origin_at(*directories_[i], path)) return seen(*origin, i);
  }
  for (const Agents& agents : agents_)
    for (const MemoryOrigin& origin : agents.places.agent_origins())
      if (origin.path == path) return seen(origin, place_of(origin, agents));
  return std::nullopt;
}

std::vector<fs::path> MemoryFileSet::watched() const {
  std::set<fs::path> out;
  const auto add = [&](const fs::path& directory) {
    if (!is_left_out(directory)) out.insert(directory);
  };
  // Directories of the user are few, so missing ones are watched for too.
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (directories_[i] && projects_[i].empty()) add(directories_[i]->directory);
  for (const Agents& agents : agents_) {
    if (agents.places.project.empty()) {
      for (const char* name : {".claude", ".codex", ".gemini"})
        add(home_ / name);
      add("/etc/claude-code");
      continue;
    }
    for (const fs::path& directory : memory::directories_of_project(agents.places))
      add(directory);
    const files::ScopeRoot notes(memory::notes_directory(agents.places));
    if (const files::ScopeRoot above(notes.directory().parent_path()); above.has_directory({})) add(above.directory());
    for (const fs::path& directory : notes.directories({}))
      add(directory);
  }
  return {out.begin(), out.end()};
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
  std::atomic<std::size_t> kept{0};  // bytes of texts
  const auto work = [&] {
    for (std::size_t i = next++; i < files.size(); i = next++) {
      const std::string& path = files[i].origin.path.native();
      const std::int64_t read_ns = file_clock_ns();
      const auto bytes = files[i].origin.root.read(files[i].origin.path);
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
      MemoryRecord record = record_of(files[i], *bytes, now, changes.with_vectors);
      if (kept.fetch_add(record.memory.content.size()) > memory::kMostReadAtOnce) {
        outcomes[i].unread = path + " is not read now: too much was read at once";
        continue;
      }
      outcomes[i].record = std::move(record);
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
    const auto bytes = place->root().read(memory::MemoryGraph::kFile, files::kMostIndexBytes);
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
