#include "store/catalog/catalog_cache.hpp"

#include "store/db/rows.hpp"
#include "store/enrich/embedding/embedder.hpp"

#include <unordered_set>

namespace memd::catalog {
namespace {

// Number of memories from which their own word statistics are used for rarity.
constexpr std::int64_t kTellingCollection = 500;

}  // namespace

const Facets* CatalogCache::find(std::int64_t doc) const {
  const auto it = docs_.find(doc);
  return it == docs_.end() ? nullptr : &it->second;
}

void CatalogCache::load_places(sqlite::Database& db) {
  places_.clear();
  auto& q = db.prepare("SELECT place_pk, dialect, scope, project_key, project FROM doc_places");
  for (q.bind(); q.step();)
    places_[q.int64(0)] = {static_cast<MemoryDialect>(q.int64(1)), static_cast<MemoryScope>(q.int64(2)), q.str(3),
                           q.str(4)};
}

void CatalogCache::drop_vanished(sqlite::Database& db) {
  std::unordered_set<std::int64_t> there;
  auto& q = db.prepare("SELECT doc_pk FROM docs INDEXED BY docs_by_generation");
  for (q.bind(); q.step();)
    there.insert(q.int64(0));
  std::erase_if(docs_, [&](const auto& doc) { return !there.contains(doc.first); });
}

void CatalogCache::refresh(sqlite::Database& db, const CatalogStatus& status) {
  if (built_at_ == status.built_at && generation_ == status.generation) return;
  if (built_at_ != status.built_at || generation_ > status.generation) {
    docs_.clear();
    vectors_ = {};
    generation_ = 0;
  }
  load_places(db);
  const bool has_vectors = vectors_.model != 0;
  vectors::SnapshotBuilder builder(std::move(vectors_));
  if (!has_vectors) {
    const bool any = db.query("SELECT 1 FROM doc_vectors LIMIT 1").any();
    if (any) builder.start(1, static_cast<std::size_t>(embedding::builtin_embedder().model().dimension));
  }
  auto& q = db.prepare(
      "SELECT d.doc_pk, d.place_pk, d.type, d.status, d.created, d.updated, d.superseded_at, d.superseded_by,"
      " d.is_valid, d.path, d.title, d.tags, v.vectors, d.slug"
      " FROM docs d LEFT JOIN doc_vectors v ON v.doc_pk = d.doc_pk WHERE d.generation > ?1");
  for (q.bind(generation_); q.step();) {
    Facets& f = docs_[q.int64(0)];
    sqlite::read_from(q, 1, f.place, f.type, f.status, f.created, f.updated, f.superseded_at, f.superseded_by);
    f.slug = q.str(13);
    sqlite::read_from(q, 8, f.is_valid, f.path, f.title);
    f.tags = " " + q.str(11) + " ";
    const std::string_view codes = q.blob(12);
    if (builder.so_far().model != 0)
      builder.put(q.int64(0), {reinterpret_cast<const std::int8_t*>(codes.data()), codes.size()});
  }
  builder.apply();
  vectors_ = builder.finish();
  if (static_cast<std::int64_t>(docs_.size()) != status.docs) drop_vanished(db);
  generation_ = status.generation;
  built_at_ = status.built_at;
}

CatalogWords::CatalogWords(sqlite::Database& db)
    : tokenizer_(db.handle()), statistics_(db, "docs_fts"), names_(db), titles_(db, "docs_fts"), exchanges_(db) {}

void CatalogWords::refresh() {
  statistics_.refresh();
  titles_.refresh();
  if (statistics_.documents() < kTellingCollection) exchanges_.refresh();
}

search::Vocabularies CatalogWords::vocabularies() {
  const bool is_small = statistics_.documents() < kTellingCollection;
  return {tokenizer_, statistics_, names_, titles_, is_small ? &exchanges_ : nullptr};
}

CatalogWords& KeptWords::of(sqlite::Database& db, const CatalogStatus& status) {
  if (!words_ || made_for_ != &db || built_at_ != status.built_at) {
    words_ = std::make_unique<CatalogWords>(db);
    made_for_ = &db;
    built_at_ = status.built_at;
  }
  return *words_;
}

}  // namespace memd::catalog
