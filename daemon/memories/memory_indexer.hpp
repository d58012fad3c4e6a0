#pragma once

#include "schemas/error.hpp"
#include "schemas/memory_path_policy.hpp"
#include "schemas/time.hpp"
#include "store/catalog/catalog_changes.hpp"
#include "store/catalog/memory_stock.hpp"
#include "store/reader.hpp"
#include "store/write/writer.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace memd::memories {

struct IndexerParts {
  std::filesystem::path database;
  std::function<Result<void>(std::function<Result<void>(Writer&)>)> perform;  // as IngestService::perform()
  std::filesystem::path home;
  std::filesystem::path enterprise;  // empty: none
  MemoryPathPolicy policy;
  std::function<bool(const std::filesystem::path&)> is_left_out;  // excluded by the configuration; null: nothing is
  bool makes_vectors = true;                                      // of memories; false: they are found by words alone
  // Takes the directories that have to be watched, whenever they are found anew; null: nobody watches.
  std::function<void(std::vector<std::filesystem::path>)> watch;
};

// Returns whether a change of this file or directory may concern a memory, judged by its name.
bool may_be_memory(const std::filesystem::path& path);

// Keeps the catalog of memories (store/catalog) as the files are: compares files with rows and has the writer apply the
// difference. A catalog that is damaged is made anew. One thread; the clock is borrowed.
class MemoryIndexer {
 public:
  MemoryIndexer(IndexerParts parts, const Clock& clock);

  // All projects that the store knows, and the scopes of the person. Checks the tables first. `thorough`, as at the
  // start: the index of words, too, and each index.json, which is made anew where memd keeps it.
  Result<void> look_at_everything(bool thorough);
  // Updates the rows of files or directories that changed.
  Result<void> look_at(const std::set<std::filesystem::path>& changed);
  // Drops the rows and rebuilds them from the files.
  Result<void> rebuild(const std::string& reason);
  // Whether sessions worked in other directories than before: then everything is looked at.
  Result<void> look_for_projects();
  // A directory that no session need have worked in. False: it is known. Nothing is looked at.
  bool add_project(const std::string& directory);
  // Keeps vectors beside memories (EmbeddingCache) of what was looked at, some at a time: in directories that memd
  // keeps an index in and may write into, but not in those of an organisation. False: none are left to do. Nothing
  // depends on them; what fails is tried again when everything is looked at.
  bool keep_vectors();
  // Each index.json that did not fit the files at the last thorough look, and that memd may not make anew.
  const std::set<std::filesystem::path>& stale_indexes() const { return stale_indexes_; }
  // Returns the files that could not be read at the last attempt: path and reason.
  const std::map<std::filesystem::path, std::string>& unread() const { return unread_; }

 private:
  Result<void> bring_up_to_date(bool thorough);
  Result<void> check_indexes();
  Result<void> find_stock();
  Result<void> apply(catalog::CatalogChanges changes);
  Result<void> heal(const Error& error);
  bool keeps_index(std::size_t place) const;
  bool may_keep_vectors(std::size_t place) const { return parts_.makes_vectors && keeps_index(place); }
  void note_unread(const catalog::CatalogChanges& changes);
  void plan_vectors(const std::vector<catalog::SeenFile>& seen, bool thorough);
  // Of files that were read.
  void plan_vectors(const std::vector<catalog::MemoryRecord>& read);
  catalog::CatalogChanges compared(const std::vector<catalog::SeenFile>& seen,
                                   const std::vector<catalog::KnownFile>& known,
                                   const catalog::KnownGraphsQuery::Answer& graphs);

  // The pending work on the vectors beside the memories of a place.
  struct DueVectors {
    memory::MemoryPlace place;
    std::set<std::string> slugs;
    bool clean = false;      // some may belong to no memory
    bool of_others = false;  // or to another model
  };

  const IndexerParts parts_;
  const Clock& clock_;
  Reader store_;
  std::vector<std::string> directories_;  // of sessions, when they were looked for last
  std::set<std::string> further_;         // add_project()
  catalog::MemoryStock stock_;
  std::map<std::filesystem::path, DueVectors> due_;  // by directory
  std::map<std::filesystem::path, std::string> unread_;
  std::set<std::filesystem::path> stale_indexes_;
};

}  // namespace memd::memories
