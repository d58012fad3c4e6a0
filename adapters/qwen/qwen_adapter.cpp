#include "adapters/json/content.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/json/media.hpp"
#include "adapters/json/record_builder.hpp"
#include "adapters/names.hpp"
#include "adapters/registry.hpp"
#include "adapters/snapshot/held_source.hpp"
#include "adapters/tool_calls/choices.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/base/stamp.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <array>
#include <utility>

// Qwen Code (QwenLM/qwen-code, packages/core/src/services/chatRecordingService.ts at 015346f; seen on disk, 0.24.4).
// Below projects/<working directory>:
//
//   chats/<session>.jsonl                    a log for each session
//   subagents/<session>/agent-<id>.jsonl     one for each subagent of it
//   subagents/<session>/agent-<id>.meta.json what it was started for, and its model
//
// Records form a tree by uuid and parentUuid; /rewind begins a branch. A fork repeats the records of its origin under
// their ids. A telemetry record (ui_telemetry) tells the usage of each response a second time, and is the only one that
// tells of compactions' own requests.
namespace memd::qwen {
namespace {

namespace fs = std::filesystem;
using namespace json;  // NOLINT(google-build-using-namespace): the whole file reads JSON

MEMD_KEYS(Record, type, subtype, uuid, parentUuid, sessionId, timestamp, provenance, cwd, version, gitBranch, model,
          agentId, agentName, isSidechain);
MEMD_KEYS(Part, text, thought, functionCall, functionResponse);
MEMD_KEYS(Function, id, name);
MEMD_KEYS(Response, output, error);
MEMD_KEYS(Result, callId, status, resultDisplay);
MEMD_KEYS(Usage, promptTokenCount, candidatesTokenCount, thoughtsTokenCount, totalTokenCount, cachedContentTokenCount);
MEMD_KEYS(Compression, originalTokenCount, newTokenCount, compressionStatus, triggerReason);
MEMD_KEYS(Payload, phase, rawCommand, sentToModel, userText, status, customTitle, titleSource, parentSessionId, text);
MEMD_KEYS(Telemetry, model, input_token_count, output_token_count, cached_content_token_count, thoughts_token_count,
          prompt_id, response_text, subagent_id, error, error_message);
MEMD_KEYS(Meta, agentType, description, toolUseId, parentAgentId, model, createdAt);

constexpr std::string_view kAgent = "/agent-";  // between the ids of a session and of its subagent
constexpr std::string_view kMetaEnd = ".meta.json";

// User records that the program wrote.
constexpr Names kInjected("notification cron goal_runtime background_task_completed");
constexpr std::array kLeftOut{
    Reason{"bookkeeping", Names("session_source session_model session_approval_mode session_execution_engine "
                                "session_sources_snapshot agent_retry agent_session_ready branch_checkpoint "
                                "user_text_elements omni_recall rewind goal_state goal_turn_end")},
    Reason{"file_backup", Names("attribution_snapshot file_history_snapshot session_artifact_event "
                                "session_artifact_snapshot")},
    Reason{"repeats_history", Names("agent_bootstrap turn_result")}};

constexpr tool_calls::ToolAccess access_of{Names("read_file read_many_files"),
                                           Names("edit replace write_file notebook_edit"),
                                           Names("grep_search search_file_content glob list_directory")};

struct Place {
  fs::path project;     // projects/<working directory>
  std::string session;  // native id
  bool is_meta = false;
};

std::optional<Place> place_of(const fs::path& file) {
  const fs::path folder = file.parent_path();
  const std::string name = file.filename().string();
  if (folder.filename() == "chats" && file.extension() == ".jsonl")
    return Place{folder.parent_path(), file.stem().string(), false};
  if (folder.parent_path().filename() != "subagents" || !name.starts_with(kAgent.substr(1))) return std::nullopt;
  const bool is_meta = name.ends_with(kMetaEnd);
  if (!is_meta && file.extension() != ".jsonl") return std::nullopt;
  const std::string agent = is_meta ? name.substr(0, name.size() - kMetaEnd.size()) : file.stem().string();
  return Place{folder.parent_path().parent_path(), folder.filename().string() + "/" + agent, is_meta};
}

bool is_reminder(std::string_view text) {
  text = trimmed(text);
  return text.starts_with("<system-reminder>") && text.ends_with("</system-reminder>");
}

class Decoder final : public KeyedDecoder<Record> {
 public:
  Decoder(const Source& source, Detail detail)
      : KeyedDecoder(Platform::qwen, source.session_uid, detail, {.items = source.path.ends_with(kMetaEnd)}),
        is_meta_(source.path.ends_with(kMetaEnd)) {}

