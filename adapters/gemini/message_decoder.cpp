#include "adapters/gemini/message_decoder.hpp"

#include "adapters/gemini/paths.hpp"
#include "adapters/gemini/tool_call.hpp"
#include "adapters/gemini/user_text.hpp"
#include "schemas/hash.hpp"
#include "schemas/ids.hpp"
#include "schemas/time.hpp"

#include <utility>

namespace memd::gemini {
namespace {

static_assert(simdjson::SIMDJSON_PADDING <= kRecordPadding);

enum : std::size_t { kSessionId, kKind, kStartTime, kSummary, kCwd, kHeadKeys };
constexpr KeyTable<kHeadKeys> kHeadTable{{"sessionId", "kind", "startTime", "summary", "cwd"}};

enum : std::size_t { kId, kTimestamp, kType, kModel, kDamaged, kMessageKeys };
constexpr KeyTable<kMessageKeys> kMessageTable{{"id", "timestamp", "type", "model", "damaged"}};

enum : std::size_t { kInput, kOutput, kCached, kThoughts, kTool, kTokenKeys };
constexpr KeyTable<kTokenKeys> kTokenTable{{"input", "output", "cached", "thoughts", "tool"}};

enum : std::size_t { kSubject, kDescription, kThoughtTime, kThoughtKeys };
constexpr KeyTable<kThoughtKeys> kThoughtTable{{"subject", "description", "timestamp"}};

enum : std::size_t { kPartText, kPartThought, kPartCall, kPartResponse, kPartKeys };
constexpr KeyTable<kPartKeys> kPartTable{{"text", "thought", "functionCall", "functionResponse"}};

// The content of a message: a string, a part, or parts.
struct Content {
  std::string text;
  bool media = false;
  bool tools = false;  // calls and responses, which toolCalls tells better
};

void read_part(MessageContext& c, od::value& value, Content& out) {
  const auto token = token_of(value);
  if (is_string(token)) return c.append_text(token, out.text);
  od::object part;
  Tokens<kPartKeys> tokens;
  if (value.get_object().get(part) || !collect(part, kPartTable, tokens)) return;
  if (!tokens[kPartCall].empty() || !tokens[kPartResponse].empty()) {
    out.tools = true;
  } else if (is_string(tokens[kPartText])) {
    if (is_true(tokens[kPartThought])) return;
    c.append_text(tokens[kPartText], out.text);
  } else {
    out.media = true;
  }
}

bool read_content(MessageContext& c, od::object& message, std::string_view field, Content& out) {
  od::value value;
  od::array parts;
  if (!seek(message, field, value)) return false;
  if (token_of(value).starts_with('[')) {
    if (value.get_array().get(parts)) return false;
    for_each_element(parts, [&](od::value& part, std::size_t) {
      read_part(c, part, out);
      return true;
    });
  } else {
    read_part(c, value, out);
  }
  return true;
}

// input holds what came from the cache, and not what tools put into the prompt; output does not hold the thoughts.
TokenUsage read_usage(od::object& message) {
  od::object counts;
  Tokens<kTokenKeys> tokens;
  if (!seek_object(message, "tokens", counts) || !collect(counts, kTokenTable, tokens)) return {};
  const std::int64_t cached = integer(tokens[kCached]);
  return {integer(tokens[kInput]) - cached + integer(tokens[kTool]),
          integer(tokens[kOutput]) + integer(tokens[kThoughts]), cached, 0};
}

void read_thoughts(MessageContext& c, od::object& message) {
  od::value value;
  od::array thoughts;
  if (!seek(message, "thoughts", value) || value.get_array().get(thoughts)) return;
  for_each_element(thoughts, [&](od::value& element, std::size_t index) {
    od::object thought;
    Tokens<kThoughtKeys> tokens;
    if (element.get_object().get(thought) || !collect(thought, kThoughtTable, tokens)) return true;
    Event& e = c.add(EventKind::thinking, Role::assistant, index);
    if (const TimeMs at = time_of(c, tokens[kThoughtTime])) e.time = at;
    e.text = c.text(tokens[kSubject]);
    if (is_string(tokens[kDescription])) {
      if (!e.text.empty()) e.text.append(": ");
      c.append_text(tokens[kDescription], e.text);
    }
    return true;
  });
}

}  // namespace

MessageDecoder::MessageDecoder(const Source& source, Detail detail)
    : session_uid_(source.session_uid), detail_(detail) {
  if (const auto path = parse_chat_path(source.path); path && !path->parent.empty())
    parent_uid_ = make_session_uid(Platform::gemini, path->parent);
}

bool MessageDecoder::is_complete(std::string_view bytes) const { return bytes.ends_with('}'); }

void MessageDecoder::decode(const RawRecord& record, EventBatch& out) {
  const std::uint64_t bytes = record.bytes.size() + (record.newline_follows ? 1 : 0);
  od::object root;
  if (!parser_.open(record.bytes, root)) {
    out.cover("(damaged)", Disposition::skipped, "damaged", bytes);
    out.diagnostics.push_back(
        {Platform::gemini, DiagnosticType::damaged_record, Severity::warning, {}, 0, record.offset});
    return;
  }
  if (record.offset == 0) {
    read_head(root, out);
    return out.cover("(session)", Disposition::indexed, {}, bytes);
  }
  const RawRef raw{record.offset, static_cast<std::uint32_t>(record.bytes.size()), 0};
  MessageContext context(session_uid_, raw, !parent_uid_.empty(), detail_, out);
  const Fate verdict = read_message(context, root, record.bytes);
  out.cover(verdict.type, verdict.disposition, verdict.reason, bytes);
  if (context.lossy() || parser_.replaced()) context.diagnose(DiagnosticType::invalid_encoding);
}

void MessageDecoder::read_head(od::object& head, EventBatch& out) {
  Tokens<kHeadKeys> tokens;
  const auto parts = split_session_uid(session_uid_);
  if (!parts || !collect(head, kHeadTable, tokens)) return;
  TextReader reader(detail_);
  SessionUpdate update;
  update.session_uid = session_uid_;
  update.platform = Platform::gemini;
  update.native_id = parts->native_id;
  update.parent_uid = parent_uid_;
  if (!parent_uid_.empty() || string_body(tokens[kKind]) == "subagent") update.kind = SessionKind::subagent;
  update.title = one_line(reader.text(tokens[kSummary], 1000), 200);
  if (!update.title.empty()) update.title_rank = TitleRank::ai;
  update.cwd = reader.text(tokens[kCwd]);
  update.started_at = time_of(reader, tokens[kStartTime]);
  out.sessions.push_back(std::move(update));
}

Fate MessageDecoder::read_message(MessageContext& c, od::object& message, std::string_view bytes) {
  Tokens<kMessageKeys> tokens;
  if (!collect(message, kMessageTable, tokens)) return Fate::skipped("damaged", "(damaged)");
  if (is_true(tokens[kDamaged])) {
    c.diagnose(DiagnosticType::damaged_record);
    return Fate::skipped("damaged", "(damaged)");
  }
  const std::string id = c.text(tokens[kId]);
  // Ids are UUIDs; what is shorter could be a counter, which other chats have, too.
  if (id.empty())
    c.key = hash64(bytes, hash64(session_uid_));
  else
    c.key = record_key(Platform::gemini, id.size() < 16 ? session_uid_ + "/" + id : id);
  c.time = time_of(c, tokens[kTimestamp]);
  c.model = c.text(tokens[kModel]);
  const std::string_view type = string_body(tokens[kType]);
  if (type == "user") return read_user(c, message);
  if (type == "gemini") return read_assistant(c, message);
  if (type == "info" || type == "warning" || type == "error") return read_notice(c, message, type);
  c.diagnose(is_string(tokens[kType]) ? DiagnosticType::unknown_record_type : DiagnosticType::missing_field, {"type"});
  return Fate::unknown("unknown_type", std::string(is_identifier(type) ? type : "(unreadable type)"));
}

Fate MessageDecoder::read_user(MessageContext& c, od::object& message) {
  Content content;
  Content shown;
  // What the person typed, where the content holds more: files that were named with "@".
  const bool typed = read_content(c, message, "displayContent", shown) && !trimmed(shown.text).empty();
  if (!read_content(c, message, "content", content) && !typed) {
    c.diagnose(DiagnosticType::missing_field, {"content"});
    return Fate::skipped("no_content", "user");
  }
  const Spoken spoken = who_speaks(typed ? shown.text : content.text);
  if (spoken.voice == Voice::injected) return Fate::skipped("injected_text", "user");
  if (spoken.voice == Voice::summary) {
    c.add_lifecycle("compaction").origin = Origin::injected;
    Event& e = c.add_lifecycle("compact_summary");
    e.origin = Origin::injected;
    e.text = spoken.text;
    return Fate::indexed("user");
  }
  if (spoken.voice == Voice::nothing && !content.media)
    return Fate::skipped(content.tools ? "tool_response" : "blank_message", "user");
  Event& e = c.add(EventKind::user_msg, Role::user);
  e.origin = c.sidechain()                    ? Origin::parent_agent
             : spoken.voice == Voice::command ? Origin::command
             : spoken.voice == Voice::shell   ? Origin::shell
             : spoken.voice == Voice::nudge   ? Origin::injected
                                              : Origin::typed;
  e.text = spoken.text;
  if (content.media) e.summary = "[media]";
  e.starts_exchange = true;
  return Fate::indexed("user");
}

Fate MessageDecoder::read_assistant(MessageContext& c, od::object& message) {
  const std::size_t first = c.out().events.size();
  read_thoughts(c, message);
  Content content;
  read_content(c, message, "content", content);
  if (!trimmed(content.text).empty()) c.add(EventKind::assistant_msg, Role::assistant).text = std::move(content.text);
  od::value value;
  od::array calls;
  if (seek(message, "toolCalls", value) && !value.get_array().get(calls))
    for_each_element(calls, [&](od::value& element, std::size_t index) {
      od::object entry;
      if (!element.get_object().get(entry)) read_tool_call(c, entry, index);
      return true;
    });
  const TokenUsage usage = read_usage(message);
  auto& events = c.out().events;
  if (events.size() == first && usage != TokenUsage{}) c.add_lifecycle("usage");
  if (events.size() == first) return Fate::skipped("blank_message", "gemini");
  if (usage != TokenUsage{}) {
    events[first].response_key = hash_combine(c.key, hash64("response"));
    events[first].usage = usage;
  }
  return Fate::indexed("gemini");
}

Fate MessageDecoder::read_notice(MessageContext& c, od::object& message, std::string_view type) {
  Content content;
  read_content(c, message, "content", content);
  const bool error = type == "error";
  if (!error) {
    const bool interrupt = trimmed(content.text) == "Request cancelled.";
    Event& e = c.add_lifecycle(interrupt ? "interrupt" : type);
    e.text = std::move(content.text);
    return Fate::indexed(std::string(type));
  }
  Event& e = c.add(EventKind::error, Role::system);
  e.lifecycle = "api_error";
  e.is_error = true;
  e.text = std::move(content.text);
  return Fate::indexed(std::string(type));
}

}  // namespace memd::gemini
