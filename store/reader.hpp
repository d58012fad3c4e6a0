#pragma once

#include "schemas/error.hpp"
#include "schemas/query.hpp"
#include "store/search/vectors/vector_index.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace memd {

namespace search {
struct SemanticQuestion;
class DocumentLengths;
}  // namespace search

// Whether the store has an older schema than this memd reads: some process makes it, or brings it up to date, or the
// next writer will. False without a store. Opens a connection of its own; any thread.
Result<bool> store_is_behind(const std::filesystem::path& database);

// Answers questions to the store over one read-only connection of its own. One thread at a time; keep it, opening costs
// a millisecond. Each question sees one snapshot: what was committed before it began, nothing later.
//
// A question is a small struct that stands beside its SQL (store/read, store/search, store/enrich, store/report): its
// parameters, the type `Answer`, and `Answer run(sqlite::Database&) const`, which throws ErrorException.
//
// A store that does not exist yet is an empty store: the answer is `Answer()`, or `without_store()` of a question that
// has it (not_found for single things). The reader looks again at each question, so it finds the store when it appears.
class Reader {
 public:
  // Without `semantic`, searches are by words alone. `lengths`: shared with the writer and other readers; may be null.
  explicit Reader(std::filesystem::path database, std::shared_ptr<search::SemanticIndex> semantic = {},
                  std::shared_ptr<search::DocumentLengths> lengths = {});
  // For work that nobody waits for, with little memory (OpenMode::read_only_in_background). Without vectors.
  static Reader in_background(std::filesystem::path database);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  // Questions running or asked later end with Errc::cancelled soon after the token is triggered. A default-constructed
  // token ends the watch.
  void watch(std::stop_token token);

  template <class Query>
  Result<typename Query::Answer> ask(const Query& query);

  // Embeds the question, which may take a provider's time, then calls `embedded`, then takes its snapshot.
  Result<SearchAnswer> search(const SearchQuery& query, const std::function<void()>& embedded = {});
  Result<search::SemanticState> semantic_state();

 private:
  struct Connection;
  // Runs `f` in a read transaction; not at all when there is no store.
  Result<void> in_snapshot(const std::function<void(Connection&)>& f);
  Result<void> over_database(const std::function<void(sqlite::Database&)>& f);
  bool connect();
  Result<search::SemanticQuestion> by_meaning(const SearchQuery& query, const std::string& text);

  std::filesystem::path database_;
  bool in_background_ = false;
  std::shared_ptr<search::SemanticIndex> semantic_;
  std::shared_ptr<search::DocumentLengths> lengths_;
  std::unique_ptr<Connection> connection_;  // null while there is no store
  std::stop_token stop_;
};

template <class Query>
Result<typename Query::Answer> Reader::ask(const Query& query) {
  std::optional<typename Query::Answer> answer;
  MEMD_TRY(over_database([&](sqlite::Database& db) { answer.emplace(query.run(db)); }));
  if (answer) return std::move(*answer);
  if constexpr (requires { query.without_store(); })
    return query.without_store();
  else
    return typename Query::Answer();
}

// At most `capacity` readers of one store, made when first needed and kept. Thread-safe. Must outlive its leases.
class ReaderPool {
 public:
  // A reader for as long as it lives; goes back unwatched. Belongs to one thread at a time.
  class Lease {
   public:
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease();
    Reader& operator*() const { return *reader_; }
    Reader* operator->() const { return reader_.get(); }

   private:
    friend class ReaderPool;
    Lease(ReaderPool& pool, std::unique_ptr<Reader> reader) : pool_(&pool), reader_(std::move(reader)) {}
    void give_back() noexcept;

    ReaderPool* pool_;
    std::unique_ptr<Reader> reader_;
  };

  ReaderPool(std::filesystem::path database, std::size_t capacity, std::shared_ptr<search::SemanticIndex> semantic = {},
             std::shared_ptr<search::DocumentLengths> lengths = {});

  // Waits for a free reader until `deadline`; then Errc::unavailable.
  Result<Lease> acquire(std::chrono::steady_clock::time_point deadline);
  // Closes the connections that nobody uses, but for the warmest: each holds pages of the store and its mapping.
  void close_idle();
  Result<Lease> acquire(std::chrono::milliseconds patience) {
    return acquire(std::chrono::steady_clock::now() + patience);
  }

 private:
  const std::filesystem::path database_;
  const std::shared_ptr<search::SemanticIndex> semantic_;
  const std::shared_ptr<search::DocumentLengths> lengths_;
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Reader>> idle_;  // guarded by mutex_; the last one is the warmest
  std::size_t made_ = 0;                       // guarded by mutex_
};

}  // namespace memd
