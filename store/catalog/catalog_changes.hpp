#pragma once

#include "schemas/memory.hpp"
#include "schemas/time.hpp"
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

// A directory of memories of one scope and dialect. Of files of agents: the project, or the home directory.
struct CatalogPlace {
  std::filesystem::path directory;
  MemoryDialect dialect{};
  MemoryScope scope{};
  std::string project_key;  // empty: of no project
  std::string project;      // its name
};

// What the file system tells of a file without reading it.
struct FileStamp {
  std::int64_t bytes = 0;
  std::int64_t changed_ns = 0;  // its inode, since the epoch: also when it was renamed
  std::int64_t inode = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// A file that may hold a memory.
struct SeenFile {
  memory::MemoryOrigin origin;
  std::size_t place = 0;  // of the places that were looked at
  FileStamp stamp;
};

// What the rows say of a file.
struct KnownFile {
  std::string path;
  FileStamp stamp;
  std::int64_t read_ns = 0;  // when it was read, since the epoch
  std::string file_hash;
};

struct KnownFilesQuery {
  std::set<std::filesystem::path> only{};  // empty: all
  using Answer = std::vector<KnownFile>;   // by path
  Answer run(sqlite::Database& db) const;
};

// The valid memories of a directory of the plugin dialect as its index.json has them, by slug. Rows know nothing of
// hasEmbedding; secrets in titles are masked.
struct IndexedMemoriesQuery {
  std::filesystem::path directory;
  using Answer = std::vector<memory::IndexEntry>;
  Answer run(sqlite::Database& db) const;
};

// Files against rows.
struct Comparison {
  std::vector<std::size_t> to_read;  // of `seen`: new, with another stamp, or read in the moment of a change
  std::vector<std::string> gone;     // paths of rows
};
// Pure. `known` by path.
Comparison compare(const std::vector<SeenFile>& seen, const std::vector<KnownFile>& known);

// A memory as its rows will be.
struct MemoryRecord {
  std::size_t place = 0;  // of CatalogChanges::places
  Memory memory;          // secrets masked
  bool is_valid = false;
  FileStamp stamp;
  std::int64_t read_ns = 0;
  std::vector<std::string> files;    // that it names
  std::vector<std::int8_t> vectors;  // chunks × dimension of the model in the binary
};
// Pure; any thread. `bytes`: of the whole file. An invalid memory has no text.
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

struct Restamped {
  std::string path;
  FileStamp stamp;
  std::int64_t read_ns = 0;
};

// A file that is there and could not be read. Its row, if it has one, stays as it is.
struct UnreadFile {
  std::filesystem::path path;
  std::string why;
};

// What makes the rows what the files are.
struct CatalogChanges {
  std::vector<CatalogPlace> places;
  std::vector<MemoryRecord> put;     // new ones, and others in place of those with the same path
  std::vector<Restamped> restamped;  // the same bytes
  std::vector<std::string> gone;     // paths
  std::vector<PlaceEdges> edges;     // all of a place
  std::vector<UnreadFile> unread;
  bool with_vectors = true;  // the records have them
  bool all_new = false;      // there is no row of any path in `put`
  bool empty() const { return put.empty() && restamped.empty() && gone.empty() && edges.empty(); }
};

// Writing side, in a transaction of the writer. All throw ErrorException.

// Brings the rows up to date.
void apply(sqlite::Database& db, const CatalogChanges& changes);
// What is wrong with the tables; empty: nothing. `thorough`: the index of words is read, too.
std::string damage_of(sqlite::Database& db, bool thorough);
// Drops what there is of the tables and makes them anew, empty; CatalogState::rebuilding.
void begin_anew(sqlite::Database& db, const std::string& reason, TimeMs now);
// The rows are what the files are: CatalogState::valid.
void end_anew(sqlite::Database& db, TimeMs now, std::int64_t took_ms);
// CatalogState::corrupted, for those who ask.
void note_damage(sqlite::Database& db, const std::string& reason);
// Of projects that were forgotten: those that the store does not know any more.
void forget_unknown_projects(sqlite::Database& db);

}  // namespace memd::catalog
