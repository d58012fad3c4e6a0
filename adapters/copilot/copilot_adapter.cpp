#include "adapters/json/content.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/json/media.hpp"
#include "adapters/json/record_builder.hpp"
#include "adapters/names.hpp"
#include "adapters/registry.hpp"
#include "adapters/tool_calls/choices.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/base/stamp.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <array>
#include <utility>

// GitHub Copilot CLI: seen on disk, 1.0.102; the types of events are those of github/copilot-sdk at cc0438d
// (nodejs/src/generated/session-events.ts), human_response.recorded of its java/ as of 1.0.102. A log for each session,
// session-state/<session>/events.jsonl, before 1.0 session-state/<session>.jsonl. Each event is {type, data, id,
// timestamp, parentId, agentId}; parentId is that of the event written before. An event with an agentId belongs to a
// subagent, whose session memd calls <session>/agent-<agentId>; older versions tell only the call that started it
// (parentToolCallId).
namespace memd::copilot {
namespace {

namespace fs = std::filesystem;
using namespace json;  // NOLINT(google-build-using-namespace): the whole file reads JSON

MEMD_KEYS(Record, type, id, timestamp, agentId);
MEMD_KEYS(Data, content, source, delivery, isAutopilotContinuation, model, reasoningText, outputTokens, apiCallId,
          parentToolCallId, toolCallId, toolName, mcpServerName, mcpToolName, success, message, reason, newModel,
          newMode, summary, summaryContent, trigger, preCompactionTokens, postCompactionTokens, error, agentName,
          agentDisplayName, selectedModel, copilotVersion, startTime, accountingSnapshot);
MEMD_KEYS(Request, toolCallId, name, mcpServerName, mcpToolName);
MEMD_KEYS(Outcome, content, message);
MEMD_KEYS(Context, cwd, branch, repository);
MEMD_KEYS(Usage, model, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens, apiCallId);
MEMD_KEYS(Attachment, type);
MEMD_KEYS(Response, responseKind, message, question, answer, summary, planContent, approved);

constexpr std::array kLeftOut{
    Reason{"system_prompt", Names("system.message")},
    Reason{"turn_marker", Names("assistant.turn_start assistant.turn_end session.compaction_start session.idle")},
    Reason{"display", Names("session.info session.warning hook.start hook.end tool_search.activated "
                            "session.auto_mode_resolved permission.requested permission.completed")},
    Reason{"repeats_call", Names("external_tool.requested")},
    Reason{"skill_body", Names("skill.invoked")},
    Reason{"binary", Names("session.binary_asset")},
    Reason{"bookkeeping",
           Names("session.remote_steerable_changed session.schedule_created session.schedule_cancelled "
                 "session.schedule_rearmed session.autopilot_objective_changed session.session_limits_changed "
                 "session.permissions_changed session.plan_changed session.workspace_file_changed "
                 "session.usage_checkpoint session.canvas.recorded session.canvas.removed subagent.selected "
                 "subagent.deselected subagent.configured subagent.completed")}};

constexpr tool_calls::ToolAccess access_of{Names("view"), Names("edit create str_replace_editor apply_patch"),
                                           Names("grep rg glob")};

// Returns the id of the session in a log's path; empty: it is no log.
std::string session_id(const fs::path& root, const fs::path& file) {
  if (file.filename() == "events.jsonl" && file.parent_path().parent_path() == root)
    return file.parent_path().filename().string();
  return file.parent_path() == root && file.extension() == ".jsonl" ? file.stem().string() : std::string();
}

class Decoder final : public KeyedDecoder<Record> {
 public:
  Decoder(const Source& source, Detail detail) : KeyedDecoder(Platform::copilot, source.session_uid, detail) {}

 protected:
  bool surely_a_record() const override {
    return is_string(keys_.type) && is_string(keys_.id) && is_string(keys_.timestamp);
  }

  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override {
    const auto type = string_body(keys_.type);
    od::object object;
    Data data;
    const bool has_data = seek_object(root, "data", object) && collect(object, data);
    std::string_view agent = string_body(keys_.agentId);
    if (agent.empty()) agent = string_body(data.parentToolCallId);
    if (agent.empty() && type.starts_with("subagent.")) agent = string_body(data.toolCallId);
    const std::string uid = agent.empty() ? session_uid_ : session_uid_ + "/agent-" + std::string(agent);
    RecordBuilder c(Platform::copilot, uid, raw, detail_, out);
    c.time = parse_stamp(string_body(keys_.timestamp)).value_or(0);
    c.is_sidechain = !agent.empty();
    c.model = c.text(data.model);
    if (!is_string(keys_.id) || c.time == 0) {
      c.diagnose(DiagnosticType::missing_field, {"id", "timestamp"});
      return c.finish(RecordOutcome::unknown("no_id_or_time"), ledger_name(type));
    }
    c.identify(string_body(keys_.id));
    if (!has_data) {
      c.diagnose(DiagnosticType::missing_field, {"data"});
      return c.finish(RecordOutcome::unknown("no_content"), ledger_name(type));
    }
    return c.finish(read_type(type, c, object, data), ledger_name(type));
  }

