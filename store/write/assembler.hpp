#pragma once

#include "schemas/event.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/source.hpp"
#include "store/db/database.hpp"
#include "store/write/copy_detector.hpp"
#include "store/write/echoes.hpp"
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
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::assembly {

// Turns the events of all platforms into sessions, numbered event rows and exchanges. Incremental and restart-safe: the
// rows do not depend on how the input is sliced, because all state here can be read back from the rows. Pairs calls
// with results, counts the usage of a response once, and detects changes of directory and branch, retries, test runs,
// edits, decisions and outcomes.
// Writer thread only; runs inside the writer's transaction. Throws ErrorException; the caller must then call forget().
class Assembler {
 public:
  explicit Assembler(sqlite::Database& db);

  // `notes` are the notes of this batch.
  AssemblyStats apply(EventBatch& batch, const Source& source, std::string_view adapter_version, TimeMs now,
                      const BatchNotes& notes);

  // Removes everything that `source` gave of a session after its first `keep` items: events, the exchanges from there
  // on, and all rows that depend on them. Reading the items again then gives the same rows as a first reading. Later
  // events of other sources are removed too; returns those sources, which the caller has to read again. Removes nothing
  // if one of those sources is no longer active: new items are then appended, and changed ones keep their old rows.
  std::vector<SourceId> rewind(std::string_view session_uid, const Source& source, std::uint32_t keep, TimeMs now);
  // Returns whether the event opens an exchange of this session and was read from this item of the source.
  bool opens_exchange(std::string_view session_uid, SourceId source, std::uint64_t event_id, std::uint32_t item);

  // Call before applying the first slice of a log or document that is read again from its start. Events that do not
  // come again are then marked with kFlagGone.
  void read_again(const Source& source, TimeMs now);

  void flush(TimeMs now);  // writes open exchanges and sessions; call before a commit
  void forget();           // drops all cached state; call after a rollback
  // Registers keys that new exchanges must not get: of forgotten exchanges, and in a rebuild, before anything is
  // applied, of exchanges that are already in the table. New exchanges get the keys that these leave free, as they did
  // originally.
  void reserve(const std::vector<ExchangeId>& ids) { exchanges_.reserve(ids); }
  // Call before anything is applied.
  void leave_out_exchanges(ExchangeRows::IsForgotten is_forgotten) { exchanges_.leave_out(std::move(is_forgotten)); }
  void release();  // frees memory that only a large ingest needs

 private:
  void apply_event(Event& event, std::span<const Event> following, AssemblyContext& context);
  void remove(const SessionTail::Cut& cut, const std::string& session_uid, TimeMs now);
  void withdraw_history_prompts(SessionWork& session);
  void claim_history_prompt(SessionWork& session, const Event& prompt, const AssemblyContext& context);
  void note_words(SessionWork& session, const Event& event, std::int64_t seq, std::string_view offered);
  void note_lifecycle(SessionWork& session, const Event& event, std::int64_t seq);

  sqlite::Database& db_;
  // Also of the generation that was there before: original records may hold it twice.
  std::set<SourceId> read_again_;
  // Rows.
  IdentityIndex identities_;
  EventRows rows_;
  PathInterner paths_;
  SessionEvents events_;
  ExchangeRows exchanges_;
  HistoryPrompts history_;
  SessionCache sessions_;
  ResponseLedger responses_;
  CopyDetector copies_;
  RecordChain chain_;
  Branches branches_;
  SessionTail tail_;
  // Parts that process each event.
  SessionFacts facts_;
  ExchangeBuilder exchange_;
  ObservationCollector observations_;
  ToolCalls calls_;
  Echoes echoes_;
};

}  // namespace memd::assembly