 protected:
  bool surely_a_record() const override { return is_string(keys_.uuid) && is_string(keys_.timestamp); }

  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override {
    RecordBuilder c(Platform::qwen, session_uid_, raw, detail_, out);
    if (is_meta_) return c.finish(read_meta(c, root), "subagent");
    c.time = parse_stamp(string_body(keys_.timestamp)).value_or(0);
    c.is_sidechain = is_true(keys_.isSidechain);
    c.cwd = c.text(keys_.cwd);
    c.git_branch = c.text(keys_.gitBranch);
    c.agent_version = c.text(keys_.version);
    c.model = c.text(keys_.model);
    const auto type = string_body(keys_.type);
    const auto subtype = string_body(keys_.subtype);
    if (is_string(keys_.uuid)) {
      c.identify(string_body(keys_.uuid));
      if (!keys_.parentUuid.empty())
        c.parent = is_string(keys_.parentUuid) ? record_key(Platform::qwen, string_body(keys_.parentUuid)) : 0;
    }
    return c.finish(read_type(c, root, type, subtype), type == "system" ? subtype : type);
  }

 private:
  RecordOutcome read_type(RecordBuilder& c, od::object& root, std::string_view type, std::string_view subtype) const {
    if (c.time == 0 || !is_string(keys_.uuid)) {
      c.diagnose(DiagnosticType::missing_field, {"uuid", "timestamp"});
      return RecordOutcome::unknown("no_id_or_time");
    }
    if (c.parent == 0) begin_session(c, root);
    if (type == "user") return read_user(c, root, subtype);
    if (type == "assistant") return read_assistant(c, root);
    if (type == "tool_result") return read_result(c, root);
    if (type == "system") return read_system(c, root, subtype);
    c.diagnose(DiagnosticType::unknown_record_type, {"type"});
    return RecordOutcome::unknown("unknown_type");
  }

  std::string uid_of(std::string_view native_id) const { return make_session_uid(Platform::qwen, native_id); }

  // The first record of a log tells what the session comes from.
  void begin_session(RecordBuilder& c, od::object& root) const {
    if (c.is_sidechain) {
      SessionUpdate& session = c.add_session();
      session.kind = SessionKind::subagent;
      session.parent_uid = session_uid_.substr(0, session_uid_.rfind(kAgent));
      session.agent_name = c.text(keys_.agentName);
    } else if (const auto origin = token_in(root, "forkedFrom", "sessionId"); is_string(origin)) {
      c.add_session().forked_from = uid_of(c.text(origin));
    }
  }

  RecordOutcome read_meta(RecordBuilder& c, od::object& root) const {
    Meta meta;
    if (!collect(root, meta)) return RecordOutcome::damaged();
    const std::string root_uid = session_uid_.substr(0, session_uid_.rfind(kAgent));
    SessionUpdate& session = c.add_session();
    session.kind = SessionKind::subagent;
    session.parent_uid =
        is_string(meta.parentAgentId) ? root_uid + std::string(kAgent) + c.text(meta.parentAgentId) : root_uid;
    session.parent_call_id = c.text(meta.toolUseId);
    session.agent_name = c.text(meta.agentType);
    session.title = one_line(c.text(meta.description), 300);
    if (!session.title.empty()) session.title_rank = TitleRank::ai;
    session.model = c.text(meta.model);
    session.started_at = parse_stamp(string_body(meta.createdAt)).value_or(0);
    return RecordOutcome::indexed();
  }

  // Calls visit(part, object) for each part of the record's message.
  template <class Visit>
  static void for_each_part(od::object& root, Visit&& visit) {
    od::object message;
    if (!seek_object(root, "message", message)) return;
    for_each_object<Part>(message, "parts",
                          [&](const Part& part, od::object& object, std::size_t) { visit(part, object); });
  }

