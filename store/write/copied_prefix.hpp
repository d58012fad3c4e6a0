#pragma once

#include "schemas/event.hpp"
#include "store/db/database.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace memd::assembly {

// Finds copies among events whose ids hold in their session only (Event::id_is_local). A fork begins with what its
// origin had said and done until then, written anew, with new times, in one go. So an event is a copy when
// * its session is a fork or a subagent, no more than kCopySeconds old, and its origin (or the origin's origin) holds
//   the same; or, where the fork was read first,
// * its session has a fork (or a fork of a fork) that began after it and holds the same within its first
//   kCopySeconds.
// Remembers only what can be read back from the rows, until clear(). Writer thread only. Throws ErrorException.
class CopiedPrefix {
 public:
  CopiedPrefix(sqlite::Database& db, EventRows& events) : db_(db), events_(events) {}

  bool is_copy(const SessionWork& session, const Event& event);
  void clear();

 private:
  using Facts = std::unordered_set<std::uint64_t>;  // kind and content
  struct Fork {
    TimeMs parted_at = 0;  // from the origin
    Facts facts;           // of the fork's first kCopySeconds
  };
  const Facts& facts_of_origins(const SessionWork& fork);
  const std::vector<Fork>& forks_of(const SessionWork& origin);
  void add_facts(std::int64_t session_pk, TimeMs until, Facts& out);

  sqlite::Database& db_;
  EventRows& events_;
  std::unordered_map<std::string, Facts> origins_;            // by the fork's uid
  std::unordered_map<std::string, std::vector<Fork>> forks_;  // by the origin's uid
};

inline constexpr TimeMs kCopySeconds = 5000;

}  // namespace memd::assembly
