#include "adapters/json/log_decoder.hpp"
#include "adapters/json/record_builder.hpp"
#include "adapters/kimi/old_wire.hpp"
#include "adapters/names.hpp"
#include "adapters/registry.hpp"
#include "adapters/snapshot/held_source.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/base/stamp.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

// Kimi Code (MoonshotAI/kimi-code, apps/vis/server/src/lib/agent-record-types.ts; docs/en/configuration/data-locations
// at 21fef91; seen on disk, 2.1.0) and the older kimi-cli (old_wire.hpp). Below sessions/<working directory>/<session>:
//
//   agents/main/wire.jsonl     what happened, a flat record each: {type, agentId, time, …}
//   agents/agent-<n>/wire.jsonl  the same of a subagent
//   state.json                 working directory, title, and which agent started which
//
// A prompt is told twice, by turn.prompt (turn.steer) and context.append_message, with one id. A step of the model
// consists of loop events with ids of their own; its usage is a record of its own (usage.record).
namespace memd::kimi {
namespace {

namespace fs = std::filesystem;
using namespace json;  // NOLINT(google-build-using-namespace): the whole file reads JSON

MEMD_KEYS(Record, type, kind, time, created_at, timestamp, message, promptId, model, modelAlias, cwd, usageScope,
          summary, tokensBefore, tokensAfter, count, reason, objective, protocol_version);
MEMD_KEYS(Origin_, kind, name, trigger, phase);
MEMD_KEYS(Message, id, role);
MEMD_KEYS(LoopEvent, type, uuid, parentUuid, toolCallId, name);
MEMD_KEYS(Part, type, text, think);
MEMD_KEYS(Usage, inputOther, output, inputCacheRead, inputCacheCreation);
MEMD_KEYS(State, cwd, title, isCustomTitle, forkedFrom, createdAt);
MEMD_KEYS(Agent, type, parentAgentId);

constexpr std::string_view kMain = "main";

constexpr std::array kLeftOut{
    Reason{"system_prompt", Names("llm.tools_snapshot mcp.tools_discovered")},
    Reason{"repeats_message", Names("agent.message.appended agent.turn.started agent.turn.ended")},
    Reason{"turn_marker", Names("prompt.accepted prompt.completed prompt.aborted prompt.steered full_compaction.begin "
                                "full_compaction.complete full_compaction.cancel plugin.session_start forked "
                                "interruptionReminder.recorded turn.step.retrying subagent.spawned subagent.started "
                                "subagent.suspended subagent.completed subagent.failed subagent.cancelled")},
    Reason{"display", Names("interaction.request interaction.resolved permission.record_approval_result "
                            "task.started task.terminated task.waitDelivered")},
    Reason{"file_backup", Names("file_history.tracked file_history.checkpoint staleGuard.recorded staleGuard.cleared")},
    Reason{"bookkeeping",
           Names("runtime.set_binding permission.set_mode token_counting.measured token_counting.rebased "
                 "token_counting.truncated token_counting.turn_recorded context.update_token_count "
                 "cron.add cron.cursor cron.delete goal.update goal.clear plan.revision "
                 "swarm_mode.enter swarm_mode.exit tower_mode.enter tower_mode.exit "
                 "tools.register_user_tool tools.unregister_user_tool tools.reset_active_tools "
                 "tools.set_active_tools tools.update_store")}};

struct Place {
  fs::path session;  // sessions/<working directory>/<session>
  std::string agent;
  bool is_state = false;
};

// The older program's logs are <session>/wire.jsonl and <session>/subagents/<agent>/wire.jsonl.
std::optional<Place> place_of(const fs::path& file) {
  const fs::path folder = file.parent_path();
  if (file.filename() == "state.json") return Place{folder, std::string(kMain), true};
  if (file.filename() != "wire.jsonl") return std::nullopt;
  const fs::path outer = folder.parent_path().filename();
  if (outer == "agents" || outer == "subagents")
    return Place{folder.parent_path().parent_path(), folder.filename().string(), false};
  return Place{folder, std::string(kMain), false};
}

std::string uid_of(std::string_view session, std::string_view agent) {
  std::string id(session);
  if (agent != kMain) id.append("/").append(agent);
  return make_session_uid(Platform::kimi, id);
}

class Decoder final : public KeyedDecoder<Record> {
 public:
  Decoder(const Source& source, Detail detail)
      : KeyedDecoder(Platform::kimi, source.session_uid, detail, {.items = source.path.ends_with("/state.json")}),
        is_state_(source.path.ends_with("/state.json")) {}

