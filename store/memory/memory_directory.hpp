#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/memory.hpp"
#include "store/files/scope_root.hpp"
#include "store/memory/memory_graph.hpp"
#include "store/memory/memory_index.hpp"
#include "store/memory/memory_places.hpp"
#include "store/memory/memory_reader.hpp"
#include "store/memory/memory_text.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memd::memory {

struct WrittenMemory {
  Memory memory;
  bool created = false;
  bool masked = false;  // secrets in the input were masked
};

// Changes the memories of one place (plugin: index.json, graph.json; repository: indexes/manifest.json). The files are
// authoritative. A reader of a file sees each change at once. A change to several files is first recorded (.pending),
// and the next writer completes it if this one dies. Writers take turns (.lock). A file that somebody edits meanwhile
// keeps that edit. Deleted files are moved to .trash. Invalid files are never written. The caller checks whether memd
// may write here (MemoryPathPolicy). Thread-safe: each call takes the lock; the clock is borrowed.
class MemoryDirectory {
 public:
  static constexpr const char* kPending = ".pending";  // a change that is not finished, for the next writer

  // `project`: base of the relative paths in the manifest.
  MemoryDirectory(MemoryPlace place, std::filesystem::path project, const Clock& clock);

  // Takes no lock. Returns Errc::not_found; the memory may be invalid.
  Result<ReadMemory> read(std::string_view slug) const;
  std::vector<ReadMemory> read_all() const;

  // Fills in a missing slug, times and path. Returns Errc::invalid_argument with the broken rule, also for a slug in
  // use, or Errc::io.
  Result<WrittenMemory> create(Memory draft);
  // `expected`: the file_hash on which the change is based; empty: any. Returns Errc::busy if the file has changed
  // since. The message names both versions, and the new text is saved next to it as <slug>.conflict-….md.
  Result<WrittenMemory> update(std::string_view slug, MemoryChange change, std::string_view expected = {});
  // Moves the memory to the trash and removes its edges.
  Result<void> remove(std::string_view slug);
  // Restores the memory that was deleted last, or the last one with this slug, with its edges. Returns Errc::not_found
  // if the trash is empty.
  Result<Memory> undo(std::string_view slug = {});

  // Return false if nothing had to change. Return Errc::invalid_argument for an invalid label or a memory linked to
  // itself.
  Result<bool> link(std::string_view a, std::string_view b, std::string_view label);
  Result<bool> unlink(std::string_view a, std::string_view b, std::optional<std::string_view> label);

  // Plugin dialect only: stores vectors of these memories next to them (EmbeddingCache) and sets the index accordingly.
  // Calls `make` for memories that have no vector of this model for their current text; skips missing and invalid
  // memories. Returns the number of new vectors.
  using MakeVector = std::function<std::vector<float>(const Memory&)>;
  Result<int> keep_vectors(const std::set<std::string>& slugs, std::string_view model, const MakeVector& make);
  // Removes vectors without a memory and, if a model is given, those of other models. Returns their number.
  Result<int> clean_vectors(std::string_view model);

  enum class IndexState { valid, corrupted };
  // Compares index.json with the files.
  IndexState check() const;
  // Rebuilds the index (or manifest) and the graph if they do not match the files, and completes what a killed writer
  // left. Keeps a copy of an unreadable graph. Returns whether something was rebuilt.
  Result<bool> rebuild();

  const MemoryPlace& place() const { return place_; }
  const files::ScopeRoot& root() const { return root_; }

 private:
  struct Step;
  Result<files::FileLock> lock();
  Result<void> perform(const Step& step);
  Result<void> apply(const Step& step);
  Result<void> finish_pending();
  Result<void> apply_link(const Step& step);
  Result<void> apply_remove(const Step& step);
  Result<void> apply_undo(const Step& step);
  Result<void> set_links(std::string_view slug, std::string_view other, bool linked, TimeMs now);
  Result<MemoryGraph> load_graph();
  Result<bool> change_relations(std::string_view slug, const std::function<bool(std::vector<MemoryRelation>&)>& edit);
  Result<void> index(const Memory& memory, bool is_new);
  Result<void> index_vectors(const std::vector<Memory>& with, const std::vector<std::string>& without);
  Result<void> write_manifest();
  Result<bool> rebuild_now();
  Result<MemoryOrigin> origin(std::string_view slug) const;
  MemoryIndex index_of_files(const std::vector<ReadMemory>& all) const;
  bool is_plugin() const { return place_.dialect == MemoryDialect::plugin; }
  bool is_there(const std::filesystem::path& file) const { return root_.has(file); }

  const MemoryPlace place_;
  const files::ScopeRoot root_;
  const std::filesystem::path project_;
  const Clock& clock_;
  const IndexFile index_;
};

// Returns every memory of the places and of the agents, valid or not, in the order of MemoryPlaces::origins(). Of texts
// that are larger than kMostReadAtOnce together, the last ones are listed without their text, with a problem.
inline constexpr std::size_t kMostReadAtOnce = std::size_t{256} << 20;
std::vector<ReadMemory> read_everywhere(const MemoryPlaces& places, TimeMs now);

}  // namespace memd::memory
