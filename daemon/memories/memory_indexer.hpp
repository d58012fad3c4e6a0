#pragma once

#include "schemas/base/result.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/memory_path_policy.hpp"
#include "store/catalog/catalog_changes.hpp"
#include "store/catalog/memory_file_set.hpp"
#include "store/db/store_layout.hpp"
#include "store/db/withheld.hpp"
#include "store/reader.hpp"
#include "store/write/writer.hpp"

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
                                                                  // excluded
  bool makes_vectors = true;                                      // of memories; false: only words find them
  // Receives the directories to watch whenever they have been determined; null: nothing is watched.
  std::function<void(std::vector<std::filesystem::path>)> watch;
};

// Returns whether a change of this file or directory may concern a memory, judged by its name.
bool may_be_memory(const std::filesystem::path& path);

// Keeps the catalog of memories (store/catalog) equal to the files: compares files with rows and has the writer apply
// the difference. Rebuilds a damaged catalog. One thread; borrows the clock.
class MemoryIndexer {
 public:
  MemoryIndexer(IndexerParts parts, const Clock& clock);

  // Compares all projects in the store and the user's scopes. Checks the tables first. `thorough`, used at the start,
  // also checks the index of words and each index.json, and rebuilds the ones that memd maintains.
  Result<void> look_at_everything(bool thorough);
  // Updates the rows of files or directories that changed.
  Result<void> look_at(const std::set<std::filesystem::path>& changed);
  // Drops the rows and rebuilds them from the files.
  Result<void> rebuild(const std::string& reason);
  // Compares everything if sessions now work in other directories than before.
  Result<void> look_for_projects();
  // Adds a directory in which no session need have worked. Compares nothing. False: it was known already.
  bool add_project(const std::string& directory);
  // Writes some of the pending vectors beside memories (EmbeddingCache): in directories where memd maintains an index
  // and may write, but not in those of an organisation. False: none are pending. Nothing depends on them; failures are
  // retried by the next full comparison.
  bool keep_vectors();
  // Returns each index.json that did not fit the files at the last thorough comparison and that memd could not rebuild.
  const std::set<std::filesystem::path>& stale_indexes() const { return stale_indexes_; }
  // Returns the files that could not be read at the last attempt: path and reason.
  const std::map<std::filesystem::path, std::string>& unread() const { return unread_; }

 private:
  Result<void> bring_up_to_date(bool thorough);
  Result<void> check_indexes();
  Result<void> find_memory_files();
  Result<void> apply(catalog::CatalogChanges changes);
  Result<void> repair(const Error& error);
  bool keeps_index(std::size_t place) const;
  bool may_keep_vectors(std::size_t place) const { return parts_.makes_vectors && keeps_index(place); }
  // Reads the files; forgotten texts are masked.
  void read_into(catalog::CatalogChanges& changes, const std::vector<catalog::SeenFile>& files,
                 const std::vector<catalog::KnownFile>& known);
  void note_unread(const catalog::CatalogChanges& changes);
  void plan_vectors(const std::vector<catalog::SeenFile>& seen, bool thorough);
  // For files that were read.
  void plan_vectors(const std::vector<catalog::MemoryRecord>& read);
  catalog::CatalogChanges compared(const std::vector<catalog::SeenFile>& seen,
                                   const std::vector<catalog::KnownFile>& known,
                                   const catalog::KnownGraphsQuery::Answer& graphs);

  // The pending work on the vectors beside the memories of a place.
  struct DueVectors {
    memory::MemoryPlace place;
    std::set<std::string> slugs;
    bool clean = false;      // there may be vectors without a memory
    bool of_others = false;  // there may be vectors of another model
  };

  const IndexerParts parts_;
  const Clock& clock_;
  WithheldTexts forgotten_;
  Reader store_;
  std::vector<std::string> directories_;  // directories of sessions at the last look_for_projects() or full comparison
  std::set<std::string> further_;         // added by add_project()
  catalog::MemoryFileSet file_set_;
  std::map<std::filesystem::path, DueVectors> due_;  // by directory
  std::map<std::filesystem::path, std::string> unread_;
  std::set<std::filesystem::path> stale_indexes_;
};

}  // namespace memd::memories
