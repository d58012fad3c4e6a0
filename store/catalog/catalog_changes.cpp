#include "store/catalog/catalog_changes.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "store/memory/named_things.hpp"
#include "store/search/vectors/codes.hpp"
#include "store/text/text_chunks.hpp"

#include <boost/algorithm/string/join.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

namespace memd::catalog {
namespace {

constexpr std::size_t kMostChunks = 64;
constexpr std::size_t kMostText = 1 << 20;  // bytes; files of agents are not limited elsewhere
// Granularity of file timestamps in ns: a file read this soon after its change may have changed again with the same
// stamp.
constexpr std::int64_t kTickNs = 50'000'000;

std::string base_name(std::string_view file) {
  const auto slash = file.rfind('/');
  return ascii::lowered(slash == std::string_view::npos ? file : file.substr(slash + 1));
}

std::vector<std::int8_t> vectors_of(const Memory& m) {
  std::vector<std::int8_t> out;
  const auto& model = embedding::builtin_embedder().table();
  std::size_t chunks = 0;
  for (const std::string_view chunk : enrichment::cut(m.content, enrichment::kChunkBytes)) {
    if (++chunks > kMostChunks) break;
    vectors::append_quantised(model.embed(m.title + "\n" + std::string(chunk)), out);
  }
  if (chunks == 0 && !m.title.empty()) vectors::append_quantised(model.embed(m.title), out);
  return out;
}

}  // namespace

std::vector<KnownFile> KnownFilesQuery::run(sqlite::Database& db) const {
  std::vector<KnownFile> out;
  const auto take = [&out](sqlite::Statement& q) {
    while (q.step())
      out.push_back({q.str(0), {q.int64(1), q.int64(2), q.int64(3)}, q.int64(4), q.str(5)});
  };
  if (only.empty()) take(db.query("SELECT path, bytes, changed_ns, inode, read_ns, file_hash FROM docs ORDER BY path"));
  for (const auto& path : only)
    take(
        db.query("SELECT path, bytes, changed_ns, inode, read_ns, file_hash FROM docs WHERE path = ?1", path.native()));
  return out;
}

std::vector<KnownGraphsQuery::Graph> KnownGraphsQuery::run(sqlite::Database& db) const {
  return db.query("SELECT directory, graph_hash FROM doc_places WHERE dialect = 0").all(sqlite::fields_of<Graph>);
}

std::vector<memory::IndexEntry> IndexedMemoriesQuery::run(sqlite::Database& db) const {
  std::vector<memory::IndexEntry> out;
  auto& q = db.prepare(
      "SELECT d.tags, d.slug, d.title, d.type, d.created, d.updated, d.path FROM docs d JOIN doc_places p USING "
      "(place_pk) WHERE p.directory = ?1 AND p.dialect = ?2 AND d.is_valid ORDER BY d.slug");
  for (q.bind(directory.native(), static_cast<int>(MemoryDialect::plugin)); q.step();) {
    std::istringstream tags(q.str(0));
    memory::IndexEntry& entry = out.emplace_back();
    sqlite::read_from(q, 1, entry.slug, entry.title, entry.type, entry.created, entry.updated, entry.file_path);
    entry.tags.assign(std::istream_iterator<std::string>(tags), {});
  }
  return out;
}

Comparison compare(const std::vector<SeenFile>& seen, const std::vector<KnownFile>& known) {
  Comparison out;
  std::set<std::string_view> there;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::string& path = seen[i].origin.path.native();
    there.insert(path);
    const auto it = std::lower_bound(known.begin(), known.end(), path,
                                     [](const KnownFile& file, const std::string& p) { return file.path < p; });
    const bool is_same = it != known.end() && it->path == path && it->stamp == seen[i].stamp &&
                         it->read_ns - it->stamp.changed_ns >= kTickNs;
    if (!is_same) out.to_read.push_back(i);
  }
  for (const KnownFile& file : known)
    if (!there.contains(file.path)) out.gone.push_back(file.path);
  return out;
}

MemoryRecord record_of(const SeenFile& seen, const std::string& bytes, TimeMs now, bool with_vectors) {
  MemoryRecord out;
  out.place = seen.place;
  out.stamp = seen.stamp;
  memory::ReadMemory read = memory::read_memory(seen.origin, bytes, now);
  out.memory = std::move(read.memory);
  out.is_valid = read.problems.empty();
  Memory& m = out.memory;
  if (!out.is_valid) {
    m.content.clear();
    m.title.clear();
    m.tags.clear();
    return out;
  }
  m.content.resize(utf8_prefix(m.content, kMostText).size());
  memory::mask_secrets(m);
  // Files of agents contain no times.
  if (m.updated == 0) m.updated = seen.stamp.changed_ns / 1'000'000;
  out.files = memory::named_in(m).paths;
  if (with_vectors) out.vectors = vectors_of(m);
  return out;
}

