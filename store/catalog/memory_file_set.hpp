#pragma once

#include "schemas/base/timestamp.hpp"
#include "store/catalog/catalog_changes.hpp"
#include "store/db/database.hpp"
#include "store/memory/memory_places.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace memd::catalog {

// Returns the distinct directories in which sessions worked, as their agents wrote them.
struct SessionDirectoriesQuery {
  using Answer = std::vector<std::string>;
  Answer run(sqlite::Database& db) const;
};

// Returns the projects of the directories: the nearest ancestor with a repository, else the directory itself. Skips
// missing directories and the home directory. Accesses the file system.
std::vector<std::filesystem::path> project_roots(const std::vector<std::string>& directories,
                                                 const std::filesystem::path& home);

struct MemoryFileRoots {
  std::filesystem::path home;
  std::filesystem::path enterprise;  // empty: none
  MemoryPathPolicy policy;
  std::vector<std::filesystem::path> projects;
  // Returns true for directories and files to be skipped; null: none are skipped.
  std::function<bool(const std::filesystem::path&)> is_left_out;
};

// The places of the memories of a user and many projects, and the files there now. Each file is listed once; those that
// their door refuses are skipped. Constant after construction; one thread.
class MemoryFileSet {
 public:
  explicit MemoryFileSet(MemoryFileRoots places);

  const std::vector<CatalogPlace>& places() const { return rows_; }
  // The place at the same index; nullopt: files of agents.
  const std::vector<std::optional<memory::MemoryPlace>>& directories() const { return directories_; }

  // Returns all files, by place.
  std::vector<SeenFile> files() const;
  // Returns one file of a memory or an agent by its path; nullopt: not such a file, or missing.
  std::optional<SeenFile> file(const std::filesystem::path& path) const;
  // Returns the directories to be watched for changes. Those of the user may be missing.
  std::vector<std::filesystem::path> watched() const;

 private:
  struct Agents {
    memory::MemoryPlaces places;
    std::string project_key;
    std::string project;
  };
  std::size_t add_place(CatalogPlace row, std::optional<memory::MemoryPlace> directory,
                        const std::filesystem::path& project);
  std::size_t place_of(const memory::MemoryOrigin& origin, const Agents& agents) const;
  bool is_left_out(const std::filesystem::path& path) const { return left_out_ && left_out_(path); }

  std::filesystem::path home_;
  std::function<bool(const std::filesystem::path&)> left_out_;
  std::vector<CatalogPlace> rows_;
  std::vector<std::optional<memory::MemoryPlace>> directories_;
  std::vector<std::filesystem::path> projects_;  // of the place at the same index; empty: none
  std::vector<Agents> agents_;
};

// Reads files and builds their records, on several threads if there are many. `known` must be sorted by path; for
// unchanged content only the stamp is updated.
void read_into(CatalogChanges& changes, const std::vector<SeenFile>& files, const std::vector<KnownFile>& known,
               TimeMs now);
// Reads the edges of the given places whose graph.json differs from `known`. An unreadable graph gives no edges.
void read_graphs(CatalogChanges& changes, const MemoryFileSet& file_set, const std::set<std::size_t>& places,
                 const KnownGraphsQuery::Answer& known);

}  // namespace memd::catalog
