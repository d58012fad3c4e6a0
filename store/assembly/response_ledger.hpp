#pragma once

#include "schemas/event.hpp"
#include "store/sqlite/database.hpp"

#include <cstdint>
#include <unordered_map>

namespace memd::assembly {

// Counts the usage of one API response once, with its largest output, however many records repeat it and in however
// many files (rows of `responses`). Writer thread only. Throws ErrorException.
class ResponseLedger {
 public:
  explicit ResponseLedger(sqlite::Database& db) : db_(db) {}

  // What `usage` adds to what was counted for this response before: to the session and exchange that saw it first.
  // Zero for a repetition, and for a copy in another session.
  TokenUsage add(std::uint64_t response_key, const TokenUsage& usage, std::int64_t session_pk,
                 std::int64_t exchange_number);

  void flush();  // writes what changed since the last flush
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    std::int64_t session_pk = 0;
    std::int64_t exchange_number = -1;
    TokenUsage usage;
    bool dirty = false;
  };
  Entry& find_or_load(std::uint64_t key, std::int64_t session_pk, std::int64_t exchange_number);

  sqlite::Database& db_;
  std::unordered_map<std::uint64_t, Entry> entries_;
};

}  // namespace memd::assembly