  RecordOutcome read_user(RecordBuilder& c, od::object& root, std::string_view subtype) const {
    ContentText content;
    for_each_part(root, [&](const Part& part, od::object& object) {
      if (!is_string(part.text)) {
        append_mark(content.marks, read_media(c, "media", object));
      } else if (std::string text = c.text(part.text); !is_reminder(text)) {
        content.text.append(content.text.empty() ? "" : "\n").append(text);
      }
    });
    if (kInjected.has(subtype)) {
      c.add_injected(subtype, std::move(content.text));
      return RecordOutcome::indexed();
    }
    const bool queued = subtype == "mid_turn_user_message";
    if (!subtype.empty() && !queued && subtype != "agent_launch_prompt") {
      c.diagnose(DiagnosticType::unknown_field_value, {"subtype"});
      return RecordOutcome::unknown("unknown_subtype");
    }
    // What was typed, where the message has more: files named with "@", contexts of hooks.
    const auto shown = token_in(root, "systemPayload", "displayText");
    if (std::string text = c.text(shown); !trimmed(text).empty()) content.text = std::move(text);
    if (content.is_blank()) return RecordOutcome::skipped("blank_message");
    add_prompt(c, std::move(content), queued ? Origin::queued : c.is_sidechain ? Origin::parent_agent : Origin::typed);
    return RecordOutcome::indexed();
  }

  RecordOutcome read_assistant(RecordBuilder& c, od::object& root) const {
    bool unknown = false;
    for_each_part(root, [&](const Part& part, od::object& object) {
      if (is_string(part.text))
        c.add_said(is_true(part.thought) ? EventKind::thinking : EventKind::assistant_msg, c.text(part.text));
      else if (part.functionCall.starts_with('{'))
        read_call(c, object);
      else
        unknown = true;
    });
    Usage usage;
    if (collect_in(root, "usageMetadata", usage))
      add_usage(c, integer(usage.promptTokenCount), output_of(usage), integer(usage.cachedContentTokenCount),
                integer(usage.thoughtsTokenCount), c.text(keys_.agentId));
    if (unknown) {
      c.diagnose(DiagnosticType::unknown_field_value, {"message.parts"});
      return RecordOutcome::unknown("unknown_part");
    }
    return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message");
  }

  // Providers count thoughts as a part of the candidates or beside them; the total tells.
  static std::int64_t output_of(const Usage& usage) {
    const std::int64_t beyond_prompt = integer(usage.totalTokenCount) - integer(usage.promptTokenCount);
    return std::max(integer(usage.candidatesTokenCount), beyond_prompt);
  }

  // Both records of a response name its figures, but no id.
  void add_usage(RecordBuilder& c, std::int64_t prompt, std::int64_t output, std::int64_t cached, std::int64_t thoughts,
                 std::string_view agent, ResponsePurpose purpose = ResponsePurpose::turn) const {
    std::uint64_t key = hash64(agent, hash64(string_body(keys_.sessionId), hash64("qwen/response")));
    for (const std::int64_t part : {prompt, output, cached})
      key = hash_combine(key, static_cast<std::uint64_t>(part));
    ResponseFacts facts;
    facts.purpose = purpose;
    const std::int64_t from_cache = std::min(cached, prompt);
    c.add_usage({prompt - from_cache, output, from_cache, 0, 0, std::min(thoughts, output)}, key, facts);
  }

  static void read_call(RecordBuilder& c, od::object& part) {
    od::object call;
    Function function;
    if (seek_object(part, "functionCall", call) && collect(call, function))
      tool_calls::add_call(c, c.text(function.name), c.text(function.id), call, "args", access_of);
  }

  RecordOutcome read_result(RecordBuilder& c, od::object& root) const {
    Result result;
    std::optional<std::int32_t> exit_code;
    od::object outer;
    if (seek_object(root, "toolCallResult", outer)) {
      const auto code = token_in(outer, "resultDisplay", "exitCode");
      if (is_number(code)) exit_code = static_cast<std::int32_t>(integer(code));
      if (!collect(outer, result)) return RecordOutcome::damaged();
    }
    for_each_part(root, [&](const Part& part, od::object& object) {
      od::object inner;
      Function function;
      if (part.functionResponse.empty()) {
        if (c.emitted()) append_mark(c.first_event().summary, read_media(c, "media", object));
        return;
      }
      if (!seek_object(object, "functionResponse", inner) || !collect(inner, function)) return;
      Response response;
      std::string_view raw;
      od::object said;
      if (!seek_object(inner, "response", said) || said.raw_json().get(raw) || !collect(said, response)) return;
      Event& e = c.add(EventKind::tool_result, Role::tool);
      e.tool = c.text(function.name);
      e.call_id = c.text(is_string(function.id) ? function.id : result.callId);
      const auto status = string_body(result.status);
      e.is_error = is_string(response.error) || status == "error" || status == "cancelled";
      if (status == "cancelled") e.summary = kCancelledMark;
      const auto text = is_string(response.output) ? response.output : response.error;
      std::string whole = is_string(text) ? c.text(text) : std::string(trimmed(raw));
      if (tool_calls::runs_commands(e.tool))
        e.facts.exit_code = exit_code ? exit_code : tool_calls::exit_code_behind("Exit Code: ", whole);
      std::string choices = tool_calls::choices_in(e.tool, {}, whole);
      tool_calls::take_result_text(c.detail(), std::move(whole), e);
      tool_calls::add_choices(c, std::string(e.call_id), std::move(choices));
    });
    return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::unknown("no_response");
  }

