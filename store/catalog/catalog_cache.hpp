#pragma once

#include "schemas/base/timestamp.hpp"
#include "schemas/memory.hpp"
#include "store/catalog/catalog_state.hpp"
#include "store/db/database.hpp"
#include "store/db/fts5.hpp"
#include "store/search/vectors/vector_snapshot.hpp"
#include "store/search/words/vocabularies.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

namespace memd::catalog {

// The location of memories.
struct Place {
  MemoryDialect dialect{};
  MemoryScope scope{};
  std::string project_key;  // empty: no project
  std::string project;      // its name
};

// The fields of a memory that filters and ranking use.
struct Facets : MemoryLabel {
  std::int64_t place = 0;
  VerificationStatus status{};
  TimeMs created = 0;
  TimeMs updated = 0;
  TimeMs superseded_at = 0;  // 0: unknown
  bool is_valid = false;
  std::string superseded_by;  // slug in the same place; empty: not superseded
  std::string tags;           // " a b "
  std::string path;
};

// Per-connection cache of the facets and vectors of all memories, about 600 bytes each. Updated incrementally by each
// query. One thread: that of the connection.
class CatalogCache {
 public:
  explicit CatalogCache(sqlite::Database&) {}  // for Database::kept()

  // Call in the query's transaction. Throws ErrorException.
  void refresh(sqlite::Database& db, const CatalogStatus& status);

  const Facets* find(std::int64_t doc) const;  // null: no such memory. Valid until refresh()
  const std::unordered_map<std::int64_t, Facets>& docs() const { return docs_; }
  const Place& place(const Facets& of) const { return places_.at(of.place); }
  const vectors::Snapshot& vectors() const { return vectors_; }

 private:
  void load_places(sqlite::Database& db);
  void drop_vanished(sqlite::Database& db);

  std::int64_t generation_ = 0;
  TimeMs built_at_ = -1;
  std::unordered_map<std::int64_t, Facets> docs_;
  std::unordered_map<std::int64_t, Place> places_;
  vectors::Snapshot vectors_;
};

// The word indexes for queries on memories. Belongs to one connection, on its thread.
class CatalogWords {
 public:
  // Throws ErrorException when the catalog has no table of words.
  explicit CatalogWords(sqlite::Database& db);

  void refresh();
  search::Vocabularies vocabularies();
  search::FullTextIndex& index() { return statistics_.index(); }
  const search::IndexTokenizer& tokenizer() const { return tokenizer_; }

 private:
  search::IndexTokenizer tokenizer_;
  search::TermStatistics statistics_;
  search::IdentifierDictionary names_;
  search::TitleIndex titles_;
  search::TermStatistics exchanges_;
};

// Keeps the CatalogWords of a connection until the tables are rebuilt.
class KeptWords {
 public:
  explicit KeptWords(sqlite::Database&) {}  // for Database::kept()
  CatalogWords& of(sqlite::Database& db, const CatalogStatus& status);

 private:
  const sqlite::Database* made_for_ = nullptr;  // a connection may be moved
  TimeMs built_at_ = -1;
  std::unique_ptr<CatalogWords> words_;
};

}  // namespace memd::catalog