 protected:
  bool surely_a_record() const override {
    return (is_string(keys_.type) && is_number(keys_.time)) ||
           (is_number(keys_.timestamp) && keys_.message.starts_with('{'));
  }

  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override {
    RecordBuilder c(Platform::kimi, session_uid_, raw, detail_, out);
    if (is_state_) return c.finish(read_state(c, root), "state");
    c.is_sidechain = is_subagent();
    // Records without an id are told apart by their content.
    std::string_view bytes;
    if (root.raw_json().get(bytes) || !restart(root)) return RecordOutcome::damaged();
    c.identify(hash64(trimmed(bytes), hash64(session_uid_)));
    c.id_is_local = true;
    if (is_number(keys_.timestamp)) return read_old_record(c, root, keys_.timestamp);
    c.time = from_unix_number(static_cast<double>(integer(has_value(keys_.time) ? keys_.time : keys_.created_at)));
    const auto type = string_body(keys_.type);
    std::string name(type);
    std::replace(name.begin(), name.end(), '.', '/');  // the ledger's names have no full stops
    return c.finish(read_type(type, c, root), name);
  }

 private:
  bool is_subagent() const { return session_uid_.find('/') != std::string::npos; }
  std::string_view main_uid() const { return std::string_view(session_uid_).substr(0, session_uid_.find('/')); }

  static void identify(RecordBuilder& c, std::string_view id) {
    if (id.empty()) return;
    c.identify(id);
    c.id_is_local = false;
  }

  RecordOutcome read_type(std::string_view type, RecordBuilder& c, od::object& root) const {
    if (const auto reason = reason_for(kLeftOut, type); !reason.empty()) return RecordOutcome::skipped(reason);
    if (type == "metadata") return begin_session(c);
    if (c.time == 0) {
      c.diagnose(DiagnosticType::missing_field, {"time"});
      return RecordOutcome::unknown("no_time");
    }
    if (type == "context.append_loop_event") return read_loop_event(c, root);
    if (type == "turn.prompt" || type == "turn.steer") {
      identify(c, string_body(keys_.promptId));
      if (c.id_is_local) return RecordOutcome::skipped("repeats_prompt");  // versions without ids
      return read_prompt(c, root, "input", type == "turn.steer");
    }
    if (type == "context.append_message") return read_message(c, root);
    if (type == "usage.record") return read_usage(c, root);
    if (type == "llm.request" || type == "config.update" || type == "profile.bind") return read_settings(c, root, type);
    if (type == "context.apply_compaction") {
      c.add_compaction(
          std::to_string(integer(keys_.tokensBefore)) + " to " + std::to_string(integer(keys_.tokensAfter)) + " tokens",
          c.text(keys_.summary));
    } else if (type == "micro_compaction.apply") {
      c.add_lifecycle("microcompaction");
    } else if (type == "context.undo") {
      c.add_lifecycle("rollback").turns_taken_back = integer(keys_.count);
    } else if (type == "context.clear") {
      c.add_lifecycle("context_cleared");
    } else if (type == "goal.create") {
      c.add_lifecycle("goal", one_line(c.text(keys_.objective), 300));
    } else if (type.starts_with("plan_mode.")) {
      c.add_lifecycle("mode_change", type == "plan_mode.enter" ? "plan" : "");
    } else if (type == "turn.cancel" || type == "turn.step.interrupted") {
      c.add_lifecycle("interrupt", one_line(c.text(has_value(keys_.message) ? keys_.message : keys_.reason), 80));
    } else if (type == "turn.ended") {
      const auto error = token_in(root, "error", "message");
      if (!is_string(error)) return RecordOutcome::skipped("turn_marker");
      c.add_error(c.text(error));
    } else {
      c.diagnose(DiagnosticType::unknown_record_type, {"type"});
      return RecordOutcome::unknown("unknown_type");
    }
    return RecordOutcome::indexed();
  }

  RecordOutcome begin_session(RecordBuilder& c) const {
    SessionUpdate& session = c.add_session();
    session.started_at = c.time;
    if (!is_subagent()) return RecordOutcome::indexed();
    session.kind = SessionKind::subagent;
    session.parent_uid = main_uid();
    return RecordOutcome::indexed();
  }