  RecordOutcome read_system(RecordBuilder& c, od::object& root, std::string_view subtype) const {
    if (const auto reason = reason_for(kLeftOut, subtype); !reason.empty()) return RecordOutcome::skipped(reason);
    if (subtype == "chat_compression") return read_compression(c, root);
    if (subtype == "ui_telemetry") return read_telemetry(c, root);
    Payload payload;
    if (!collect_in(root, "systemPayload", payload)) payload = {};
    if (subtype == "slash_command") return read_command(c, payload);
    if (subtype == "at_command") {
      // The prompt of one that succeeded is a record of its own.
      if (string_body(payload.status) != "error" || !is_string(payload.userText))
        return RecordOutcome::skipped("repeats_prompt");
      return add_command(c, c.text(payload.userText));
    }
    if (subtype == "session_notes") {
      c.add_injected(subtype, c.text(payload.text));
      return RecordOutcome::indexed();
    }
    if (subtype == "custom_title") {
      SessionUpdate& session = c.add_session();
      session.title = one_line(c.text(payload.customTitle), 300);
      session.title_rank = string_body(payload.titleSource) == "auto" ? TitleRank::ai : TitleRank::custom;
      return RecordOutcome::indexed();
    }
    if (subtype == "parent_session") {
      SessionUpdate& session = c.add_session();
      session.kind = SessionKind::subagent;
      session.parent_uid = uid_of(c.text(payload.parentSessionId));
      return RecordOutcome::indexed();
    }
    c.diagnose(DiagnosticType::unknown_field_value, {"subtype"});
    return RecordOutcome::unknown("unknown_subtype");
  }

  static RecordOutcome add_command(RecordBuilder& c, std::string text) {
    c.add_prompt(Origin::command, std::move(text));
    return RecordOutcome::indexed();
  }

  static RecordOutcome read_command(RecordBuilder& c, const Payload& payload) {
    const std::string command = c.text(payload.rawCommand);
    if (string_body(payload.phase) == "result") return RecordOutcome::skipped("command_output");
    if (command.find(' ') == std::string::npos) return RecordOutcome::skipped("command");
    if (!is_true(payload.sentToModel)) return add_command(c, command);
    c.add_lifecycle("command", one_line(command, 300));  // the prompt that it makes is a record of its own
    return RecordOutcome::indexed();
  }

  static RecordOutcome read_compression(RecordBuilder& c, od::object& root) {
    od::object payload;
    Compression info;
    std::string summary;
    if (!seek_object(root, "systemPayload", payload) || !collect_in(payload, "info", info))
      return RecordOutcome::unknown("no_content");
    if (has_value(info.compressionStatus) && integer(info.compressionStatus) != 1)
      return RecordOutcome::skipped("failed_compaction");
    for_each_object<Function>(payload, "compressedHistory", [&](const Function&, od::object& turn, std::size_t index) {
      if (index > 0) return true;
      return for_each_object<Part>(turn, "parts", [&](const Part& part, od::object&, std::size_t at) {
        if (at == 0) summary = c.text(part.text);
      });
    });
    const std::string trigger = c.text(info.triggerReason);
    c.add_compaction(std::to_string(integer(info.originalTokenCount)) + " to " +
                         std::to_string(integer(info.newTokenCount)) + " tokens, " +
                         (trigger == "token_limit" ? "auto" : trigger),
                     std::move(summary));
    return RecordOutcome::indexed();
  }

