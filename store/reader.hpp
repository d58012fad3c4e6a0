#pragma once

#include "schemas/base/result.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

namespace memd::sqlite {
class Database;
}
namespace memd::search {
class DocumentLengths;
class SemanticIndex;
struct SemanticQuestion;
struct SemanticState;
}  // namespace memd::search

namespace memd {

struct SearchAnswer;
struct SearchQuery;

// Returns whether the store's schema is older than this memd's, so that some process is creating or migrating it or the
// next writer will. False without a store. Opens its own connection; thread-safe.
Result<bool> store_is_behind(const std::filesystem::path& database);

// Runs queries on the store over its own read-only connection. One thread at a time. Reuse it, because opening costs a
// millisecond. Each query sees one snapshot: what was committed before it began, nothing later.
//
// A query is a small struct next to its SQL (store/read, store/search, store/enrich, store/report): its parameters, the
// type `Answer`, and `Answer run(sqlite::Database&) const`, which throws ErrorException.
//
// A store that does not exist yet counts as empty: the answer is `Answer()`, or `without_store()` if the query has it
// (not_found for single objects). The reader checks again at each query, so it finds the store once it exists.
class Reader {
 public:
  // Without `semantic`, searches use words only. `lengths` is shared with the writer and other readers; may be null.
  explicit Reader(std::filesystem::path database, std::shared_ptr<search::SemanticIndex> semantic = {},
                  std::shared_ptr<search::DocumentLengths> lengths = {});
  // A reader for background work, with little memory (OpenMode::read_only_in_background). Without vectors.
  static Reader in_background(std::filesystem::path database);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  // Makes running and later queries end with Errc::cancelled soon after the token is triggered. A default-constructed
  // token ends the watch.
  void watch(std::stop_token token);

  template <class Query>
  Result<typename Query::Answer> ask(const Query& query);

  // Embeds the query, which may take as long as a provider needs, then calls `embedded`, then opens its snapshot.
  Result<SearchAnswer> search(const SearchQuery& query, const std::function<void()>& embedded = {});
  Result<search::SemanticState> semantic_state();

 private:
  struct Connection;
  // Runs `f` in a read transaction; does not run it when there is no store.
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

}  // namespace memd
