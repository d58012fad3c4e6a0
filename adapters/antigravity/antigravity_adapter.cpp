#include "adapters/json/json_writer.hpp"
#include "adapters/json/log_decoder.hpp"
#include "adapters/json/record_builder.hpp"
#include "adapters/json/value_scanner.hpp"
#include "adapters/names.hpp"
#include "adapters/registry.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/base/stamp.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <array>
#include <utility>

// Google Antigravity, the editor and the command line: a log for each conversation,
// ~/.gemini/antigravity{,-ide,-cli}/brain/<conversation id>/.system_generated/logs/transcript.jsonl. A record is a step
//
//   {"step_index":2,"source":"MODEL","type":"PLANNER_RESPONSE","status":"DONE","created_at":"2026-06-26T21:16:17Z",
//    "thinking":"…","content":"…","tool_calls":[{"name":"list_dir","args":{"DirectoryPath":"\"/home/ada\""}}]}
//
// A call has no id; its result is a step of its own ("RUN_COMMAND"), the calls' in their order behind the response.
// Format: files of versions 1.2 as public readers show them (kenn-io/agentsview internal/parser/antigravity*.go
// @538600744d1b and others).
namespace memd::antigravity {
namespace {

namespace fs = std::filesystem;
using namespace json;  // NOLINT(google-build-using-namespace): the whole file reads JSON

MEMD_KEYS(Step, step_index, source, type, status, created_at, content, thinking, model, usage, input_tokens,
          output_tokens);
MEMD_KEYS(Call, name, args);
MEMD_KEYS(Usage, input_tokens, prompt_token_count, output_tokens, candidates_token_count, cached_content_token_count);

constexpr std::array<Reason, 2> kSkipped{
    Reason{"context", Names("CONVERSATION_HISTORY EPHEMERAL_MESSAGE KNOWLEDGE_ARTIFACTS USER_INFORMATION")},
    Reason{"bookkeeping", Names("TASK_BOUNDARY DUMMY SYSTEM")}};

constexpr Names kUnderWay("RUNNING PENDING GENERATING WAITING IN_PROGRESS");

// The names that the other agents give to these arguments.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kArguments{
    {{"CommandLine", "command"},
     {"Cwd", "cwd"},
     {"AbsolutePath", "file_path"},
     {"TargetFile", "file_path"},
     {"File", "file_path"},
     {"DirectoryPath", "path"},
     {"SearchDirectory", "path"},
     {"SearchPath", "path"},
     {"Pattern", "pattern"},
     {"Query", "query"},
     {"Url", "url"},
     {"CodeContent", "content"},
     {"TargetContent", "old_string"},
     {"ReplacementContent", "new_string"},
     {"Instruction", "description"},
     {"Description", "description"}}};

constexpr tool_calls::ToolAccess access_of{Names("view_file view_file_outline view_code_item"),
                                           Names("write_to_file replace_file_content multi_replace_file_content"),
                                           Names("list_dir grep_search find_by_name")};

// Returns the arguments under the usual names. Their values are JSON in strings: "\"/home/ada\"".
std::string plain_arguments(od::object& arguments) {
  ObjectWriter out;
  for_each_field(arguments, [&](std::string_view key, od::value& value) {
    const auto at = std::find_if(kArguments.begin(), kArguments.end(), [&](const auto& a) { return a.first == key; });
    const auto name = at == kArguments.end() ? key : at->second;
    const auto token = token_of(value);
    std::string_view raw;
    std::string text = unescaped(token);
    ValueScanner scanner(text);
    if (is_string(token) && is_string(scanner.value()) && scanner.at() == text.size())
      out.text(name, unescaped(text));
    else if (is_string(token))
      out.text(name, text);
    else if (od::object object; token.starts_with('{') && !value.get_object().get(object))
      out.json(name, object.raw_json().get(raw) ? "null" : raw);
    else if (od::array list; token.starts_with('[') && !value.get_array().get(list))
      out.json(name, list.raw_json().get(raw) ? "null" : raw);
    else
      out.json(name, token);
  });
  return std::move(out).finish();
}

class Decoder final : public KeyedDecoder<Step> {
 public:
  Decoder(const Source& source, Detail detail) : KeyedDecoder(Platform::antigravity, source.session_uid, detail) {}

 protected:
  bool surely_a_record() const override { return is_number(keys_.step_index) && is_string(keys_.type); }

  RecordOutcome read(od::object& root, RawRef raw, EventBatch& out) override {
    RecordBuilder c(Platform::antigravity, session_uid_, raw, detail_, out);
    c.id_is_local = true;
    c.time = parse_stamp(string_body(keys_.created_at)).value_or(0);
    c.identify(session_uid_ + "/" + std::string(keys_.step_index));
    const auto type = string_body(keys_.type);
    return c.finish(read_type(type, c, root), type);
  }

 private:
  RecordOutcome read_type(std::string_view type, RecordBuilder& c, od::object& root) const {
    if (const auto reason = reason_for(kSkipped, type); !reason.empty()) return RecordOutcome::skipped(reason);
    if (c.time == 0 || !is_number(keys_.step_index)) {
      c.diagnose(DiagnosticType::missing_field, {"step_index", "created_at"});
      return RecordOutcome::unknown("no_time");
    }
    if (kUnderWay.has(string_body(keys_.status))) return RecordOutcome::skipped("step_under_way");
    const auto source = string_body(keys_.source);
    if (type == "USER_INPUT" || type == "USER_MESSAGE") return read_prompt(c, root);
    if (type == "PLANNER_RESPONSE" || type == "NOTIFY_USER") return read_response(c, root);
    if (type == "CHECKPOINT") {
      c.add_compaction({}, content_of(c, root));
      return RecordOutcome::indexed();
    }
    if (type == "ERROR_MESSAGE") {
      c.add_error(content_of(c, root));
      return RecordOutcome::indexed();
    }
    if (source == "SYSTEM") {
      c.add_injected("system_message", content_of(c, root));
      return RecordOutcome::indexed();
    }
    if (source == "MODEL") return read_result(type, c, root);
    c.diagnose(DiagnosticType::unknown_record_type, {"type"});
    return RecordOutcome::unknown("unknown_type");
  }

