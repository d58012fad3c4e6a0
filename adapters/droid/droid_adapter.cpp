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

#include <utility>

// Factory droid (seen on disk, 0.215.0; its source is closed, and so are compaction_state, todo_state and the links of
// subagents from the strings of the program). Below sessions/<working directory>, before 0.2x sessions/ itself:
//
//   <session>.jsonl          a log: session_start, then messages with blocks as Anthropic's, a chain by parentId
//   <session>.settings.json  model, and the tokens of the whole session; no message tells its own
//
// A subagent has a session of its own, which names the session and the call that started it.
namespace memd::droid {
namespace {

namespace fs = std::filesystem;
using namespace json;  // NOLINT(google-build-using-namespace): the whole file reads JSON

MEMD_KEYS(Record, type, id, parentId, timestamp, title, cwd, isSessionTitleManuallySet, parent, callingSessionId,
          callingToolUseId, summaryText, summaryKind, removedCount, reason);
MEMD_KEYS(Message, role, modelId, visibility);
MEMD_KEYS(Block, type, text, thinking, id, name, tool_use_id, is_error);
MEMD_KEYS(Tokens_, inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens, thinkingTokens);
MEMD_KEYS(Settings, model, providerLockTimestamp);

constexpr std::string_view kSettingsEnd = ".settings.json";
constexpr std::string_view kContextId = "context-";  // of the message with the reminders at the start

constexpr tool_calls::ToolAccess access_of{Names("Read"), Names("Edit MultiEdit Create Write ApplyPatch"),
                                           Names("Grep Glob LS")};

// "memd___search" is the tool "search" of the server "memd".
std::string tool_name(std::string name) {
  const auto between = name.find("___");
  if (between == std::string::npos || between == 0) return name;
  return "mcp__" + name.substr(0, between) + "__" + name.substr(between + 3);
}

// Models of the user's own are "custom:<name>-<number>".
std::string model_name(std::string name) {
  constexpr std::string_view kOwn = "custom:";
  if (!name.starts_with(kOwn)) return name;
  const auto number = name.rfind('-');
  return name.substr(kOwn.size(), number == std::string::npos ? number : number - kOwn.size());
}

bool is_reminder(std::string_view text) {
  text = trimmed(text);
  return text.starts_with("<system-reminder>") && text.ends_with("</system-reminder>");
}

// Returns the id of the session in a file's name; empty: it is no file of a session.
std::string session_id(const fs::path& file) {
  const std::string name = file.filename().string();
  if (name.ends_with(kSettingsEnd)) return name.substr(0, name.size() - kSettingsEnd.size());
  return file.extension() == ".jsonl" ? file.stem().string() : std::string();
}

class Decoder final : public KeyedDecoder<Record> {
 public:
  Decoder(const Source& source, Detail detail)
      : KeyedDecoder(Platform::droid, source.session_uid, detail, {.items = source.path.ends_with(kSettingsEnd)}),
        is_settings_(source.path.ends_with(kSettingsEnd)) {}

 protected:
  bool surely_a_record() const override { return is_string(keys_.type) && is_string(keys_.id); }

  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override {
    RecordBuilder c(Platform::droid, session_uid_, raw, detail_, out);
    if (is_settings_) return c.finish(read_settings(c, root), "settings");
    c.time = parse_stamp(string_body(keys_.timestamp)).value_or(0);
    c.identify(is_string(keys_.id) ? c.text(keys_.id) : session_uid_ + "@" + std::to_string(raw.offset));
    const auto type = string_body(keys_.type);
    if (type == "message" && is_string(keys_.id))
      c.parent = is_string(keys_.parentId) ? record_key(Platform::droid, c.text(keys_.parentId)) : 0;
    return c.finish(read_type(type, c, root), type);
  }

 private:
  RecordOutcome read_type(std::string_view type, RecordBuilder& c, od::object& root) const {
    if (type == "session_start") return read_session(c);
    if (type == "agent_turn_outcome") return RecordOutcome::skipped("turn_marker");
    if (type == "session_end") return RecordOutcome::skipped("turn_marker");
    if (type != "message" && type != "compaction_state" && type != "todo_state") {
      c.diagnose(DiagnosticType::unknown_record_type, {"type"});
      return RecordOutcome::unknown("unknown_type");
    }
    if (c.time == 0) {
      c.diagnose(DiagnosticType::missing_field, {"timestamp"});
      return RecordOutcome::unknown("no_time");
    }
    if (type == "todo_state") return RecordOutcome::skipped("repeats_call");
    if (type == "message") return read_message(c, root);
    c.add_compaction(std::to_string(integer(keys_.removedCount)) + " messages removed, " + c.text(keys_.summaryKind),
                     c.text(keys_.summaryText));
    return RecordOutcome::indexed();
  }

  RecordOutcome read_session(RecordBuilder& c) const {
    SessionUpdate& session = c.add_session();
    session.cwd = c.text(keys_.cwd);
    session.title = one_line(c.text(keys_.title), 300);
    if (session.title == "New Session") session.title.clear();
    if (!session.title.empty())
      session.title_rank = is_true(keys_.isSessionTitleManuallySet) ? TitleRank::custom : TitleRank::ai;
    if (is_string(keys_.callingSessionId)) {
      session.kind = SessionKind::subagent;
      session.parent_uid = make_session_uid(Platform::droid, c.text(keys_.callingSessionId));
      session.parent_call_id = c.text(keys_.callingToolUseId);
    } else if (is_string(keys_.parent)) {
      session.forked_from = make_session_uid(Platform::droid, c.text(keys_.parent));
    }
    return RecordOutcome::indexed();
  }

