#include "daemon/memories/memory_indexer.hpp"

#include "daemon/log.hpp"
#include "schemas/base/error.hpp"
#include "store/catalog/catalog_state.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/memory/embedding_cache.hpp"
#include "store/memory/memory_directory.hpp"
#include "store/text/redaction/redactor.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace memd::memories {
namespace {

namespace fs = std::filesystem;
using catalog::CatalogChanges;
using catalog::MemoryFileSet;

template <class F>
Result<void> transact(const IndexerParts& parts, F change) {
  // Shared, because std::function requires a copyable target.
  const auto owned = std::make_shared<F>(std::move(change));
  return parts.perform(
      [owned](Writer& writer) { return writer.transact([&](sqlite::Database& db) { (*owned)(db); }); });
}

catalog::MemoryFileRoots memory_file_roots(const IndexerParts& parts, std::vector<fs::path> projects) {
  return {parts.home, parts.enterprise, parts.policy, std::move(projects), parts.is_left_out};
}

std::set<std::size_t> all_places(const MemoryFileSet& file_set) {
  std::set<std::size_t> out;
  for (std::size_t i = 0; i < file_set.places().size(); ++i)
    out.insert(i);
  return out;
}

constexpr std::size_t kRebuiltAtOnce = 1000;  // files
// Limits how long a writer of a memory waits.
constexpr std::size_t kVectorsAtOnce = 100;
constexpr std::array<std::string_view, 3> kHomes{"/.claude/", "/.cursor/", "/.thunderus/"};

// Returns whether an index.json has exactly these memories. `cached`: the memories with a vector beside them.
bool fits(const memory::IndexFile& file, const std::vector<memory::IndexEntry>& memories,
          const std::set<std::string, std::less<>>& cached) {
  const auto index = file.load();
  if (!index || index->memories.size() != memories.size()) return false;
  return std::all_of(memories.begin(), memories.end(), [&](memory::IndexEntry entry) {
    entry.has_embedding = cached.contains(entry.slug);
    const auto it = index->memories.find(entry.slug);
    return it != index->memories.end() && it->second == entry;
  });
}

// Returns whether the error indicates damage of the catalog: an inconsistent row or a missing table.
bool is_damage(const Error& error) { return error.is(Errc::store) || error.is(Errc::store_corrupt); }

}  // namespace

bool may_be_memory(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name == ".claude" || name == ".cursor" || name == ".thunderus" || name == ".codex" || name == ".gemini")
    return true;
  if (name.starts_with('.')) return false;
  if (!path.has_extension())  // a directory
    return name == "memory" || std::any_of(kHomes.begin(), kHomes.end(), [&](std::string_view home) {
             return path.native().find(home) != std::string::npos;
           });
  return name.ends_with(".md") || name.ends_with(".mdc") || name == memory::MemoryGraph::kFile;
}

MemoryIndexer::MemoryIndexer(IndexerParts parts, const Clock& clock)
    : parts_(std::move(parts)),
      clock_(clock),
      forgotten_(StoreLayout(parts_.database.parent_path()).withheld()),
      store_(Reader::in_background(parts_.database)),
      file_set_(memory_file_roots(parts_, {})) {}

bool MemoryIndexer::add_project(const std::string& directory) { return further_.insert(directory).second; }

Result<void> MemoryIndexer::find_memory_files() {
  MEMD_TRY_ASSIGN(directories_, store_.ask(catalog::SessionDirectoriesQuery{}));
  auto directories = directories_;
  directories.insert(directories.end(), further_.begin(), further_.end());
  file_set_ = MemoryFileSet(memory_file_roots(parts_, catalog::project_roots(directories, parts_.home)));
  if (parts_.watch) parts_.watch(file_set_.watched());
  return {};
}

Result<void> MemoryIndexer::apply(CatalogChanges changes) {
  if (changes.empty()) return {};
  return transact(parts_, [changes = std::move(changes)](sqlite::Database& db) { catalog::apply(db, changes); });
}

