#pragma once

#include "schemas/event.hpp"
#include "schemas/usage.hpp"
#include "store/db/database.hpp"
#include "store/write/identity_index.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memd::assembly {

// Counts each API response once, however many records and files tell of it (tables `responses`, `session_accounts`,
// `rate_limits`). A response belongs to the session and exchange in which it was first seen. Writer thread only. Throws
// ErrorException.
class ResponseLedger {
 public:
  ResponseLedger(sqlite::Database& db, IdentityIndex& identities) : db_(db), identities_(identities) {}

  // Takes what the event tells of its response. Ignores a copy in another session. `model`: if the event names none.
  void add(const Event& event, std::string_view model, std::int64_t session_pk, std::int64_t exchange_number);
  void add_account(const SessionUpdate& update, std::int64_t session_pk);
  void add_limits(const SessionUpdate& update);

  void flush();  // writes what changed since the last flush
  void clear();

 private:
  struct Entry {
    std::int64_t session_pk = 0;
    std::int64_t exchange_number = -1;
    TimeMs time = 0;
    std::int64_t model_pk = 0;
    TokenUsage usage{};
    ResponseFacts facts{};
    bool stored = false;
    bool dirty = false;
  };
  std::int64_t model_pk(std::string_view model);
  Entry& find_or_make(const Event& event, std::int64_t session_pk, std::int64_t exchange_number);
  Entry* find(std::uint64_t key);
  Entry* find_variant(const Event& event, std::int64_t session_pk, std::int64_t exchange_number);
  void load(std::int64_t session_pk, std::int64_t exchange_number);
  Entry& keep(std::uint64_t key, const Entry& entry);
  void update(std::uint64_t key, const Entry& entry);

  sqlite::Database& db_;
  IdentityIndex& identities_;
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::set<std::pair<std::int64_t, std::int64_t>> loaded_;  // session and exchange: their rows are among entries_
  std::unordered_multimap<std::uint64_t, std::uint64_t> variants_;  // keys of entries_ by their upper bits
  std::unordered_map<std::uint64_t, std::uint64_t> aliases_;        // further keys of a response
  std::vector<std::uint64_t> new_aliases_;                          // since the last flush
  std::vector<std::uint64_t> changed_;  // in the order of their first change since the last flush
  std::unordered_map<std::string, std::int64_t> models_;
};

// Writes the responses of a session that came without its events (SessionRecord). Throws ErrorException.
void save_recorded_responses(sqlite::Database& db, const SessionWork& session, const SessionRecord& record);

}  // namespace memd::assembly