 private:
  // The ledger's names have no full stops.
  static std::string ledger_name(std::string_view type) {
    std::string name(type);
    std::replace(name.begin(), name.end(), '.', '/');
    return name;
  }

  RecordOutcome read_type(std::string_view type, RecordBuilder& c, od::object& object, const Data& data) const {
    if (const auto reason = reason_for(kLeftOut, type); !reason.empty()) return RecordOutcome::skipped(reason);
    if (type.starts_with("model.")) return RecordOutcome::skipped("request_replay");
    if (type == "user.message") return read_user(c, object, data);
    if (type == "assistant.message") return read_assistant(c, object, data);
    if (type == "tool.execution_complete") return read_result(c, object, data);
    if (type == "tool.execution_start" || type == "tool.user_requested") {
      Event& e = add_call(c, object, data.toolCallId, data.toolName, data.mcpServerName, data.mcpToolName);
      e.is_echo = type == "tool.execution_start";  // of the message that requested it
    } else if (type == "human_response.recorded") {
      return read_response(c, object, data);
    } else if (type == "session.usage_record") {
      if (!read_usage(c, object, "usage", ResponsePurpose::turn)) return RecordOutcome::unknown("no_content");
    } else if (type == "session.start" || type == "session.resume" || type == "session.context_changed") {
      read_context(c, object, data, type);
    } else if (type == "subagent.started") {
      read_subagent(c, data);
    } else if (type == "session.compaction_complete") {
      return read_compaction(c, object, data);
    } else if (type == "session.shutdown") {
      return read_account(c, object, data);
    } else if (type == "assistant.reasoning") {
      c.add_said(EventKind::thinking, c.text(data.content));
    } else if (type == "session.error" || type == "subagent.failed") {
      c.add_error(c.text(is_string(data.message) ? data.message : data.error));
    } else if (type == "abort") {
      c.add_lifecycle("interrupt", one_line(c.text(data.reason), 80));
    } else if (type == "session.model_change") {
      c.add_lifecycle("model_change", one_line(c.text(data.newModel), 80));
    } else if (type == "session.mode_changed") {
      c.add_lifecycle("mode_change", one_line(c.text(data.newMode), 80));
    } else if (type == "session.context_cleared" || type == "session.truncation") {
      c.add_lifecycle(type.substr(type.find('.') + 1));
    } else if (type == "session.handoff" || type == "session.task_complete") {
      c.add_injected(type.substr(type.find('.') + 1), c.text(data.summary));
    } else if (type == "system.notification") {
      c.add_injected("notification", c.text(data.content));
    } else {
      c.diagnose(DiagnosticType::unknown_record_type, {"type"});
      return RecordOutcome::unknown("unknown_type");
    }
    return RecordOutcome::indexed();
  }

  static RecordOutcome read_user(RecordBuilder& c, od::object& object, const Data& data) {
    ContentText content{c.text(data.content), {}, {}};
    for_each_object<Attachment>(object, "attachments", [&](const Attachment& one, od::object& attachment, std::size_t) {
      append_mark(content.marks, read_media(c, string_body(one.type), attachment));
    });
    if (content.is_blank()) return RecordOutcome::skipped("blank_message");
    const auto source = string_body(data.source);
    const bool injected = source.starts_with("skill-") || source == "system" || is_true(data.isAutopilotContinuation);
    if (injected && !c.is_sidechain) {
      c.add_injected("injected", std::move(content.text));
      return RecordOutcome::indexed();
    }
    const bool queued = string_body(data.delivery) == "steering";
    add_prompt(c, std::move(content), queued ? Origin::queued : c.is_sidechain ? Origin::parent_agent : Origin::typed);
    return RecordOutcome::indexed();
  }

