#pragma once

#include "adapters/adapter.hpp"
#include "adapters/events_v1/names.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "schemas/event_batch.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::events_v1 {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

inline constexpr std::string_view kSchemaViolation = "schema_violation";

// One line whose outer level was read and found good.
struct Record {
  Platform platform{};  // of the source
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

// The keys of a body: those of memd's own detail, then those that plain events are found to use.
enum class B : std::uint8_t {
  event,
  event_id,
  derived_from,
  session,
  role,
  origin,
  lifecycle,
  text,
  excerpt,
  summary,
  search_text,
  tool,
  call_id,
  input_hash,
  files,
  response_key,
  usage,
  cwd,
  branch,
  model,
  agent_version,
  is_error,
  is_test,
  sidechain,
  time_estimated,
  starts_exchange,
  content,
  message,
  name,
  tool_call_id,
  tool_use_id,
  input,
  arguments,
  args,
  parameters,
  command,
  output,
  result,
  stdout_text,
  stderr_text,
  error,
  success,
  exit_code,
  status,
  title,
  description,
  diff,
  approved,
  decision,
  reason,
  working_dir,
  git_branch,
};
inline constexpr std::size_t kBodyKeys = 52;
inline constexpr std::array<std::string_view, kBodyKeys> kBodyNames{
    "event",           "event_id",  "derived_from", "session",    "role",
    "origin",          "lifecycle", "text",         "excerpt",    "summary",
    "search_text",     "tool",      "call_id",      "input_hash", "files",
    "response_key",    "usage",     "cwd",          "branch",     "model",
    "agent_version",   "is_error",  "is_test",      "sidechain",  "time_estimated",
    "starts_exchange", "content",   "message",      "name",       "tool_call_id",
    "tool_use_id",     "input",     "arguments",    "args",       "parameters",
    "command",         "output",    "result",       "stdout",     "stderr",
    "error",           "success",   "exit_code",    "status",     "title",
    "description",     "diff",      "approved",     "decision",   "reason",
    "working_dir",     "git_branch"};
static_assert(static_cast<std::size_t>(B::git_branch) + 1 == kBodyKeys);
inline constexpr KeyTable<kBodyKeys> kBodyTable{kBodyNames};

// The body of a line being read: its object, and the tokens of the keys known.
struct Body {
  od::object& object;
  Tokens<kBodyKeys> tokens{};

  std::string_view operator[](B key) const { return tokens[static_cast<std::size_t>(key)]; }
  std::string_view name(B key) const { return kBodyNames[static_cast<std::size_t>(key)]; }
  bool has(B key) const { return !(*this)[key].empty() && (*this)[key] != "null"; }
  bool is(B key) const { return is_true((*this)[key]); }
};

// Reads the body of one line into the batch. What memd wrote itself (body.event) is read here, event by event; lines of
// other tools by read_plain_event(). Lives as long as the line's bytes.
class LineReader : public TextReader {
 public:
  LineReader(const Record& record, Detail detail, EventBatch& out) : TextReader(detail), record_(record), out_(out) {}

  // Nothing of a broken body is to be kept.
  Fate read(od::object& object);

  const Record& record() const { return record_; }
  // A new event with the fields that all events of a line share. Valid until the next call.
  Event& add(EventKind kind, Role role);
  Event* last() { return index_ == 0 ? nullptr : &out_.events.back(); }  // of those added; null: none
  void keep_text(Event& e, std::string whole);  // as much of it as the store keeps, or all with Detail::full
  void read_context(const Body& body, Event& e);
  bool read_files(Body& body, std::vector<FileTouch>& files);
  bool read_usage(Body& body, Event& e);
  void diagnose(DiagnosticType type, FieldName field) {
    out_.diagnostics.push_back({record_.platform, type, Severity::warning, {field}, 0, record_.raw.offset});
  }

 private:
  Fate read_canonical(Body& body, EventKind kind);
  bool read_session(Body& body);

  const Record& record_;
  EventBatch& out_;
  std::uint32_t index_ = 0;
};

// Reads an event without memd's detail, as other tools write them: leniently, by the words they use.
Fate read_plain_event(LineReader& reader, Body& body);

}  // namespace memd::events_v1
