#pragma once

#include "schemas/event.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/source.hpp"
#include "store/db/database.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/exchange_builder.hpp"
#include "store/write/exchange_rows.hpp"
#include "store/write/history_prompts.hpp"
#include "store/write/identity_index.hpp"
#include "store/write/observation_collector.hpp"
#include "store/write/session_cache.hpp"
#include "store/write/session_facts.hpp"
#include "store/write/session_state.hpp"
#include "store/write/session_tail.hpp"
#include "store/write/tool_calls.hpp"
#include "store/write/turn_dag.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

// The one place where events become sessions, numbered event rows and exchanges, for all platforms. Incremental and
// restart-safe: whatever the slices, the rows come out the same, because everything remembered here can be read back
// from the rows. Pairs calls with results, counts a response's usage once, notices changes of directory and branch,
// retries, test runs, edits, decisions and outcomes.
// Writer thread only; runs inside the writer's transaction. Throws ErrorException, after which forget() is due.
class Assembler {
 public:
  explicit Assembler(sqlite::Database& db);

  // Masks secrets in the batch before anything is made of it. `notes`: of this batch; null: they are made here.
  AssemblyStats apply(EventBatch& batch, const Source& source, std::string_view adapter_version, TimeMs now,
                      const BatchNotes* notes = nullptr);

  // Takes back what `source` gave of a session behind its first `keep` items: events, exchanges from there on and all
  // that hangs on them, so that reading the items anew gives the rows of a first reading. Events of other sources that
  // stand behind are taken back with them; those sources are returned and have to be read again. Nothing is taken back
  // if one of them cannot be (it is gone): items that are new are then appended, changed ones stay as they were.
  std::vector<SourceId> rewind(std::string_view session_uid, const Source& source, std::uint32_t keep, TimeMs now);
  // Whether an exchange of this session begins with the event, taken from that item of the source.
  bool opens_exchange(std::string_view session_uid, SourceId source, std::uint64_t event_id, std::uint32_t item);

  void flush(TimeMs now);  // writes open exchanges and sessions; before a commit
  void forget();           // drops all memory; after a rollback
  // For a rebuild, before anything is applied: these exchanges stand in the table, and those to come get the keys that
  // they leave free, as they did when they came first.
  void reserve(const std::vector<ExchangeId>& ids) { exchanges_.reserve(ids); }
  void release();  // gives back what a large ingest needed

 private:
  void apply_event(Event& event, AssemblyContext& context);
  void give_way(SessionWork& session);
  void take_over(SessionWork& session, const Event& prompt, const AssemblyContext& context);
  void note_words(SessionWork& session, const Event& event, std::int64_t seq, std::string_view offered);
  void note_lifecycle(SessionWork& session, const Event& event, std::int64_t seq);

  sqlite::Database& db_;
  // Rows.
  IdentityIndex identities_;
  EventRows rows_;
  PathInterner paths_;
  SessionEvents events_;
  ExchangeRows exchanges_;
  HistoryPrompts history_;
  SessionCache sessions_;
  ResponseLedger responses_;
  CopiedPrefix copies_;
  RecordChain chain_;
  Branches branches_;
  SessionTail tail_;
  // What follows from an event.
  SessionFacts facts_;
  ExchangeBuilder exchange_;
  ObservationCollector observations_;
  ToolCalls calls_;
};

}  // namespace memd::assembly
