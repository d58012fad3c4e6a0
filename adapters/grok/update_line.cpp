#include "adapters/grok/update_line.hpp"

#include "adapters/adapter.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "schemas/base/stamp.hpp"

#include <simdjson.h>

#include <charconv>

namespace memd::grok {

namespace dom = simdjson::dom;
using json::flag_of;
using json::number_of;
using json::object_of;
using json::text_of;

namespace {

// Forks copy the lines with new timestamps; the agent's own time is kept.
TimeMs time_of(const dom::object& envelope, const dom::object& params, const dom::object& update) {
  for (const auto* object : {&params, &update})
    if (const auto meta = object_of(*object, "_meta"))
      if (const auto time = number_of(*meta, "agentTimestampMs"); time > 0) return time;
  return from_unix_number(static_cast<double>(number_of(envelope, "timestamp")));
}

}  // namespace

bool UpdateLineReader::open(std::string_view line, dom::object& envelope, dom::object& params, dom::object& update) {
  if (!parser_.parse_padded(line, envelope)) return false;
  if (envelope["params"].get(params)) params = envelope;
  return !params["update"].get(update);
}

bool UpdateLineReader::read(std::string_view line, UpdateLine& out) {
  dom::object envelope;
  dom::object params;
  dom::object update;
  if (!open(line, envelope, params, update)) return false;
  out.kind = text_of(update, "sessionUpdate");
  if (out.kind.empty()) return false;
  out.call_id = text_of(update, "toolCallId");
  out.status = text_of(update, "status");
  out.prompt_id = text_of(update, "prompt_id");
  dom::object meta;
  if (out.prompt_id.empty() && !params["_meta"].get(meta)) out.prompt_id = text_of(meta, "promptId");
  if (out.kind == "subagent_spawned" || out.kind == "turn_completed") {
    out.time = time_of(envelope, params, update);
    out.child_id = text_of(update, "child_session_id");
    if (const auto parent = text_of(update, "parent_prompt_id"); !parent.empty()) out.prompt_id = parent;
    if (const auto usage = object_of(update, "usage")) out.usage = simdjson::minify(*usage);
  }
  if (update["_meta"].get(meta)) return true;
  std::int64_t index = 0;
  if (!meta["promptIndex"].get(index)) out.prompt_index = index;
  out.host_turn = flag_of(meta, "hostTurn");
  out.interjection = flag_of(meta, "interjection");
  return true;
}

namespace {

using json::ObjectWriter;

std::string padded(std::string_view text) {
  std::string out(text);
  out.resize(text.size() + kRecordPadding, ' ');
  return out;
}

// Facts on an item from its first line.
struct RecordedAt {
  TimeMs time = 0;
  std::string event_id;  // with the agent's time: a process that resumes a session counts from 0 again
  std::string model;
};

void note_origin(const dom::object& envelope, const dom::object& params, const dom::object& update, RecordedAt& out) {
  if (out.time == 0) out.time = time_of(envelope, params, update);
  dom::object meta;
  if (out.event_id.empty() && !params["_meta"].get(meta)) {
    out.event_id = text_of(meta, "eventId");
    if (const auto time = number_of(meta, "agentTimestampMs"); !out.event_id.empty() && time > 0)
      out.event_id += "@" + std::to_string(time);
  }
  if (out.model.empty() && !update["_meta"].get(meta)) out.model = text_of(meta, "modelId");
}

// Returns the time in a session id, a UUID of version 7, which starts with it.
TimeMs id_time(std::string_view id) {
  if (id.size() < 15 || id[14] != '7') return 0;
  TimeMs time = 0;
  std::string digits(id.substr(0, 8));
  digits.append(id.substr(9, 4));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), time, 16);
  return error == std::errc() && end == digits.data() + digits.size() ? time : 0;
}

// Appends the text of a chunk: one block, or several.
void append_chunk(const dom::object& update, std::string& text, std::int64_t& images) {
  const auto take = [&](const dom::object& block) {
    const auto type = text_of(block, "type");
    text.append(text_of(block, "text"));
    if (type == "image") ++images;
    if (type == "resource_link") text.append(text.empty() ? "" : "\n").append(text_of(block, "uri"));
    if (const auto resource = object_of(block, "resource"); resource && type == "resource")
      text.append(text_of(*resource, "text"));
  };
  if (const auto block = object_of(update, "content")) take(*block);
  json::for_each_object(update, "content", take);
}

// Returns the text the user typed, stored beside the text sent to the model.
std::string_view display_text(const dom::object& update) {
  for (const char* holder : {"_meta", "content"})
    if (const auto meta = object_of(update, holder)) {
      if (const auto text = text_of(*meta, "displayText"); !text.empty()) return text;
      const auto inner = object_of(*meta, "_meta");
      if (inner && !text_of(*inner, "displayText").empty()) return text_of(*inner, "displayText");
    }
  return {};
}

}  // namespace

std::string item_bytes(const LogItem& item, const SessionFacts& session, const std::vector<std::string>& lines,
                       const std::vector<std::string>& helpers) {
  const std::string key = item.key();
  ObjectWriter o;
  o.text("key", key);
  if (item.what == What::damaged) return std::move(o.flag("damaged", true)).finish();

  UpdateLineReader reader;
  RecordedAt origin;
  std::string text;
  std::string updates = "[";
  std::int64_t images = 0;
  for (const std::string& line : lines) {
    const std::string bytes = padded(line);
    dom::object envelope;
    dom::object params;
    dom::object update;
    if (!reader.open({bytes.data(), line.size()}, envelope, params, update)) continue;
    note_origin(envelope, params, update, origin);
    switch (item.what) {
      case What::interjection:
        if (const auto typed = display_text(update); !typed.empty()) {
          text.append(typed);
          break;
        }
        [[fallthrough]];
      case What::user:
      case What::agent:
      case What::thought: append_chunk(update, text, images); break;
      default:
        if (updates.size() > 1) updates.push_back(',');
        json::append_compact(simdjson::minify(update), updates);
    }
  }
  o.text("record", origin.event_id.empty() ? session.id + "/" + key : origin.event_id);
  // Old lines have no time: use the session's start, contained in its id.
  const bool timed = origin.time > 0;
  o.text("what", to_string(item.what)).number("time", timed ? origin.time : id_time(session.id));
  o.flag("estimated", !timed);
  if (item.what == What::user) o.some_text("cwd", session.cwd).flag("subtask", session.subagent);
  o.some_text("model", origin.model).flag("superseded", item.superseded).flag("say", item.say);
  o.some_number("images", images);
  std::string spent;
  for (const std::string& usage : helpers)
    spent.append(spent.empty() ? "[" : ",").append(usage);
  if (!spent.empty()) o.json("helpers", spent + "]");
  if (updates.size() > 1)
    o.json("updates", updates + "]");
  else
    o.text("text", text);
  return std::move(o).finish();
}

bool is_json_object(std::string_view text) {
  dom::parser parser;
  dom::object object;
  return !parser.parse(text.data(), text.size()).get(object);
}

namespace {

std::string summary_text(std::string_view summary, std::string_view key) {
  dom::parser parser;
  dom::object object;
  return parser.parse(summary.data(), summary.size()).get(object) ? std::string() : std::string(text_of(object, key));
}

}  // namespace

bool is_subagent(std::string_view summary) { return summary_text(summary, "session_kind").starts_with("subagent"); }

TimeMs summary_time(std::string_view summary) { return parse_stamp(summary_text(summary, "created_at")).value_or(0); }

}  // namespace memd::grok
