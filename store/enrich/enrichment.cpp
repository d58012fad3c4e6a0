#include "store/enrich/enrichment.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/fts5.hpp"
#include "store/db/rows.hpp"
#include "store/enrich/second_look.hpp"
#include "store/read/row_filter.hpp"
#include "store/search/words/full_text_index.hpp"
#include "store/text/code_names.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <unordered_map>

namespace memd::topics {
namespace {

std::int64_t topic_pk(sqlite::Database& db, const TopicMention& t) {
  if (const auto known = db.query("SELECT topic_pk FROM topics WHERE topic = ?", t.topic).value_or(0); known != 0)
    return known;
  db.run("INSERT INTO topics (topic, stems) VALUES (?1, iif(?2 = '', ?1, ?2))", t.topic, t.stems);
  return db.last_insert_rowid();
}

}  // namespace

void save(sqlite::Database& db, ExchangeId id, std::span<const TopicMention> topics) {
  std::map<std::int64_t, double> wanted;
  for (const TopicMention& t : topics)
    if (!t.topic.empty()) {
      double& relevance = wanted[topic_pk(db, t)];
      relevance = std::max(relevance, std::clamp(t.relevance, 0.0, 1.0));
    }
  std::vector<std::int64_t> dropped;
  auto& q = db.query("SELECT topic_pk, relevance_score FROM exchange_topics WHERE exchange_pk = ?", id);
  while (q.step()) {
    const auto it = wanted.find(q.int64(0));
    if (it == wanted.end())
      dropped.push_back(q.int64(0));
    else if (it->second == q.real(1))
      wanted.erase(it);
  }
  for (const auto& [pk, relevance] : wanted)
    db.run(
        "INSERT INTO exchange_topics (topic_pk, exchange_pk, relevance_score) VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET relevance_score = excluded.relevance_score",
        pk, id, relevance);
  for (const std::int64_t pk : dropped)
    db.run("DELETE FROM exchange_topics WHERE topic_pk = ? AND exchange_pk = ?", pk, id);
}

}  // namespace memd::topics

