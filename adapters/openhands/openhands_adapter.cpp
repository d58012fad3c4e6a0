#include "adapters/json/content.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/json/record_builder.hpp"
#include "adapters/names.hpp"
#include "adapters/openhands/conversation_reader.hpp"
#include "adapters/registry.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/base/time.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <array>
#include <utility>

// OpenHands CLI and its SDK: a folder for each conversation, <conversations>/<32 digits>/ (conversation_reader.hpp).
// Events: OpenHands/software-agent-sdk, openhands-sdk/openhands/sdk/event, 1471ee15; seen on disk, CLI 1.16.0,
// SDK 1.21.
namespace memd::openhands {
namespace {

namespace fs = std::filesystem;
using namespace json;  // NOLINT(google-build-using-namespace): the whole file reads JSON

MEMD_KEYS(ItemKeys, cwd, model, cost, parentID, usage, event, damaged);
MEMD_KEYS(EventKeys, id, timestamp, source, kind, reasoning_content, tool_name, tool_call_id, tool_call, action,
          llm_response_id, error, rejection_reason, summary, forgotten_event_ids, code, detail, reason, title, status,
          tool_kind, raw_input, raw_output, is_error);
MEMD_KEYS(ObservationKeys, is_error, exit_code, timeout);
MEMD_KEYS(UsageKeys, prompt_tokens, completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens);

constexpr std::array kSkipped{
    Reason{"system_prompt", Names("SystemPromptEvent")},
    Reason{"bookkeeping", Names("ConversationStateUpdateEvent CondensationRequest HookExecutionEvent")},
    Reason{"repeated", Names("CondensationSummaryEvent TokenEvent LLMCompletionLogEvent StreamingDeltaEvent")}};

constexpr std::string_view kFinish = "finish";  // the tool with whose message the agent ends

std::optional<FileAccess> reads_file(std::string_view tool) {
  if (tool == "file_editor") return FileAccess::read;
  if (tool == "glob" || tool == "grep") return FileAccess::referenced;
  return std::nullopt;
}

std::optional<FileAccess> changes_file(std::string_view tool) {
  return tool == "file_editor" ? std::optional(FileAccess::modified) : reads_file(tool);
}

class Decoder final : public KeyedDecoder<ItemKeys> {
 public:
  Decoder(const Source& source, Detail detail)
      : KeyedDecoder(Platform::openhands, source.session_uid, detail, {.strict = true, .items = true}) {}

 protected:
  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override {
    RecordBuilder c(Platform::openhands, session_uid_, raw, detail_, out);
    if (is_true(keys_.damaged)) {
      c.diagnose(DiagnosticType::damaged_record);
      return RecordOutcome::skipped("damaged", "(damaged)");
    }
    if (raw.offset == 0) return read_head(c);
    od::object event;
    EventKeys keys;
    if (!seek_object(root, "event", event) || !collect(event, keys)) return RecordOutcome::damaged();
    // Written without an offset.
    c.time = parse_local_time(string_body(keys.timestamp)).value_or(0);
    c.identify(c.text(keys.id));
    const auto kind = string_body(keys.kind);
    RecordOutcome outcome = read_event(c, kind, event, keys);
    if (!outcome.broken && keys_.usage.starts_with('{')) {
      read_usage(c, root, kind, keys);
      if (c.emitted()) outcome = RecordOutcome::indexed();
    }
    return c.finish(std::move(outcome), kind);
  }

 private:
  RecordOutcome read_head(RecordBuilder& c) const {
    if (c.session_uid().empty()) return RecordOutcome::indexed("base_state");
    SessionUpdate& session = c.add_session();
    session.cwd = c.text(keys_.cwd);
    session.model = c.text(keys_.model);
    session.cost_usd = fraction(keys_.cost);
    if (is_string(keys_.parentID)) {
      session.kind = SessionKind::subagent;
      session.parent_uid = make_session_uid(Platform::openhands, c.text(keys_.parentID));
    }
    return RecordOutcome::indexed("base_state");
  }

  RecordOutcome read_event(RecordBuilder& c, std::string_view kind, od::object& event, const EventKeys& keys) const {
    if (const auto reason = reason_for(kSkipped, kind); !reason.empty()) return RecordOutcome::skipped(reason);
    if (c.time == 0 || !is_string(keys.id)) {
      c.diagnose(DiagnosticType::missing_field, {"id", "timestamp"});
      return RecordOutcome::unknown("no_id_or_time");
    }
    if (kind == "MessageEvent") return read_message(c, event, keys);
    if (kind == "ActionEvent") return read_action(c, event, keys);
    if (kind == "ObservationEvent") return read_observation(c, event, keys);
    if (kind == "AgentErrorEvent" || kind == "UserRejectObservation") return read_refusal(c, keys);
    if (kind == "ACPToolCallEvent") return read_foreign_call(c, event, keys);
    if (kind == "Condensation") {
      c.add_compaction("condensed", c.text(keys.summary));
    } else if (kind == "ConversationErrorEvent") {
      c.add_error(c.text(keys.code) + ": " + c.text(keys.detail));
    } else if (kind == "PauseEvent" || kind == "InterruptEvent") {
      c.add_lifecycle("interrupt", one_line(c.text(keys.reason), 80));
    } else {
      c.diagnose(DiagnosticType::unknown_record_type, {"kind"});
      return RecordOutcome::unknown("unknown_type");
    }
    return RecordOutcome::indexed();
  }

