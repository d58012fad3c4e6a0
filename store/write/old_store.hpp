#pragma once

#include "schemas/base/result.hpp"
#include "schemas/session_loss.hpp"
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

// The store that a rebuild replaces. Reports what the new store lacks and copies to it what the raw layer could not
// provide. Owns a connection. One thread; for the holder of the instance lock.
class OldStore {
 public:
  // Migrates the store to the newest schema, as every start does. Returns Errc::store_version when its schema is newer,
  // Errc::unsupported when it is older than any that this memd reads, Errc::store_corrupt when it is damaged.
  static Result<OldStore> open(const std::filesystem::path& file);

  // Makes running operations end with Errc::cancelled soon after the token is triggered.
  void watch(std::stop_token stop) { db_.watch(std::move(stop)); }

  // Returns the sessions of which `fresh` has fewer exchanges or lacks events. With Compare::facts_too also those with
  // other facts. Forgotten and evicted content does not count as lost.
  enum class Compare { contents, facts_too };
  Result<std::vector<SessionLoss>> losses(sqlite::Database& fresh, const Withheld& withheld, Compare what);

  // Returns whether the old store has records that a replay of these slices (sorted numbers) lacks, or has read some
  // source further than `fresh`.
  Result<bool> had_more_records(sqlite::Database& fresh, const std::vector<std::uint64_t>& slices);

  // Copies sessions, with their exchange keys, into a store to which nothing has been applied yet. Exchanges added
  // later get the keys that these leave free. Skips sessions that cannot be read.
  Result<void> give_sessions(Writer& fresh, const std::vector<std::string>& uids);

  // Call before anything is applied: copies what is shared. A damaged store gives nothing.
  Result<void> give_shares(Writer& fresh);

  // Call once everything is applied: copies what was seen of directories, and which projects a person has joined. A
  // damaged store gives nothing.
  Result<void> give_projects(Writer& fresh);

  // Call once everything is applied: gives exchanges in both stores their old keys. Exchanges that are only in the new
  // store get other keys if theirs are taken.
  Result<void> restore_exchange_keys(Writer& fresh);

  // Call after that: copies cursor, state, ledger and items of each source that the new store has not read further.
  Result<void> give_ledgers(Writer& fresh);

 private:
  explicit OldStore(sqlite::Database db) : db_(std::move(db)) {}
  SessionLoss compare(sqlite::Database& fresh, std::int64_t session_pk, std::string uid, Compare what);

  sqlite::Database db_;
};

}  // namespace memd
