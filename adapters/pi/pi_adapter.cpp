#include "adapters/json/log_decoder.hpp"
#include "adapters/json/media.hpp"
#include "adapters/json/record_builder.hpp"
#include "adapters/registry.hpp"
#include "adapters/sqlite/query_sessions.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/base/stamp.hpp"
#include "schemas/ids.hpp"

#include <utility>

// pi (badlogic/pi-mono, now earendil-works/pi, packages/coding-agent, docs/session-format.md), versions 1 to 3 of its
// format: a log for each session, <agent directory>/sessions/<working directory>/<time>_<session id>.jsonl. The first
// record, "session", is the header. All others form a tree by id and parentId; going back to an earlier one (/tree)
// begins a branch in the same file. A fork is a file of its own, which begins with copies of its origin's records: same
// ids, same times.
namespace memd::pi {
namespace {

namespace fs = std::filesystem;
using namespace json;  // NOLINT(google-build-using-namespace): the whole file reads JSON

MEMD_KEYS(Entry, type, id, parentId, timestamp, cwd, parentSession, modelId, summary, tokensBefore, name, label, model);
MEMD_KEYS(Message, role, model, stopReason, errorMessage, toolCallId, toolName, isError, command, output, exitCode);
MEMD_KEYS(Usage, input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning, cost);
MEMD_KEYS(Block, type, text, thinking, id, name);
MEMD_KEYS(NestedCall, id, name, status, error);

constexpr tool_calls::ToolAccess access_of{Names("read"), Names("write edit"), Names("grep find ls")};

// Returns the id in the name of a session's file; the whole name if that has none.
std::string session_id(const fs::path& file) {
  const std::string stem = file.stem().string();
  return stem.substr(stem.rfind('_') + 1);
}

class Decoder : public KeyedDecoder<Entry> {
 public:
  Decoder(const Source& source, Detail detail) : Decoder(Platform::pi, source, detail) {}

 protected:
  Decoder(Platform platform, const Source& source, Detail detail)
      : KeyedDecoder(platform, source.session_uid, detail) {}

  // Adds what stands in a message of the role "user".
  virtual void add_user(RecordBuilder& c, std::string text, std::string marker) const {
    c.add_prompt(Origin::typed, std::move(text), std::move(marker));
  }

  bool surely_a_record() const override { return is_string(keys_.type) && is_string(keys_.timestamp); }

  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override {
    RecordBuilder c(platform(), session_uid_, raw, detail_, out);
    c.time = parse_stamp(string_body(keys_.timestamp)).value_or(0);
    // Ids have eight digits: they are unique in a session only. Version 1 has none.
    c.id_is_local = true;
    if (is_string(keys_.id)) {
      c.identify(native_id(keys_.id));
      if (!keys_.parentId.empty())
        c.parent = is_string(keys_.parentId) ? record_key(platform(), native_id(keys_.parentId)) : 0;
    } else {
      c.identify(session_uid_ + "@" + std::to_string(raw.offset));
    }
    const auto type = string_body(keys_.type);
    return c.finish(read_type(type, c, root), type);
  }

 private:
  std::string native_id(std::string_view token) const { return session_uid_ + "/" + unescaped(token); }