void MemoryIndexer::read_into(CatalogChanges& changes, const std::vector<catalog::SeenFile>& files,
                              const std::vector<catalog::KnownFile>& known) {
  catalog::read_into(changes, files, known, clock_.now());
  const auto texts = forgotten_.now();
  for (catalog::MemoryRecord& record : changes.put)
    for (std::string* text : {&record.memory.title, &record.memory.content})
      redact_forgotten(*text, *texts);
}

void MemoryIndexer::note_unread(const CatalogChanges& changes) {
  for (const catalog::UnreadFile& file : changes.unread)
    unread_[file.path] = file.why;
}

// memd maintains an index where a memory was written through it. The lock file never leaves this machine, while the
// index may appear a moment later, so the lock file is the test.
bool MemoryIndexer::keeps_index(std::size_t number) const {
  const auto& place = file_set_.directories()[number];
  return place && place->dialect == MemoryDialect::plugin && place->scope != MemoryScope::enterprise &&
         parts_.policy.check_write(place->scope, place->dialect) && place->root().has(".lock");
}

void MemoryIndexer::plan_vectors(const std::vector<catalog::SeenFile>& seen, bool thorough) {
  due_.clear();
  for (std::size_t i = 0; i < file_set_.places().size(); ++i)
    if (may_keep_vectors(i)) {
      const memory::MemoryPlace& place = *file_set_.directories()[i];
      due_[place.directory] = {place, {}, true, thorough};
    }
  for (const catalog::SeenFile& file : seen) {
    const auto& place = file_set_.directories()[file.place];
    const auto due = place ? due_.find(place->directory) : due_.end();
    if (due == due_.end()) continue;
    const auto kept = memory::EmbeddingCache(file.origin.root).facts(file.origin.slug);
    if (!kept || kept->changed_ns <= file.stamp.changed_ns) due->second.slugs.insert(file.origin.slug);
  }
}

void MemoryIndexer::plan_vectors(const std::vector<catalog::MemoryRecord>& read) {
  std::map<std::size_t, bool> may;
  for (const catalog::MemoryRecord& record : read) {
    const auto [it, fresh] = may.try_emplace(record.place, false);
    if (fresh) it->second = may_keep_vectors(record.place);
    if (!it->second || !record.is_valid) continue;
    const memory::MemoryPlace& place = *file_set_.directories()[record.place];
    DueVectors& due = due_.try_emplace(place.directory, DueVectors{place, {}, false, false}).first->second;
    due.slugs.insert(record.memory.slug);
  }
}

bool MemoryIndexer::keep_vectors() {
  if (due_.empty()) return false;
  const auto it = due_.begin();
  DueVectors& due = it->second;
  memory::MemoryDirectory directory(due.place, {}, clock_);
  const embedding::BuiltinEmbedder& model = embedding::builtin_embedder();
  const auto make = [&model](const Memory& m) {
    std::string text = m.content;
    redact(text);
    return model.table().embed(text);
  };
  Result<int> done = 0;
  const memory::EmbeddingCache cache(due.place.root());
  if (const auto before = cache.slugs(); std::exchange(due.clean, false) && !before.empty()) {
    done = directory.clean_vectors(due.of_others ? model.model().name : std::string());
    const auto left = cache.slugs();
    std::set_difference(before.begin(), before.end(), left.begin(), left.end(),
                        std::inserter(due.slugs, due.slugs.end()));
  }
  std::set<std::string> some;
  while (!due.slugs.empty() && some.size() < kVectorsAtOnce)
    some.insert(due.slugs.extract(due.slugs.begin()));
  if (done && !some.empty()) done = directory.keep_vectors(some, model.model().name, make);
  if (!done) log::info("vectors beside memories are not kept: {}", done.error().message());
  if (!done || due.slugs.empty()) due_.erase(it);
  return !due_.empty();
}

