#pragma once

#include "adapters/events_v1/names.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/text_reader.hpp"
#include "schemas/event_batch.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Private to this folder's .cpp files.
namespace memd::events_v1 {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

// What became of one line. `broken`: its inside is not JSON; nothing of it is kept.
struct Verdict {
  bool broken = false;
  Disposition disposition = Disposition::indexed;
  std::string_view reason;
};
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
  // What plain events are also found to say.
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

class LineReader : public TextReader {
 public:
  LineReader(const Record& record, Detail detail, EventBatch& out) : TextReader(detail), record_(record), out_(out) {}

  // Reads the body into the batch. Nothing of a broken body is to be kept.
  Verdict read(od::object& object);

 private:
  // memd's own detail (body.event), and the facts of a session (body.session).
  Verdict read_canonical(Body& body, EventKind kind);
  bool read_session(Body& body);
  bool read_files(Body& body, std::vector<FileTouch>& files);
  bool read_usage(Body& body, Event& e);
  void read_context(const Body& body, Event& e);

  // Events as other tools write them.
  Verdict read_plain(Body& body);
  void read_message(Body& body);
  bool read_call(Body& body);
  bool read_result(Body& body);
  bool read_approval(Body& body);
  bool read_patch(Body& body);
  void read_remark(Body& body, std::string_view lifecycle);
  std::string plain_text(Body& body);
  std::string text_of(Body& body, std::initializer_list<B> keys);
  std::string call_id_of(const Body& body);

  Event& add(EventKind kind, Role role);
  void keep_text(Event& e, std::string whole);
  void diagnose(DiagnosticType type, FieldName field) {
    out_.diagnostics.push_back({record_.platform, type, Severity::warning, {field}, 0, record_.raw.offset});
  }

  const Record& record_;
  EventBatch& out_;
  std::uint32_t index_ = 0;
};

}  // namespace memd::events_v1
