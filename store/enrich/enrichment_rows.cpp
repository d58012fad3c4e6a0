#include "store/enrich/enrichment_rows.hpp"

#include "schemas/ascii.hpp"
#include "schemas/hash.hpp"
#include "store/db/fts5.hpp"
#include "store/read/row_filter.hpp"
#include "store/search/words/full_text_index.hpp"
#include "store/text/code_names.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace memd::topics {
namespace {

std::int64_t topic_pk(sqlite::Database& db, const TopicMention& t) {
  db.prepare("INSERT INTO topics (topic, stems) VALUES (?1, iif(?2 = '', ?1, ?2)) ON CONFLICT DO NOTHING")
      .bind(t.topic, t.stems)
      .run();
  auto& q = db.prepare("SELECT topic_pk FROM topics WHERE topic = ?").bind(t.topic);
  q.step();
  const std::int64_t pk = q.int64(0);
  q.reset();
  return pk;
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
  auto& q = db.prepare("SELECT topic_pk, relevance_score FROM exchange_topics WHERE exchange_pk = ?").bind(id);
  while (q.step()) {
    const auto it = wanted.find(q.int64(0));
    if (it == wanted.end())
      dropped.push_back(q.int64(0));
    else if (it->second == q.real(1))
      wanted.erase(it);
  }
  q.reset();
  for (const auto& [pk, relevance] : wanted)
    db.prepare(
          "INSERT INTO exchange_topics (topic_pk, exchange_pk, relevance_score) VALUES (?, ?, ?)"
          " ON CONFLICT DO UPDATE SET relevance_score = excluded.relevance_score")
        .bind(pk, id, relevance)
        .run();
  for (const std::int64_t pk : dropped)
    db.prepare("DELETE FROM exchange_topics WHERE topic_pk = ? AND exchange_pk = ?").bind(pk, id).run();
}

}  // namespace memd::topics

namespace memd::enrichment {

void save_identifiers(sqlite::Database& db, const std::vector<std::string>& identifiers) {
  auto& insert = db.prepare("INSERT OR IGNORE INTO identifier_parts (part, identifier) VALUES (?, ?)");
  for (const std::string& identifier : identifiers) {
    const std::string name = ascii::lowered(identifier);
    for (const std::string_view part : identifier_parts(identifier)) {
      if (part.size() < 2) continue;
      insert.bind(ascii::lowered(part), name).run();
    }
  }
}

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
  q.reset();
  for (const Row& row : gone)
    db.prepare("DELETE FROM identifier_parts WHERE part = ? AND identifier = ?").bind(row.part, row.identifier).run();
}

namespace {

std::int64_t model_pk(sqlite::Database& db, const ExchangeVectors& v) {
  db.prepare("INSERT OR IGNORE INTO vector_models (name, dimension) VALUES (?, ?)").bind(v.model, v.dimension).run();
  auto& q = db.prepare("SELECT model_pk FROM vector_models WHERE name = ?").bind(v.model);
  q.step();
  const std::int64_t out = q.int64(0);
  q.reset();
  return out;
}

}  // namespace

void save_terms(sqlite::Database& db, ExchangeId id, const ExchangeTerms& terms) {
  topics::save(db, id, terms.topics);
  save_identifiers(db, terms.identifiers);
}

void save_vectors(sqlite::Database& db, ExchangeId id, const ExchangeVectors& v) {
  const std::int64_t model = model_pk(db, v);
  // Not an update: what was loaded is brought up to date by looking above the highest vector_pk.
  db.prepare("DELETE FROM vectors WHERE exchange_pk = ? AND model_pk = ?").bind(id, model).run();
  if (v.chunk_hashes.empty()) return;
  db.prepare("INSERT INTO vectors (model_pk, exchange_pk, chunk_hashes, vectors) VALUES (?, ?, ?, ?)")
      .bind(model, id, std::as_bytes(std::span(v.chunk_hashes)), std::as_bytes(std::span(v.vectors)))
      .run();
}

}  // namespace memd::enrichment
