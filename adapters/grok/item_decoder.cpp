#include "adapters/grok/item_decoder.hpp"

#include "adapters/grok/update_line.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/record_builder.hpp"
#include "adapters/names.hpp"
#include "adapters/tool_calls/patch_text.hpp"
#include "adapters/tool_calls/tool_input.hpp"
#include "adapters/tool_calls/tool_result.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/stamp.hpp"
#include "schemas/ids.hpp"

#include <simdjson.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace memd::grok {

namespace dom = simdjson::dom;
using json::flag_of;
using json::for_each_object;
using json::number_of;
using json::object_of;
using json::text_of;
using json::trimmed;
using ItemContext = json::RecordBuilder;

namespace {

// Items of the log of updates.

constexpr tool_calls::ToolAccess access_of{
    Names("read_file read"),
    Names("search_replace write_file create_file write edit edit_file delete_file apply_patch multi_edit"),
    Names("list_dir grep glob list_files")};

// Replaces "<name>inner</name>" by its content (`keep`), or removes it.
void unwrap(std::string& text, std::string_view name, bool keep) {
  const std::string open = "<" + std::string(name) + ">";
  const std::string close = "</" + std::string(name) + ">";
  for (auto at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    const auto end = text.find(close, at);
    if (end == std::string::npos) {
      text.erase(at, keep ? open.size() : std::string::npos);
      return;
    }
    if (keep) {
      text.erase(end, close.size());
      text.erase(at, open.size());
    } else {
      text.erase(at, end + close.size() - at);
    }
  }
}

// Returns the lines that an edit changes: those between the common lines at both ends of its two versions.
FileTouch touch_of(const dom::object& diff) {
  std::string_view before = text_of(diff, "oldText");
  std::string_view after = text_of(diff, "newText");
  const auto line_end = [](std::string_view text) { return std::min(text.find('\n'), text.size() - 1) + 1; };
  while (!before.empty() && !after.empty()) {
    const auto a = line_end(before);
    const auto b = line_end(after);
    if (before.substr(0, a) != after.substr(0, b)) break;
    before.remove_prefix(a);
    after.remove_prefix(b);
  }
  const auto line_start = [](std::string_view text) {
    const auto newline = text.substr(0, text.size() - 1).rfind('\n');
    return newline == std::string_view::npos ? 0 : newline + 1;
  };
  while (!before.empty() && !after.empty()) {
    const auto a = line_start(before);
    const auto b = line_start(after);
    if (before.substr(a) != after.substr(b)) break;
    before = before.substr(0, a);
    after = after.substr(0, b);
  }
  return {std::string(text_of(diff, "path")), FileAccess::modified, tool_calls::count_lines(after),
          tool_calls::count_lines(before)};
}

TokenUsage usage_of(const dom::object& usage) {
  TokenUsage out{number_of(usage, "inputTokens"), number_of(usage, "outputTokens"),
                 number_of(usage, "cachedReadTokens"), number_of(usage, "cacheCreationTokens")};
  out.input = std::max<std::int64_t>(0, out.input - out.cache_read - out.cache_creation);
  out.reasoning = std::clamp<std::int64_t>(number_of(usage, "reasoningTokens"), 0, out.output);
  return out;
}

// Takes from a turn's usage what its helpers spent, which counts in their sessions.
TokenUsage without_helpers(const TokenUsage& turn, const dom::object& item) {
  TokenUsage out = turn;
  for_each_object(item, "helpers", [&](const dom::object& usage) {
    const TokenUsage spent = usage_of(usage);
    out.input -= spent.input;
    out.output -= spent.output;
    out.cache_read -= spent.cache_read;
    out.cache_creation -= spent.cache_creation;
    out.reasoning = std::max<std::int64_t>(0, out.reasoning - spent.reasoning);
  });
  const bool contained = out.input >= 0 && out.output >= 0 && out.cache_read >= 0 && out.cache_creation >= 0;
  return contained ? out : turn;  // this version counts them apart
}

// Returns the user's text without the wrappers that the client adds.
std::string human_words(std::string_view raw) {
  std::string text(raw);
  for (const auto name : {"fork-context", "resume-context", "system-reminder", "background_context"})
    unwrap(text, name, false);
  unwrap(text, "user_query", true);
  return std::string(trimmed(text));
}

// Returns the text of content: a string, a block, or blocks.
std::string content_text(const dom::element& content) {
  std::string_view text;
  dom::object block;
  dom::array blocks;
  std::string out;
  if (!content.get(text)) return std::string(text);
  if (!content.get(block)) {
    dom::element inner;
    if (text_of(block, "type") == "content" && !block["content"].get(inner)) return content_text(inner);
    return std::string(text_of(block, "text"));
  }
  if (content.get(blocks)) return out;
  for (const auto value : blocks) {
    const std::string piece = content_text(value);
    if (!out.empty() && !piece.empty()) out.push_back('\n');
    out.append(piece);
  }
  return out;
}

RecordOutcome read_text(ItemContext& c, const dom::object& item, std::string_view what) {
  const auto text = text_of(item, "text");
  const auto images = number_of(item, "images");
  if (what == "agent" || what == "thought") {
    const EventKind kind = what == "agent" ? EventKind::assistant_msg : EventKind::thinking;
    return c.add_said(kind, std::string(text)) ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message");
  }
  const std::string words = human_words(text);
  if (words.empty() && images == 0) return RecordOutcome::skipped("blank_message");
  const bool aside = what == "interjection";
  const Origin origin = flag_of(item, "subtask") ? Origin::parent_agent
                        : aside                  ? Origin::queued
                        : words.starts_with('/') ? Origin::command
                                                 : Origin::typed;
  Event& e = c.add_prompt(origin, words);
  e.starts_exchange = !aside;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(images, 20); ++i)
    e.summary.append(i == 0 ? "[image]" : " [image]");
  return RecordOutcome::indexed();
}

