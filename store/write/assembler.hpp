#pragma once

#include "schemas/event_batch.hpp"
#include "schemas/source.hpp"
#include "store/db/database.hpp"
#include "store/write/batch_notes.hpp"
#include "store/write/copied_prefix.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/exchange_rows.hpp"
#include "store/write/history_prompts.hpp"
#include "store/write/identity_index.hpp"
#include "store/write/observation_rows.hpp"
#include "store/write/path_interner.hpp"
#include "store/write/response_ledger.hpp"
#include "store/write/session_cache.hpp"
#include "store/write/session_tail.hpp"
#include "store/write/title_ledger.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::assembly {

struct AssemblyStats {
  std::uint64_t events = 0;      // rows written, derived ones included
  std::uint64_t duplicates = 0;  // events that were in the store already: forks, copies, replay
};

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
  void release();          // gives back what a large ingest needed

 private:
  struct Context {  // of the event being applied
    const Source& source;
    std::string_view adapter_version;
    TimeMs now;
    const BatchNotes& notes;
    AssemblyStats& stats;
  };

  void apply_update(const SessionUpdate& update, TimeMs now);
  void apply_event(Event& event, Context& context);
  void give_way(SessionWork& session);
  void take_over(SessionWork& session, const Event& prompt, Context& context);
  void complete(const SessionWork& session, Event& event);  // what the record leaves to its session
  bool insert(SessionWork& session, const Event& event, std::optional<std::int64_t> pair_seq, Context& context);
  std::optional<OpenCall> find_call(const SessionWork& session, const Event& result);
  void insert_derived(SessionWork& session, const Event& from, std::int64_t parent_seq, EventKind kind,
                      std::string_view summary, std::uint32_t flags, std::int64_t path_pk, Context& context);

  void inherit_context(SessionWork& session);
  void note_context(SessionWork& session, const Event& event, std::int64_t seq, Context& context);
  void note_times(SessionWork& session, TimeMs time);
  void note_usage(SessionWork& session, const Event& event);
  void note_fork(SessionWork& session, const Event& event);

  void on_user_message(SessionWork& session, const Event& event, std::int64_t seq, Context& context);
  void on_assistant_message(SessionWork& session, const Event& event, std::int64_t seq, Context& context);
  void note_observations(SessionWork& session, const Event& event, std::int64_t seq, Context& context);
  void note_rules(SessionWork& session, const Event& event, std::int64_t seq);
  void note_recovery(SessionWork& session, const Event& result, std::int64_t seq, const OpenCall& call);
  void on_tool_call(SessionWork& session, const Event& event, std::int64_t seq, Context& context);
  void on_tool_result(SessionWork& session, const Event& event, std::int64_t seq, const std::optional<OpenCall>& call,
                      Context& context);
  void on_lifecycle(SessionWork& session, const Event& event, std::int64_t seq);
  void on_change(SessionWork& session, const Event& edit);
  void on_edit(SessionWork& session, const Event& result, std::int64_t seq, const OpenCall& call, Context& context);
  void plan_edits(SessionWork& session, const Event& call, std::int64_t seq, Context& context);
  void add_changes(ExchangeDraft& draft, std::int64_t path_pk, std::int64_t added, std::int64_t removed);

  ExchangeDraft& draft_for(SessionWork& session, const Event& event, std::int64_t seq, Context& context);
  void open_draft(SessionWork& session, const Event& event, std::int64_t seq, Context& context);
  void close_draft(SessionWork& session, TimeMs now);
  void touch_files(ExchangeDraft& draft, const Event& event);

  sqlite::Database& db_;
  IdentityIndex identities_;
  EventRows events_;
  ExchangeRows exchanges_;
  ObservationRows observations_;
  HistoryPrompts history_;
  CopiedPrefix copies_;
  PathInterner paths_;
  ResponseLedger responses_;
  TitleLedger titles_;
  SessionCache sessions_;
  SessionTail tail_;
};

}  // namespace memd::assembly
