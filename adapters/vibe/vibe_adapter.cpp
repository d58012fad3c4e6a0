#include "adapters/json/content.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/json/record_builder.hpp"
#include "adapters/registry.hpp"
#include "adapters/tool_calls/choices.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "adapters/vibe/session_reader.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <utility>

// Mistral Vibe: a folder for each session in <home>/logs/session/unified (session_reader.hpp). Format: seen on disk,
// 3.0.2; public source: mistralai/mistral-vibe ("mistral.vibe.unified-session-store/v1").
namespace memd::vibe {
namespace {

namespace fs = std::filesystem;
using namespace json;  // NOLINT(google-build-using-namespace): the whole file reads JSON

MEMD_KEYS(ItemKeys, entry, summary, id, time, cwd, branch, model, title, named, parentID, session);
MEMD_KEYS(SessionKeys, id, rootSessionId, parentSessionId, createdAt, updatedAt);
MEMD_KEYS(TokenKeys, inputTokens, outputTokens, cachedInputTokens, totalTokens);
MEMD_KEYS(EntryKeys, id, type, role, source, kind, createdAt, generationStatus, text, message);
MEMD_KEYS(StateKeys, status, outputText, decision, error);
MEMD_KEYS(ResultKeys, stdout_, stderr_, returncode, timed_out, content);

std::string_view plain_name(std::string_view tool) {
  for (const std::string_view group : {"file_system.", "ui."})
    if (tool.starts_with(group)) return tool.substr(group.size());
  return tool;
}

constexpr tool_calls::ToolAccess access_of{Names("read_file"), Names("write_file search_replace edit"),
                                           Names("grep glob list_dir")};

class Decoder final : public KeyedDecoder<ItemKeys> {
 public:
  Decoder(const Source& source, Detail detail)
      : KeyedDecoder(Platform::vibe, source.session_uid, detail, {.strict = true, .items = true}) {}

 protected:
  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override {
    RecordBuilder c(Platform::vibe, session_uid_, raw, detail_, out);
    if (raw.offset == 0) return read_head(c, root);
    od::object entry;
    if (is_string(keys_.summary)) {
      c.time = integer(keys_.time);
      c.identify("summary/" + c.text(keys_.id));
      c.add_injected("compact_summary", c.text(keys_.summary));
      return c.finish(RecordOutcome::indexed(), "summary");
    }
    EntryKeys keys;
    if (!seek_object(root, "entry", entry) || !collect(entry, keys)) return RecordOutcome::damaged();
    c.time = integer(keys.createdAt);
    c.identify(c.text(keys.id));
    const auto type = string_body(keys.type);
    return c.finish(read_entry(c, type, entry, keys), type);
  }

 private:
  RecordOutcome read_head(RecordBuilder& c, od::object& root) const {
    if (c.session_uid().empty()) return RecordOutcome::indexed("session");
    SessionUpdate& update = c.add_session();
    update.cwd = c.text(keys_.cwd);
    update.git_branch = c.text(keys_.branch);
    update.model = c.text(keys_.model);
    update.title = c.text(keys_.title);
    if (!update.title.empty()) update.title_rank = is_true(keys_.named) ? TitleRank::custom : TitleRank::ai;
    od::object session;
    SessionKeys told;
    const bool has_state = seek_object(root, "session", session) && collect(session, told);
    const auto parent_id = is_string(keys_.parentID) ? keys_.parentID : told.parentSessionId;
    if (const std::string parent = c.text(parent_id); !parent.empty()) {
      // A subagent belongs to its root. Others go on from an earlier session.
      const bool is_subagent = is_string(told.rootSessionId) && told.rootSessionId != told.id;
      if (is_subagent) update.kind = SessionKind::subagent;
      (is_subagent ? update.parent_uid : update.forked_from) = make_session_uid(Platform::vibe, parent);
    }
    if (!has_state) return RecordOutcome::indexed("session");
    update.started_at = integer(told.createdAt);
    update.ended_at = integer(told.updatedAt);
    TokenKeys tokens;
    if (collect_in(session, "contextUsage", tokens)) update.context_tokens = integer(tokens.totalTokens);
    if (collect_in(session, "tokenUsage", tokens) && integer(tokens.totalTokens) > 0) {
      ModelAccount& account = update.account.emplace_back();
      account.model = update.model;
      account.counted_from = update.started_at;
      account.time = update.ended_at;
      account.tokens.cache_read = integer(tokens.cachedInputTokens);
      account.tokens.input = std::max<std::int64_t>(integer(tokens.inputTokens) - account.tokens.cache_read, 0);
      account.tokens.output = integer(tokens.outputTokens);
    }
    return RecordOutcome::indexed("session");
  }

