#include "store/memory/memory_directory.hpp"

#include "schemas/base/error.hpp"
#include "store/memory/embedding_cache.hpp"
#include "store/text/redaction/redactor.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <utility>

namespace memd::memory {
namespace fs = std::filesystem;
namespace {

using files::OnDisk;

constexpr int kTries = 20;  // retries against an editor that saves repeatedly

Error refused(std::string what) { return Error(Errc::invalid_argument, std::move(what)); }

// Masks secrets in texts to be stored. Returns whether any was found.
template <class... Texts>
bool mask(Texts&... texts) {
  return (static_cast<int>(redact(texts)) + ...) > 0;
}

std::vector<std::string> with_or_without(std::vector<std::string> words, std::string_view word, bool with) {
  const auto it = std::find(words.begin(), words.end(), word);
  if (with && it == words.end()) words.emplace_back(word);
  if (!with && it != words.end()) words.erase(it);
  return words;
}

std::vector<ReadMemory> read_in_turn(const std::vector<MemoryOrigin>& origins, TimeMs now) {
  std::vector<ReadMemory> out;
  std::size_t left = kMostReadAtOnce;
  for (const MemoryOrigin& origin : origins) {
    ReadMemory read = read_memory_file(origin, now);
    if (!read.is_valid() && !origin.root.has(origin.path)) continue;  // gone meanwhile
    const std::size_t bytes = read.memory.content.size();
    if (bytes > left) {
      MemoryOrigin named = origin;
      named.slug = read.memory.slug;
      read = unread_memory(
          named, "is not read: the memories before it have " + std::to_string(kMostReadAtOnce >> 20) + " MiB");
    }
    left -= std::min(bytes, left);
    out.push_back(std::move(read));
  }
  return out;
}

constexpr const char* kLock = ".lock";
constexpr const char* kManifest = "indexes/manifest.json";
const fs::path kTrash = ".trash";

// Returns true once in the life of this process for each directory.
bool is_first_visit(const fs::path& directory) {
  static std::mutex mutex;
  static std::set<fs::path> visited;
  const std::lock_guard lock(mutex);
  return visited.insert(directory).second;
}

}  // namespace

// A change to several files. Written to .pending before it starts; idempotent.
struct MemoryDirectory::Step {
  std::string what;  // index, link, unlink, remove, undo
  std::string a;
  std::string b = "-";
  std::string label = "-";
  TimeMs time = 0;