  static void read_thinking(RecordBuilder& c, od::object& holder, std::string_view reasoning) {
    ContentText blocks = read_content(c, holder, "thinking_blocks");
    c.add_said(EventKind::thinking, blocks.thoughts.empty() ? c.text(reasoning) : std::move(blocks.thoughts));
  }

  static RecordOutcome read_message(RecordBuilder& c, od::object& event, const EventKeys& keys) {
    od::object message;
    if (!seek_object(event, "llm_message", message)) {
      c.diagnose(DiagnosticType::missing_field, {"llm_message"});
      return RecordOutcome::unknown("no_content");
    }
    ContentText content = read_content(c, message);
    const auto source = string_body(keys.source);
    if (source == "agent") {
      read_thinking(c, message, token_in(event, "llm_message", "reasoning_content"));
      c.add_said(EventKind::assistant_msg, std::move(content.text));
    } else if (source != "user") {
      c.add_injected("message", std::move(content.text));
    } else if (!content.is_blank()) {
      const bool command = trimmed(content.text).starts_with('/');
      add_prompt(c, std::move(content), command ? Origin::command : Origin::typed);
    }
    read_added(c, event);
    return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message");
  }

  // What skills put behind a message or a result.
  static void read_added(RecordBuilder& c, od::object& event) {
    if (ContentText added = read_content(c, event, "extended_content"); !added.text.empty())
      c.add_injected("context", std::move(added.text));
  }

  static RecordOutcome read_action(RecordBuilder& c, od::object& event, const EventKeys& keys) {
    read_thinking(c, event, keys.reasoning_content);
    c.add_said(EventKind::assistant_msg, read_content(c, event, "thought").text);
    const std::string arguments = c.text(token_in(event, "tool_call", "arguments"));
    if (string_body(keys.tool_name) == kFinish) {
      c.add_said(EventKind::assistant_msg, inner_text(arguments, "message"));
      return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message");
    }
    Event& call = c.add(EventKind::tool_call, Role::assistant);
    call.tool = c.text(keys.tool_name);
    call.call_id = c.text(keys.tool_call_id);
    const std::string command = inner_text(arguments, "command");
    const bool edits = call.tool == "file_editor" && command != "view";
    tool_calls::read_tool_input_text(c, arguments, edits ? changes_file : reads_file, call);
    if (call.tool == "file_editor" && !call.files.empty())
      call.summary = call.tool + " " + command + " " + one_line(call.files.front().path, 200);
    if (edits && c.detail() == Detail::stored) tool_calls::add_edits(arguments, call);
    return RecordOutcome::indexed();
  }

  static std::string inner_text(std::string_view arguments, std::string_view key) {
    InnerJson inner;
    od::value value;
    if (!inner.open(arguments) || !seek(inner.root, key, value)) return {};
    return TextReader().text(token_of(value));
  }

  static Event& add_result(RecordBuilder& c, const EventKeys& keys, std::string text, bool failed) {
    Event& e = tool_calls::add_result(c, c.text(keys.tool_call_id), std::move(text), failed);
    e.tool = c.text(keys.tool_name);
    return e;
  }

  static RecordOutcome read_observation(RecordBuilder& c, od::object& event, const EventKeys& keys) {
    if (string_body(keys.tool_name) == kFinish) return RecordOutcome::skipped("repeated");
    od::object observation;
    ObservationKeys told;
    if (!seek_object(event, "observation", observation) || !collect(observation, told)) {
      c.diagnose(DiagnosticType::missing_field, {"observation"});
      return RecordOutcome::unknown("no_content");
    }
    ContentText content = read_content(c, observation);
    const std::int64_t code = integer(told.exit_code);
    Event& e = add_result(c, keys, std::move(content.text), is_true(told.is_error) || code != 0);
    e.summary = is_true(told.timeout) || code == -1 ? std::string(kInterruptedMark) : std::move(content.marks);
    if (is_number(told.exit_code)) e.facts.exit_code = static_cast<std::int32_t>(code);
    read_added(c, event);
    return RecordOutcome::indexed();
  }

  static RecordOutcome read_refusal(RecordBuilder& c, const EventKeys& keys) {
    const bool rejected = is_string(keys.rejection_reason);
    Event& e = add_result(c, keys, c.text(rejected ? keys.rejection_reason : keys.error), true);
    if (rejected) e.summary = kRejectedMark;
    return RecordOutcome::indexed();
  }