CatalogChanges MemoryIndexer::compared(const std::vector<catalog::SeenFile>& seen,
                                       const std::vector<catalog::KnownFile>& known,
                                       const catalog::KnownGraphsQuery::Answer& graphs) {
  CatalogChanges changes;
  changes.with_vectors = parts_.makes_vectors;
  changes.places = file_set_.places();
  auto comparison = catalog::compare(seen, known);
  changes.gone = std::move(comparison.gone);
  std::vector<catalog::SeenFile> to_read;
  for (const std::size_t i : comparison.to_read)
    to_read.push_back(seen[i]);
  read_into(changes, to_read, known);
  unread_.clear();
  note_unread(changes);
  catalog::read_graphs(changes, file_set_, all_places(file_set_), graphs);
  return changes;
}

Result<void> MemoryIndexer::look_for_projects() {
  MEMD_TRY_ASSIGN(const auto directories, store_.ask(catalog::SessionDirectoriesQuery{}));
  if (directories == directories_) return {};
  // Directories of forgotten sessions are not compared until a session works there again.
  for (const std::string& before : directories_)
    if (std::find(directories.begin(), directories.end(), before) == directories.end())
      std::erase_if(further_,
                    [&](const std::string& path) { return path == before || path.starts_with(before + "/"); });
  return look_at_everything(false);
}

Result<void> MemoryIndexer::look_at_everything(bool thorough) {
  MEMD_TRY(bring_up_to_date(thorough));
  return thorough ? check_indexes() : Result<void>();
}

// The rows equal the files, so they select the indexes that may not fit; the files then decide.
Result<void> MemoryIndexer::check_indexes() {
  stale_indexes_.clear();
  for (std::size_t i = 0; i < file_set_.places().size(); ++i) {
    const auto& place = file_set_.directories()[i];
    if (!place || place->dialect != MemoryDialect::plugin) continue;
    const files::ScopeRoot root = place->root();
    const fs::path file = place->directory / memory::IndexFile::kFile;
    const bool keeps = keeps_index(i);
    if (!keeps && !root.has(file)) continue;
    MEMD_TRY_ASSIGN(const auto rows, store_.ask(catalog::IndexedMemoriesQuery{place->directory}));
    const bool is_interrupted = keeps && root.has(memory::MemoryDirectory::kPending);
    if (!is_interrupted && fits(memory::IndexFile(root), rows, memory::EmbeddingCache(root).slugs())) continue;
    memory::MemoryDirectory directory(*place, {}, clock_);
    if (!is_interrupted && directory.check() == memory::MemoryDirectory::IndexState::valid) continue;
    if (!keeps) {
      stale_indexes_.insert(file);
      log::info("{} does not fit the files beside it; it is not memd's to change", file.string());
      continue;
    }
    log::info("{} does not fit the files beside it and is rebuilt", file.string());
    if (const auto done = directory.rebuild(); !done) {
      stale_indexes_.insert(file);
      log::error("{} is not rebuilt: {}", file.string(), done.error().message());
    }
  }
  return {};
}

Result<void> MemoryIndexer::bring_up_to_date(bool thorough) {
  std::string damage;
  MEMD_TRY(transact(parts_, [&damage, thorough](sqlite::Database& db) {
    damage = catalog::damage_of(db, thorough);
    if (!damage.empty()) catalog::note_damage(db, damage);
  }));
  if (!damage.empty()) return rebuild(damage);
  MEMD_TRY_ASSIGN(const auto status, store_.ask(catalog::CatalogStatusQuery{}));
  // a process was killed during a rebuild
  if (status.state != catalog::CatalogState::valid) return rebuild("the last rebuild did not end");
  if (status.docs > 0 && status.model.empty() == parts_.makes_vectors)
    return rebuild(parts_.makes_vectors ? "it has no vectors" : "no vectors are wanted any more");
  MEMD_TRY(find_memory_files());
  MEMD_TRY_ASSIGN(const auto known, store_.ask(catalog::KnownFilesQuery{}));
  MEMD_TRY_ASSIGN(const auto graphs, store_.ask(catalog::KnownGraphsQuery{}));
  const auto seen = file_set_.files();
  const auto done = apply(compared(seen, known, graphs));
  if (!done) return repair(done.error());
  plan_vectors(seen, thorough);
  return {};
}

