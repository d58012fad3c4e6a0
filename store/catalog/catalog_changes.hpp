#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/memory.hpp"
#include "store/catalog/catalog_state.hpp"
#include "store/db/database.hpp"
#include "store/memory/memory_json.hpp"
#include "store/memory/memory_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace memd::catalog {

// A directory of memories of one scope and dialect. For files of agents, the project or the home directory.
struct CatalogPlace {
  std::filesystem::path directory;
  MemoryDialect dialect{};
  MemoryScope scope{};
  std::string project_key;  // empty: no project
  std::string project;      // its name
};

// A file that may hold a memory.
struct SeenFile {
  memory::MemoryOrigin origin;
  std::size_t place = 0;  // index into the places that were scanned
  files::FileFacts stamp;
};

// The stored state of a file.
struct KnownFile {
  std::string path;
  files::FileFacts stamp;
  std::int64_t read_ns = 0;  // time of the last read, in ns since the epoch
  std::string file_hash;
};

struct KnownFilesQuery {
  std::set<std::filesystem::path> only{};  // empty: all
  using Answer = std::vector<KnownFile>;   // by path
  Answer run(sqlite::Database& db) const;
};

// Returns the valid memories of a plugin-dialect directory in the form of its index.json, by slug. The rows lack
// hasEmbedding; secrets in titles are masked.
struct IndexedMemoriesQuery {
  std::filesystem::path directory;
  using Answer = std::vector<memory::IndexEntry>;
  Answer run(sqlite::Database& db) const;
};

// The difference between files and rows.
struct Comparison {
  std::vector<std::size_t> to_read;  // indices into `seen`: new, with another stamp, or read at the moment of a change
  std::vector<std::string> gone;     // paths of rows
};
// Pure. `known` must be sorted by path.
Comparison compare(const std::vector<SeenFile>& seen, const std::vector<KnownFile>& known);

// The content of a memory's rows.
struct MemoryRecord {
  std::size_t place = 0;  // of CatalogChanges::places
  Memory memory;          // secrets masked
  bool is_valid = false;
  files::FileFacts stamp;
  std::int64_t read_ns = 0;
  std::vector<std::string> files;    // files that it names
  std::vector<std::int8_t> vectors;  // chunks × dimension of the built-in model
};
// Pure; thread-safe. `bytes`: the whole file. The text of an invalid memory is left out.
MemoryRecord record_of(const SeenFile& seen, const std::string& bytes, TimeMs now, bool with_vectors = true);

// The edges of a place of the plugin dialect.
struct PlaceEdges {
  std::size_t place = 0;  // of CatalogChanges::places
  std::string graph_hash;
  std::vector<MemoryEdge> edges;
};
struct KnownGraphsQuery {
  struct Graph {
    std::string directory;
    std::string hash;
  };
  using Answer = std::vector<Graph>;
  Answer run(sqlite::Database& db) const;
};

struct StampChange {
  std::string path;
  files::FileFacts stamp;
  std::int64_t read_ns = 0;
};

// A file that exists but could not be read. Its row, if any, stays unchanged.
struct UnreadFile {
  std::filesystem::path path;
  std::string why;
};

// The changes that bring the rows in step with the files.
struct CatalogChanges {
  std::vector<CatalogPlace> places;
  std::vector<MemoryRecord> put;           // new ones, and replacements for those with the same path
  std::vector<StampChange> stamp_changes;  // unchanged content
  std::vector<std::string> gone;           // paths
  std::vector<PlaceEdges> edges;           // all edges of each place
  std::vector<UnreadFile> unread;
  bool with_vectors = true;  // whether the records have vectors
  bool all_new = false;      // no path in `put` has a row
  bool empty() const { return put.empty() && stamp_changes.empty() && gone.empty() && edges.empty(); }
};

// Writing side, in a transaction of the writer. All throw ErrorException.

// Applies the changes to the rows.
void apply(sqlite::Database& db, const CatalogChanges& changes);
// Describes what is wrong with the tables; empty: nothing. `thorough` also checks the word index.
std::string damage_of(sqlite::Database& db, bool thorough);
// Drops the tables and creates them empty; CatalogState::rebuilding.
void begin_rebuild(sqlite::Database& db, const std::string& reason, TimeMs now);
// Marks the rows as complete: CatalogState::valid.
void end_rebuild(sqlite::Database& db, TimeMs now, std::int64_t took_ms);
// Sets CatalogState::corrupted for later queries.
void note_damage(sqlite::Database& db, const std::string& reason);
// Deletes the data of projects that the store no longer contains.
void forget_unknown_projects(sqlite::Database& db);

}  // namespace memd::catalog