  RecordOutcome read_assistant(RecordBuilder& c, od::object& object, const Data& data) const {
    c.add_said(EventKind::thinking, c.text(data.reasoningText));
    c.add_said(EventKind::assistant_msg, c.text(data.content));
    const bool whole =
        for_each_object<Request>(object, "toolRequests", [&](const Request& request, od::object& call, std::size_t) {
          add_call(c, call, request.toolCallId, request.name, request.mcpServerName, request.mcpToolName);
        });
    if (!whole) return RecordOutcome::damaged();
    // Versions without session.usage_record tell the output only.
    if (const auto output = integer(data.outputTokens); output > 0)
      c.add_usage({0, output, 0, 0}, response_key(c, data.apiCallId));
    return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message");
  }

  std::uint64_t response_key(const RecordBuilder& c, std::string_view api_call) const {
    return is_string(api_call) ? hash64(api_call, hash64(session_uid_)) : c.key();
  }

  static Event& add_call(RecordBuilder& c, od::object& object, std::string_view id, std::string_view name,
                         std::string_view server, std::string_view tool) {
    const bool of_server = is_string(server) && is_string(tool);
    tool_calls::add_call(c, of_server ? "mcp__" + c.text(server) + "__" + c.text(tool) : c.text(name), c.text(id),
                         object, "arguments", access_of);
    return c.out().events.back();
  }

  static RecordOutcome read_result(RecordBuilder& c, od::object& object, const Data& data) {
    Outcome said;
    if (!collect_in(object, "result", said) || !is_string(said.content))
      if (!collect_in(object, "error", said)) said = {};
    Event& e =
        tool_calls::add_result(c, c.text(data.toolCallId),
                               c.text(is_string(said.content) ? said.content : said.message), !is_true(data.success));
    if (const auto code = token_in(object, "shellExecution", "exitCode"); is_number(code))
      e.facts.exit_code = static_cast<std::int32_t>(integer(code));
    return RecordOutcome::indexed();
  }

  // What the person answered: a form, a question, or a plan that was shown.
  static RecordOutcome read_response(RecordBuilder& c, od::object& object, const Data& data) {
    od::object response;
    Response told;
    if (!seek_object(object, "response", response) || !collect(response, told)) {
      c.diagnose(DiagnosticType::missing_field, {"response"});
      return RecordOutcome::unknown("no_content");
    }
    const auto kind = string_body(told.responseKind);
    std::string choices;
    if (kind == "ask_user") {
      choices = tool_calls::choices_of_form(c.text(told.message), object_text(response, "requestedSchema"),
                                            object_text(response, "content"));
    } else if (kind == "user_input") {
      choices = tool_calls::choice_line(c.text(told.question), c.text(told.answer));
    } else if (kind == "exit_plan_mode") {
      if (is_true(told.approved))
        choices = std::string(kPlanAccepted) +
                  one_line(c.text(is_string(told.planContent) ? told.planContent : told.summary, 400), 200);
    } else {
      c.diagnose(DiagnosticType::unknown_field_value, {"responseKind"});
      return RecordOutcome::unknown("unknown_kind");
    }
    tool_calls::add_choices(c, c.text(data.toolCallId), std::move(choices));
    return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("no_answer");
  }

  static void read_context(RecordBuilder& c, od::object& object, const Data& data, std::string_view type) {
    Context context;
    if (!collect_in(object, "context", context) && !collect(object, context)) return;
    SessionUpdate& session = c.add_session();
    session.cwd = c.text(context.cwd);
    session.git_branch = c.text(context.branch);
    session.repo = c.text(context.repository);
    session.model = c.text(data.selectedModel);
    session.agent_version = c.text(data.copilotVersion);
    if (type == "session.start") session.started_at = parse_stamp(stamp_of(data.startTime)).value_or(c.time);
  }

  void read_subagent(RecordBuilder& c, const Data& data) const {
    SessionUpdate& session = c.add_session();
    session.kind = SessionKind::subagent;
    session.parent_uid = session_uid_;
    session.parent_call_id = c.text(data.toolCallId);
    session.agent_name = c.text(data.agentName);
    session.title = one_line(c.text(data.agentDisplayName), 300);
    if (!session.title.empty()) session.title_rank = TitleRank::ai;
    session.model = c.text(data.model);
    session.started_at = c.time;
  }

  // The input includes what came from the cache and what was written to it.
  static TokenUsage tokens_of(const Usage& usage) {
    const std::int64_t output = integer(usage.outputTokens);
    const std::int64_t read = integer(usage.cacheReadTokens);
    const std::int64_t written = integer(usage.cacheWriteTokens);
    const std::int64_t input = std::max<std::int64_t>(0, integer(usage.inputTokens) - read - written);
    return {input, output, read, written, 0, std::min(integer(usage.reasoningTokens), output)};
  }

