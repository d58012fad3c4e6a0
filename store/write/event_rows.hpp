#pragma once

#include "schemas/event.hpp"
#include "schemas/source.hpp"
#include "store/db/database.hpp"
#include "store/write/identity_index.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::assembly {

// A row of `events`.
struct EventRecord {
  std::int64_t session_pk = 0;
  std::int64_t seq = 0;
  std::uint64_t event_id = 0;
  TimeMs time = 0;
  EventKind kind{};
  Role role{};
  Origin origin{};
  std::optional<std::int64_t> parent_seq;
  std::optional<std::int64_t> pair_seq;
  std::string tool;
  std::uint64_t call_key = 0;    // hash of the call id; 0: none
  std::uint64_t input_hash = 0;  // of the tool input, or of a message's text; 0: none
  std::int64_t path_pk = 0;      // 0: none
  std::uint32_t flags = 0;
  std::string summary;
  std::int64_t tokens = 0;
  SourceId source = 0;
  RawRef raw;
};

// Reading and writing of event rows for the assembler. The newest rows of a session are held back, so that calls find
// their results before they are written, and written many at once. Whoever reads or refers to rows of `events` calls
// write() first. Writer thread only. Throws ErrorException.
class EventRows {
 public:
  EventRows(sqlite::Database& db, IdentityIndex& identities) : db_(db), identities_(identities) {}

  bool insert(EventRecord row);     // false: the event is in the store already (under whatever session)
  void write();                     // the rows held back
  void write_for_deletion();        // with their identities, which go when rows are deleted
  void forget() { held_.clear(); }  // after a rollback
  std::optional<std::int64_t> session_of(std::uint64_t event_id);
  // Whether the event opened an exchange of this session, taken from that item of the source.
  bool opens_exchange(std::uint64_t event_id, std::string_view session_uid, SourceId source, std::uint32_t item);
  void pair(std::int64_t session_pk, std::int64_t call_seq, std::int64_t result_seq);
  std::optional<OpenCall> find_open_call(std::int64_t session_pk, std::uint64_t call_key);

  // What a call meant to change, one row a file (kFlagPlanned), children of the call's row.
  struct PlannedEdit {
    std::int64_t path_pk = 0;
    std::int64_t lines_added = 0;
    std::int64_t lines_removed = 0;
  };
  std::vector<PlannedEdit> take_planned_edits(std::int64_t session_pk, std::int64_t call_seq);  // they were made
  void drop_planned_edits(std::int64_t session_pk, std::int64_t call_seq);                      // they were not

  // Marks queued words that came again as a prompt; `text_hash` as stored in input_hash.
  void supersede_queued(std::int64_t session_pk, std::int64_t first_seq, std::uint64_t text_hash);

 private:
  EventRecord* held(std::int64_t session_pk, std::int64_t seq);
  std::vector<EventRecord*> held_plans(const EventRecord& call);
  bool has_planned_edits(std::int64_t session_pk, std::int64_t call_seq);

  sqlite::Database& db_;
  IdentityIndex& identities_;
  std::vector<EventRecord> held_;  // of one session, with consecutive numbers
};

}  // namespace memd::assembly
