#pragma once

#include "schemas/error.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace memd {

class Withheld;
class Writer;

// What a store made anew has less of a session than the store before.
struct SessionLoss {
  std::string uid;
  std::int64_t exchanges = 0;    // fewer
  std::int64_t events = 0;       // of the store before that it has not
  bool is_missing = false;       // all of it
  bool has_other_facts = false;  // title, parent, times, …
  bool is_unreadable = false;    // the store before does not tell: it is damaged there
};

// The store that a rebuild replaces: says what the new one lacks of it, and gives it what the raw layer could not. Owns
// a connection. One thread; for the holder of the instance lock.
class OldStore {
 public:
  // Brings the store to the newest schema, as any start does. Errc::store_version when it is newer, Errc::store_corrupt
  // when it is damaged.
  static Result<OldStore> open(const std::filesystem::path& file);

  // What runs ends with Errc::cancelled soon after the token is triggered.
  void watch(std::stop_token stop) { db_.watch(std::move(stop)); }

  // The sessions of which `fresh` has fewer exchanges, or has not all events; if asked for, those too of which it says
  // something else. What was forgotten, or evicted, is no loss.
  enum class Compare { contents, facts_too };
  Result<std::vector<SessionLoss>> losses(sqlite::Database& fresh, const Withheld& withheld, Compare what);

  // Whether the store had records that a replay of these slices (sorted numbers) did not have, or has read further than
  // `fresh` in some source.
  Result<bool> had_more_records(sqlite::Database& fresh, const std::vector<std::uint64_t>& slices);

  // Puts sessions into a store to which nothing was applied yet, with the keys of their exchanges; those that come are
  // given the keys that these leave free. Those that cannot be read are left out.
  Result<void> give_sessions(Writer& fresh, const std::vector<std::string>& uids);

  // Once all is applied: its keys to the exchanges that both have. Those that are made without a session get other keys
  // than they had.
  Result<void> give_keys(Writer& fresh);

  // Then: of each source that the new store has not read further, the cursor, state, ledger and items.
  Result<void> give_ledgers(Writer& fresh);

 private:
  explicit OldStore(sqlite::Database db) : db_(std::move(db)) {}
  SessionLoss compare(sqlite::Database& fresh, std::int64_t session_pk, std::string uid, Compare what);

  sqlite::Database db_;
};

}  // namespace memd
