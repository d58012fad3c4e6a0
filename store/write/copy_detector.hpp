#pragma once

#include "schemas/event.hpp"
#include "store/db/database.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/session_cache.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace memd::assembly {

// Period after the start of a fork in which an event may be a copy, in milliseconds.
inline constexpr TimeMs kCopyWindowMs = 5000;

// Detects events that a session repeats from another one, where their ids do not tell. Agents write copies in two ways.
//
// At once with new times, where ids are unique only within their session (Event::id_is_local). A fork starts with
// everything its origin contained until then. An event is a copy in two cases:
// * Its session is a fork or a subagent at most kCopyWindowMs old, and its origin (or the origin's origin) has the same
// content; a subagent's was told what was injected before the subagent started.
// * Its session has a fork (or a fork of a fork) that started later and has the same content within its first
// kCopyWindowMs. This happens when the fork was read first.
//
// Under new ids with the recorded times (a session forked by the program, a transcript written again). A session then
// begins with exchanges of another session of the platform, in order: its prompt has the text and the recorded time of
// a prompt there, and what follows has kind, time and content of what follows there. The prompt alone is no copy: two
// sessions may be asked the same at the same time. Nor is what another machine shared: copies come from the machine
// that has the original. Such a session is marked as a fork, unless it says so itself, of the session that holds its
// last copied exchange.
//
// Until clear(), caches only data that can be read back from the rows. Writer thread only. Throws ErrorException.
class CopyDetector {
 public:
  CopyDetector(sqlite::Database& db, EventRows& events, SessionCache& sessions)
      : db_(db), events_(events), sessions_(sessions) {}

  // `following`: the events of the batch behind `event`.
  bool is_copy(SessionWork& session, const Event& event, std::span<const Event> following);
  // Returns whether the event shows that the session's only prompt, which is stored, was one: both are copies. The
  // prompt came alone in its batch. The caller has to remove the session's exchange.
  bool shows_copy(SessionWork& session, const Event& event);
  void clear();

 private:
  using Facts = std::unordered_set<std::uint64_t>;  // hashes of what is compared
  struct Fork {
    TimeMs parted_at = 0;  // when the fork, or the first fork above it, left the origin
    Facts facts;           // of the fork's first kCopyWindowMs
  };
  struct Origin {
    std::int64_t session_pk = 0;
    std::string uid;
    std::string forked_from;
    std::int64_t first_seq = 0;  // of an exchange
    std::int64_t last_seq = 0;
    Facts facts;  // of the exchange
  };

  bool is_written_at_once(const SessionWork& session, const Event& event);
  const Facts& facts_of_origins(const SessionWork& fork);
  const std::vector<Fork>& forks_of(const SessionWork& origin);
  // Of what was injected, facts until `injected_until`.
  void add_facts(std::int64_t session_pk, TimeMs until, TimeMs injected_until, Facts& out);

  bool is_written_anew(SessionWork& session, const Event& event, std::span<const Event> following);
  std::vector<Origin> exchanges_at(const SessionWork& copy, TimeMs started_at);
  std::optional<Origin> with_prompt(const SessionWork& copy, std::vector<Origin> exchanges, std::uint64_t prompt);
  const Facts& facts_at(const SessionWork& copy, TimeMs time);
  void add_timed_facts(std::int64_t session_pk, std::int64_t first_seq, std::int64_t last_seq, Facts& out);
  static void mark(SessionWork& copy, const Origin& origin);

  sqlite::Database& db_;
  EventRows& events_;
  SessionCache& sessions_;
  std::unordered_map<std::string, Facts> origins_;            // by the fork's uid
  std::unordered_map<std::string, std::vector<Fork>> forks_;  // by the origin's uid
  std::unordered_map<std::string, Facts> repeated_;           // by the copy's uid: of the exchange that it repeats
};

}  // namespace memd::assembly
