#pragma once

#include "store/db/database.hpp"
#include "store/enrich/enrichment.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace memd::test {

// A store whose exchanges have vectors and nothing else.
class VectorStore {
 public:
  using Codes = std::vector<std::int8_t>;  // chunks × dimension

  explicit VectorStore(const std::filesystem::path& file)
      : db_(sqlite::Database::open(file, sqlite::OpenMode::read_write)) {
    sqlite::migrate(db_);
    db_.exec("INSERT INTO sessions (uid, platform, native_id) VALUES ('cursor:a', 'cursor', 'a')");
  }

  sqlite::Database& db() { return db_; }

  // Adds the exchange if it does not exist, and replaces its vectors.
  void put(ExchangeId id, const Codes& codes, int dimension, const std::string& model = "m") {
    db_.prepare(
           "INSERT OR IGNORE INTO exchanges (exchange_pk, session_pk, exchange_number, first_seq, last_seq, started_at,"
           " ended_at, ingested_at) VALUES (?1, 1, ?1, 0, 0, 0, 0, 0)")
        .bind(id)
        .run();
    Enrichment made{.id = id};
    made.vectors = ExchangeVectors{.model = model, .dimension = dimension, .chunk_hashes = {}, .vectors = codes};
    made.vectors->chunk_hashes.resize(codes.size() / static_cast<std::size_t>(dimension));
    enrichment::save(db_, {&made, 1});
  }
  void remove(ExchangeId id) { db_.prepare("DELETE FROM exchanges WHERE exchange_pk = ?").bind(id).run(); }

 private:
  sqlite::Database db_;
};

}  // namespace memd::test