  RecordOutcome read_settings(RecordBuilder& c, od::object& root, std::string_view type) const {
    const auto cwd = type == "profile.bind" ? token_in(root, "environmentDisclosure", "cwd") : keys_.cwd;
    SessionUpdate& session = c.add_session();
    session.cwd = c.text(cwd);
    session.model = c.text(keys_.model);
    return RecordOutcome::indexed();
  }

  RecordOutcome read_state(RecordBuilder& c, od::object& root) const {
    State state;
    od::object agents;
    if (!collect(root, state)) return RecordOutcome::damaged();
    SessionUpdate& session = c.add_session();
    session.cwd = c.text(state.cwd);
    session.title = one_line(c.text(state.title), 300);
    if (!session.title.empty()) session.title_rank = is_true(state.isCustomTitle) ? TitleRank::custom : TitleRank::ai;
    if (is_string(state.forkedFrom)) session.forked_from = uid_of(c.text(state.forkedFrom), kMain);
    session.started_at = from_unix_number(static_cast<double>(integer(state.createdAt)));
    if (!seek_object(root, "agents", agents)) return RecordOutcome::indexed();
    const auto main = split_session_uid(session_uid_);
    const bool whole = for_each_field(agents, [&](std::string_view name, od::value& value) {
      od::object object;
      Agent agent;
      if (name == kMain || value.get_object().get(object)) return true;
      if (!collect(object, agent)) return false;
      SessionUpdate& of_agent = c.add_update(uid_of(main ? main->native_id : "", name), 0);
      of_agent.kind = SessionKind::subagent;
      of_agent.parent_uid = uid_of(main ? main->native_id : "",
                                   is_string(agent.parentAgentId) ? string_body(agent.parentAgentId) : kMain);
      return true;
    });
    return whole ? RecordOutcome::indexed() : RecordOutcome::damaged();
  }

  RecordOutcome read_message(RecordBuilder& c, od::object& root) const {
    od::object object;
    Message message;
    if (!seek_object(root, "message", object) || !collect(object, message)) {
      c.diagnose(DiagnosticType::missing_field, {"message"});
      return RecordOutcome::unknown("no_content");
    }
    if (string_body(message.role) != "user") {
      c.diagnose(DiagnosticType::unknown_field_value, {"message.role"});
      return RecordOutcome::unknown("unknown_role");
    }
    identify(c, string_body(message.id));
    return read_prompt(c, object, "content", false);
  }

  // Reads a prompt, or what the program says in the user's place, as its origin tells.
  RecordOutcome read_prompt(RecordBuilder& c, od::object& object, std::string_view key, bool queued) const {
    Origin_ origin;
    collect_in(object, "origin", origin);
    const auto kind = string_body(origin.kind);
    const bool of_parent = c.is_sidechain && kind == "system_trigger" && string_body(origin.name) == "subagent";
    if (kind == "injection" || (kind == "system_trigger" && !of_parent) || kind == "retry")
      return RecordOutcome::skipped("injected_text");
    if (kind == "compaction_summary") return RecordOutcome::skipped("repeats_compaction");
    ContentText content = read_content(c, object, key);
    if (content.is_blank()) return RecordOutcome::skipped("blank_message");
    const bool shell = kind == "shell_command" && string_body(origin.phase) == "input";
    const bool command = string_body(origin.trigger) == "user-slash";
    if (!kind.empty() && kind != "user" && !shell && !command && !of_parent) {
      c.add_injected(kind, content.text);
      return RecordOutcome::indexed();
    }
    add_prompt(c, std::move(content),
               c.is_sidechain ? Origin::parent_agent
               : shell        ? Origin::shell
               : command      ? Origin::command
               : queued       ? Origin::queued
                              : Origin::typed);
    return RecordOutcome::indexed();
  }