  RecordOutcome read_type(std::string_view type, RecordBuilder& c, od::object& root) const {
    if (c.time == 0) {
      c.diagnose(DiagnosticType::missing_field, {"timestamp"});
      return RecordOutcome::unknown("no_time");
    }
    if (type == "message") return read_message(c, root);
    if (type == "session") return read_session(c);
    if (type == "session_info") return read_title(c);
    if (type == "model_change") return note(c, "model_change", keys_.modelId);
    if (type == "label") return note(c, "label", keys_.label);
    if (type == "compaction") {
      c.add_compaction(std::to_string(integer(keys_.tokensBefore)) + " tokens before", c.text(keys_.summary));
      add_usage(c, root);
      return RecordOutcome::indexed();
    }
    if (type == "branch_summary") {
      c.add_injected("branch_summary", c.text(keys_.summary));
      add_usage(c, root);
      return RecordOutcome::indexed();
    }
    if (type == "usage") {  // of a request that is no message, such as one that keeps a cache warm
      c.model = c.text(keys_.model);
      add_usage(c, root);
      return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message");
    }
    if (type == "context_edit") return RecordOutcome::skipped("context_edit");
    if (type == "custom_message") return read_extension(c, root);
    if (type == "custom") return RecordOutcome::skipped("extension_state");
    if (type == "thinking_level_change") return RecordOutcome::skipped("bookkeeping");
    c.diagnose(DiagnosticType::unknown_record_type, {"type"});
    return RecordOutcome::unknown("unknown_type");
  }

  RecordOutcome read_session(RecordBuilder& c) const {
    const std::string origin = c.text(keys_.parentSession);
    SessionUpdate& session = c.add_session();
    session.cwd = c.text(keys_.cwd);
    session.started_at = c.time;
    if (!origin.empty()) session.forked_from = make_session_uid(platform(), session_id(origin));
    return RecordOutcome::indexed();
  }

  RecordOutcome read_title(RecordBuilder& c) const {
    std::string title = one_line(c.text(keys_.name), 300);
    if (title.empty()) return RecordOutcome::skipped("empty_title");
    SessionUpdate& session = c.add_session();
    session.title = std::move(title);
    session.title_rank = TitleRank::custom;
    return RecordOutcome::indexed();
  }

  static RecordOutcome note(RecordBuilder& c, std::string_view lifecycle, std::string_view token) {
    if (!is_string(token)) return RecordOutcome::skipped("bookkeeping");
    c.add_lifecycle(lifecycle, one_line(c.text(token), 80));
    return RecordOutcome::indexed();
  }

  // Returns the texts of a message's blocks. `marker`: what it contains besides.
  static std::string read_text(RecordBuilder& c, od::object& message, std::string& marker) {
    std::string text;
    for_each_block<Block>(message, "content", [&](const Block& block, od::object& object) {
      const auto type = string_body(block.type);
      if (type == "text") {
        text.append(text.empty() ? "" : "\n");
        c.append_text(block.text, text);
      } else if (type == "image") {
        append_mark(marker, read_media(c, type, object));
      } else {
        c.diagnose(DiagnosticType::unknown_field_value, {"message.content.type"});
      }
    });
    return text;
  }

  static RecordOutcome read_extension(RecordBuilder& c, od::object& message) {
    std::string marker;
    c.add_injected("extension_message", read_text(c, message, marker));
    return RecordOutcome::indexed();
  }

  RecordOutcome read_message(RecordBuilder& c, od::object& root) const {
    od::object object;
    Message message;
    if (!seek_object(root, "message", object) || !collect(object, message)) {
      c.diagnose(DiagnosticType::missing_field, {"message"});
      return RecordOutcome::unknown("no_content");
    }
    const auto role = string_body(message.role);
    if (role == "user") return read_user(c, object);
    if (role == "assistant") return read_assistant(c, object, message);
    if (role == "toolResult") return read_result(c, object, message);
    if (role == "bashExecution") return read_shell(c, message);
    if (role == "custom" || role == "hookMessage") return read_extension(c, object);
    if (role == "system") return RecordOutcome::skipped("system_prompt");
    c.diagnose(DiagnosticType::unknown_field_value, {"message.role"});
    return RecordOutcome::unknown("unknown_role");
  }

  RecordOutcome read_user(RecordBuilder& c, od::object& message) const {
    std::string marker;
    std::string text = read_text(c, message, marker);
    if (trimmed(text).empty() && marker.empty()) return RecordOutcome::skipped("blank_message");
    add_user(c, std::move(text), std::move(marker));
    return RecordOutcome::indexed();
  }

