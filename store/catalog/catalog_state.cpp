#include "store/catalog/catalog_state.hpp"

#include "schemas/base/reflected_name.hpp"
#include "schemas/memory.hpp"
#include "store/catalog/catalog_changes.hpp"
#include "store/db/rows.hpp"

namespace memd::catalog {

std::string_view to_string(CatalogState state) { return reflect::enum_name(state, "corrupted"); }

CatalogStatus CatalogStatusQuery::run(sqlite::Database& db) const {
  CatalogStatus out;
  const bool has_table = db.query("SELECT count(*) FROM sqlite_schema WHERE name = 'doc_catalog'").value_or(0) > 0;
  if (!has_table) return out;
  out.state = CatalogState::valid;
  if (const auto row =
          db.query("SELECT state, generation, docs, model, reason, built_at, built_ms FROM doc_catalog").row()) {
    const auto state = row->int64(0);
    out.state = state >= 0 && state <= 2 ? static_cast<CatalogState>(state) : CatalogState::corrupted;
    sqlite::read_from(*row, 1, out.generation, out.docs, out.model, out.reason, out.built_at, out.built_ms);
  }
  return out;
}

CatalogFigures CatalogFiguresQuery::run(sqlite::Database& db) const {
  CatalogFigures out;
  out.damage = damage_of(db, false);
  if (!out.damage.empty()) return out;
  if (const auto row = db.query("SELECT coalesce(sum(d.is_valid AND p.dialect <> ?1), 0), coalesce(sum(d.is_valid "
                                "AND p.dialect = ?1), 0),"
                                " coalesce(sum(NOT d.is_valid), 0), coalesce(max(d.read_ns), 0) FROM docs d JOIN "
                                "doc_places p USING (place_pk)",
                                static_cast<int>(MemoryDialect::agent))
                           .row()) {
    sqlite::read(*row, out.memories, out.agent_files, out.invalid);
    out.read_at = row->int64(3) / 1'000'000;
  }
  auto& files = db.prepare("SELECT path FROM docs WHERE NOT is_valid ORDER BY path LIMIT ?1");
  for (files.bind(most_files); files.step();)
    out.invalid_files.push_back(files.str(0));
  return out;
}

}  // namespace memd::catalog