  RecordOutcome read_loop_event(RecordBuilder& c, od::object& root) const {
    od::object object;
    LoopEvent event;
    if (!seek_object(root, "event", object) || !collect(object, event)) {
      c.diagnose(DiagnosticType::missing_field, {"event"});
      return RecordOutcome::unknown("no_content");
    }
    const auto type = string_body(event.type);
    if (type == "step.begin") return RecordOutcome::skipped("turn_marker");
    if (type == "step.end") return RecordOutcome::skipped("repeats_usage");
    if (type == "content.part") {
      Part part;
      identify(c, string_body(event.uuid));
      if (!collect_in(object, "part", part)) return RecordOutcome::unknown("no_content");
      const bool thought = string_body(part.type) == "think";
      if (!thought && !is_string(part.text)) return RecordOutcome::unknown("unknown_part");
      const bool said = c.add_said(thought ? EventKind::thinking : EventKind::assistant_msg,
                                   c.text(thought ? part.think : part.text));
      return said ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message");
    }
    if (type == "tool.call") {
      identify(c, string_body(event.uuid));
      add_call(c, object, event.toolCallId, event.name, "args");
      return RecordOutcome::indexed();
    }
    if (type == "tool.result") {
      if (is_string(event.parentUuid)) identify(c, c.text(event.parentUuid) + "/result");
      od::object result;
      if (!seek_object(object, "result", result)) return RecordOutcome::unknown("no_content");
      const std::string agent = add_result(c, result, event.toolCallId, "isError");
      if (!agent.empty()) c.add_subagent(std::string(main_uid()) + "/" + agent, c.text(event.toolCallId), c.time);
      return RecordOutcome::indexed();
    }
    c.diagnose(DiagnosticType::unknown_field_value, {"event.type"});
    return RecordOutcome::unknown("unknown_event");
  }

  RecordOutcome read_usage(RecordBuilder& c, od::object& root) const {
    Usage usage;
    if (!collect_in(root, "usage", usage)) return RecordOutcome::unknown("no_content");
    ResponseFacts facts;
    if (string_body(keys_.usageScope) == "session") facts.purpose = ResponsePurpose::compaction;
    const std::string model = c.text(keys_.model);
    if (!model.starts_with("__")) c.model = model;  // else the model that llm.request names
    c.model_of_all = true;
    c.add_usage({integer(usage.inputOther), integer(usage.output), integer(usage.inputCacheRead),
                 integer(usage.inputCacheCreation)},
                c.key(), facts);
    return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("bookkeeping");
  }

  const bool is_state_;
};

// A path in the configuration is a directory of sessions. Stateless, thread-safe.
class KimiAdapter final : public AdapterOf<Decoder> {
 public:
  KimiAdapter()
      : AdapterOf(
            {.platform = Platform::kimi,
             .adapter_version = "1.0.0",
             .data_completeness = DataCompleteness::full,
             .capabilities = all_capabilities_but({Capability::cost, Capability::session_stop, Capability::git_branch}),
             .limitations =
                 {"Kimi Code stores no git branch, and a working directory only for each session; kimi-cli stores "
                  "none. No subagent has one of its own.",
                  "Of kimi-cli, sessions without wire.jsonl (before 0.60) and models are not known.",
                  "Logs that Kimi Code has compressed (wire.jsonl.gz) are not read."},
             .storage_locations = {"~/.kimi-code/sessions", "$KIMI_CODE_HOME/sessions", "~/.kimi/sessions",
                                   "$KIMI_SHARE_DIR/sessions"},
             .resume_command = {"kimi", "--session", "{id}"}}) {}  // docs/en/reference/kimi-command

  std::vector<fs::path> roots(const HomeLayout& home) const override {
    std::vector<fs::path> roots = home.roots_in("KIMI_CODE_HOME", ".kimi-code", "sessions");
    if (home.override_roots.empty())
      for (fs::path& old : home.roots_in("KIMI_SHARE_DIR", ".kimi", "sessions"))
        roots.push_back(std::move(old));
    return roots;
  }

  std::optional<SourceCandidate> classify(const fs::path& root, const fs::path& file) const override {
    const auto place = place_of(file);
    if (!place || place->session.parent_path().parent_path() != root) return std::nullopt;
    return SourceCandidate{Platform::kimi, file.string(), place->is_state ? SourceFormat::json : SourceFormat::jsonl};
  }

  bool looks_into(const fs::path& root, const fs::path& directory) const override {
    const fs::path inside = directory.lexically_relative(root);
    if (directory == root) return true;
    const auto depth = std::distance(inside.begin(), inside.end());
    if (inside.empty() || inside.begin()->string().front() == '.' || depth > 4) return false;
    if (depth < 3) return true;
    const fs::path name = *std::next(inside.begin(), 2);
    return name == "agents" || name == "subagents";
  }

  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    const auto place = place_of(source.path);
    return place ? uid_of(place->session.filename().string(), place->agent) : std::string();
  }

  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override {
    const auto place = place_of(source.path);
    if (!place || !place->is_state) return nullptr;
    return std::make_unique<snapshot::SingleDocument>(files, source.path,
                                                      uid_of(place->session.filename().string(), place->agent));
  }
};

}  // namespace

}  // namespace memd::kimi

MEMD_ADAPTER(kimi, kimi::KimiAdapter())
