#include "store/catalog/catalog_state.hpp"

#include "schemas/memory.hpp"
#include "store/catalog/catalog_changes.hpp"

namespace memd::catalog {

std::string_view to_string(CatalogState state) {
  switch (state) {
    case CatalogState::valid: return "valid";
    case CatalogState::corrupted: return "corrupted";
    case CatalogState::rebuilding: return "rebuilding";
  }
  return "corrupted";
}

CatalogStatus CatalogStatusQuery::run(sqlite::Database& db) const {
  CatalogStatus out;
  auto& there = db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'doc_catalog'");
  const bool has_table = there.bind().step() && there.int64(0) > 0;
  there.reset();
  if (!has_table) return out;
  out.state = CatalogState::valid;
  auto& q = db.prepare("SELECT state, generation, docs, model, reason, built_at, built_ms FROM doc_catalog");
  if (q.bind().step()) {
    const auto state = q.int64(0);
    out.state = state >= 0 && state <= 2 ? static_cast<CatalogState>(state) : CatalogState::corrupted;
    out.generation = q.int64(1);
    out.docs = q.int64(2);
    out.model = q.str(3);
    out.reason = q.str(4);
    out.built_at = q.int64(5);
    out.built_ms = q.int64(6);
  }
  q.reset();
  return out;
}

CatalogFigures CatalogFiguresQuery::run(sqlite::Database& db) const {
  CatalogFigures out;
  out.damage = damage_of(db, false);
  if (!out.damage.empty()) return out;
  auto& counts = db.prepare(
      "SELECT coalesce(sum(d.is_valid AND p.dialect <> ?1), 0), coalesce(sum(d.is_valid AND p.dialect = ?1), 0),"
      " coalesce(sum(NOT d.is_valid), 0), coalesce(max(d.read_ns), 0) FROM docs d JOIN doc_places p USING (place_pk)");
  if (counts.bind(static_cast<int>(MemoryDialect::agent)).step()) {
    out.memories = counts.int64(0);
    out.agent_files = counts.int64(1);
    out.invalid = counts.int64(2);
    out.read_at = counts.int64(3) / 1'000'000;
  }
  counts.reset();
  auto& files = db.prepare("SELECT path FROM docs WHERE NOT is_valid ORDER BY path LIMIT ?1");
  for (files.bind(most_files); files.step();)
    out.invalid_files.push_back(files.str(0));
  files.reset();
  return out;
}

}  // namespace memd::catalog