  RecordOutcome read_assistant(RecordBuilder& c, od::object& object, const Message& message) const {
    bool unknown = false;
    c.model = c.text(message.model);
    for_each_block<Block>(object, "content", [&](const Block& block, od::object& inner) {
      const auto type = string_body(block.type);
      if (type == "text" || type == "thinking") {
        const bool thought = type == "thinking";
        c.add_said(thought ? EventKind::thinking : EventKind::assistant_msg,
                   c.text(thought ? block.thinking : block.text));
      } else if (type == "toolCall") {
        read_call(c, block, inner);
      } else {
        unknown = true;
        c.diagnose(DiagnosticType::unknown_field_value, {"message.content.type"});
      }
    });
    const auto reason = string_body(message.stopReason);
    if (reason == "aborted") c.add_lifecycle("interrupt", one_line(c.text(message.errorMessage), 80));
    if (reason == "error") c.add_error(c.text(message.errorMessage));
    add_usage(c, object);
    if (unknown) return RecordOutcome::unknown("unknown_block");
    return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message");
  }

  // Adds the tokens of the request that a response, a summary or a tool's result comes from.
  static void add_usage(RecordBuilder& c, od::object& object) {
    Usage usage;
    if (!collect_in(object, "usage", usage)) return;
    const std::int64_t output = integer(usage.output);
    ResponseFacts facts;
    od::object inner;
    if (usage.cost.starts_with('{') && seek_object(object, "usage", inner))
      if (const auto cost = fraction(token_in(inner, "cost", "total")); cost > 0) facts.cost_usd = cost;
    const std::int64_t written = integer(usage.cacheWrite);
    c.add_usage({integer(usage.input), output, integer(usage.cacheRead), written,
                 std::min(integer(usage.cacheWrite1h), written), std::min(integer(usage.reasoning), output)},
                c.key(), facts);
  }

  template <class Keys>
  static void read_call(RecordBuilder& c, const Keys& call, od::object& object) {
    tool_calls::add_call(c, c.text(call.name), c.text(call.id), object, "arguments", access_of);
  }

  static RecordOutcome read_result(RecordBuilder& c, od::object& object, const Message& message) {
    std::string marker;
    std::string text = read_text(c, object, marker);
    Event& e = c.add(EventKind::tool_result, Role::tool);
    e.tool = c.text(message.toolName);
    e.call_id = c.text(message.toolCallId);
    e.is_error = is_true(message.isError);
    e.summary = std::move(marker);
    if (tool_calls::runs_commands(e.tool)) {
      e.facts.exit_code = tool_calls::exit_code_behind("Command exited with code ", text);
      if (!e.is_error) e.facts.exit_code = 0;
      if (text.ends_with("Command aborted")) e.summary = kInterruptedMark;
    }
    tool_calls::take_result_text(c.detail(), std::move(text), e);
    add_usage(c, object);
    if (od::object nested; seek_object(object, "nestedCalls", nested)) read_nested(c, nested);
    return RecordOutcome::indexed();
  }

  // Reads the calls that a script made. Of what they returned, only an error is recorded: "ok" is no exit code.
  static void read_nested(RecordBuilder& c, od::object& nested) {
    for_each_object<NestedCall>(nested, "calls", [&](const NestedCall& call, od::object& object, std::size_t) {
      read_call(c, call, object);
      const auto status = string_body(call.status);
      if (status == "unfinished") return;
      Event& e = c.add(EventKind::tool_result, Role::tool);
      e.tool = c.text(call.name);
      e.call_id = c.text(call.id);
      e.is_error = status == "error";
      e.text = c.text(call.error);
    });
  }