namespace {

using PlacePk = std::int64_t;

// Inserts the status row if it is missing.
void put_row(sqlite::Database& db) { db.exec("INSERT OR IGNORE INTO doc_catalog VALUES (1, 0, 0, 0, '', '', 0, 0)"); }

// Writes the changes. Lives for one transaction.
class Applying {
 public:
  Applying(sqlite::Database& db, const CatalogChanges& changes) : db_(db), changes_(changes) {}

  void run() {
    put_row(db_);
    generation_ =
        db_.query("UPDATE doc_catalog SET generation = generation + 1 RETURNING generation").value_or(generation_);
    for (const std::string& path : changes_.gone)
      remove(path);
    put_records();
    for (const StampChange& r : changes_.stamp_changes)
      db_.run("UPDATE docs SET bytes = ?2, changed_ns = ?3, inode = ?4, read_ns = ?5 WHERE path = ?1", r.path,
              r.stamp.bytes, r.stamp.changed_ns, r.stamp.inode, r.read_ns);
    for (const PlaceEdges& edges : changes_.edges)
      put_graph(edges);
    if (touched_.size() < kFew)
      for (const auto& [place, slug] : touched_)
        judge(place, slug);
    else
      judge_all();
    db_.exec("DELETE FROM doc_places WHERE place_pk NOT IN (SELECT place_pk FROM docs)");
    db_.run("UPDATE doc_catalog SET docs = docs + ?1, model = ?2", added_,
            changes_.with_vectors ? embedding::builtin_embedder().model().name : std::string());
  }

 private:
  PlacePk place_of(std::size_t number) {
    const auto [it, fresh] = places_.try_emplace(number, 0);
    if (!fresh) return it->second;
    const CatalogPlace& place = changes_.places[number];
    auto& q = db_.prepare(
        "INSERT INTO doc_places (directory, dialect, scope, project_key, project) VALUES (?1, ?2, ?3, ?4, ?5)"
        " ON CONFLICT (directory, dialect, scope) DO UPDATE SET project_key = ?4, project = ?5 RETURNING place_pk");
    it->second = q.bind(place.directory.native(), static_cast<int>(place.dialect), static_cast<int>(place.scope),
                        place.project_key, place.project)
                     .value_or(0);
    return it->second;
  }

  void remove(const std::string& path) {
    const auto row = db_.query("SELECT doc_pk, place_pk, slug FROM docs WHERE path = ?1", path).row();
    const std::int64_t doc = row->int64(0);
    const std::pair<PlacePk, std::string> which{row->int64(1), row->str(2)};
    if (!row) return;
    touch(which);
    if (is_repository(which.first))
      db_.run("DELETE FROM doc_edges WHERE place_pk = ?1 AND source = ?2", which.first, which.second);
    db_.run("DELETE FROM docs WHERE doc_pk = ?1", doc);
    --added_;
  }

  // Marks a memory and those that it supersedes for judge().
  void touch(const std::pair<PlacePk, std::string>& which) {
    if (touched_.size() >= kFew) return;  // judge_all() will run
    touched_.insert(which);
    auto& q = db_.prepare("SELECT target FROM doc_edges WHERE place_pk = ?1 AND source = ?2 AND label = 'supersedes'");
    for (q.bind(which.first, which.second); q.step();)
      touched_.emplace(which.first, q.str(0));
  }

  bool is_repository(PlacePk place) {
    return db_.query("SELECT dialect FROM doc_places WHERE place_pk = ?1", place).value_or(0) ==
           static_cast<int>(MemoryDialect::repository);
  }