  RecordOutcome read_entry(RecordBuilder& c, std::string_view type, od::object& entry, const EntryKeys& keys) const {
    if (c.time == 0 || !is_string(keys.id)) {
      c.diagnose(DiagnosticType::missing_field, {"id", "createdAt"});
      return RecordOutcome::unknown("no_id_or_time");
    }
    if (type == "message") return read_message(c, entry, keys);
    if (type == "effect") return read_effect(c, entry);
    if (type == "reasoning") {
      return c.add_said(EventKind::thinking, c.text(keys.text)) ? RecordOutcome::indexed()
                                                                : RecordOutcome::skipped("blank_message");
    }
    if (type == "checkpoint") {
      const auto trigger = string_body(token_in(entry, "details", "trigger"));
      if (string_body(keys.kind) == "compaction")
        c.add_lifecycle("compaction", trigger == "automatic" ? "auto" : trigger);
      else
        c.add_lifecycle("checkpoint", one_line(c.text(keys.message), 80));
      return RecordOutcome::indexed();
    }
    c.diagnose(DiagnosticType::unknown_record_type, {"type"});
    return RecordOutcome::unknown("unknown_type");
  }

  static RecordOutcome read_message(RecordBuilder& c, od::object& entry, const EntryKeys& keys) {
    ContentText content = read_content(c, entry);
    if (content.is_blank()) return RecordOutcome::skipped("blank_message");
    const auto role = string_body(keys.role);
    if (role == "assistant") {
      c.add_said(EventKind::assistant_msg, std::move(content.text));
      if (string_body(keys.generationStatus) == "interrupted") c.add_lifecycle("interrupt");
    } else if (role == "user" && string_body(keys.source) != "harness") {
      const bool command = trimmed(content.text).starts_with('/');
      add_prompt(c, std::move(content), command ? Origin::command : Origin::typed);
    } else if (role == "user" || role == "context") {
      c.add_injected("context", std::move(content.text));
    } else {
      c.diagnose(DiagnosticType::unknown_field_value, {"role"});
      return RecordOutcome::unknown("unknown_role");
    }
    return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message");
  }

  // A tool call and its result, if that is there.
  RecordOutcome read_effect(RecordBuilder& c, od::object& entry) const {
    od::object detail;
    EntryKeys keys;
    if (!collect(entry, keys)) return RecordOutcome::damaged();
    const std::string id = c.text(keys.id);
    const std::string tool(plain_name(c.text(token_in(entry, "detail", "toolName"))));
    if (const std::string child = c.text(token_in(entry, "detail", "childSessionId")); !child.empty())
      c.add_subagent(make_session_uid(Platform::vibe, child), id, c.time);
    if (!seek_object(entry, "detail", detail)) detail = entry;  // an effect without a detail has no input either
    if (!tool_calls::add_call(c, tool, id, detail, "input", access_of)) return RecordOutcome::damaged();
    StateKeys state;
    if (!collect_in(entry, "state", state)) return RecordOutcome::indexed();
    const auto status = string_body(state.status);
    if (status == "running" || status == "pending") return RecordOutcome::indexed();
    ResultKeys told;
    std::string output = read_output(c, entry, state, told);
    std::string choices = tool_calls::choices_in(tool, {}, output);
    Event& result = tool_calls::add_result(c, id, std::move(output));
    result.tool = tool;
    if (is_number(told.returncode)) result.facts.exit_code = static_cast<std::int32_t>(integer(told.returncode));
    result.is_error = status != "completed" || result.facts.exit_code.value_or(0) != 0;
    if (const auto decision = string_body(state.decision); !decision.empty() && decision != "execute")
      result.summary = kRejectedMark;
    if (is_true(told.timed_out) || status == "cancelled" || status == "interrupted") result.summary = kInterruptedMark;
    tool_calls::add_choices(c, id, std::move(choices));
    return RecordOutcome::indexed();
  }