  RecordOutcome read_telemetry(RecordBuilder& c, od::object& root) const {
    od::object payload;
    od::object event;
    od::value name_value;
    Telemetry told;
    if (!seek_object(root, "systemPayload", payload) || !seek_object(payload, "uiEvent", event) ||
        !seek(event, "event.name", name_value))
      return RecordOutcome::unknown("no_content");
    const std::string name = c.text(token_of(name_value));
    if (!collect(event, told)) return RecordOutcome::damaged();
    if (name.ends_with(".api_error")) {
      c.add_error(c.text(is_string(told.error_message) ? told.error_message : told.error));
      return RecordOutcome::indexed();
    }
    if (!name.ends_with(".api_response")) return RecordOutcome::skipped("telemetry");
    const std::string agent = c.text(told.subagent_id);
    const bool compacts = string_body(told.prompt_id).starts_with("compress") ||
                          string_body(told.response_text).find("<state_snapshot>") != std::string_view::npos;
    if (agent.empty() && !compacts) return RecordOutcome::skipped("repeats_usage");
    // Agents of the program's own ("managed-…") keep no log.
    const bool has_log = !agent.empty() && !agent.starts_with("managed-");
    const ResponsePurpose purpose = compacts  ? ResponsePurpose::compaction
                                    : has_log ? ResponsePurpose::turn
                                              : ResponsePurpose::other;
    c.model = c.text(told.model);
    c.model_of_all = true;
    add_usage(c, integer(told.input_token_count), integer(told.output_token_count),
              integer(told.cached_content_token_count), integer(told.thoughts_token_count), agent, purpose);
    if (has_log && c.emitted()) give_to_agent(c, agent);
    return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("telemetry");
  }

  // Moves the usage to the subagent's session, whose own records tell it without the model.
  void give_to_agent(RecordBuilder& c, std::string_view agent) const {
    Event& e = c.first_event();
    e.session_uid = session_uid_ + std::string(kAgent) + std::string(agent);
    e.event_id = event_key(c.key(), 1);
    e.parent_id.reset();
    if (c.parent) c.out().silent.push_back({session_uid_, c.key(), *c.parent});
  }

  const bool is_meta_;
};

// A path in the configuration is a directory of projects. Stateless, thread-safe.
class QwenAdapter final : public AdapterOf<Decoder> {
 public:
  QwenAdapter()
      : AdapterOf(
            {.platform = Platform::qwen,
             .adapter_version = "1.0.0",
             .data_completeness = DataCompleteness::full,
             .capabilities = all_capabilities_but({Capability::cost, Capability::session_stop}),
             .limitations =
                 {"Chats of Qwen Code before its logs (~/.qwen/tmp, in Gemini CLI's format) are not read.",
                  "Of requests that Qwen Code makes for itself only the tokens are known.",
                  "A response whose record is missing, as after a kill, is only in telemetry, which is not read."},
             .storage_locations = {"~/.qwen/projects", "$QWEN_HOME/projects", "$QWEN_RUNTIME_DIR/projects"},
             .resume_command = {"qwen", "--resume", "{id}"}}) {}  // qwen --help

  std::vector<fs::path> roots(const HomeLayout& home) const override {
    std::vector<fs::path> roots = home.roots_in("QWEN_HOME", ".qwen", "projects");
    const std::vector<fs::path> others = home.places("QWEN_RUNTIME_DIR", home.home / ".qwen");
    if (home.override_roots.empty() && others.size() > 1) roots.insert(roots.begin(), others.front() / "projects");
    return roots;
  }

  std::optional<SourceCandidate> classify(const fs::path& root, const fs::path& file) const override {
    const auto place = place_of(file);
    if (!place || place->project.parent_path() != root) return std::nullopt;
    return SourceCandidate{Platform::qwen, file.string(), place->is_meta ? SourceFormat::json : SourceFormat::jsonl};
  }

  bool looks_into(const fs::path& root, const fs::path& directory) const override {
    const fs::path parent = directory.parent_path();
    if (directory == root || parent == root) return true;
    const fs::path name = directory.filename();
    if (parent.parent_path() == root) return name == "chats" || name == "subagents";
    return parent.filename() == "subagents" && parent.parent_path().parent_path() == root;
  }

  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    const auto place = place_of(source.path);
    return place ? make_session_uid(Platform::qwen, place->session) : std::string();
  }

  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override {
    const auto place = place_of(source.path);
    if (!place || !place->is_meta) return nullptr;
    return std::make_unique<snapshot::SingleDocument>(files, source.path,
                                                      make_session_uid(Platform::qwen, place->session));
  }
};

}  // namespace

}  // namespace memd::qwen

MEMD_ADAPTER(qwen, qwen::QwenAdapter())
