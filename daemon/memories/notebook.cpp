#include "daemon/memories/notebook.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "store/memory/memory_health.hpp"
#include "store/text/redaction/redactor.hpp"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

namespace memd::memories {
namespace fs = std::filesystem;
using memory::MemoryDirectory;
using memory::MemoryPlace;
using memory::ReadMemory;

namespace {

Error refused(std::string what) { return Error(Errc::invalid_argument, std::move(what)); }

Error no_such(const std::string& name) {
  return Error(Errc::not_found, "there is no memory " + name + ": `memd memory list` names them");
}

bool is_file_name(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".md") || name.ends_with(".mdc");
}

// Returns whether `name` is the end of the path: "facts/testing.md" of
// "/home/ada/app/.thunderus/memory/facts/testing.md".
bool ends_with_path(const fs::path& file, std::string_view name) {
  const std::string& path = file.native();
  return path == name ||
         (path.ends_with(name) && name.size() < path.size() && path[path.size() - name.size() - 1] == '/');
}

std::string with_hyphens(std::string label) {
  std::replace(label.begin(), label.end(), '_', '-');
  return label;
}

struct Counterpart {
  MemoryType type;
  MemoryType other;  // in the other dialect
};
constexpr auto kCounterparts = std::to_array<Counterpart>({
    {MemoryType::core, MemoryType::learning},
    {MemoryType::fact, MemoryType::learning},
    {MemoryType::adr, MemoryType::decision},
    {MemoryType::playbook, MemoryType::learning},
    {MemoryType::recap, MemoryType::breadcrumb},
    {MemoryType::decision, MemoryType::adr},
    {MemoryType::learning, MemoryType::fact},
    {MemoryType::artifact, MemoryType::fact},
    {MemoryType::gotcha, MemoryType::fact},
    {MemoryType::breadcrumb, MemoryType::recap},
    {MemoryType::hub, MemoryType::core},
});

Error no_type(MemoryDialect dialect) { return refused("type: send one of " + memory_type_names(dialect)); }

}  // namespace

MemoryType type_in(MemoryDialect dialect, MemoryType type) {
  if (dialect_of(type) == dialect) return type;
  const auto* const found = std::ranges::find(kCounterparts, type, &Counterpart::type);
  return found == kCounterparts.end() ? type : found->other;
}

fs::path project_of(const fs::path& directory, const fs::path& home) {
  std::error_code ec;
  for (fs::path at = directory; at.has_relative_path() && at != home; at = at.parent_path())
    if (fs::exists(at / ".git", ec)) return at;
  return {};
}

Notebook::Notebook(memory::MemoryPlaces places, MemoryConfig config, const Clock& clock)
    : places_(std::move(places)),
      config_(config::with_files_beside(std::move(config), places_.home, places_.project, config_problems_)),
      clock_(clock) {}

MemoryDirectory Notebook::directory(const MemoryPlace& place) const {
  return MemoryDirectory(place, places_.project, clock_);
}

std::vector<ReadMemory> Notebook::all() const {
  auto out = memory::read_everywhere(places_, clock_.now());
  for (ReadMemory& read : out)
    memory::mask_secrets(read);
  return out;
}

Result<std::string> Notebook::text_of(const FoundMemory& found) const {
  const std::filesystem::path& path = found.read.memory.path;
  for (const memory::MemoryOrigin& origin : places_.origins()) {
    if (origin.path != path) continue;
    MEMD_TRY_ASSIGN(std::string text, origin.root.read(path));
    redact(text);
    return text;
  }
  return no_such(path.string());
}

Result<FoundMemory> Notebook::find(const MemoryName& name) const {
  if (!is_file_name(name.name)) {
    for (const MemoryPlace& place : places_.places()) {
      if (name.scope && *name.scope != place.scope) continue;
      auto found = directory(place).read(name.name);
      if (!found) continue;
      memory::mask_secrets(*found);
      return FoundMemory{place, *std::move(found)};
    }
  }
  std::optional<FoundMemory> out;
  for (ReadMemory& read : memory::read_everywhere(places_, clock_.now())) {
    const Memory& m = read.memory;
    if (name.scope && *name.scope != m.scope) continue;
    const bool is_path = is_file_name(name.name);
    const bool is_title = !is_path && ascii::lowered(m.title) == ascii::lowered(name.name);
    const bool is_it = is_path ? ends_with_path(m.path, name.name)
                               : is_title || (m.dialect == MemoryDialect::agent && m.slug == name.name);
    if (!is_it) continue;
    if (out && (is_path || is_title))
      return refused(name.name + " may be " + out->read.memory.path.string() + " or " + m.path.string() +
                     ": name more of its path");
    MemoryPlace place;
    if (m.dialect != MemoryDialect::agent) {
      MEMD_TRY_ASSIGN(place, places_.place(m.scope, m.dialect));
    }
    if (!out) out = FoundMemory{std::move(place), std::move(read)};
  }
  if (!out) return no_such(name.name);
  memory::mask_secrets(out->read);
  return *std::move(out);
}