  static RecordOutcome read_settings(RecordBuilder& c, od::object& root) {
    Settings settings;
    Tokens_ tokens;
    if (!collect(root, settings)) return RecordOutcome::damaged();
    const std::string model = model_name(c.text(settings.model));
    SessionUpdate& session = c.add_session();
    session.model = model;
    if (!collect_in(root, "tokenUsage", tokens)) return RecordOutcome::indexed();
    const std::int64_t output = integer(tokens.outputTokens);
    const TokenUsage used{integer(tokens.inputTokens),         output, integer(tokens.cacheReadTokens),
                          integer(tokens.cacheCreationTokens), 0,      integer(tokens.thinkingTokens)};
    if (used.total() > 0)
      session.account.push_back(
          {model, 0, parse_stamp(string_body(settings.providerLockTimestamp)).value_or(0), used, 0, 0});
    return RecordOutcome::indexed();
  }

  RecordOutcome read_message(RecordBuilder& c, od::object& root) const {
    od::object object;
    Message message;
    if (!seek_object(root, "message", object) || !collect(object, message)) {
      c.diagnose(DiagnosticType::missing_field, {"message"});
      return RecordOutcome::unknown("no_content");
    }
    c.model = model_name(c.text(message.modelId));
    const auto role = string_body(message.role);
    if (role != "user" && role != "assistant") {
      c.diagnose(DiagnosticType::unknown_field_value, {"message.role"});
      return RecordOutcome::unknown("unknown_role");
    }
    ContentText said;  // of the user
    bool unknown = false;
    bool reminders = false;
    for_each_block<Block>(object, "content", [&](const Block& block, od::object& inner) {
      const auto type = string_body(block.type);
      if (type == "text" && role == "user") {
        std::string text = c.text(block.text);
        if (is_reminder(text))
          reminders = true;
        else
          said.text.append(said.text.empty() ? "" : "\n").append(text);
      } else if (type == "text" || type == "thinking") {
        const bool thought = type == "thinking";
        c.add_said(thought ? EventKind::thinking : EventKind::assistant_msg,
                   c.text(thought ? block.thinking : block.text));
      } else if (type == "tool_use") {
        tool_calls::add_call(c, tool_name(c.text(block.name)), c.text(block.id), inner, "input", access_of);
      } else if (type == "tool_result") {
        read_result(c, block, inner);
      } else if (type == "image" || type == "document") {
        append_mark(said.marks, read_media(c, type, inner));
      } else if (type != "redacted_thinking") {
        unknown = true;
      }
    });
    if (string_body(keys_.id).starts_with(kContextId) && trimmed(said.text).empty())
      return RecordOutcome::skipped("injected_text");
    if (role == "user" && !said.is_blank()) add_prompt(c, std::move(said), Origin::typed);
    if (unknown) {
      c.diagnose(DiagnosticType::unknown_field_value, {"message.content.type"});
      return RecordOutcome::unknown("unknown_block");
    }
    if (c.emitted()) return RecordOutcome::indexed();
    return RecordOutcome::skipped(reminders ? "injected_text" : "blank_message");
  }

  static void read_result(RecordBuilder& c, const Block& block, od::object& object) {
    ContentText content = read_content(c, object, "content");
    const auto exit_code = tool_calls::exit_code_behind("[Process exited with code ", content.text);
    std::string choices = tool_calls::choices_in({}, {}, content.text);
    Event& e = tool_calls::add_result(c, c.text(block.tool_use_id), std::move(content.text), is_true(block.is_error));
    e.summary = std::move(content.marks);
    e.facts.exit_code = exit_code;
    tool_calls::add_choices(c, std::string(e.call_id), std::move(choices));
  }

  const bool is_settings_;
};

// A path in the configuration is a directory of sessions. Stateless, thread-safe.
class DroidAdapter final : public AdapterOf<Decoder> {
 public:
  DroidAdapter()
      : AdapterOf(
            {.platform = Platform::droid,
             .adapter_version = "1.0.0",
             .data_completeness = DataCompleteness::full,
             .capabilities = all_capabilities_but({Capability::cost, Capability::session_stop, Capability::git_branch}),
             .limitations =
                 {"droid stores no git branch, and a working directory only for each session.",
                  "droid counts tokens for a whole session, not for each response: they are its account, on the "
                  "day of its first request; if its model was changed, under both.",
                  "The program's version is not in its files.",
                  "Compactions, task lists, subagents and answers to questions are read as the program's strings "
                  "describe them; none was seen on disk."},
             .storage_locations = {"~/.factory/sessions"},
             .resume_command = {"droid", "--resume", "{id}"}}) {}  // docs/reference/cli-reference of Factory-AI/factory

  std::vector<fs::path> roots(const HomeLayout& home) const override {
    if (!home.override_roots.empty()) return home.override_roots;
    return {home.home / ".factory" / "sessions"};
  }

  std::optional<SourceCandidate> classify(const fs::path& root, const fs::path& file) const override {
    const bool placed = file.parent_path() == root || file.parent_path().parent_path() == root;
    if (!placed || session_id(file).empty()) return std::nullopt;
    const bool log = file.extension() == ".jsonl";
    return SourceCandidate{Platform::droid, file.string(), log ? SourceFormat::jsonl : SourceFormat::json};
  }

  bool looks_into(const fs::path& root, const fs::path& directory) const override {
    return directory == root || directory.parent_path() == root;
  }

  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    return make_session_uid(Platform::droid, session_id(source.path));
  }

  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override {
    if (!source.path.ends_with(kSettingsEnd)) return nullptr;
    return std::make_unique<snapshot::SingleDocument>(files, source.path,
                                                      make_session_uid(Platform::droid, session_id(source.path)));
  }
};

}  // namespace

}  // namespace memd::droid

MEMD_ADAPTER(droid, droid::DroidAdapter())