  void put_records() {
    std::vector<const MemoryRecord*> fresh;
    for (const MemoryRecord& record : changes_.put)
      if (changes_.all_new || !update(record)) fresh.push_back(&record);
    std::int64_t doc = db_.query("SELECT coalesce(max(doc_pk), 0) FROM docs").value_or(0);
    std::vector<std::int64_t> ids;
    std::vector<std::string> tags;  // must live until they are inserted
    for (const MemoryRecord* r : fresh)
      tags.push_back(boost::algorithm::join(r->memory.tags, " "));
    sqlite::RowInserter rows(
        db_,
        "docs (doc_pk, place_pk, path, slug, type, created, updated, status, commit_sha, is_valid, session_uid,"
        " file_hash, bytes, changed_ns, inode, read_ns, generation, title, tags, content)",
        fresh.size());
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      const MemoryRecord& r = *fresh[i];
      const Memory& m = r.memory;
      ids.push_back(++doc);
      rows.add(doc, place_of(r.place), m.path.native(), m.slug, static_cast<int>(m.type), m.created, m.updated,
               static_cast<int>(m.verification.status), m.verification.last_verified_commit, r.is_valid,
               m.provenance.session, m.file_hash, r.stamp.bytes, r.stamp.changed_ns, r.stamp.inode, r.read_ns,
               generation_, m.title, tags[i], m.content);
      ++added_;
    }
    std::size_t files = 0;
    for (const MemoryRecord* r : fresh)
      files += r->files.size();
    sqlite::RowInserter file_rows(db_, "doc_files (doc_pk, name, file)", files);
    std::vector<std::string> names;  // must live until they are inserted
    names.reserve(files);
    for (std::size_t i = 0; i < fresh.size(); ++i)
      for (const std::string& file : fresh[i]->files)
        file_rows.add(ids[i], names.emplace_back(base_name(file)), file);
    sqlite::RowInserter vector_rows(db_, "doc_vectors (doc_pk, vectors)",
                                    static_cast<std::size_t>(std::count_if(fresh.begin(), fresh.end(), has_vectors)));
    for (std::size_t i = 0; i < fresh.size(); ++i)
      if (has_vectors(fresh[i])) vector_rows.add(ids[i], std::as_bytes(std::span(fresh[i]->vectors)));
    for (const MemoryRecord* r : fresh)
      put_relations(*r);
  }

  static bool has_vectors(const MemoryRecord* r) { return !r->vectors.empty(); }

  // Returns false if there is no row with this path.
  bool update(const MemoryRecord& r) {
    const auto row = db_.query("SELECT doc_pk, place_pk, slug FROM docs WHERE path = ?1", r.memory.path.native()).row();
    const std::int64_t doc = row->int64(0);
    const std::pair<PlacePk, std::string> was{row->int64(1), row->str(2)};
    if (!row) return false;
    touch(was);
    const Memory& m = r.memory;
    db_.run(
        "UPDATE docs SET place_pk = ?2, slug = ?3, type = ?4, created = ?5, updated = ?6, status = ?7,"
        " commit_sha = ?8, is_valid = ?9, session_uid = ?10, file_hash = ?11, bytes = ?12, changed_ns = ?13,"
        " inode = ?14, read_ns = ?15, generation = ?16, title = ?17, tags = ?18, content = ?19 WHERE doc_pk = ?1",
        doc, place_of(r.place), m.slug, static_cast<int>(m.type), m.created, m.updated,
        static_cast<int>(m.verification.status), m.verification.last_verified_commit, r.is_valid, m.provenance.session,
        m.file_hash, r.stamp.bytes, r.stamp.changed_ns, r.stamp.inode, r.read_ns, generation_, m.title,
        boost::algorithm::join(m.tags, " "), m.content);
    db_.run("DELETE FROM doc_files WHERE doc_pk = ?1", doc);
    db_.run("DELETE FROM doc_vectors WHERE doc_pk = ?1", doc);
    if (is_repository(was.first))
      db_.run("DELETE FROM doc_edges WHERE place_pk = ?1 AND source = ?2", was.first, was.second);
    for (const std::string& file : r.files)
      db_.run("INSERT OR IGNORE INTO doc_files (doc_pk, name, file) VALUES (?1, ?2, ?3)", doc, base_name(file), file);
    if (!r.vectors.empty())
      db_.run("INSERT INTO doc_vectors (doc_pk, vectors) VALUES (?1, ?2)", doc, std::as_bytes(std::span(r.vectors)));
    put_relations(r);
    return true;
  }

  void put_relations(const MemoryRecord& r) {
    for (const MemoryRelation& relation : r.memory.relations)
      db_.run("INSERT OR IGNORE INTO doc_edges VALUES (?1, ?2, ?3, ?4, 0)", place_of(r.place), r.memory.slug,
              relation.label, relation.target);
    touch({place_of(r.place), r.memory.slug});
  }

  using Edge = std::tuple<std::string, std::string, std::string, TimeMs>;  // source, label, target, created