  bool read_usage(RecordBuilder& c, od::object& object, std::string_view key, ResponsePurpose purpose) const {
    Usage usage;
    if (!collect_in(object, key, usage)) return false;
    ResponseFacts facts;
    facts.purpose = purpose;
    c.model = c.text(usage.model);
    c.model_of_all = true;
    c.add_usage(tokens_of(usage), response_key(c, usage.apiCallId), facts);
    return true;
  }

  RecordOutcome read_compaction(RecordBuilder& c, od::object& object, const Data& data) const {
    if (!is_true(data.success)) {
      c.add_error(c.text(data.error), "compaction_failed");
      return RecordOutcome::indexed();
    }
    c.model = c.text(token_in(object, "compactionTokensUsed", "model"));
    c.model_of_all = true;
    const std::string trigger = c.text(data.trigger);
    c.add_compaction(std::to_string(integer(data.preCompactionTokens)) + " to " +
                         std::to_string(integer(data.postCompactionTokens)) + " tokens, " +
                         (trigger == "threshold" ? "auto" : trigger),
                     c.text(data.summaryContent));
    read_usage(c, object, "compactionTokensUsed", ResponsePurpose::compaction);
    return RecordOutcome::indexed();
  }

  // What the agent counted, from the start of the session on, for each model.
  static RecordOutcome read_account(RecordBuilder& c, od::object& object, const Data& data) {
    od::object totals;
    od::object models;
    if (data.accountingSnapshot.starts_with('{') ? !seek_object(object, "accountingSnapshot", totals) : false)
      return RecordOutcome::damaged();
    od::object& outer = data.accountingSnapshot.starts_with('{') ? totals : object;
    SessionUpdate& session = c.add_session();
    session.stopped_at = c.time;
    od::value started;
    const TimeMs from =
        seek(outer, "sessionStartTime", started) ? parse_stamp(stamp_of(token_of(started))).value_or(0) : 0;
    if (!seek_object(outer, "modelMetrics", models)) return RecordOutcome::indexed();
    const bool whole = for_each_field(models, [&](std::string_view model, od::value& value) {
      od::object metrics;
      Usage usage;
      if (value.get_object().get(metrics) || !collect_in(metrics, "usage", usage)) return;
      session.account.push_back({std::string(model), from, c.time, tokens_of(usage), 0, 0});
    });
    return whole ? RecordOutcome::indexed() : RecordOutcome::damaged();
  }

  static std::string_view stamp_of(std::string_view token) { return is_number(token) ? token : string_body(token); }
};

// A path in the configuration is a directory of sessions. Stateless, thread-safe.
class CopilotAdapter final : public AdapterOf<Decoder> {
 public:
  CopilotAdapter()
      : AdapterOf({.platform = Platform::copilot,
                   .adapter_version = "1.0.0",
                   .data_completeness = DataCompleteness::full,
                   .capabilities = all_capabilities_but({Capability::cost}),
                   .limitations =
                       {"Copilot CLI tells a working directory and a branch for each session, not for its subagents.",
                        "The names of sessions (workspace.yaml) are not read.",
                        "Copilot CLI counts premium requests, not dollars; the costs are memd's.",
                        "Of turns that were taken back with a snapshot, only what memd read before is known: Copilot "
                        "CLI removes them from its log."},
                   .storage_locations = {"~/.copilot/session-state", "$COPILOT_HOME/session-state"},
                   .resume_command = {"copilot", "--resume", "{id}"}}) {}  // copilot --help

  std::vector<fs::path> roots(const HomeLayout& home) const override {
    return home.roots_in("COPILOT_HOME", ".copilot", "session-state");
  }

  std::optional<SourceCandidate> classify(const fs::path& root, const fs::path& file) const override {
    if (session_id(root, file).empty()) return std::nullopt;
    return SourceCandidate{Platform::copilot, file.string(), SourceFormat::jsonl};
  }

  bool looks_into(const fs::path& root, const fs::path& directory) const override {
    return directory == root || (directory.parent_path() == root && directory.filename().string().front() != '.');
  }

  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    const fs::path file(source.path);
    const fs::path root = file.filename() == "events.jsonl" ? file.parent_path().parent_path() : file.parent_path();
    return make_session_uid(Platform::copilot, session_id(root, file));
  }
};

}  // namespace

}  // namespace memd::copilot

MEMD_ADAPTER(copilot, copilot::CopilotAdapter())
