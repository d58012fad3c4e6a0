#pragma once

#include "schemas/event.hpp"
#include "store/db/database.hpp"
#include "store/write/identity_index.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace memd::assembly {

// Counts the usage of one API response once, with its largest output, however many records repeat it and in however
// many files (rows of `responses`). Writer thread only. Throws ErrorException.
class ResponseLedger {
 public:
  ResponseLedger(sqlite::Database& db, IdentityIndex& identities) : db_(db), identities_(identities) {}

  // What `usage` adds to what was counted for this response before: to the session and exchange that saw it first.
  // Zero for a repetition, and for a copy in another session.
  TokenUsage add(std::uint64_t response_key, const TokenUsage& usage, std::int64_t session_pk,
                 std::int64_t exchange_number);

  void flush();  // writes what changed since the last flush
  void clear();

 private:
  struct Entry {
    std::int64_t session_pk = 0;
    std::int64_t exchange_number = -1;
    TokenUsage usage;
    bool stored = false;
    bool dirty = false;
  };
  void update(std::uint64_t key, const Entry& entry);
  void change(std::uint64_t key, Entry& entry);
  Entry& find_or_load(std::uint64_t key, std::int64_t session_pk, std::int64_t exchange_number);

  sqlite::Database& db_;
  IdentityIndex& identities_;
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::vector<std::uint64_t> changed_;  // in the order they were first changed since the last flush
};

}  // namespace memd::assembly