Result<void> MemoryIndexer::look_at(const std::set<fs::path>& changed) {
  CatalogChanges changes;
  changes.with_vectors = parts_.makes_vectors;
  std::vector<catalog::SeenFile> files;
  std::set<std::size_t> places;
  MEMD_TRY_ASSIGN(const auto status, store_.ask(catalog::CatalogStatusQuery{}));
  if (status.state != catalog::CatalogState::valid) return look_at_everything(false);
  for (const fs::path& path : changed) {
    std::error_code ec;
    if (fs::is_directory(path, ec)) return look_at_everything(false);
    if (auto file = file_set_.file(path)) {
      places.insert(file->place);
      files.push_back(*std::move(file));
    } else if (!fs::exists(path, ec)) {
      // a removed directory, with all its files
      if (!path.has_extension()) return look_at_everything(false);
      changes.gone.push_back(path.native());
    }
    for (std::size_t i = 0; i < file_set_.places().size(); ++i)
      if (file_set_.places()[i].directory == path.parent_path()) places.insert(i);
  }
  auto known = store_.ask(catalog::KnownFilesQuery{changed});
  if (!known) return is_damage(known.error()) ? repair(known.error()) : Result<void>(known.error());
  std::erase_if(changes.gone, [&](const std::string& path) {
    return std::none_of(known->begin(), known->end(), [&](const auto& file) { return file.path == path; });
  });
  MEMD_TRY_ASSIGN(const auto graphs, store_.ask(catalog::KnownGraphsQuery{}));
  changes.places = file_set_.places();
  read_into(changes, files, *known);
  for (const fs::path& path : changed)
    unread_.erase(path);
  note_unread(changes);
  catalog::read_graphs(changes, file_set_, places, graphs);
  plan_vectors(changes.put);
  for (const std::size_t place : places)
    if (!changes.gone.empty() && may_keep_vectors(place)) {
      const memory::MemoryPlace& of = *file_set_.directories()[place];
      due_.try_emplace(of.directory, DueVectors{of, {}, false, false}).first->second.clean = true;
    }
  const auto done = apply(std::move(changes));
  return done ? done : repair(done.error());
}

Result<void> MemoryIndexer::repair(const Error& error) {
  if (!is_damage(error)) return error;
  log::error("the catalog of memories is damaged and is rebuilt: {}", error.message());
  return rebuild(error.message());
}

Result<void> MemoryIndexer::rebuild(const std::string& reason) {
  const auto started = std::chrono::steady_clock::now();
  MEMD_TRY(transact(parts_,
                    [&reason, now = clock_.now()](sqlite::Database& db) { catalog::begin_rebuild(db, reason, now); }));
  MEMD_TRY(find_memory_files());
  const auto seen = file_set_.files();
  plan_vectors(seen, false);
  unread_.clear();
  std::future<Result<void>> writing;  // writes the previous part while the next one is read
  for (std::size_t at = 0;; at += kRebuiltAtOnce) {
    const std::size_t end = std::min(at + kRebuiltAtOnce, seen.size());
    CatalogChanges part;
    part.with_vectors = parts_.makes_vectors;
    part.places = file_set_.places();
    part.all_new = true;
    read_into(part, {seen.begin() + static_cast<std::ptrdiff_t>(at), seen.begin() + static_cast<std::ptrdiff_t>(end)},
              {});
    note_unread(part);
    if (end == seen.size()) catalog::read_graphs(part, file_set_, all_places(file_set_), {});
    if (writing.valid()) MEMD_TRY(writing.get());
    if (end == seen.size())
      return transact(parts_, [part = std::move(part), now = clock_.now(), started](sqlite::Database& db) {
        catalog::apply(db, part);
        const auto took = std::chrono::steady_clock::now() - started;
        catalog::end_rebuild(db, now, std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
      });
    writing =
        std::async(std::launch::async, [this, part = std::move(part)]() mutable { return apply(std::move(part)); });
  }
}

}  // namespace memd::memories