  static std::string read_output(RecordBuilder& c, od::object& entry, const StateKeys& keys, ResultKeys& told) {
    std::string out = c.text(keys.outputText);
    od::object state;
    od::object output;
    od::object structured;
    if (!seek_object(entry, "state", state)) return out;
    if (is_string(keys.error)) c.append_text(keys.error, out);
    if (out.empty()) c.append_text(token_in(state, "error", "message"), out);
    if (!seek_object(state, "output", output)) return out;
    if (out.empty()) out = read_content(c, output).text;
    if (!seek_object(output, "structured_content", structured) || !collect(structured, told)) return out;
    if (!out.empty()) return out;
    for (const auto token : {told.stdout_, told.stderr_, told.content})
      c.append_text(token, out);
    std::string_view raw;
    if (out.empty() && told.stdout_.empty() && restart(structured) && !structured.raw_json().get(raw))
      out = trimmed(raw);
    return out;
  }
};

// A path in the configuration is a directory of sessions. Stateless, thread-safe.
class VibeAdapter final : public AdapterOf<Decoder> {
 public:
  VibeAdapter()
      : AdapterOf({.platform = Platform::vibe,
                   .adapter_version = "1.0.0",
                   .data_completeness = DataCompleteness::partial,
                   .capabilities = all_capabilities_but({Capability::session_stop, Capability::cost}),
                   .limitations =
                       {"Tokens are known for each session, not for each response.",
                        "Of several compactions the disk has the last summary: the others are known if memd read them.",
                        "The branch is the one at the start of the session.",
                        "Requests that run a program (run_typescript) are missing in Vibe's own sum.",
                        "Sessions of versions before 3 (session_*/messages.jsonl) are not read.",
                        "Sessions that go on from another were not seen."},
                   .storage_locations = {"~/.vibe/logs/session/unified", "$VIBE_HOME/logs/session/unified"},
                   .resume_command = {"vibe", "--resume", "{id}"}}) {}  // vibe --help, 3.0

  std::vector<fs::path> roots(const HomeLayout& home) const override {
    return home.roots_in("VIBE_HOME", ".vibe", "logs/session/unified");
  }

  std::optional<SourceCandidate> classify(const fs::path& root, const fs::path& file) const override {
    const fs::path relative = file.lexically_relative(root);
    const auto parts = std::distance(relative.begin(), relative.end());
    if (parts < 2 || *relative.begin() == "..") return std::nullopt;
    const std::string id = relative.begin()->string();
    if (id.starts_with('.')) return std::nullopt;
    return SourceCandidate{Platform::vibe, (root / id / kCurrent).string(), SourceFormat::json};
  }

  // What is written into the other folders is followed by a change of CURRENT.
  bool looks_into(const fs::path& root, const fs::path& directory) const override {
    const fs::path above = directory.parent_path();
    return directory == root || above == root || (above.parent_path() == root && directory.filename() == "journal");
  }

  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    return make_session_uid(Platform::vibe, fs::path(source.path).parent_path().filename().string());
  }

  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override {
    return open_session(files, fs::path(source.path).parent_path().string());
  }
};

}  // namespace

}  // namespace memd::vibe

MEMD_ADAPTER(vibe, vibe::VibeAdapter())
