#include "store/memory/memory_places.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace memd::memory {
namespace fs = std::filesystem;
using files::ScopeRoot;
namespace {

constexpr std::string_view kConflict = ".conflict-";

// Returns the folders of a kind in the repository dialect: Thunderus' names, then those that earlier versions of memd
// wrote.
std::vector<std::string_view> folders_of(MemoryType type) {
  switch (type) {
    case MemoryType::core: return {"CORE", "core"};
    case MemoryType::fact: return {"FACTS", "semantic/FACTS", "facts"};
    case MemoryType::adr: return {"ADR", "adr"};
    case MemoryType::playbook: return {"PLAYBOOKS", "playbooks"};
    default: return {"episodic"};
  }
}

// Returns the folder of a kind that exists; empty: none does.
std::string_view folder_there(const ScopeRoot& root, MemoryType type) {
  for (const std::string_view folder : folders_of(type))
    if (root.has_directory(folder)) return folder;
  return {};
}

bool is_conflict_copy(const fs::path& file) { return file.filename().native().find(kConflict) != std::string::npos; }

// Claude Code's name for the directory of a project: every character that is not a letter or digit becomes a hyphen.
std::string claude_project_name(const fs::path& project) {
  std::string out = project.string();
  std::replace_if(
      out.begin(), out.end(), [](char c) { return !ascii::is_alnum(c); }, '-');
  return out;
}

// Instructions and notes of agents.
class AgentFiles {
 public:
  explicit AgentFiles(const MemoryPlaces& places) : places_(places) {}

  std::vector<MemoryOrigin> find() {
    one(MemoryScope::enterprise, ScopeRoot("/etc/claude-code"), "CLAUDE.md", "claude-code/CLAUDE.md");
    if (!places_.project.empty()) {
      const ScopeRoot project(places_.project);
      one(MemoryScope::local, project, "CLAUDE.local.md", "CLAUDE.local.md");
      const ScopeRoot notes(notes_directory(places_));
      for (const fs::path& file : notes.files({}, ".md", 2))
        add(MemoryScope::local, notes, file, "notes-" + file.lexically_relative(notes.directory()).string(),
            MemoryType::note);
      for (const char* name : {"CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md", "GEMINI.md"})
        one(MemoryScope::project, project, name, name);
      for (const fs::path& file : project.files(".cursor/rules", ".mdc", files::ScopeRoot::kMostDepth))
        add(MemoryScope::project, project, file, file.lexically_relative(places_.project).string(),
            MemoryType::instructions);
    }
    for (const auto& [directory, name] :
         {std::pair(".claude", "CLAUDE.md"), std::pair(".codex", "AGENTS.md"), std::pair(".gemini", "GEMINI.md")})
      one(MemoryScope::global, ScopeRoot(places_.home / directory, {}, ScopeRoot::Links::of_user), name,
          std::string(directory) + "/" + name);
    return std::move(out_);
  }

 private:
  void one(MemoryScope scope, const ScopeRoot& root, const char* name, const std::string& shown) {
    if (root.has_file(name)) add(scope, root, root.directory() / name, shown, MemoryType::instructions);
  }
  void add(MemoryScope scope, const ScopeRoot& root, const fs::path& file, const std::string& name, MemoryType type) {
    std::string slug = slug_of(name);
    if (slug.size() > kMaxMemorySlug) slug.resize(kMaxMemorySlug);
    out_.push_back({file, MemoryDialect::agent, scope, std::move(slug), type, root});
  }

  const MemoryPlaces& places_;
  std::vector<MemoryOrigin> out_;
};

}  // namespace

ScopeRoot MemoryPlace::root() const {
  return project.empty() ? ScopeRoot(directory) : ScopeRoot(project, directory.lexically_relative(project));
}

Result<MemoryPlace> MemoryPlaces::place(MemoryScope scope, MemoryDialect dialect) const {
  const auto refuse = [](std::string what) { return Error(Errc::invalid_argument, std::move(what)); };
  if (dialect == MemoryDialect::agent) return refuse("files of agents are read only");
  if (dialect == MemoryDialect::repository && scope != MemoryScope::project)
    return refuse("the repository dialect has no scope " + std::string(to_string(scope)) + ": it is in a project");
  if (scope == MemoryScope::global) return MemoryPlace{scope, dialect, home / ".claude/memory"};
  if (scope == MemoryScope::enterprise) {
    if (enterprise.empty()) return refuse("there is no scope enterprise: memory.enterprise_path is not configured");
    return MemoryPlace{scope, dialect, enterprise};
  }
  if (project.empty())
    return refuse("scope " + std::string(to_string(scope)) + " needs a project: name its directory (--project DIR)");
  if (dialect == MemoryDialect::repository) return MemoryPlace{scope, dialect, project / policy.platform_path, project};
  const fs::path shared = project / policy.legacy_path;
  return MemoryPlace{scope, dialect, scope == MemoryScope::local ? shared / "local" : shared, project};
}

