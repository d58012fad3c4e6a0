#include "store/memory/memory_places.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>
#include <utility>

namespace memd::memory {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kConflict = ".conflict-";
constexpr int kMaxDepth = 6;

// Returns the files below a directory with this ending, sorted. Skips hidden directories.
std::vector<fs::path> files_below(const fs::path& directory, std::string_view ending, int depth) {
  std::vector<fs::path> out;
  std::error_code ec;
  auto it = fs::recursive_directory_iterator(directory, fs::directory_options::skip_permission_denied, ec);
  for (; !ec && it != fs::recursive_directory_iterator(); it.increment(ec)) {
    std::error_code unreadable;
    const std::string& path = it->path().native();
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    if (it->is_directory(unreadable)) {
      if (name.starts_with('.') || it.depth() + 1 >= depth) it.disable_recursion_pending();
    } else if (name.ends_with(ending) && !name.starts_with('.') && it->is_regular_file(unreadable)) {
      out.push_back(it->path());
    }
  }
  // Sorts by bytes, because std::filesystem compares component by component.
  std::sort(out.begin(), out.end(), [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
  return out;
}

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
std::string_view folder_there(const fs::path& directory, MemoryType type) {
  std::error_code ec;
  for (const std::string_view folder : folders_of(type))
    if (fs::is_directory(directory / folder, ec)) return folder;
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
    one(MemoryScope::enterprise, "/etc/claude-code/CLAUDE.md", "/etc");
    if (const fs::path& project = places_.project; !project.empty()) {
      one(MemoryScope::local, project / "CLAUDE.local.md", project);
      const fs::path notes = notes_directory(places_);
      for (const fs::path& file : files_below(notes, ".md", 2))
        add(MemoryScope::local, file, "notes-" + file.lexically_relative(notes).string(), MemoryType::note);
      for (const char* name : {"CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md", "GEMINI.md"})
        one(MemoryScope::project, project / name, project);
      for (const fs::path& file : files_below(project / ".cursor/rules", ".mdc", kMaxDepth))
        one(MemoryScope::project, file, project);
    }
    for (const char* name : {".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md"})
      one(MemoryScope::global, places_.home / name, places_.home);
    return std::move(out_);
  }

 private:
  void one(MemoryScope scope, const fs::path& file, const fs::path& root) {
    std::error_code ec;
    if (fs::is_regular_file(file, ec))
      add(scope, file, file.lexically_relative(root).string(), MemoryType::instructions);
  }
  void add(MemoryScope scope, const fs::path& file, const std::string& name, MemoryType type) {
    std::string slug = slug_of(name);
    if (slug.size() > kMaxMemorySlug) slug.resize(kMaxMemorySlug);
    out_.push_back({file, MemoryDialect::agent, scope, std::move(slug), type});
  }

  const MemoryPlaces& places_;
  std::vector<MemoryOrigin> out_;
};

}  // namespace

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
  if (dialect == MemoryDialect::repository) return MemoryPlace{scope, dialect, project / policy.platform_path};
  const fs::path shared = project / policy.legacy_path;
  return MemoryPlace{scope, dialect, scope == MemoryScope::local ? shared / "local" : shared};
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
  if (below.empty() || depth > (is_plugin ? 1 : kMaxDepth) || !file.native().ends_with(".md") || is_conflict_copy(file))
    return std::nullopt;
  for (const fs::path& part : below)
    if (part.native().starts_with('.')) return std::nullopt;
  return MemoryOrigin{file, place.dialect, place.scope, is_plugin ? file.stem().string() : std::string(),
                      MemoryType::learning};
}

std::vector<MemoryOrigin> origins_in(const MemoryPlace& place) {
  std::vector<MemoryOrigin> out;
  const bool is_plugin = place.dialect == MemoryDialect::plugin;
  for (fs::path& file : files_below(place.directory, ".md", is_plugin ? 1 : kMaxDepth))
    if (!is_conflict_copy(file)) {
      std::string slug = is_plugin ? file.stem().string() : std::string();
      out.push_back({std::move(file), place.dialect, place.scope, std::move(slug), MemoryType::learning});
    }
  return out;
}

fs::path notes_directory(const MemoryPlaces& places) {
  return places.home / ".claude/projects" / claude_project_name(places.project) / "memory";
}

std::vector<fs::path> conflict_copies_in(const MemoryPlace& place) {
  auto out = files_below(place.directory, ".md", place.dialect == MemoryDialect::plugin ? 1 : kMaxDepth);
  std::erase_if(out, [](const fs::path& file) { return !is_conflict_copy(file); });
  return out;
}

fs::path file_of(const MemoryPlace& place, MemoryType type, std::string_view slug) {
  if (place.dialect == MemoryDialect::plugin) return place.directory / (std::string(slug) + ".md");
  const std::string kind = std::string(to_string(type)) + ".";
  if (slug.starts_with(kind)) slug.remove_prefix(kind.size());
  const std::string name = std::string(slug) + ".md";
  std::error_code ec;
  if (type == MemoryType::core && !fs::exists(place.directory / "CORE.md", ec)) return place.directory / "CORE.md";
  const std::string_view folder = folder_there(place.directory, type);
  if (type == MemoryType::adr && folder.empty()) return place.directory / ("ADR-" + name);
  return place.directory / (folder.empty() ? folders_of(type).front() : folder) / name;
}

}  // namespace memd::memory