  // A "!" command of the user.
  static RecordOutcome read_shell(RecordBuilder& c, const Message& message) {
    c.add_prompt(Origin::shell, c.text(message.command));
    std::string output = c.text(message.output, c.detail() == Detail::full ? kNoLimit : kResultTextLimit);
    c.add_injected("shell_output", std::move(output)).is_error = integer(message.exitCode) != 0;
    return RecordOutcome::indexed();
  }
};

// A path in the configuration is a directory of sessions. Stateless, thread-safe.
class PiAdapter final : public json::AdapterOf<Decoder> {
 public:
  PiAdapter()
      : AdapterOf({.platform = Platform::pi,
                   .adapter_version = "1.0.0",
                   .data_completeness = DataCompleteness::full,
                   .capabilities = all_capabilities_but({Capability::session_stop, Capability::git_branch}),
                   .limitations =
                       {"pi stores no git branch, and a working directory only for each session.",
                        "Helpers that an extension starts are read if they keep sessions; nothing joins them to their "
                        "parent.",
                        "A fork that memd reads before its origin, or together with it, counts the turns that it "
                        "repeats, too.",
                        "Sessions in a directory named with --session-dir are read if the configuration names it."},
                   .storage_locations = {"~/.pi/agent/sessions", "$PI_CODING_AGENT_DIR/sessions"},
                   .resume_command = {"pi", "--session", "{file}"}}) {}  // README of pi

  std::vector<fs::path> roots(const HomeLayout& home) const override {
    return home.roots_in("PI_CODING_AGENT_DIR", ".pi/agent", "sessions");
  }

  std::optional<SourceCandidate> classify(const fs::path& root, const fs::path& file) const override {
    const bool placed = file.parent_path() == root || file.parent_path().parent_path() == root;
    if (!placed || file.extension() != ".jsonl") return std::nullopt;
    return SourceCandidate{Platform::pi, file.string(), SourceFormat::jsonl};
  }

  bool looks_into(const fs::path& root, const fs::path& directory) const override {
    return directory == root || directory.parent_path() == root;
  }

  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    return make_session_uid(Platform::pi, session_id(source.path));
  }
};

// OpenClaw (openclaw/openclaw, earlier Clawdbot and Moltbot) is made from pi and keeps pi's records, until 2026.7.1 in
// logs, <agent>/sessions/<session id>.jsonl, then in <agent>/agent/openclaw-agent.sqlite, transcript_events
// (session_id, seq, event_json or since 2026.9.6 event_zstd). Sources: docs.rs/pond-db 0.14.2,
// src/pond/adapter/openclaw.rs; getagentseal/codeburn docs/providers/openclaw.md @40d58800c134.
MEMD_KEYS(Row, event_json, event_zstd);

// Reads a record of a log, or an item of the database: {"seq":7,"event_json":"{…}"}.
class ClawDecoder final : public Decoder {
 public:
  ClawDecoder(const Source& source, Detail detail) : Decoder(Platform::openclaw, source, detail) {}

 protected:
  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override {
    Row row;
    if (!has_value(keys_.type) && collect(root, row) && (is_string(row.event_json) || is_string(row.event_zstd))) {
      InnerJson event;
      if (!event.open(unescaped(is_string(row.event_json) ? row.event_json : row.event_zstd)) ||
          !collect(event.root, keys_))
        return RecordOutcome::damaged();
      return Decoder::read(event.root, raw, out);
    }
    if (!has_value(keys_.type)) return RecordOutcome::indexed("(session)");  // the session's row
    return Decoder::read(root, raw, out);
  }