  void put_graph(const PlaceEdges& to) {
    const PlacePk place = place_of(to.place);
    std::set<Edge> wanted;
    for (const MemoryEdge& e : to.edges)
      wanted.emplace(e.source, e.label, e.target, e.created);
    std::set<Edge> there;
    auto& q = db_.query("SELECT source, label, target, created FROM doc_edges WHERE place_pk = ?1", place);
    while (q.step())
      there.emplace(q.str(0), q.str(1), q.str(2), q.int64(3));
    const auto note = [&](const Edge& e) {
      if (std::get<1>(e) == "supersedes") touched_.emplace(place, std::get<2>(e));
    };
    for (const Edge& e : there) {
      if (wanted.contains(e)) continue;
      note(e);
      db_.run("DELETE FROM doc_edges WHERE place_pk = ?1 AND source = ?2 AND label = ?3 AND target = ?4", place,
              std::get<0>(e), std::get<1>(e), std::get<2>(e));
    }
    for (const Edge& e : wanted) {
      if (there.contains(e)) continue;
      note(e);
      db_.run("INSERT OR REPLACE INTO doc_edges VALUES (?1, ?2, ?3, ?4, ?5)", place, std::get<0>(e), std::get<1>(e),
              std::get<2>(e), std::get<3>(e));
    }
    db_.run("UPDATE doc_places SET graph_hash = ?2 WHERE place_pk = ?1", place, to.graph_hash);
  }

  // Updates whether an existing memory supersedes this one.
  void judge(PlacePk place, const std::string& slug) {
    const auto row =
        db_.query(
               "SELECT e.source, iif(e.created > 0, e.created, s.created) FROM docs d"
               " CROSS JOIN doc_edges e ON e.place_pk = d.place_pk AND e.target = d.slug AND e.label = 'supersedes'"
               " CROSS JOIN docs s ON s.slug = e.source AND s.place_pk = e.place_pk AND s.is_valid = 1"
               " WHERE d.slug = ?2 AND d.place_pk = ?1 AND s.doc_pk <> d.doc_pk ORDER BY 2, 1 LIMIT 1",
               place, slug)
            .row();
    const std::string by = row->str(0);
    const TimeMs at = row->int64(1);
    db_.run(
        "UPDATE docs SET superseded_by = ?3, superseded_at = ?4, generation = ?5"
        " WHERE slug = ?2 AND place_pk = ?1 AND (superseded_by <> ?3 OR superseded_at <> ?4)",
        place, slug, by, at, generation_);
  }

  // Does the same for all memories in one pass over all edges.
  void judge_all() {
    std::map<std::int64_t, std::pair<std::string, TimeMs>> superseded;  // slug of the successor, and since when
    auto& q = db_.prepare(
        "SELECT d.doc_pk, e.source, iif(e.created > 0, e.created, s.created) FROM doc_edges e"
        " CROSS JOIN docs d ON d.slug = e.target AND d.place_pk = e.place_pk"
        " CROSS JOIN docs s ON s.slug = e.source AND s.place_pk = e.place_pk AND s.is_valid = 1"
        " WHERE e.label = 'supersedes' AND s.doc_pk <> d.doc_pk ORDER BY 1, 3, 2");
    for (q.bind(); q.step();)
      superseded.try_emplace(q.int64(0), q.str(1), q.int64(2));
    auto& there = db_.prepare("SELECT doc_pk FROM docs WHERE superseded_by <> ''");
    for (there.bind(); there.step();)
      superseded.try_emplace(there.int64(0), std::string(), 0);
    for (const auto& [doc, by] : superseded)
      db_.run(
          "UPDATE docs SET superseded_by = ?2, superseded_at = ?3, generation = ?4"
          " WHERE doc_pk = ?1 AND (superseded_by <> ?2 OR superseded_at <> ?3)",
          doc, by.first, by.second, generation_);
  }

  static constexpr std::size_t kFew = 100;  // number of memories above which one pass over all edges is cheaper

  sqlite::Database& db_;
  const CatalogChanges& changes_;
  std::map<std::size_t, PlacePk> places_;  // by index into changes_.places
  std::set<std::pair<PlacePk, std::string>> touched_;
  std::int64_t generation_ = 0;
  std::int64_t added_ = 0;
};

constexpr auto kTables = {"docs_fts", "doc_vectors", "doc_files", "doc_edges", "docs", "doc_places", "doc_catalog"};

// Returns the statements that make these tables in a new store.
std::string catalog_script() {
  auto fresh = sqlite::Database::open(":memory:", sqlite::OpenMode::read_write);
  sqlite::migrate(fresh);
  auto& q = fresh.prepare(
      "SELECT sql || ';' FROM sqlite_schema WHERE tbl_name GLOB 'doc*' AND name NOT GLOB 'docs_fts_*' AND sql IS NOT "
      "NULL"
      " ORDER BY rowid");
  std::string out;
  while (q.step())
    out += q.text(0);
  return out;
}

