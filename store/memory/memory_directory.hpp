#pragma once

#include "schemas/error.hpp"
#include "schemas/memory.hpp"
#include "schemas/time.hpp"
#include "store/files/whole_file.hpp"
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
  bool masked = false;  // secrets in what was given were masked
};

// Changes the memories of one place (plugin: index.json, graph.json; repository: indexes/manifest.json). The files are
// the truth. Every change is one step to readers of a file, and whole to all who come after: what touches several files
// is noted first (.pending) and finished by the next writer if this one dies. Writers take turns (.lock). A file that
// somebody edits meanwhile stays as that person wrote it. Deleted files lie in .trash. Files that are not valid are
// never written. Whether memd may write here is the caller's question (MemoryPathPolicy). Thread-safe: each call takes
// the lock; the clock is borrowed.
class MemoryDirectory {
 public:
  // `project`: what paths in the manifest are relative to.
  MemoryDirectory(MemoryPlace place, std::filesystem::path project, const Clock& clock);

  // Without a lock. Errc::not_found; the memory may be invalid.
  Result<ReadMemory> read(std::string_view slug) const;
  std::vector<ReadMemory> read_all() const;

  // Slug, times and path are made where they are missing. Errc::invalid_argument names the broken rule; the slug is in
  // use; Errc::io.
  Result<WrittenMemory> create(Memory draft);
  // `expected`: the file_hash that the change was made from; empty: whatever is there. Errc::busy: the file is another
  // one by now. The message names both versions; the text of the change lies beside as <slug>.conflict-….md.
  Result<WrittenMemory> update(std::string_view slug, MemoryChange change, std::string_view expected = {});
  // Into the trash, with all edges.
  Result<void> remove(std::string_view slug);
  // Brings back what was deleted last, or the last of this slug, with its edges. Errc::not_found: the trash is empty.
  Result<Memory> undo(std::string_view slug = {});

  // Errc::invalid_argument: a label that is none, a memory and itself. false: it was so already.
  Result<bool> link(std::string_view a, std::string_view b, std::string_view label);
  Result<bool> unlink(std::string_view a, std::string_view b, std::optional<std::string_view> label);

  // Of the plugin dialect: keeps vectors of these memories beside them (EmbeddingCache), and says so in the index where
  // it has them. `make` is called for those that have none of this model and of their present text; what is not there
  // or not valid is left out. Gives how many were made.
  using MakeVector = std::function<std::vector<float>(const Memory&)>;
  Result<int> keep_vectors(const std::set<std::string>& slugs, std::string_view model, const MakeVector& make);
  // Removes vectors of no memory and, if a model is named, of others. Gives how many.
  Result<int> clean_vectors(std::string_view model);

  enum class IndexState { valid, corrupted };
  // Compares index.json with the files.
  IndexState check() const;
  // Makes index (or manifest) and graph anew if they do not fit the files, and finishes what a killed writer left. A
  // graph that cannot be read is kept beside. true: something was made anew.
  Result<bool> rebuild();

  const MemoryPlace& place() const { return place_; }
  std::filesystem::path graph_file() const { return place_.directory / "graph.json"; }

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
  Result<void> index(const Memory& memory, bool is_new);
  Result<void> index_vectors(const std::vector<Memory>& with, const std::vector<std::string>& without);
  Result<void> write_manifest();
  Result<bool> rebuild_now();
  Result<MemoryOrigin> origin(std::string_view slug) const;
  ReadMemory read_origin(const MemoryOrigin& origin, std::string& bytes) const;
  MemoryIndex index_of_files(const std::vector<ReadMemory>& all) const;
  bool is_plugin() const { return place_.dialect == MemoryDialect::plugin; }
  std::filesystem::path pending_file() const { return place_.directory / ".pending"; }
  std::filesystem::path trash() const { return place_.directory / ".trash"; }

  const MemoryPlace place_;
  const std::filesystem::path project_;
  const Clock& clock_;
  const IndexFile index_;
};

// Every memory of the places and of the agents, valid or not, in the order of MemoryPlaces::origins().
std::vector<ReadMemory> read_everywhere(const MemoryPlaces& places, TimeMs now);

}  // namespace memd::memory