namespace memd::enrichment {
namespace {

// Stores names (as returned by extract_identifiers()) under each of their parts. The full-text index maps them to
// exchanges.
void save_identifiers(sqlite::Database& db, std::vector<std::string> identifiers) {
  std::sort(identifiers.begin(), identifiers.end());
  identifiers.erase(std::unique(identifiers.begin(), identifiers.end()), identifiers.end());
  auto& insert = db.prepare("INSERT OR IGNORE INTO identifier_parts (part, identifier) VALUES (?, ?)");
  for (const std::string& identifier : identifiers) {
    const std::string name = ascii::lowered(identifier);
    for (const std::string_view part : identifier_parts(identifier)) {
      if (part.size() < 2) continue;
      insert.bind(ascii::lowered(part), name).run();
    }
  }
}

}  // namespace

void prune_identifiers(sqlite::Database& db) {
  search::IndexTokenizer tokenizer(db.handle());
  search::FullTextIndex index(db, "exchanges_fts");
  index.refresh();
  struct Row {
    std::string part;
    std::string identifier;
  };
  std::vector<Row> gone;
  std::unordered_map<std::string, bool> found;
  std::vector<search::Token> tokens;
  auto& q = db.prepare("SELECT part, identifier FROM identifier_parts");
  while (q.step()) {
    const auto [known, fresh] = found.try_emplace(q.str(1), false);
    if (fresh) {
      tokens.clear();
      tokenizer.tokenize(known->first, tokens);
      known->second = tokens.size() == 1 && index.count(tokens[0].stem) > 0;
    }
    if (!known->second) gone.push_back({q.str(0), known->first});
  }
  for (const Row& row : gone)
    db.run("DELETE FROM identifier_parts WHERE part = ? AND identifier = ?", row.part, row.identifier);
}

namespace {

std::int64_t model_pk(sqlite::Database& db, const ExchangeVectors& v) {
  db.run("INSERT OR IGNORE INTO vector_models (name, dimension) VALUES (?, ?)", v.model, v.dimension);
  return db.query("SELECT model_pk FROM vector_models WHERE name = ?", v.model).value_or(0);
}

}  // namespace

void save_vectors(sqlite::Database& db, ExchangeId id, const ExchangeVectors& v) {
  const std::int64_t model = model_pk(db, v);
  // Deletes and inserts rather than updates, because readers refresh their cache by reading rows above the highest
  // vector_pk.
  db.run("DELETE FROM vectors WHERE exchange_pk = ? AND model_pk = ?", id, model);
  if (v.chunk_hashes.empty()) return;
  db.run("INSERT INTO vectors (model_pk, exchange_pk, chunk_hashes, vectors) VALUES (?, ?, ?, ?)", model, id,
         std::as_bytes(std::span(v.chunk_hashes)), std::as_bytes(std::span(v.vectors)));
}

void enqueue(sqlite::Database& db, ExchangeId id) {
  db.run(sql_text("INSERT INTO enrichment_queue (exchange_pk) VALUES (?) ON CONFLICT DO UPDATE"
                  " SET revision = revision + 1, missing = kMissingTerms | kMissingVectors"),
         id);
  second_look::enqueue(db, id);
}

void enqueue_vectors_of_all(sqlite::Database& db) {
  db.run(
      sql_text("INSERT INTO enrichment_queue (exchange_pk, missing) SELECT exchange_pk, kMissingVectors"
               " FROM exchanges WHERE true ON CONFLICT DO UPDATE SET missing = missing | kMissingVectors"));
}

void enqueue_terms_of_all(sqlite::Database& db) {
  db.run(
      sql_text("INSERT INTO enrichment_queue (exchange_pk, missing) SELECT exchange_pk, kMissingTerms"
               " FROM exchanges WHERE true ON CONFLICT DO UPDATE SET missing = missing | kMissingTerms"));
}

namespace {

// The condition is inserted literally, so that the indexes of 0004_enrichment.sql are used.
std::string pending_where(std::string_view condition) {
  return std::string(
             "SELECT q.exchange_pk, q.revision, q.missing, e.session_pk, e.started_at, e.ended_at, s.title,"
             " e.user_message, e.interventions, e.assistant_response, e.answer_offset, e.tool_text"
             " FROM enrichment_queue q CROSS JOIN exchanges e USING (exchange_pk)"
             " CROSS JOIN sessions s ON s.session_pk = e.session_pk WHERE ")
             .append(condition) +
         " ORDER BY q.exchange_pk DESC LIMIT ?1";
}

const std::string& pending_sql(unsigned missing) {
  static const std::string terms = pending_where(sql_text("q.missing & kMissingTerms"));
  static const std::string vectors = pending_where(sql_text("q.missing & kMissingVectors"));
  static const std::string any = pending_where("true");
  return missing == kMissingTerms ? terms : missing == kMissingVectors ? vectors : any;
}

}  // namespace

void save(sqlite::Database& db, std::span<const Enrichment> made) {
  std::vector<std::string> identifiers;  // exchanges of one session have many in common
  for (const Enrichment& e : made) {
    const bool found = db.query("SELECT 1 FROM exchanges WHERE exchange_pk = ?", e.id).any();
    if (!found) continue;
    if (e.terms) {
      topics::save(db, e.id, e.terms->topics);
      identifiers.insert(identifiers.end(), e.terms->identifiers.begin(), e.terms->identifiers.end());
    }
    if (e.vectors) save_vectors(db, e.id, *e.vectors);
    const unsigned done = (e.terms ? kMissingTerms : 0U) | (e.vectors ? kMissingVectors : 0U);
    db.run("DELETE FROM enrichment_queue WHERE exchange_pk = ?1 AND revision = ?2 AND missing & ~?3 = 0", e.id,
           e.revision, static_cast<std::int64_t>(done));
    if (db.changes() == 0)
      db.run("UPDATE enrichment_queue SET missing = missing & ~?3 WHERE exchange_pk = ?1 AND revision = ?2", e.id,
             e.revision, static_cast<std::int64_t>(done));
  }
  save_identifiers(db, std::move(identifiers));
}

}  // namespace memd::enrichment