Result<FoundMemory> Notebook::find_to_write(const MemoryName& name) const {
  auto found = find(name);
  if (!found) return found;
  MEMD_TRY(places_.policy.check_write(found->read.memory.scope, found->read.memory.dialect));
  return found;
}

Result<MemoryPlace> Notebook::place_for_new(const Destination& to) const {
  const auto asked = to.dialect || !to.type ? to.dialect : std::optional(dialect_of(*to.type));
  auto place = place_for(to.scope, asked);
  if (place || to.dialect || asked != MemoryDialect::repository) return place;
  return place_for(to.scope, MemoryDialect::plugin);
}

Result<MemoryType> Notebook::type_for_new(const Destination& to, MemoryDialect dialect) const {
  if (!to.type || (to.dialect && dialect_of(*to.type) != dialect)) return no_type(dialect);
  return type_in(dialect, *to.type);
}

Result<MemoryPlace> Notebook::place_for(std::optional<MemoryScope> scope, std::optional<MemoryDialect> asked) const {
  if (!scope) scope = config_.default_scope;
  const bool asks_repository = asked == MemoryDialect::repository;
  if (!scope)
    scope = !places_.project.empty() && (places_.policy.opt_in_enabled || asks_repository) ? MemoryScope::project
                                                                                           : MemoryScope::global;
  MemoryDialect dialect = *scope == MemoryScope::project ? places_.policy.default_dialect() : MemoryDialect::plugin;
  if (asked) dialect = *asked;
  MEMD_TRY_ASSIGN(auto place, places_.place(*scope, dialect));
  MEMD_TRY(places_.policy.check_write(*scope, dialect));
  return place;
}

Result<memory::WrittenMemory> Notebook::create(NewMemory wanted) const {
  MEMD_TRY_ASSIGN(const MemoryPlace place, place_for_new(wanted.to));
  MEMD_TRY_ASSIGN(const MemoryType type, type_for_new(wanted.to, place.dialect));
  return create(std::move(wanted), place, type);
}

Result<memory::WrittenMemory> Notebook::create(NewMemory wanted, const MemoryPlace& place, MemoryType type) const {
  Memory draft;
  draft.type = type;
  draft.title = std::move(wanted.title);
  draft.slug = std::move(wanted.slug);
  draft.tags = std::move(wanted.tags);
  if (draft.tags.empty() && place.dialect == MemoryDialect::plugin)
    draft.tags = {std::string(to_string(*wanted.to.type))};
  draft.content = std::move(wanted.text);
  draft.provenance = std::move(wanted.provenance);
  return directory(place).create(std::move(draft));
}

Result<memory::WrittenMemory> Notebook::change(const FoundMemory& found, memory::MemoryChange change,
                                               std::string_view expected) const {
  const Memory& before = found.read.memory;
  if (change.type && dialect_of(*change.type) != before.dialect) return no_type(before.dialect);
  if (change.content) {
    const bool is_headed = change.content->starts_with("# ") || before.dialect == MemoryDialect::repository;
    change.content = "\n" + (is_headed ? "" : "# " + change.title.value_or(before.title) + "\n\n") + *change.content;
  }
  return directory(found.place).update(before.slug, std::move(change), expected);
}

Result<void> Notebook::remove(const FoundMemory& found, std::string_view expected) const {
  const Memory& m = found.read.memory;
  if (!expected.empty() && expected != m.file_hash)
    return Error(Errc::busy, m.path.string() + " was changed meanwhile (version " + m.file_hash.substr(0, 12) +
                                 ") and stays: read it again");
  return directory(found.place).remove(m.slug);
}