  // A call of another agent that OpenHands drives, told again with each change of its state.
  static RecordOutcome read_foreign_call(RecordBuilder& c, od::object& event, const EventKeys& keys) {
    const auto status = string_body(keys.status);
    if (status != "completed" && status != "failed") return RecordOutcome::skipped("progress");
    Event& call = c.add(EventKind::tool_call, Role::assistant);
    call.tool = c.text(is_string(keys.tool_kind) ? keys.tool_kind : keys.title);
    call.call_id = c.text(keys.tool_call_id);
    call.summary = call.tool + ": " + one_line(c.text(keys.title), 200);
    od::value value;
    if (seek(event, "raw_input", value) && keys.raw_input.starts_with('{') &&
        !tool_calls::read_tool_input(c, value, reads_file, call))
      return RecordOutcome::damaged();
    std::string output;
    if (seek(event, "raw_output", value) && !append_texts(c, value, output)) return RecordOutcome::damaged();
    add_result(c, keys, std::move(output), is_true(keys.is_error) || status == "failed");
    return RecordOutcome::indexed();
  }

  void read_usage(RecordBuilder& c, od::object& root, std::string_view kind, const EventKeys& keys) const {
    UsageKeys told;
    if (!collect_in(root, "usage", told)) return;
    TokenUsage usage{integer(told.prompt_tokens), integer(told.completion_tokens), integer(told.cache_read_tokens),
                     integer(told.cache_write_tokens)};
    usage.input = std::max<std::int64_t>(usage.input - usage.cache_read - usage.cache_creation, 0);
    usage.reasoning = std::clamp<std::int64_t>(integer(told.reasoning_tokens), 0, usage.output);
    ResponseFacts facts;
    if (kind == "Condensation") facts.purpose = ResponsePurpose::compaction;
    // Some servers number their responses anew in each process.
    c.add_usage(usage, record_key(Platform::openhands, session_uid_ + "/" + unescaped(keys.llm_response_id)), facts);
  }
};

// A path in the configuration is a directory of conversations. Stateless, thread-safe.
class OpenhandsAdapter final : public AdapterOf<Decoder> {
 public:
  OpenhandsAdapter()
      : AdapterOf({.platform = Platform::openhands,
                   .adapter_version = "1.0.0",
                   .data_completeness = DataCompleteness::partial,
                   .capabilities = all_capabilities_but({Capability::session_stop, Capability::git_branch}),
                   .limitations =
                       {"OpenHands writes times without an offset; memd takes them as times of its own time zone.",
                        "Costs are known for each conversation, not for each response.",
                        "Titles, git branches and the end of a session are not stored.",
                        "Conversations of OpenHands' cloud and of agent servers in containers are not on this disk.",
                        "Compactions and interrupts were read from the public source, not seen."},
                   .storage_locations = {"~/.openhands/conversations", "$OPENHANDS_PERSISTENCE_DIR/conversations",
                                         "$OPENHANDS_CONVERSATIONS_DIR"},
                   .resume_command = {"openhands", "--resume", "{id}"}}) {}  // openhands --help, 1.16

  std::vector<fs::path> roots(const HomeLayout& home) const override {
    std::vector<fs::path> roots = home.override_roots;
    if (!roots.empty()) return roots;
    for (const auto& place : home.places("OPENHANDS_PERSISTENCE_DIR", home.home / ".openhands"))
      for (auto& folder : home.places("OPENHANDS_CONVERSATIONS_DIR", place / "conversations"))
        if (std::find(roots.begin(), roots.end(), folder) == roots.end()) roots.push_back(std::move(folder));
    return roots;
  }

  std::optional<SourceCandidate> classify(const fs::path& root, const fs::path& file) const override {
    const std::string name = file.filename().string();
    fs::path folder = file.parent_path();
    if (folder.filename() == "events" && event_number(name))
      folder = folder.parent_path();
    else if (name != kStateName)
      return std::nullopt;
    if (!is_conversation(root, folder)) return std::nullopt;
    return SourceCandidate{Platform::openhands, (folder / kStateName).string(), SourceFormat::json};
  }

  bool looks_into(const fs::path& root, const fs::path& directory) const override {
    const bool is_inner = directory.filename() == "events" || directory.filename() == kSubagents;
    return directory == root || is_conversation(root, is_inner ? directory.parent_path() : directory);
  }

  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    return make_session_uid(Platform::openhands, fs::path(source.path).parent_path().filename().string());
  }

  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override {
    return open_conversation(files, fs::path(source.path).parent_path().string());
  }

 private:
  static bool is_conversation(const fs::path& root, const fs::path& folder) {
    const fs::path above = folder.parent_path();
    return above == root || (above.filename() == kSubagents && is_conversation(root, above.parent_path()));
  }
};

}  // namespace

}  // namespace memd::openhands

MEMD_ADAPTER(openhands, openhands::OpenhandsAdapter())
