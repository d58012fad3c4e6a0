#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/record_builder.hpp"
#include "schemas/base/utf8.hpp"
#include "schemas/event.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::events_v1 {

// Enumerations of events.v1 (schemas/json/events.v1.schema.json), shared by reader and writer.

enum class Actor : std::uint8_t { user, agent, tool };
enum class LineKind : std::uint8_t { message, tool_call, tool_result, approval, patch, snapshot, note };

inline constexpr std::size_t kMaxSessionId = 200;  // bytes
inline constexpr double kMsPerS = 1000;            // durations are written in seconds

// Returns the session uid of a session id. An id with a platform keeps it ("claude_code:…"); any other gets the
// platform of the source.
inline std::string session_uid_of(Platform own, std::string_view session_id) {
  if (const auto parts = split_session_uid(session_id)) return make_session_uid(parts->platform, parts->native_id);
  return make_session_uid(own, session_id);
}

// Returns the part of an event's text that the store keeps: messages whole, results and client output up to the limit,
// no inputs (the summary and search text replace them).
inline std::string_view stored_text(EventKind kind, std::string_view whole) {
  switch (kind) {
    case EventKind::tool_call: return {};
    case EventKind::tool_result:
    case EventKind::lifecycle: return utf8_prefix(whole, kResultTextLimit);
    default: return whole;
  }
}

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

inline constexpr std::string_view kSchemaViolation = "schema_violation";

// A line whose top-level fields were read and validated.
struct Record {
  Platform platform{};  // platform of the source
  std::string session_uid;
  std::uint64_t key = 0;
  TimeMs time = 0;
  Actor actor{};
  LineKind kind{};
  std::vector<std::string> paths;  // refs
  std::string patch_id;
  std::string snapshot_id;
  RawRef raw;
  std::string_view default_cwd;
};

// The keys of a body: those of memd's own detail, then those observed in events of other tools.
MEMD_KEYS(BodyKeys, event, event_id, parent, derived_from, session, role, origin, lifecycle, text, excerpt, summary,
          search_text, tool, call_id, input_hash, files, response_key, usage, cwd, branch, model, agent_version,
          commands, todos, is_error, is_test, sidechain, time_estimated, starts_exchange, echo, content, message, name,
          tool_call_id, tool_use_id, input, arguments, args, parameters, command, output, result, stdout_, stderr_,
          error, success, exit_code, status, title, description, diff, approved, decision, reason, working_dir,
          git_branch);
using BodyKey = std::string_view BodyKeys::*;

// The body of a line being read: the tokens of the known keys, and its object.
struct Body : BodyKeys {
  od::object& object;

  explicit Body(od::object& body) : object(body) {}
  std::string_view key(BodyKey member) const {
    const auto all = members();
    return kTable.name(static_cast<std::size_t>(std::find(all.begin(), all.end(), &(this->*member)) - all.begin()));
  }
};

// Reads the body of one line into the batch. Lines written by memd (body.event) are read here; lines of other tools by
// read_plain_event(). Must not outlive the line's bytes. Borrows `record` and `out`; one thread at a time.
class LineReader : public RecordBuilder {
 public:
  LineReader(const Record& record, Detail detail, EventBatch& out)
      : RecordBuilder(record.platform, record.session_uid, record.raw, detail, out), record_(record) {
    identify(record.key);
    time = record.time;
    block = 0;
  }

  // Reads the body. The caller must discard the events of a broken one.
  RecordOutcome read(od::object& object);

  const Record& record() const { return record_; }
  void keep_text(Event& e, std::string whole);  // as much as the store keeps, or all with Detail::full
  void read_context(const Body& body, Event& e);
  bool read_files(Body& body, std::vector<FileTouch>& files);
  bool read_commands(Body& body, std::vector<ShellCommand>& commands);
  bool read_todos(Body& body, std::optional<TodoUpdate>& todos);
  bool read_usage(Body& body, Event& e);
  // Reads the members of a usage. Returns false for broken JSON.
  static bool read_usage(od::object& object, TokenUsage& usage, ResponseFacts& facts);

 private:
  RecordOutcome read_canonical(Body& body, EventKind kind);
  bool read_session(Body& body);
  // Adds a mark for a line with facts about a session of its own platform, because it belongs to that session. Lines
  // that memd writes about a whole session get none.
  void mark_facts(const Body& body);
  bool read_record(od::object& session, SessionRecord& out);
  bool read_responses(od::object& session, std::vector<RecordedResponse>& out);
  bool read_account(od::object& session, std::vector<ModelAccount>& out);
  // Opens the list under a key of the body; diagnoses another value. Returns false when there is no list.
  bool open_list(Body& body, BodyKey key, FieldName field, od::array& list);

  const Record& record_;
};

// Reads an event without memd's detail, as other tools write them. Lenient: derives fields from commonly used key
// names.
RecordOutcome read_plain_event(LineReader& reader, Body& body);

}  // namespace memd::events_v1
