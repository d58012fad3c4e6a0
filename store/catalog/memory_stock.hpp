#pragma once

#include "schemas/time.hpp"
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

// Directories in which sessions worked, as their agents wrote them, each once.
struct SessionDirectoriesQuery {
  using Answer = std::vector<std::string>;
  Answer run(sqlite::Database& db) const;
};

// The projects that directories belong to: the nearest directory above with a repository, else the directory itself.
// Those that are not there, and the home directory, are none. Looks into the file system.
std::vector<std::filesystem::path> project_roots(const std::vector<std::string>& directories,
                                                 const std::filesystem::path& home);

struct StockPlaces {
  std::filesystem::path home;
  std::filesystem::path enterprise;  // empty: none
  MemoryPathPolicy policy;
  std::vector<std::filesystem::path> projects;
  // A directory or file that is not to be looked into; null: all are.
  std::function<bool(const std::filesystem::path&)> is_left_out;
};

// Where the memories of a person and of many projects are, and those files that are there now: each once, without those
// that lead out of their project through a link. Constant after construction; one thread.
class MemoryStock {
 public:
  explicit MemoryStock(StockPlaces places);

  const std::vector<CatalogPlace>& places() const { return rows_; }
  // Of the place at the same position; nullopt: of agents' files.
  const std::vector<std::optional<memory::MemoryPlace>>& directories() const { return directories_; }

  // Whether the directory of a place stays in its project, links followed; true: it is of no project.
  bool is_inside_project(std::size_t place) const;

  // All files, by place.
  std::vector<SeenFile> files() const;
  // One file of memories, or of an agent, by its name. Nullopt: it is none, or it is not there.
  std::optional<SeenFile> file(const std::filesystem::path& path) const;
  // Directories that have to be watched to hear of changes. Those of the person need not be there.
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
  std::vector<std::filesystem::path> projects_;  // of the place at the same position; empty: of none
  std::vector<Agents> agents_;
};

// The stamp of a regular file; nullopt: there is none.
std::optional<FileStamp> stamp_of(const std::filesystem::path& file);

// Reads files and makes records of them, on several threads when they are many. `known` by path: of those with the same
// bytes only the stamp changes.
void read_into(CatalogChanges& changes, const std::vector<SeenFile>& files, const std::vector<KnownFile>& known,
               TimeMs now);
// The edges of those of these places whose graph.json is another one than `known`. A graph that cannot be read has
// none.
void read_graphs(CatalogChanges& changes, const MemoryStock& stock, const std::set<std::size_t>& places,
                 const KnownGraphsQuery::Answer& known);

}  // namespace memd::catalog