// Removes a full-text table whose shadow tables are missing; DROP TABLE fails for it.
void drop_by_force(sqlite::Database& db) {
  db.exec("PRAGMA writable_schema = ON");
  db.exec("DELETE FROM sqlite_schema WHERE name = 'docs_fts'");
  db.exec("PRAGMA writable_schema = RESET");
  for (const char* part : {"data", "idx", "content", "docsize", "config"})
    db.exec(("DROP TABLE IF EXISTS docs_fts_" + std::string(part)).c_str());
}

}  // namespace

void apply(sqlite::Database& db, const CatalogChanges& changes) { Applying(db, changes).run(); }

std::string damage_of(sqlite::Database& db, bool thorough) {
  try {
    for (const char* sql :
         {"SELECT place_pk, directory, dialect, scope, project_key, project, graph_hash FROM doc_places LIMIT 1",
          "SELECT doc_pk, place_pk, path, slug, type, created, updated, status, commit_sha, is_valid, superseded_by,"
          " superseded_at, session_uid, file_hash, bytes, changed_ns, inode, read_ns, generation, title, tags, content"
          " FROM docs LIMIT 1",
          "SELECT title, tags, content FROM docs_fts LIMIT 1",
          "SELECT place_pk, source, label, target, created FROM doc_edges LIMIT 1",
          "SELECT doc_pk, name, file FROM doc_files LIMIT 1", "SELECT doc_pk, vectors FROM doc_vectors LIMIT 1"}) {
      db.query(sql).row();
    }
    const auto row = db.query(
                           "SELECT (SELECT count(*) FROM docs), (SELECT count(*) FROM docs_fts_docsize),"
                           " coalesce((SELECT docs FROM doc_catalog), 0),"
                           " (SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'docs'),"
                           " (SELECT model FROM doc_catalog)")
                         .row();
    const bool same = row->int64(0) == row->int64(1) && row->int64(0) == row->int64(2) && row->int64(3) == 3;
    const std::string model = row->str(4);
    const bool other_model = !model.empty() && model != embedding::builtin_embedder().model().name;
    if (!same) return "its tables do not fit one another";
    if (other_model) return "its vectors are of another model";
    if (thorough) db.exec("INSERT INTO docs_fts (docs_fts) VALUES ('integrity-check')");
  } catch (const ErrorException& e) {
    return e.error().message();
  }
  return {};
}

void begin_rebuild(sqlite::Database& db, const std::string& reason, TimeMs now) {
  for (const char* table : kTables) {
    try {
      db.exec(("DROP TABLE IF EXISTS " + std::string(table)).c_str());
    } catch (const ErrorException&) {
      if (std::string_view(table) != "docs_fts") throw;
      drop_by_force(db);
    }
  }
  db.exec(catalog_script().c_str());
  // Segments are merged once, at the end (end_rebuild).
  db.exec("INSERT INTO docs_fts (docs_fts, rank) VALUES ('automerge', 0), ('hashsize', 16777216)");
  put_row(db);
  db.run("UPDATE doc_catalog SET state = ?1, reason = ?2, built_at = ?3", static_cast<int>(CatalogState::rebuilding),
         reason, now);
}

void end_rebuild(sqlite::Database& db, TimeMs now, std::int64_t took_ms) {
  db.exec("INSERT INTO docs_fts (docs_fts) VALUES ('optimize')");
  db.exec("INSERT INTO docs_fts (docs_fts, rank) VALUES ('automerge', 4), ('hashsize', 1048576)");  // FTS5 defaults
  db.run("UPDATE doc_catalog SET state = ?1, built_at = max(?2, built_at + 1), built_ms = ?3",
         static_cast<int>(CatalogState::valid), now, took_ms);
}

void note_damage(sqlite::Database& db, const std::string& reason) {
  try {
    put_row(db);
    db.run("UPDATE doc_catalog SET state = ?1, reason = ?2", static_cast<int>(CatalogState::corrupted), reason);
  } catch (const ErrorException&) {  // the missing table means the same
  }
}

void forget_unknown_projects(sqlite::Database& db) {
  db.exec(
      "DELETE FROM docs WHERE place_pk IN (SELECT place_pk FROM doc_places WHERE project_key <> ''"
      " AND NOT EXISTS (SELECT 1 FROM projects p WHERE p.identity_key = doc_places.project_key"
      " OR substr(p.identity_key, 1, length(project_key) + 1) = project_key || '/'))");
  db.exec("DELETE FROM doc_places WHERE place_pk NOT IN (SELECT place_pk FROM docs)");
  db.exec("UPDATE doc_catalog SET docs = (SELECT count(*) FROM docs), generation = generation + 1");
  db.exec("INSERT INTO docs_fts (docs_fts) VALUES ('optimize')");
}

}  // namespace memd::catalog