  std::string text() const {
    return what + ' ' + a + ' ' + b + ' ' + label + ' ' + std::to_string(time) + " .\n";  // the dot marks the end
  }
  static std::optional<Step> parse(const std::string& text) {
    Step step;
    std::string dot;
    std::istringstream in(text);
    if (!(in >> step.what >> step.a >> step.b >> step.label >> step.time >> dot) || dot != ".") return std::nullopt;
    return step;
  }
};

MemoryDirectory::MemoryDirectory(MemoryPlace place, fs::path project, const Clock& clock)
    : place_(std::move(place)), root_(place_.root()), project_(std::move(project)), clock_(clock), index_(root_) {}

Result<files::FileLock> MemoryDirectory::lock() {
  const bool in_project = place_.scope == MemoryScope::project || place_.scope == MemoryScope::local;
  const char* const ignore_file = ".gitignore";
  if (in_project && !is_there(kLock) && !is_there(ignore_file)) {  // machine-specific files stay out of the repository
    const char* ignored = place_.scope == MemoryScope::local
                              ? "*\n"
                              : ".gitignore\n.lock\n.pending\n.trash/\n.embedding-cache/\n.memd-new-*\nlocal/\n";
    MEMD_TRY(root_.write(ignore_file, ignored, OnDisk::later));
  }
  auto taken = root_.lock(kLock);
  if (!taken) return taken.error();
  if (is_first_visit(place_.directory)) root_.tidy();  // what killed writers left
  MEMD_TRY(finish_pending());
  return taken;
}

Result<void> MemoryDirectory::finish_pending() {
  if (!is_there(kPending)) return {};
  MEMD_TRY_ASSIGN(const std::string text, root_.read(kPending));
  root_.tidy();
  if (const auto step = Step::parse(text)) {
    if (step->what != "index") MEMD_TRY(apply(*step));
  }
  MEMD_TRY(rebuild_now());
  (void)root_.remove(kPending);
  return {};
}

Result<void> MemoryDirectory::perform(const Step& step) {
  MEMD_TRY(root_.write(kPending, step.text(), OnDisk::now));
  MEMD_TRY(apply(step));
  (void)root_.remove(kPending);
  return {};
}

Result<void> MemoryDirectory::apply(const Step& step) {
  if (step.what == "remove") return apply_remove(step);
  if (step.what == "undo") return apply_undo(step);
  return apply_link(step);
}

Result<MemoryOrigin> MemoryDirectory::origin(std::string_view slug) const {
  if (is_plugin()) {
    if (!is_memory_slug(slug)) return refused("\"" + std::string(slug) + "\" is no slug");
    return MemoryOrigin{
        file_of(place_, MemoryType::learning, slug), place_.dialect, place_.scope, std::string(slug), {}, root_};
  }
  for (MemoryOrigin& there : origins_in(place_)) {
    if (read_memory_file(there, clock_.now()).memory.slug == slug) return std::move(there);
  }
  return Error(Errc::not_found, "there is no memory " + std::string(slug) + " in " + place_.directory.string());
}

Result<ReadMemory> MemoryDirectory::read(std::string_view slug) const {
  MEMD_TRY_ASSIGN(const MemoryOrigin there, origin(slug));
  MEMD_TRY_ASSIGN(const std::string bytes, root_.read(there.path));
  return read_memory(there, bytes, clock_.now());
}

std::vector<ReadMemory> MemoryDirectory::read_all() const { return read_in_turn(origins_in(place_), clock_.now()); }

Result<WrittenMemory> MemoryDirectory::create(Memory m) {
  MEMD_TRY_ASSIGN(const auto held, lock());
  m.dialect = place_.dialect;
  m.scope = place_.scope;
  if (dialect_of(m.type) != m.dialect)
    return refused("type \"" + std::string(to_string(m.type)) + "\" is none of the dialect " +
                   std::string(to_string(m.dialect)) + ": " + memory_type_names(m.dialect));
  WrittenMemory out;
  out.created = true;
  out.masked = mask(m.title, m.content);
  if (m.created == 0) m.created = clock_.now();
  if (m.updated == 0) m.updated = m.created;
  const bool own_slug = !m.slug.empty();
  const std::string wanted = own_slug      ? m.slug
                             : is_plugin() ? default_slug(m.type, m.title)
                                           : std::string(to_string(m.type)) + "." + slug_of(m.title);
  m.slug = wanted;
  const bool is_name = is_plugin() ? is_memory_slug(m.slug) : is_document_id(m.slug);
  if (!is_name)
    return refused("slug: \"" + m.slug +
                   "\" is none: " + (is_plugin() ? "write it like decision-oauth2" : "write it like fact.testing"));
  std::set<std::string, std::less<>> slugs;  // in the repository dialect files may have other names
  if (!is_plugin())
    for (const ReadMemory& read : read_all())
      slugs.insert(read.memory.slug);
  const auto is_taken = [&] { return is_there(file_of(place_, m.type, m.slug)) || slugs.contains(m.slug); };
  for (int number = 2; !own_slug && is_taken(); ++number)
    m.slug = wanted + "-" + std::to_string(number);
  m.path = file_of(place_, m.type, m.slug);
  if (slugs.contains(m.slug)) return refused("there is a memory " + m.slug + " already");
  const std::string text = new_memory_text(m);
  const ReadMemory written =
      read_memory({m.path, m.dialect, m.scope, is_plugin() ? m.slug : std::string(), m.type}, text, clock_.now());
  if (!written.is_valid()) return refused(written.problems.front().what());
  MEMD_TRY(root_.write(kPending, Step{"index", m.slug}.text(), OnDisk::later));
  if (const auto made = root_.create(m.path, text, OnDisk::now); !made) {
    (void)root_.remove(kPending);
    if (made.error().is(Errc::busy))
      return refused("there is a memory " + m.slug + " already: change it with edit, or choose another slug");
    return made.error();
  }
  MEMD_TRY(index(written.memory, true));
  (void)root_.remove(kPending);
  out.memory = written.memory;
  return out;
}

Result<WrittenMemory> MemoryDirectory::update(std::string_view slug, MemoryChange change, std::string_view expected) {
  MEMD_TRY_ASSIGN(const auto held, lock());
  change.links.reset();  // edges are changed by link() and unlink()
  WrittenMemory out;
  if (change.title) out.masked = mask(*change.title);
  if (change.content && mask(*change.content)) out.masked = true;
  if (change.updated == 0) change.updated = clock_.now();
  MEMD_TRY_ASSIGN(const MemoryOrigin there, origin(slug));
  MEMD_TRY_ASSIGN(const std::string bytes, root_.read(there.path));
  const ReadMemory before = read_memory(there, bytes, clock_.now());
  if (!before.is_valid())
    return refused("memd does not write files that are not valid: " + before.problems.front().text());
  MEMD_TRY_ASSIGN(const std::string text, changed_memory_text(bytes, before.memory, change));
  const ReadMemory after = read_memory(there, text, clock_.now());
  if (!after.is_valid()) return refused(after.problems.front().what());
  const auto conflict = [&](const std::string& hash) -> Result<WrittenMemory> {
    const fs::path copy = there.path.parent_path() /
                          (there.path.stem().string() + ".conflict-" + after.memory.file_hash.substr(0, 12) + ".md");
    MEMD_TRY(root_.write(copy, text, OnDisk::now));
    return Error(Errc::busy, there.path.string() + " was changed meanwhile and stays as it is (version " +
                                 hash.substr(0, 12) + "); your text is in " + copy.string() + " (version " +
                                 after.memory.file_hash.substr(0, 12) + "): bring them together and delete it");
  };
  if (!expected.empty() && expected != before.memory.file_hash) return conflict(before.memory.file_hash);
  MEMD_TRY(root_.write(kPending, Step{"index", before.memory.slug}.text(), OnDisk::later));
  MEMD_TRY_ASSIGN(const auto other, root_.replace(there.path, bytes, text, OnDisk::now));
  if (!other) {
    if (after.memory.content != before.memory.content) EmbeddingCache(root_).remove(before.memory.slug);
    MEMD_TRY(index(after.memory, false));
  }
  (void)root_.remove(kPending);
  if (other) return conflict(read_memory(there, *other, clock_.now()).memory.file_hash);
  out.memory = after.memory;
  return out;
}

Result<void> MemoryDirectory::index(const Memory& memory, bool is_new) {
  if (!is_plugin()) return write_manifest();
  const IndexEntry entry = index_entry(memory, EmbeddingCache(root_).has(memory.slug));
  MEMD_TRY_ASSIGN(const bool done, is_new ? index_.add(entry, clock_.now()) : index_.replace(entry, clock_.now()));
  if (!done) MEMD_TRY(rebuild_now());
  return {};
}

Result<void> MemoryDirectory::write_manifest() {
  std::vector<Memory> valid;
  for (ReadMemory& read : read_all())
    if (read.is_valid()) valid.push_back(std::move(read.memory));
  return root_.write(kManifest, manifest_text(valid, project_, clock_.now()), OnDisk::later);
}

Result<MemoryGraph> MemoryDirectory::load_graph() {
  auto graph = MemoryGraph::load(root_);
  if (graph || !graph.error().is(Errc::store_corrupt)) return graph;
  const std::string kept = std::string(MemoryGraph::kFile) + ".corrupt-" + std::to_string(clock_.now());
  MEMD_TRY(root_.move(MemoryGraph::kFile, kept, OnDisk::now));
  return MemoryGraph();
}

// Updates the links of one file. Reads it again if an editor saves in between, so that the edit is not overwritten.
Result<void> MemoryDirectory::set_links(std::string_view slug, std::string_view other, bool linked, TimeMs now) {
  MEMD_TRY_ASSIGN(const MemoryOrigin there, origin(slug));
  for (int i = 0; i < kTries; ++i) {
    const auto bytes = root_.read(there.path);
    if (!bytes) return bytes.error().is(Errc::not_found) ? Result<void>() : bytes.error();
    const ReadMemory before = read_memory(there, *bytes, clock_.now());
    MemoryChange change;
    change.links = with_or_without(before.memory.links, other, linked);
    if (!before.is_valid() || *change.links == before.memory.links) return {};
    change.updated = std::max(now, before.memory.updated);
    const auto text = changed_memory_text(*bytes, before.memory, change);
    if (!text) return {};  // reported by check_health(): the front matter has a form that memd does not edit
    MEMD_TRY_ASSIGN(const auto changed_meanwhile, root_.replace(there.path, *bytes, *text, OnDisk::now));
    if (!changed_meanwhile) return index(read_memory(there, *text, clock_.now()).memory, false);
  }
  return Error(Errc::busy, there.path.string() + " is being changed again and again");
}

Result<bool> MemoryDirectory::link(std::string_view a, std::string_view b, std::string_view label) {
  MEMD_TRY_ASSIGN(const auto held, lock());
  if (a == b) return refused("a memory has no edge to itself");
  for (const std::string_view slug : {a, b}) {
    MEMD_TRY_ASSIGN(const ReadMemory read, read(slug));
    if (!read.is_valid())
      return refused("memd does not write files that are not valid: " + read.problems.front().text());
  }
  if (!is_plugin()) {
    std::string relation(label);
    std::replace(relation.begin(), relation.end(), '-', '_');
    if (std::find(kDocumentRelations.begin(), kDocumentRelations.end(), relation) == kDocumentRelations.end())
      return refused("label: \"" + std::string(label) +
                     "\" is not a label: use derives_from, refers_to, supersedes, duplicates");
    return change_relations(a, [&](std::vector<MemoryRelation>& relations) {
      MemoryRelation wanted{relation, std::string(b)};
      if (std::find(relations.begin(), relations.end(), wanted) != relations.end()) return false;
      relations.push_back(std::move(wanted));
      return true;
    });
  }
  if (!is_edge_label(label))
    return refused("label: \"" + std::string(label) +
                   "\" has to be lower case letters and digits, with single hyphens");
  MEMD_TRY_ASSIGN(MemoryGraph graph, load_graph());
  const bool is_new = graph.link(a, b, label, 0);
  MEMD_TRY(perform({"link", std::string(a), std::string(b), std::string(label), clock_.now()}));
  return is_new;
}

// Changes the relations in a document. `edit` returns false when there is nothing to change.
Result<bool> MemoryDirectory::change_relations(std::string_view slug,
                                               const std::function<bool(std::vector<MemoryRelation>&)>& edit) {
  MEMD_TRY_ASSIGN(const MemoryOrigin there, origin(slug));
  MEMD_TRY_ASSIGN(const std::string bytes, root_.read(there.path));
  const Memory before = read_memory(there, bytes, clock_.now()).memory;
  MemoryChange change;
  change.relations = before.relations;
  if (!edit(*change.relations)) return false;
  change.updated = clock_.now();
  MEMD_TRY_ASSIGN(const std::string text, changed_memory_text(bytes, before, change));
  MEMD_TRY_ASSIGN(const auto other, root_.replace(there.path, bytes, text, OnDisk::now));
  if (other) return Error(Errc::busy, there.path.string() + " was changed meanwhile: try again");
  MEMD_TRY(write_manifest());
  return true;
}

Result<bool> MemoryDirectory::unlink(std::string_view a, std::string_view b, std::optional<std::string_view> label) {
  MEMD_TRY_ASSIGN(const auto held, lock());
  if (!is_plugin()) {
    return change_relations(a, [&](std::vector<MemoryRelation>& relations) {
      return std::erase_if(relations,
                           [&](const MemoryRelation& r) { return r.target == b && (!label || r.label == *label); }) > 0;
    });
  }
  if (!is_memory_slug(a) || !is_memory_slug(b) || (label && !is_edge_label(*label)))
    return refused("unlink takes two slugs and perhaps a label");
  MEMD_TRY_ASSIGN(MemoryGraph graph, load_graph());
  const bool was_there = graph.unlink(a, b, label);
  MEMD_TRY(perform({"unlink", std::string(a), std::string(b), std::string(label.value_or("-")), clock_.now()}));
  return was_there;
}

Result<void> MemoryDirectory::apply_link(const Step& step) {
  MEMD_TRY_ASSIGN(MemoryGraph graph, load_graph());
  const bool links = step.what == "link";
  const auto label = step.label == "-" ? std::nullopt : std::optional<std::string_view>(step.label);
  const bool changed = links ? graph.link(step.a, step.b, step.label, step.time) : graph.unlink(step.a, step.b, label);
  if (changed) MEMD_TRY(graph.save(root_));
  const bool linked = graph.has(step.a, step.b);
  MEMD_TRY(set_links(step.a, step.b, linked, step.time));
  return set_links(step.b, step.a, linked, step.time);
}

Result<void> MemoryDirectory::remove(std::string_view slug) {
  MEMD_TRY_ASSIGN(const auto held, lock());
  MEMD_TRY_ASSIGN(const MemoryOrigin there, origin(slug));
  if (!is_there(there.path)) return Error(Errc::not_found, "there is no memory " + std::string(slug));
  TimeMs time = clock_.now();
  const auto trashed = root_.names(kTrash);
  const auto is_taken = [&] {
    return std::any_of(trashed.begin(), trashed.end(), [&](const std::string& name) {
      return name.find("@" + std::to_string(time) + ".") != std::string::npos;
    });
  };
  while (is_taken())  // a unique time per deletion, because undo takes the latest
    ++time;
  return perform({"remove", std::string(slug), "-", "-", time});
}

// Moves the memory to the trash: <slug>@<time>.md, and <slug>@<time>.json with the edges.
Result<void> MemoryDirectory::apply_remove(const Step& step) {
  const std::string name = step.a + "@" + std::to_string(step.time);
  const fs::path edges_file = kTrash / (name + ".json");
  const fs::path trashed = kTrash / (name + ".md");
  MEMD_TRY_ASSIGN(MemoryGraph graph, load_graph());
  if (!is_there(edges_file)) {
    EdgeLists edges;
    if (!graph.edges_of(step.a).empty()) edges[step.a] = graph.edges_of(step.a);
    MEMD_TRY(root_.write(edges_file, graph_text(edges), OnDisk::now));
  }
  if (!is_there(trashed)) {
    const auto there = origin(step.a);
    if (!there) return there.error().is(Errc::not_found) ? Result<void>() : there.error();
    if (!is_there(there->path)) return {};  // already removed by somebody else
    MEMD_TRY(root_.move(there->path, trashed, OnDisk::now));
  }
  EmbeddingCache(root_).remove(step.a);
  if (!is_plugin()) return write_manifest();
  MEMD_TRY_ASSIGN(const MemoryGraph kept, MemoryGraph::load(root_, edges_file));
  if (!graph.erase(step.a).empty()) MEMD_TRY(graph.save(root_));
  for (const MemoryEdge& edge : kept.edges_of(step.a))
    MEMD_TRY(set_links(edge.target, step.a, false, step.time));
  MEMD_TRY_ASSIGN(const bool done, index_.remove(step.a, clock_.now()));
  if (!done) MEMD_TRY(rebuild_now());
  return {};
}

Result<Memory> MemoryDirectory::undo(std::string_view slug) {
  MEMD_TRY_ASSIGN(const auto held, lock());
  Step last{"undo", "", "-", "-", -1};
  for (const std::string& file : root_.names(kTrash, ".md")) {
    const std::string name = fs::path(file).stem().string();
    const auto at = name.rfind('@');
    if (at == std::string::npos) continue;
    const TimeMs time = std::strtoll(name.c_str() + at + 1, nullptr, 10);
    if ((slug.empty() || name.substr(0, at) == slug) && time > last.time) {
      last.a = name.substr(0, at);
      last.time = time;
    }
  }
  if (last.a.empty()) return Error(Errc::not_found, "nothing was deleted that could be brought back");
  if (is_plugin() && is_there(file_of(place_, MemoryType::learning, last.a)))
    return refused("there is a memory " + last.a + " again: rename or delete it first");
  MEMD_TRY(perform(last));
  MEMD_TRY_ASSIGN(const ReadMemory back, read(last.a));
  return back.memory;
}

Result<void> MemoryDirectory::apply_undo(const Step& step) {
  const std::string name = step.a + "@" + std::to_string(step.time);
  const fs::path trashed = kTrash / (name + ".md");
  const fs::path edges_file = kTrash / (name + ".json");
  if (is_there(trashed)) {
    MEMD_TRY_ASSIGN(const std::string bytes, root_.read(trashed));
    const Memory m = read_memory({trashed, place_.dialect, place_.scope, step.a}, bytes, clock_.now()).memory;
    const fs::path to = file_of(place_, m.type, step.a);
    MEMD_TRY(root_.move(trashed, to, OnDisk::now));
  }
  if (!is_plugin()) return write_manifest();
  MEMD_TRY_ASSIGN(const MemoryGraph kept, MemoryGraph::load(root_, edges_file));
  MEMD_TRY_ASSIGN(MemoryGraph graph, load_graph());
  bool changed = false;
  for (const MemoryEdge& edge : kept.edges_of(step.a))
    if (is_there(file_of(place_, MemoryType::learning, edge.target)))
      changed |= graph.link(step.a, edge.target, edge.label, edge.created);
  if (changed) MEMD_TRY(graph.save(root_));
  for (const MemoryEdge& edge : kept.edges_of(step.a)) {
    const bool linked = graph.has(step.a, edge.target);
    MEMD_TRY(set_links(step.a, edge.target, linked, step.time));
    MEMD_TRY(set_links(edge.target, step.a, linked, step.time));
  }
  const auto rebuilt = rebuild_now();
  if (!rebuilt) return rebuilt.error();
  (void)root_.remove(edges_file);
  return {};
}

MemoryIndex MemoryDirectory::index_of_files(const std::vector<ReadMemory>& all) const {
  const auto cached = EmbeddingCache(root_).slugs();
  MemoryIndex out;
  for (const ReadMemory& read : all)
    if (read.is_valid()) out.memories[read.memory.slug] = index_entry(read.memory, cached.contains(read.memory.slug));
  return out;
}

Result<int> MemoryDirectory::keep_vectors(const std::set<std::string>& slugs, std::string_view model,
                                          const MakeVector& make) {
  if (!is_plugin()) return 0;
  MEMD_TRY_ASSIGN(const auto held, lock());
  if (!is_there(IndexFile::kFile)) return 0;
  const EmbeddingCache cache(root_);
  std::vector<Memory> made;
  for (const std::string& slug : slugs) {
    auto there = read(slug);
    if (!there || !there->is_valid() || cache.find(slug, model, there->memory.content)) continue;
    MEMD_TRY(cache.put(slug, model, there->memory.content, make(there->memory), clock_.now()));
    made.push_back(std::move(there->memory));
  }
  MEMD_TRY(index_vectors(made, {}));
  return static_cast<int>(made.size());
}

Result<int> MemoryDirectory::clean_vectors(std::string_view model) {
  if (!is_plugin()) return 0;
  MEMD_TRY_ASSIGN(const auto held, lock());
  std::set<std::string, std::less<>> slugs;
  for (const MemoryOrigin& there : origins_in(place_))
    slugs.insert(there.slug);
  const EmbeddingCache cache(root_);
  const auto before = cache.slugs();
  const int removed = cache.clean(slugs, model);
  std::vector<std::string> gone;
  const auto left = cache.slugs();
  std::set_difference(before.begin(), before.end(), left.begin(), left.end(), std::back_inserter(gone));
  MEMD_TRY(index_vectors({}, gone));
  return removed;
}

// An index that does not match the files is left for the next writer, because no memory is being changed here.
Result<void> MemoryDirectory::index_vectors(const std::vector<Memory>& with, const std::vector<std::string>& without) {
  constexpr std::size_t kFew = 4;
  if (without.empty() && with.size() <= kFew) {
    for (const Memory& m : with)
      MEMD_TRY(index_.replace(index_entry(m, true), clock_.now()));
    return {};
  }
  auto index = index_.load();
  if (!index) return {};
  bool changed = false;
  for (const Memory& m : with)
    if (const auto it = index->memories.find(m.slug); it != index->memories.end()) {
      IndexEntry entry = index_entry(m, true);
      changed |= !(entry == it->second);
      it->second = std::move(entry);
    }
  for (const std::string& slug : without)
    if (const auto it = index->memories.find(slug); it != index->memories.end()) {
      it->second.has_embedding = false;
      changed = true;
    }
  if (!changed) return {};
  index->last_updated = clock_.now();
  return index_.write(*index);
}

MemoryDirectory::IndexState MemoryDirectory::check() const {
  if (!is_plugin()) return is_there(kManifest) ? IndexState::valid : IndexState::corrupted;
  const auto index = index_.load();
  return index && index->memories == index_of_files(read_all()).memories ? IndexState::valid : IndexState::corrupted;
}

Result<bool> MemoryDirectory::rebuild() {
  MEMD_TRY_ASSIGN(const auto held, lock());
  root_.tidy();
  return rebuild_now();
}

Result<bool> MemoryDirectory::rebuild_now() {
  if (!is_plugin()) {
    MEMD_TRY(write_manifest());
    return true;
  }
  std::vector<ReadMemory> all = read_all();
  std::map<std::string, std::vector<std::string>, std::less<>> links;
  for (const ReadMemory& read : all)
    if (read.is_valid()) links[read.memory.slug] = read.memory.links;
  MEMD_TRY_ASSIGN(MemoryGraph graph, load_graph());
  // The edges of a file that could not be read are not known.
  const bool all_read = std::none_of(all.begin(), all.end(), [](const ReadMemory& read) { return read.is_unread; });
  bool changed = all_read && graph.repair(links, clock_.now());
  if (changed) MEMD_TRY(graph.save(root_));
  const auto now = clock_.now();
  bool linked = false;
  for (const auto& [slug, edges] : graph.lists()) {
    const auto known = links.find(slug);
    if (known == links.end()) continue;
    auto& there = known->second;
    for (const MemoryEdge& edge : edges) {
      if (std::find(there.begin(), there.end(), edge.target) != there.end()) continue;
      there.push_back(edge.target);
      MEMD_TRY_ASSIGN(const MemoryOrigin file, origin(slug));
      for (int i = 0; i < kTries; ++i) {
        MEMD_TRY_ASSIGN(const std::string bytes, root_.read(file.path));
        const ReadMemory before = read_memory(file, bytes, now);
        if (!before.is_valid()) break;
        MemoryChange change;
        change.links = with_or_without(before.memory.links, edge.target, true);
        const auto text = changed_memory_text(bytes, before.memory, change);
        if (!text) break;
        MEMD_TRY_ASSIGN(const auto other, root_.replace(file.path, bytes, *text, OnDisk::now));
        if (!other) break;
      }
      linked = true;
    }
  }
  if (linked) all = read_all();
  MemoryIndex wanted = index_of_files(all);
  const auto index = index_.load();
  if (index && index->memories == wanted.memories) return changed || linked;
  wanted.last_updated = now;
  MEMD_TRY(index_.write(wanted));
  return true;
}

std::vector<ReadMemory> read_everywhere(const MemoryPlaces& places, TimeMs now) {
  return read_in_turn(places.origins(), now);
}

}  // namespace memd::memory