  // The gateway puts its own words before a person's, and speaks alone at times of its own.
  void add_user(RecordBuilder& c, std::string text, std::string marker) const override {
    constexpr std::string_view kFence = "```\n";
    std::string_view said = trimmed(text);
    while (said.starts_with("Conversation info (untrusted") || said.starts_with("Sender (untrusted")) {
      const auto end = said.find(kFence, said.find("```json"));
      if (end == std::string_view::npos) break;
      said = trimmed(said.substr(end + kFence.size()));
    }
    for (const std::string_view own :
         {"Read HEARTBEAT.md", "[cron:", "System: [", "A new session was started via /new"})
      if (said.starts_with(own)) {
        c.add_injected("gateway_message", std::string(said));
        return;
      }
    constexpr std::size_t kLongestStamp = 40;  // "[Wed 2026-02-18 11:21 GMT+1] "
    const auto stamp = said.starts_with('[') ? said.find("] ") : std::string_view::npos;
    if (stamp < kLongestStamp && said.find("20") < stamp) said = said.substr(stamp + 2);
    Decoder::add_user(c, std::string(said), std::move(marker));
  }
};

// A path in the configuration is a folder of agents. Stateless, thread-safe.
class OpenClawAdapter final : public json::AdapterOf<ClawDecoder> {
 public:
  OpenClawAdapter()
      : AdapterOf(
            {.platform = Platform::openclaw,
             .adapter_version = "1.0.0",
             .data_completeness = DataCompleteness::full,
             .capabilities = all_capabilities_but({Capability::session_stop, Capability::git_branch}),
             .limitations = {"Follows public readers of the files; no real data was seen.",
                             "Archives of sessions that OpenClaw deleted or compressed are not read."},
             .storage_locations = {"~/.openclaw/agents/*/sessions", "~/.openclaw/agents/*/agent/openclaw-agent.sqlite",
                                   "~/.clawdbot/agents, ~/.moltbot/agents", "$OPENCLAW_STATE_DIR/agents"},
             .resume_command = {}}) {}  // a session belongs to a chat or a channel

  std::vector<fs::path> roots(const HomeLayout& home) const override {
    std::vector<fs::path> roots = home.roots_in("OPENCLAW_STATE_DIR", ".openclaw", "agents");
    if (home.override_roots.empty())
      for (const char* earlier : {".clawdbot", ".moltbot"})
        roots.push_back(home.home / earlier / "agents");
    return roots;
  }

  std::optional<SourceCandidate> classify(const fs::path& root, const fs::path& file) const override {
    const fs::path folder = file.parent_path();
    if (folder.parent_path().parent_path() != root) return std::nullopt;
    const std::string name = file.filename().string();
    if (folder.filename() == "sessions" && (name.ends_with(".jsonl") || name.find(".jsonl.reset.") < name.size()) &&
        !name.ends_with(".zst"))
      return SourceCandidate{Platform::openclaw, file.string(), SourceFormat::jsonl};
    if (folder.filename() == "agent" && (name == kDatabase || name == std::string(kDatabase) + "-wal"))
      return SourceCandidate{Platform::openclaw, (folder / kDatabase).string(), SourceFormat::sqlite};
    return std::nullopt;
  }

  bool looks_into(const fs::path& root, const fs::path& directory) const override {
    const auto name = directory.filename();
    return directory == root || directory.parent_path() == root ||
           (directory.parent_path().parent_path() == root && (name == "sessions" || name == "agent"));
  }

  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    if (source.format == SourceFormat::sqlite) return {};
    const std::string name = fs::path(source.path).filename().string();
    return make_session_uid(Platform::openclaw, name.substr(0, name.find(".jsonl")));
  }

  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override {
    if (!source.path.ends_with(kDatabase)) return nullptr;
    sqlite::SessionQueries queries;
    queries.platform = Platform::openclaw;
    // The second query of each kind is for databases of 2026.6, which have no sessions yet.
    queries.sessions = {
        "SELECT session_id AS id, max(created_at) AS changed FROM transcript_events GROUP BY session_id",
        "SELECT NULL AS id, NULL AS changed WHERE 0"};
    queries.rows = {"SELECT * FROM transcript_events WHERE session_id = :session ORDER BY seq",
                    "SELECT NULL AS seq WHERE :session IS NULL"};
    queries.key = "seq";
    return std::make_unique<sqlite::QuerySessions>(files, source.path, std::move(queries));
  }

 private:
  static constexpr const char* kDatabase = "openclaw-agent.sqlite";
};

}  // namespace

}  // namespace memd::pi

MEMD_ADAPTER(openclaw, pi::OpenClawAdapter())

MEMD_ADAPTER(pi, pi::PiAdapter())