std::vector<MemoryPlace> MemoryPlaces::places() const {
  std::vector<MemoryPlace> out;
  std::set<fs::path> seen;  // in the home directory, the project and global places are the same
  for (const MemoryScope scope :
       {MemoryScope::enterprise, MemoryScope::local, MemoryScope::global, MemoryScope::project})
    for (const MemoryDialect dialect : {MemoryDialect::plugin, MemoryDialect::repository})
      if (auto there = place(scope, dialect); there && seen.insert(there->directory.lexically_normal()).second)
        out.push_back(*std::move(there));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.scope < b.scope; });
  return out;
}

std::vector<MemoryOrigin> MemoryPlaces::origins() const {
  std::vector<MemoryOrigin> out;
  for (const MemoryPlace& place : places()) {
    auto found = origins_in(place);
    out.insert(out.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  auto agents = agent_origins();
  out.insert(out.end(), std::make_move_iterator(agents.begin()), std::make_move_iterator(agents.end()));
  return out;
}

std::vector<MemoryOrigin> MemoryPlaces::agent_origins() const { return AgentFiles(*this).find(); }

std::optional<MemoryOrigin> origin_at(const MemoryPlace& place, const fs::path& file) {
  const fs::path below = file.lexically_relative(place.directory);
  const bool is_plugin = place.dialect == MemoryDialect::plugin;
  const auto depth = std::distance(below.begin(), below.end());
  if (below.empty() || depth > (is_plugin ? 1 : files::ScopeRoot::kMostDepth) || !file.native().ends_with(".md") ||
      is_conflict_copy(file))
    return std::nullopt;
  for (const fs::path& part : below)
    if (part.native().starts_with('.')) return std::nullopt;
  return MemoryOrigin{
      file,        place.dialect, place.scope, is_plugin ? file.stem().string() : std::string(), MemoryType::learning,
      place.root()};
}

std::vector<MemoryOrigin> origins_in(const MemoryPlace& place) {
  std::vector<MemoryOrigin> out;
  const bool is_plugin = place.dialect == MemoryDialect::plugin;
  const ScopeRoot root = place.root();
  for (fs::path& file : root.files({}, ".md", is_plugin ? 1 : files::ScopeRoot::kMostDepth))
    if (!is_conflict_copy(file)) {
      std::string slug = is_plugin ? file.stem().string() : std::string();
      out.push_back({std::move(file), place.dialect, place.scope, std::move(slug), MemoryType::learning, root});
    }
  return out;
}

fs::path notes_directory(const MemoryPlaces& places) {
  return places.home / ".claude/projects" / claude_project_name(places.project) / "memory";
}

std::vector<fs::path> directories_of_project(const MemoryPlaces& places) {
  const ScopeRoot project(places.project);
  std::set<fs::path> out;
  const auto add_way = [&](const fs::path& to) {  // a file that may appear is detected by the directories on its path
    fs::path at;
    for (const fs::path& name : to)
      if (at /= name; project.has_directory(at)) out.insert(places.project / at);
  };
  out.insert(places.project);
  for (const char* name : {".claude", ".cursor", ".thunderus"})
    add_way(name);
  add_way(places.policy.legacy_path / "local");
  add_way(places.policy.platform_path);
  for (const fs::path& directory : {fs::path(".cursor/rules"), places.policy.platform_path})
    for (fs::path& one : project.directories(directory))
      out.insert(std::move(one));
  return {out.begin(), out.end()};
}

std::vector<fs::path> conflict_copies_in(const MemoryPlace& place) {
  auto out = place.root().files({}, ".md", place.dialect == MemoryDialect::plugin ? 1 : files::ScopeRoot::kMostDepth);
  std::erase_if(out, [](const fs::path& file) { return !is_conflict_copy(file); });
  return out;
}

fs::path file_of(const MemoryPlace& place, MemoryType type, std::string_view slug) {
  if (place.dialect == MemoryDialect::plugin) return place.directory / (std::string(slug) + ".md");
  const std::string kind = std::string(to_string(type)) + ".";
  if (slug.starts_with(kind)) slug.remove_prefix(kind.size());
  const std::string name = std::string(slug) + ".md";
  const ScopeRoot root = place.root();
  if (type == MemoryType::core && !root.has("CORE.md")) return place.directory / "CORE.md";
  const std::string_view folder = folder_there(root, type);
  if (type == MemoryType::adr && folder.empty()) return place.directory / ("ADR-" + name);
  return place.directory / (folder.empty() ? folders_of(type).front() : folder) / name;
}

}  // namespace memd::memory