Result<Memory> Notebook::undo(const MemoryName& name) const {
  std::optional<Error> last;
  for (const MemoryPlace& place : places_.places()) {
    if ((name.scope && *name.scope != place.scope) || !place.root().has(".trash") ||
        !places_.policy.check_write(place.scope, place.dialect))
      continue;
    auto back = directory(place).undo(name.name);
    if (back) return back;
    if (!last || last->is(Errc::not_found)) last = back.error();
  }
  return last.value_or(Error(Errc::not_found, "nothing was deleted that could be brought back"));
}

namespace {

Error edge_error(const FoundMemory& found, const std::string& other, const Error& error) {
  if (!error.is(Errc::not_found)) return error;
  return Error(Errc::not_found, "there is no memory " + other + " in scope " +
                                    std::string(to_string(found.place.scope)) + ": edges stay within a scope");
}

std::string meant_label(const FoundMemory& found, const std::optional<std::string>& label) {
  return label.value_or(found.place.dialect == MemoryDialect::plugin ? "relates-to" : "refers_to");
}

}  // namespace

Result<EdgeChange> Notebook::link(const FoundMemory& found, const std::string& other,
                                  const std::optional<std::string>& label) const {
  EdgeChange out{meant_label(found, label), false};
  const auto done = directory(found.place).link(found.read.memory.slug, other, out.label);
  if (!done) return edge_error(found, other, done.error());
  out.changed = *done;
  return out;
}

Result<EdgeChange> Notebook::unlink(const FoundMemory& found, const std::string& other,
                                    const std::optional<std::string>& label) const {
  const auto done = directory(found.place).unlink(found.read.memory.slug, other, label);
  if (!done) return edge_error(found, other, done.error());
  return EdgeChange{meant_label(found, label), *done};
}

std::vector<MemoryEdge> Notebook::edges_of(const FoundMemory& found) const {
  const Memory& m = found.read.memory;
  std::vector<MemoryEdge> out;
  if (m.dialect == MemoryDialect::plugin) {
    const auto graph = memory::MemoryGraph::load(found.place.root());
    if (graph) return graph->edges_of(m.slug);
    for (const std::string& link : m.links)
      out.push_back({m.slug, link, "relates-to", 0});
  } else if (m.dialect == MemoryDialect::repository) {
    for (const auto& relation : m.relations)
      out.push_back({m.slug, relation.target, relation.label, 0});
    for (const ReadMemory& other : directory(found.place).read_all())
      for (const auto& relation : other.memory.relations)
        if (relation.target == m.slug)
          out.push_back({m.slug, other.memory.slug, inverse_label(with_hyphens(relation.label)), 0});
  }
  return out;
}

std::vector<std::string> Notebook::broken_links(const FoundMemory& found) const {
  if (found.read.memory.dialect == MemoryDialect::agent) return {};
  const auto there = directory(found.place);
  const auto as_it_is = there.read(found.read.memory.slug);  // a masked name is that of no memory
  if (!as_it_is) return {};
  std::vector<std::string> targets = as_it_is->memory.links;
  for (const auto& relation : as_it_is->memory.relations)
    targets.push_back(relation.target);
  std::erase_if(targets, [&](const std::string& target) { return there.read(target).has_value(); });
  for (std::string& target : targets)
    redact(target);
  return targets;
}

Result<MemoryGraphView> Notebook::graph() const {
  MemoryGraphView out;
  for (const MemoryPlace& place : places_.places()) {
    for (ReadMemory& read : directory(place).read_all()) {
      if (!read.is_valid()) continue;
      memory::mask_secrets(read);
      for (const auto& relation : read.memory.relations)
        out.edges.push_back({{read.memory.slug, relation.target, relation.label, 0}, place});
      out.nodes.push_back({std::move(read.memory), place});
    }
    if (place.dialect != MemoryDialect::plugin) continue;
    MEMD_TRY_ASSIGN(const auto there, memory::MemoryGraph::load(place.root()));
    for (const auto& [slug, own] : there.lists())
      for (const MemoryEdge& edge : own)
        out.edges.push_back({edge, place});
  }
  return out;
}

std::vector<MemoryProblem> Notebook::health() const {
  auto out = memory::check_health(places_, {config_.orphan_days, config_.min_quality}, clock_.now());
  out.insert(out.end(), config_problems_.begin(), config_problems_.end());
  for (MemoryProblem& problem : out)
    redact(problem.message);
  return out;
}

}  // namespace memd::memories