void emit_call(ItemContext& c, std::string_view tool, std::string_view call_id, std::string_view input) {
  Event& e = c.add(EventKind::tool_call, Role::assistant);
  e.tool = tool.empty() ? "tool" : tool;
  e.call_id = call_id;
  e.summary = e.tool;
  tool_calls::read_tool_input_text(c, input, access_of, e);
}

RecordOutcome read_call(ItemContext& c, const dom::object& item) {
  std::string tool;
  std::string title;
  std::string input;
  std::string id;
  std::string path;
  for_each_object(item, "updates", [&](const dom::object& update) {
    dom::object object;
    dom::array locations;
    if (id.empty()) id = text_of(update, "toolCallId");
    if (title.empty()) title = text_of(update, "title");
    if (!update["_meta"].get(object) && !object["x.ai/tool"].get(object) && !text_of(object, "name").empty())
      tool = text_of(object, "name");
    if (!update["rawInput"].get(object) && object.size() > 0) input = simdjson::minify(object);
    if (path.empty() && !update["locations"].get(locations) && !locations.at(0).get(object))
      path = text_of(object, "path");
  });
  emit_call(c, tool.empty() ? title : tool, id, input.empty() ? "{}" : input);
  Event& e = c.out().events.back();
  const auto access = access_of(e.tool);
  if (e.files.empty() && access && !path.empty()) e.files.push_back({path, *access, 0, 0});
  return RecordOutcome::indexed();
}

RecordOutcome read_result(ItemContext& c, const dom::object& update) {
  dom::element content;
  std::string text;
  std::vector<FileTouch> files;
  if (!update["content"].get(content)) {
    text = content_text(content);
    for_each_object(update, "content", [&](const dom::object& block) {
      if (text_of(block, "type") == "diff") files.push_back(touch_of(block));
    });
  }
  dom::element output;
  dom::object fields;
  std::int64_t exit_code = 0;
  std::string_view plain;
  const bool ended = !update["rawOutput"].get(fields) && !fields["exit_code"].get(exit_code);
  if (text.empty() && !update["rawOutput"].get(output) && !output.is_null())
    text = output.get(plain) ? simdjson::minify(output) : std::string(plain);
  const bool is_error = text_of(update, "status") == "failed" || exit_code != 0;
  Event& e = tool_calls::add_result(c, std::string(text_of(update, "toolCallId")), std::move(text), is_error);
  if (ended) e.facts.exit_code = static_cast<std::int32_t>(exit_code);
  if (!e.is_error) e.files = std::move(files);
  return RecordOutcome::indexed();
}

