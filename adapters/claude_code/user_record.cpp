#include "adapters/claude_code/human_text.hpp"
#include "adapters/claude_code/record_handlers.hpp"
#include "adapters/claude_code/tool_result.hpp"

#include <vector>

namespace memd::claude_code {
namespace {

enum : std::size_t { kUserType, kUserText, kUserBlockKeys };
constexpr KeyTable<kUserBlockKeys> kUserBlockTable{{"type", "text"}};

struct Part {
  std::string text;
  std::size_t block = 0;
};

// The content of a user message, its tool results already emitted.
struct UserContent {
  std::vector<Part> parts;
  std::string marker;
  bool unknown_block = false;
  std::size_t results = 0;
  std::size_t last_result = 0;  // its event in the batch
};

bool read_blocks(RecordContext& c, od::value& content, UserContent& out) {
  const auto token = token_of(content);
  if (is_string(token)) {
    out.parts.push_back({c.text(token), 0});
    return true;
  }
  od::array blocks;
  if (content.get_array().get(blocks)) {
    c.diagnose(DiagnosticType::wrong_field_type, {"message.content"});
    return true;
  }
  return for_each_element(blocks, [&](od::value& value, std::size_t index) {
    od::object block;
    if (value.get_object().get(block)) return true;
    Tokens<kUserBlockKeys> tokens;
    if (!collect(block, kUserBlockTable, tokens)) return false;
    const auto type = string_body(tokens[kUserType]);
    if (type == "text") {
      out.parts.push_back({c.text(tokens[kUserText]), index});
    } else if (type == "tool_result") {
      ++out.results;
      out.last_result = c.out().events.size();
      return read_tool_result(c, block, index);
    } else if (type == "image" || type == "document") {
      return append_marker(c, block, type, out.marker);
    } else {
      c.diagnose(DiagnosticType::unknown_field_value, {"message.content.type"});
      out.unknown_block = true;
    }
    return true;
  });
}

void emit_output(RecordContext& c, const Part& part, std::string_view lifecycle) {
  Event& e = c.add_lifecycle(lifecycle);
  e.raw.block = static_cast<std::uint16_t>(part.block);
  e.origin = Origin::injected;
  e.text = c.detail() == Detail::full ? std::string_view(part.text) : utf8_prefix(part.text, kResultTextLimit);
}

void emit_interrupt(RecordContext& c, std::string_view text) { c.add_lifecycle("interrupt", one_line(text, 80)); }

// Text beside tool results: what a person typed while rejecting or interrupting a tool.
void emit_interventions(RecordContext& c, const UserContent& content) {
  for (const Part& part : content.parts) {
    const Spoken spoken = who_speaks(part.text);
    if (spoken.voice == Voice::interrupt) emit_interrupt(c, spoken.text);
    if (!is_human(spoken.voice)) continue;
    Event& e = c.add(EventKind::human_intervention, Role::user, part.block);
    e.origin = c.sidechain ? Origin::parent_agent : Origin::embedded;
    e.text = spoken.text;
  }
}

Origin origin_of(const RecordContext& c, Voice voice) {
  if (c.sidechain) return Origin::parent_agent;
  if (c.envelope().has(Key::plan_content)) return Origin::plan;
  if (voice == Voice::command) return Origin::command;
  return voice == Voice::shell ? Origin::shell : Origin::typed;
}

Fate emit_turn(RecordContext& c, const UserContent& content) {
  std::string text;
  Voice voice = Voice::nothing;
  for (const Part& part : content.parts) {
    const Spoken spoken = who_speaks(part.text);
    switch (spoken.voice) {
      case Voice::interrupt: emit_interrupt(c, spoken.text); break;
      case Voice::shell_output: emit_output(c, part, "shell_output"); break;
      case Voice::command_output: emit_output(c, part, "command_output"); break;
      case Voice::human:
      case Voice::command:
      case Voice::shell:
        if (voice == Voice::nothing) voice = spoken.voice;
        text.append(text.empty() ? "" : "\n").append(spoken.text);
        break;
      case Voice::injected:
      case Voice::nothing: break;
    }
  }
  if (text.empty() && content.marker.empty()) {
    if (c.emitted()) return Fate::indexed();
    if (content.unknown_block) return Fate::unknown("unknown_block");
    return Fate::skipped(content.parts.empty() ? "no_content" : "injected_text");
  }
  Event& e = c.add(EventKind::user_msg, Role::user);
  e.origin = origin_of(c, voice);
  e.text = std::move(text);
  e.summary = content.marker;
  // An inline sidechain without an agent id stays in the session it ran in, where it is nobody's turn.
  e.starts_exchange = !c.sidechain || c.own_session;
  return Fate::indexed();
}

Fate emit_compact_summary(RecordContext& c, const UserContent& content) {
  Event& e = c.add_lifecycle("compact_summary");
  e.origin = Origin::injected;
  for (const Part& part : content.parts)
    e.text.append(e.text.empty() ? "" : "\n").append(part.text);
  return Fate::indexed();
}

}  // namespace

Fate read_user(RecordContext& c, od::object& root) {
  const Envelope& envelope = c.envelope();
  od::object message;
  od::value value;
  if (!seek_object(root, "message", message) || !seek(message, "content", value)) {
    c.diagnose(DiagnosticType::missing_field, {"message.content"});
    return Fate::skipped("no_content");
  }
  UserContent content;
  if (!read_blocks(c, value, content)) return Fate::damaged();

  if (content.results > 0) {
    emit_interventions(c, content);
    // The structured result belongs to the record: with several results it is not known to whose.
    if (content.results == 1 && envelope[Key::tool_use_result].starts_with('{') && seek(root, "toolUseResult", value) &&
        !read_structured_result(c, value, content.last_result))
      return Fate::damaged();
    return Fate::indexed();
  }
  if (envelope.is(Key::is_compact_summary)) return emit_compact_summary(c, content);
  if (envelope.is(Key::is_meta)) return Fate::skipped("injected_meta");
  if (envelope.is(Key::is_transcript_only)) return Fate::skipped("transcript_only");
  if (envelope.body(Key::prompt_source) == "system") return Fate::skipped("injected_system");
  return emit_turn(c, content);
}

}  // namespace memd::claude_code