namespace memd {

std::vector<PendingExchange> PendingEnrichmentQuery::run(sqlite::Database& db) const {
  auto& q = db.query(enrichment::pending_sql(missing), limit);
  std::vector<PendingExchange> out;
  for (std::size_t bytes = 0; bytes < kMostPendingBytes && q.step();) {
    PendingExchange& e = out.emplace_back();
    sqlite::read(q, e.id, e.revision, e.missing, e.session_pk, e.started_at, e.ended_at, e.session_title,
                 e.user_message, e.interventions, e.assistant_response, e.answer_offset, e.tool_text);
    bytes += e.user_message.size() + e.interventions.size() + e.assistant_response.size() + e.tool_text.size();
  }
  q.reset();
  return out;
}

EnrichmentBacklog EnrichmentBacklogQuery::run(sqlite::Database& db) const {
  const auto row = db.query(sql_text("SELECT (SELECT count(*) FROM enrichment_queue"
                                     " WHERE missing & kMissingTerms), (SELECT count(*) FROM enrichment_queue"
                                     " WHERE missing & kMissingVectors)"))
                       .row();
  const EnrichmentBacklog out{row->int64(0), row->int64(1)};
  return out;
}

}  // namespace memd

namespace memd::enrichment {
namespace {

constexpr std::string_view kModelKey = "enrichment_model";
constexpr std::string_view kTermsKey = "enrichment_terms";

std::optional<std::string> fact(sqlite::Database& db, std::string_view key) {
  const auto row = db.query("SELECT CAST(value AS TEXT) FROM meta WHERE key = ?", key).row();
  return row ? std::optional(row->str(0)) : std::nullopt;
}

// Returns whether it replaced a different value.
bool replace_fact(sqlite::Database& db, std::string_view key, const std::string& value) {
  const auto old = fact(db, key);
  if (old == value) return false;
  db.run("INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2", key, value);
  return old.has_value();
}

template <class T>
std::vector<T> items_of(std::string_view blob) {
  std::vector<T> out(blob.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), blob.data(), out.size() * sizeof(T));
  return out;
}

}  // namespace

void set_target(sqlite::Database& db, const EnrichmentTarget& target) {
  if (!target.model.empty() && replace_fact(db, kModelKey, target.model)) enqueue_vectors_of_all(db);
  if (replace_fact(db, kTermsKey, std::to_string(target.terms_version))) enqueue_terms_of_all(db);
}

std::int64_t drop_other_vectors(sqlite::Database& db, std::span<const std::string> keep, int limit) {
  for (const auto& row : EmbeddingModelsQuery{}.run(db).models) {
    if (std::find(keep.begin(), keep.end(), row.name) != keep.end()) continue;
    db.run(
        "DELETE FROM vectors WHERE vector_pk IN (SELECT vector_pk FROM vectors WHERE model_pk ="
        " (SELECT model_pk FROM vector_models WHERE name = ?1) LIMIT ?2)",
        row.name, limit);
    if (const auto dropped = db.changes(); dropped > 0) return dropped;
    db.run("DELETE FROM vector_models WHERE name = ?", row.name);
  }
  return 0;
}

}  // namespace memd::enrichment

namespace memd {

EmbeddingModels EmbeddingModelsQuery::run(sqlite::Database& db) const {
  using namespace enrichment;
  EmbeddingModels out;
  out.target = fact(db, kModelKey).value_or("");
  out.models = db.query("SELECT name, dimension, exchanges FROM vector_models ORDER BY model_pk")
                   .all(sqlite::fields_of<EmbeddingModelRow>);
  auto& waiting = db.prepare(sql_text("SELECT 1 FROM enrichment_queue WHERE missing & kMissingVectors LIMIT 1"));
  out.complete = !waiting.bind().any();
  return out;
}

std::vector<ExchangeVectors> ExchangeVectorsQuery::run(sqlite::Database& db) const {
  using namespace enrichment;
  std::vector<ExchangeVectors> out(ids.size());
  auto& q = db.prepare(
      "SELECT m.dimension, v.chunk_hashes, v.vectors FROM vectors v JOIN vector_models m USING (model_pk)"
      " WHERE v.exchange_pk = ? AND m.name = ?");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    q.bind(ids[i], model);
    out[i].model = model;
    if (const auto row = q.row()) {
      out[i].dimension = static_cast<int>(row->int64(0));
      out[i].chunk_hashes = items_of<std::uint64_t>(row->blob(1));
      out[i].vectors = items_of<std::int8_t>(row->blob(2));
    }
  }
  return out;
}

}  // namespace memd
