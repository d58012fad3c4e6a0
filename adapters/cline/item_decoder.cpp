// Calls and results as events, the head item, and the dispatch of all items.
#include "adapters/cline/item_decoder.hpp"

#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/ids.hpp"

#include <utility>

namespace memd::cline {

// Calls and results.

namespace {

void make_absolute(Event& call) {
  for (FileTouch& file : call.files)
    file.path = tool_calls::absolute_path(call.cwd, file.path);
}

}  // namespace

bool read_block_input(ItemContext& c, od::object& block, Event& call) {
  od::value input;
  if (seek(block, "input", input) && !tool_calls::read_tool_input(c, input, access_of, call)) return false;
  make_absolute(call);
  return true;
}

void read_text_input(ItemContext& c, std::string_view input, Event& call) {
  tool_calls::read_tool_input_text(c, input, access_of, call);
  make_absolute(call);
}

void emit_result(ItemContext& c, const ToolCall& call, std::string_view text, bool is_error) {
  Event& e = c.add(EventKind::tool_result, Role::tool);
  e.tool = call.tool;
  e.call_id = call.id;
  e.is_error = is_error;
  e.facts.exit_code = exit_code_in(text);
  tool_calls::take_result_text(c.detail(), std::string(text), e);
  if (is_error || call.file.path.empty()) return;
  FileTouch& file = e.files.emplace_back(call.file);
  file.path = tool_calls::absolute_path(e.cwd, file.path);
  file.access = FileAccess::modified;
}

void emit_text_results(ItemContext& c, std::string_view text, OpenCalls& calls) {
  TextResult result;
  for (std::size_t at = 0; next_text_result(text, at, result);)
    if (const ToolCall* call = calls.by_tool(result.tool))
      emit_result(c, *call, result.text, tells_failure(result.text));
}

ToolOutput read_output(ItemContext& c, od::object& block, std::string_view key) {
  od::value content;
  od::array list;
  od::object object;
  std::string_view json;
  if (!seek(block, key, content)) return {};
  const auto token = token_of(content);
  if (is_string(token)) return read_tool_text(c.text(token));
  if ((token.starts_with('[') && !content.get_array().get(list) && !list.raw_json().get(json)) ||
      (token.starts_with('{') && !content.get_object().get(object) && !object.raw_json().get(json))) {
    ToolOutput output = read_tool_output(json);
    if (output.replaced) c.diagnose(DiagnosticType::invalid_encoding);
    return output;
  }
  return {};
}

void emit_output(ItemContext& c, const ToolCall& call, const ToolOutput& output, bool is_error) {
  emit_result(c, call, output.text, is_error || output.failed || (!output.succeeded && tells_failure(output.text)));
  Event& e = c.out().events.back();
  e.summary = output.marker;
  if (output.exit_code) e.facts.exit_code = output.exit_code;
  if (output.succeeded && !e.is_error && tool_calls::runs_commands(call.tool)) e.facts.exit_code = 0;
}

// The head.

namespace {

MEMD_KEYS(HeadKeys, id, cwd, model, title, parent, mode, cost, agent, forked_from, started, ended, named, branch,
          version);

}  // namespace

RecordOutcome read_head(ItemContext& c, od::object& item) {
  HeadKeys tokens;
  if (!collect(item, tokens)) return RecordOutcome::damaged();
  const auto uid = [&](std::string_view token) {
    const std::string id = c.text(token);
    return id.empty() ? std::string() : make_session_uid(c.platform(), id);
  };
  SessionUpdate& update = c.add_session();
  update.native_id = c.text(tokens.id);
  update.parent_uid = uid(tokens.parent);
  if (!update.parent_uid.empty()) update.kind = SessionKind::subagent;
  update.agent_name = c.text(tokens.agent);
  update.title = c.text(tokens.title);
  // The task lists contain the first words of each task; the newer store gives sessions names.
  if (!update.title.empty()) update.title_rank = is_true(tokens.named) ? TitleRank::ai : TitleRank::summary;
  update.cwd = c.text(tokens.cwd);
  update.git_branch = c.text(tokens.branch);
  update.agent_version = c.text(tokens.version);
  update.model = c.text(tokens.model);
  update.mode = c.text(tokens.mode);
  update.forked_from = uid(tokens.forked_from);
  update.started_at = integer(tokens.started);
  update.ended_at = update.stopped_at = integer(tokens.ended);
  update.time = update.ended_at != 0 ? update.ended_at : update.started_at;
  update.cost_usd = fraction(tokens.cost);
  return RecordOutcome::indexed();
}

// All items.

namespace {

MEMD_KEYS(CallKeys, id, tool, path, added, removed);

}  // namespace

RecordOutcome ItemDecoder::read(od::object& item, RawRef raw, EventBatch& out) {
  if (is_true(keys_.damaged)) return RecordOutcome::damaged();
  ItemContext c(platform(), session_uid_, raw, detail_, out);
  ItemFields fields{keys_, c.text(keys_.key), {}};
  const auto session = split_session_uid(session_uid_);
  const std::string native_id(session ? session->native_id : std::string_view{});
  c.identify(is_string(keys_.record) ? c.text(keys_.record) : native_id + "/" + fields.key);
  c.cwd = c.text(keys_.cwd);
  c.time = integer(keys_.time);
  c.time_estimated = is_true(keys_.estimated);
  const auto add_call = [&](const CallKeys& call, od::object&, std::size_t) {
    fields.calls.push_back({c.text(call.id),
                            c.text(call.tool),
                            {c.text(call.path), FileAccess::modified, static_cast<std::int32_t>(integer(call.added)),
                             static_cast<std::int32_t>(integer(call.removed))}});
    return true;
  };
  if (!for_each_object<CallKeys>(item, "calls", add_call)) return RecordOutcome::damaged();

  RecordOutcome outcome = RecordOutcome::unknown("unknown_type");
  std::string type = "(unknown)";
  if (is_true(keys_.head)) {
    type = "(head)";
    outcome = read_head(c, item);
  } else if (!keys_.ui.empty()) {
    outcome = read_ui(c, item, fields, type);
  } else if (!keys_.compaction.empty()) {
    type = "compaction";
    outcome = read_compaction(c, item);
  } else if (!keys_.message.empty()) {
    outcome = read_message(c, item, fields, type);
  }
  if (!outcome.broken && c.lossy()) c.diagnose(DiagnosticType::invalid_encoding);
  outcome.type = std::move(type);
  return outcome;
}

}  // namespace memd::cline