RecordOutcome read_turn(ItemContext& c, const dom::object& item, const dom::object& update) {
  if (flag_of(item, "superseded")) return RecordOutcome::skipped("superseded");
  const auto reason = text_of(update, "stop_reason");
  const auto answer = text_of(update, "agent_result");
  if (reason == "cancelled") {
    c.add_lifecycle("interrupt", "cancelled by the user");
  } else if (reason == "error" || reason == "refusal") {
    c.add_error(std::string(trimmed(answer).empty() ? reason : answer));
  } else if (flag_of(item, "say")) {
    c.add_said(EventKind::assistant_msg, std::string(answer));
  }
  if (const auto usage = object_of(update, "usage")) {
    const auto prompt = text_of(update, "prompt_id");
    c.add_usage(without_helpers(usage_of(*usage), item),
                prompt.empty() ? c.key() : hash_combine(hash64("grok/turn"), hash64(prompt)));
  }
  return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("turn");
}

// Sets `type` to the record type for the ledger.
RecordOutcome read_notice(ItemContext& c, const dom::object& update, std::string& type) {
  const auto kind = text_of(update, "sessionUpdate");
  type = kind;
  if (kind == "auto_compact_completed") {
    const auto before = number_of(update, "tokens_before");
    c.add_lifecycle("compaction", (before > 0 ? std::to_string(before) + " tokens before, " : "") +
                                      std::to_string(number_of(update, "tokens_after")) + " after");
  } else if (kind == "rewind_marker") {
    c.add_lifecycle("rewind", "back to prompt " + std::to_string(number_of(update, "target_prompt_index")));
  } else if (kind == "auto_recovery_exhausted" || kind == "auto_compact_failed") {
    c.add_error(std::string(text_of(update, "error")), kind == "auto_recovery_exhausted" ? "api_error" : "");
  } else if (kind == "subagent_spawned") {
    const auto child = text_of(update, "child_session_id");
    if (!is_uuid(child)) return RecordOutcome::skipped("no_content");
    SessionUpdate& s = c.add_subagent(make_session_uid(Platform::grok, child), {}, c.time);
    s.agent_name = text_of(update, "subagent_type");
    s.description = text_of(update, "description");
  } else {
    c.diagnose(DiagnosticType::unknown_record_type, {"sessionUpdate"});
    return RecordOutcome::unknown("unknown_type");
  }
  return RecordOutcome::indexed();
}

// The head of a session, and its history for the model where the log of updates is lost.

constexpr std::size_t kTitleLimit = 200;

TimeMs time_of(const dom::object& object, std::string_view key) {
  return parse_stamp(text_of(object, key)).value_or(0);
}

RecordOutcome read_head(ItemContext& c, const dom::object& item) {
  SessionUpdate& update = c.add_session();
  update.native_id = text_of(item, "id");
  update.cwd = text_of(item, "cwd");
  if (const auto found = object_of(item, "summary")) {
    const dom::object& summary = *found;
    if (const auto info = object_of(summary, "info"); info && !text_of(*info, "cwd").empty())
      update.cwd = text_of(*info, "cwd");
    const auto title = text_of(summary, "generated_title");
    update.title = json::one_line(title.empty() ? text_of(summary, "session_summary") : title, kTitleLimit);
    if (!update.title.empty())
      update.title_rank = flag_of(summary, "title_is_manual") ? TitleRank::custom : TitleRank::ai;
    update.git_branch = text_of(summary, "head_branch");
    update.model = text_of(summary, "current_model_id");
    update.agent_name = text_of(summary, "agent_name");
    update.started_at = time_of(summary, "created_at");
    update.ended_at = time_of(summary, "last_active_at");
    if (update.ended_at == 0) update.ended_at = time_of(summary, "updated_at");
    const auto kind = text_of(summary, "session_kind");
    const auto parent = text_of(summary, "parent_session_id");
    if (!parent.empty() && kind.starts_with("subagent")) {
      update.kind = SessionKind::subagent;
      update.parent_uid = make_session_uid(Platform::grok, parent);
    } else if (!parent.empty()) {
      update.forked_from = make_session_uid(Platform::grok, parent);
    }
  }
  update.time = update.ended_at;
  return RecordOutcome::indexed();
}