  std::string content_of(RecordBuilder& c, od::object& root) const {
    return is_string(keys_.content) ? c.text(keys_.content) : c.text(token_in(root, "content", "text"));
  }

  RecordOutcome read_prompt(RecordBuilder& c, od::object& root) const {
    constexpr std::string_view kOpen = "<USER_REQUEST>";
    const std::string content = content_of(c, root);
    std::string_view text = content;
    if (const auto begin = text.find(kOpen); begin != std::string_view::npos) {
      text.remove_prefix(begin + kOpen.size());
      text = text.substr(0, text.find("</USER_REQUEST>"));
    }
    text = trimmed(text);
    if (text.empty()) return RecordOutcome::skipped("blank_message");
    c.add_prompt(Origin::typed, std::string(text));
    return RecordOutcome::indexed();
  }

  RecordOutcome read_response(RecordBuilder& c, od::object& root) const {
    c.model = c.text(keys_.model);
    c.add_said(EventKind::thinking, c.text(keys_.thinking));
    c.add_said(EventKind::assistant_msg, content_of(c, root));
    const std::int64_t step = integer(keys_.step_index);
    for_each_object<Call>(root, "tool_calls", [&](const Call& call, od::object& object, std::size_t index) {
      Event& e = c.add(EventKind::tool_call, Role::assistant);
      e.tool = c.text(call.name);
      e.call_id = step_name(step + 1 + static_cast<std::int64_t>(index));
      e.summary = e.tool;
      od::object arguments;
      if (seek_object(object, "args", arguments))
        tool_calls::read_tool_input_text(c, plain_arguments(arguments), access_of, e);
    });
    Usage usage;
    if (!collect_in(root, "usage", usage)) usage = {keys_.input_tokens, {}, keys_.output_tokens, {}, {}};
    const std::int64_t cached = integer(usage.cached_content_token_count);
    const std::int64_t prompt = integer(usage.input_tokens) + integer(usage.prompt_token_count);
    c.add_usage({std::max<std::int64_t>(0, prompt - cached),
                 integer(usage.output_tokens) + integer(usage.candidates_token_count), cached, 0},
                c.key());
    return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message");
  }

  RecordOutcome read_result(std::string_view type, RecordBuilder& c, od::object& root) const {
    const std::string text = content_of(c, root);
    const auto status = string_body(keys_.status);
    Event& e = tool_calls::add_result(c, step_name(integer(keys_.step_index)), text, status == "ERROR");
    if (status.starts_with("CANCEL")) e.summary = kCancelledMark;
    if (type == "RUN_COMMAND") e.facts.exit_code = tool_calls::exit_code_behind("Exit code: ", text);
    return RecordOutcome::indexed();
  }

  static std::string step_name(std::int64_t step) { return "step-" + std::to_string(step); }
};

// A path in the configuration is a "brain" folder. Stateless, thread-safe.
class AntigravityAdapter final : public AdapterOf<Decoder> {
 public:
  AntigravityAdapter()
      : AdapterOf(
            {.platform = Platform::antigravity,
             .adapter_version = "1.0.0",
             .data_completeness = DataCompleteness::partial,
             .capabilities = all_capabilities_but({Capability::cost, Capability::session_stop, Capability::git_branch}),
             .limitations =
                 {"Follows public readers of the files; no real data was seen.",
                  "Only transcript.jsonl is read. conversations/*.db hold protocol buffers without a public schema, "
                  "implicit/*.pb are encrypted; both stay unread.",
                  "Long outputs are cut in transcript.jsonl.", "The lines that an edit changes are not told.",
                  "The working directory is not recorded."},
             .storage_locations = {"~/.gemini/antigravity/brain", "~/.gemini/antigravity-ide/brain",
                                   "~/.gemini/antigravity-cli/brain"},
             .resume_command = {}}) {}  // a conversation is opened in its own list

  std::vector<fs::path> roots(const HomeLayout& home) const override {
    if (!home.override_roots.empty()) return home.override_roots;
    std::vector<fs::path> roots;
    for (const char* program : {"antigravity", "antigravity-ide", "antigravity-cli"})
      roots.push_back(home.home / ".gemini" / program / "brain");
    return roots;
  }

  std::optional<SourceCandidate> classify(const fs::path& root, const fs::path& file) const override {
    const fs::path inside = file.lexically_relative(root);
    if (std::distance(inside.begin(), inside.end()) != 4 || !file.string().ends_with(kLog)) return std::nullopt;
    return SourceCandidate{Platform::antigravity, file.string(), SourceFormat::jsonl};
  }

  bool looks_into(const fs::path& root, const fs::path& directory) const override {
    const fs::path inside = directory.lexically_relative(root);
    if (directory == root || std::distance(inside.begin(), inside.end()) == 1) return true;
    const fs::path below = directory.lexically_relative(root / *inside.begin());
    return below == ".system_generated" || below == fs::path(".system_generated") / "logs";
  }

  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    const fs::path conversation = fs::path(source.path).parent_path().parent_path().parent_path();
    return make_session_uid(Platform::antigravity, conversation.filename().string());
  }

 private:
  static constexpr std::string_view kLog = "/.system_generated/logs/transcript.jsonl";
};

}  // namespace
}  // namespace memd::antigravity

MEMD_ADAPTER(antigravity, antigravity::AntigravityAdapter())
