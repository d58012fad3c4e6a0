#pragma once

#include "adapters/snapshot_reader.hpp"
#include "adapters/sqlite/read_only_database.hpp"
#include "schemas/base/result.hpp"
#include "schemas/platform.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::sqlite {

// How a database keeps sessions, told in SQL.
struct SessionQueries {
  // A record inside a session's row: one line of JSON, and its bytes in the row's values.
  struct Record {
    std::string key;
    std::string json;
    std::uint64_t bytes = 0;
    std::uint64_t version = 0;  // 0: a hash of `json`
  };
  struct Parts {
    std::string id;                // of a session that shares its row with others
    std::string head;              // what is told of the session as a whole, as an object
    std::uint64_t head_bytes = 0;  // its bytes in the row, if the row is shared
    std::vector<Record> records;
  };

  Platform platform{};
  // SELECTs of one row a session. A column "changed", a number or a text that grows with each change of the session,
  // saves reading sessions that did not change.
  std::vector<std::string> sessions;
  std::string id = "id";  // their column with the session's own id
  // SELECTs of the rows of the session ":session", in the order of the session. Of all these queries, those are passed
  // over that name a table or a column which the database lacks, as versions of an agent differ.
  std::vector<std::string> rows;
  std::string key;                   // the column that names a row within its session; empty: its number in the session
  std::string order;                 // the numeric column by which the rows of several queries are merged
  std::vector<std::string> carried;  // columns of the session's row that each item repeats
  // Takes the session's row apart; its records are then read instead of `rows`.
  std::function<std::vector<Parts>(std::string_view row)> split;
  bool shared = false;  // a row has several sessions, and no id of its own
};

// Reads sessions out of a database with the queries of a description or an adapter. An item is a row as a JSON object:
//
//   {"role":"user","content_json":"[…]","@query":1,"@session":{"id":"s1"}}
//
// NULL is left out, a text in zstd is unpacked; "@query" is the number of one of several queries, "@session" has the
// columns that are carried. The head is the session's row. The ledger counts the bytes of the values; what the database
// has besides is one line. One thread at a time; `files` must outlive it.
//
// Each session that may have changed is read as a whole and compared by hashes: its rows have no other version.
class QuerySessions final : public SnapshotReader {
 public:
  QuerySessions(const FileView& files, std::string path, SessionQueries queries)
      : files_(files), path_(std::move(path)), queries_(std::move(queries)) {}

  Result<Plan> plan(const std::string& mark) override;
  Result<std::optional<Session>> session(const std::string& session_key, std::span<const SourceItem> known) override;
  Result<std::string> item(const std::string& session_key, const std::string& item_key) override;

 private:
  struct Mark;
  struct Row;
  struct Usable {
    std::size_t number = 0;  // among the queries of its kind
    std::string sql;
  };
  struct Content : SessionQueries::Parts {
    std::uint64_t bytes = 0;   // of the values as they are read
    std::uint64_t stored = 0;  // of the values as they are stored
  };

  Result<void> open();
  Result<std::vector<Usable>> usable(const std::vector<std::string>& queries) const;
  Result<std::optional<Content>> read(const std::string& session_key) const;
  Result<std::optional<Content>> read_shared(const std::string& session_key) const;
  Result<void> add_rows(const std::string& session_key, const std::string& carried, Content& out) const;
  Result<const Content*> find(const std::string& session_key);
  Result<void> list_sessions(const Usable& sessions, const Mark& since, Plan& plan, Mark& mark) const;
  Result<void> list_shared(Plan& plan) const;
  Result<void> measure(Plan& plan) const;

  const FileView& files_;
  std::string path_;
  SessionQueries queries_;
  std::unique_ptr<ReadOnlyDatabase> database_;
  std::vector<Usable> sessions_, rows_;
  std::string found_key_;  // the session read last
  std::optional<Content> found_;
};

}  // namespace memd::sqlite