RecordOutcome read_chat(ItemContext& c, const dom::object& chat, std::string& type) {
  type = text_of(chat, "type");
  dom::element content;
  const std::string text = chat["content"].get(content) ? std::string() : content_text(content);
  if (type == "user") {
    std::int64_t index = 0;
    const std::string words = human_words(text);
    if (!text_of(chat, "synthetic_reason").empty() && text_of(chat, "synthetic_reason") != "human")
      return RecordOutcome::skipped("injected_text");
    if (words.empty()) return RecordOutcome::skipped("blank_message");
    c.add_prompt(chat["prompt_index"].get(index) ? Origin::queued : Origin::typed, words);
    return RecordOutcome::indexed();
  }
  if (type == "assistant") {
    c.model = text_of(chat, "model_id");
    c.add_said(EventKind::assistant_msg, text);
    for_each_object(chat, "tool_calls", [&](const dom::object& call) {
      emit_call(c, text_of(call, "name"), text_of(call, "id"), text_of(call, "arguments"));
    });
    return c.emitted() ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message");
  }
  if (type == "tool_result") {
    tool_calls::add_result(c, std::string(text_of(chat, "tool_call_id")), text);
    return RecordOutcome::indexed();
  }
  if (type == "reasoning") {
    dom::element summary;
    const bool thought = !chat["summary"].get(summary) && c.add_said(EventKind::thinking, content_text(summary));
    return thought ? RecordOutcome::indexed() : RecordOutcome::skipped("blank_message");
  }
  if (type == "system" || type == "backend_tool_call")
    return RecordOutcome::skipped(type == "system" ? "system" : "state");
  c.diagnose(DiagnosticType::unknown_record_type, {"type"});
  return RecordOutcome::unknown("unknown_type");
}

// Item names are chosen by memd, so no name from the log needs handling.
RecordOutcome dispatch(ItemContext& c, const dom::object& item, std::string& type) {
  if (flag_of(item, "head")) {
    type = "(head)";
    return read_head(c, item);
  }
  if (const auto chat = object_of(item, "chat")) return read_chat(c, *chat, type);
  const auto what = text_of(item, "what");
  type = what;
  if (what == "user" || what == "interjection" || what == "agent" || what == "thought") return read_text(c, item, what);
  dom::array updates;
  dom::object first;
  if (item["updates"].get(updates) || updates.at(0).get(first)) return RecordOutcome::skipped("no_content");
  if (what == "call") return read_call(c, item);
  if (what == "result") return read_result(c, first);
  if (what == "turn") return read_turn(c, item, first);
  return read_notice(c, first, type);
}

}  // namespace

// The parts of an item are read from a DOM, because most are few and small.
RecordOutcome ItemDecoder::read(json::od::object& root, RawRef raw, EventBatch& out) {
  dom::object item;
  std::string_view bytes;
  if (json::is_true(keys_.damaged) || !json::restart(root) || root.raw_json().get(bytes) ||
      whole_.parse(bytes.data(), bytes.size()).get(item))
    return RecordOutcome::damaged();
  ItemContext c(Platform::grok, session_uid_, raw, detail_, out);
  c.identify(json::unescaped(keys_.record));
  c.time = json::integer(keys_.time);
  c.time_estimated = json::is_true(keys_.estimated);
  c.model = json::unescaped(keys_.model);
  c.cwd = json::unescaped(keys_.cwd);
  std::string type = "(unknown)";
  RecordOutcome outcome = dispatch(c, item, type);
  outcome.type = json::is_identifier(type) || type.starts_with('(') ? type : "(unreadable type)";
  return outcome;
}

}  // namespace memd::grok
