#include "adapters/codex/record_context.hpp"
#include "adapters/json/json_text.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/utf8.hpp"

#include <array>
#include <vector>

namespace memd::codex {

// The author of a text.

namespace {

struct Bracket {
  std::string_view open;
  std::string_view close;  // empty: the opening suffices
};

// Text injected by the client is enclosed in brackets of its own. The end is checked too, because a user may paste an
// opening tag and continue.
constexpr std::array kInjected{
    Bracket{"# AGENTS.md instructions for ", ""},
    Bracket{"# AGENTS.md instructions", "</INSTRUCTIONS>"},
    Bracket{"<environment_context>", "</environment_context>"},
    Bracket{"<user_instructions>", "</user_instructions>"},
    Bracket{"<permissions instructions>", "</permissions instructions>"},
    Bracket{"<collaboration_mode>", "</collaboration_mode>"},
    Bracket{"<model_switch>", "</model_switch>"},
    Bracket{"<personality_spec>", "</personality_spec>"},
    Bracket{"<skill>", "</skill>"},
    Bracket{"<skills_instructions>", "</skills_instructions>"},
    Bracket{"<plugins_instructions>", "</plugins_instructions>"},
    Bracket{"<apps_instructions>", "</apps_instructions>"},
    Bracket{"<recommended_plugins>", "</recommended_plugins>"},
    Bracket{"<turn_aborted>", "</turn_aborted>"},
    Bracket{"<subagent_notification>", "</subagent_notification>"},
    Bracket{"<additional_context>", "</additional_context>"},
    Bracket{"<codex_internal_context", "</codex_internal_context>"},
    Bracket{"<user_action>", "</user_action>"},
    Bracket{"<hook_prompt", "</hook_prompt>"},
    Bracket{"<token_budget>", "</token_budget>"},
    Bracket{"<send_user_message_question_reply>", "</send_user_message_question_reply>"},
};

bool stands_in(std::string_view text, const Bracket& b) {
  return text.size() >= b.open.size() + b.close.size() && ascii::equal_nocase(text.substr(0, b.open.size()), b.open) &&
         ascii::equal_nocase(text.substr(text.size() - b.close.size()), b.close);
}

// Removes the editor's headings with open and selected files before the prompt.
std::string_view without_ide_context(std::string_view text) {
  constexpr std::string_view kRequest = "## My request for Codex:";
  if (!text.starts_with("# ")) return text;
  for (auto at = text.find(kRequest); at != std::string_view::npos; at = text.find(kRequest, at + 1))
    if (at == 0 || text[at - 1] == '\n') return json::trimmed(text.substr(at + kRequest.size()));
  return text;
}

std::string_view inside(std::string_view text, const Bracket& b) {
  const auto begin = text.find(b.open);
  if (begin == std::string_view::npos) return {};
  const auto end = text.rfind(b.close);
  const auto from = begin + b.open.size();
  return end == std::string_view::npos || end < from ? std::string_view{}
                                                     : json::trimmed(text.substr(from, end - from));
}

}  // namespace

UserText classify_user_text(std::string_view text) {
  text = without_ide_context(json::trimmed(text));
  if (text.empty()) return {};
  if (stands_in(text, {"<user_shell_command>", "</user_shell_command>"}))
    return {UserTextKind::shell, inside(text, {"<command>", "</command>"}), inside(text, {"<result>", "</result>"})};
  for (const auto& bracket : kInjected)
    if (stands_in(text, bracket)) return {UserTextKind::injected, text, {}};
  if (text == "<image>" || text == "</image>" || (text.starts_with("<image name=") && text.find('\n') == text.npos))
    return {UserTextKind::image, text, {}};
  return {UserTextKind::human, text, {}};
}

// Records.

namespace {

constexpr std::string_view kMetadata = "internal_chat_message_metadata_passthrough";
// Inserted by the client when a plan is accepted.
constexpr std::string_view kPlanPrompt = "PLEASE IMPLEMENT THIS PLAN:";

MEMD_KEYS(PartKeys, type, text);

struct Part {
  std::string text;
  std::string image;  // its mark
};

std::string texts_of(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts)
    append_line(text, part.text);
  return text;
}

bool read_parts(RecordContext& c, od::object& item, std::vector<Part>& out) {
  od::value content;
  if (!seek(item, "content", content)) return true;
  const auto token = token_of(content);
  if (is_string(token)) {
    out.push_back({c.text(token), {}});
    return true;
  }
  od::array parts;
  if (content.get_array().get(parts)) return !token.starts_with('[');
  return for_each_element(parts, [&](od::value& value, std::size_t) {
    od::object part;
    PartKeys tokens;
    if (value.get_object().get(part)) return true;
    if (!collect(part, tokens)) return false;
    if (is_string(tokens.text))
      out.push_back({c.text(tokens.text), {}});
    else if (const auto type = string_body(tokens.type); type.find("image") != std::string_view::npos)
      out.push_back({"", media_mark(c, type, part)});
    else
      out.push_back({});
    return true;
  });
}

// Reads the client's kind of each part; empty in builds without kinds.
std::vector<std::string> read_kinds(RecordContext& c, od::object& item) {
  std::vector<std::string> kinds;
  od::object metadata;
  const auto add = [&](od::value& kind, std::size_t) { kinds.push_back(c.text(token_of(kind))); };
  if (seek_object(item, kMetadata, metadata)) for_each_in(metadata, "content_item_kinds", add);
  return kinds;
}

struct Prompt {
  std::string text;
  std::string output;  // output of a "!" command
  bool is_shell = false;
  std::string images;  // their marks
};

// Returns whether a kind stated by a newer client ("user.text", "environments.environment_context") is user text.
bool is_human_kind(std::string_view kind) { return kind.starts_with("user."); }

Prompt read_prompt(const std::vector<Part>& parts, const std::vector<std::string>& kinds) {
  Prompt prompt;
  const bool told = kinds.size() == parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].image.empty()) prompt.images.append(prompt.images.empty() ? "" : " ").append(parts[i].image);
    if (told && !is_human_kind(kinds[i])) continue;
    UserText user_text = classify_user_text(parts[i].text);
    if (told && user_text.kind == UserTextKind::injected) user_text.kind = UserTextKind::human;  // pasted by the user
    if (user_text.kind == UserTextKind::human) append_line(prompt.text, user_text.text);
    if (user_text.kind != UserTextKind::shell) continue;
    append_line(prompt.text, std::string("! ").append(user_text.text));
    append_line(prompt.output, user_text.output);
    prompt.is_shell = true;
  }
  return prompt;
}

// Returns the turn of an item from the client's metadata. Empty when there is none.
std::string_view turn_of(od::object& item) { return string_body(token_in(item, kMetadata, "turn_id")); }

void identify(RecordContext& c, od::object& item, const Payload& payload, std::string_view text) {
  const auto role = string_body(payload.role);
  const std::string kind = "message/" + std::string(role);
  identify_item(c, kind, string_body(payload.id), turn_of(item), hash64(text));
}

Event& add_prompt(RecordContext& c, Prompt& prompt) {
  const Origin origin = prompt.is_shell                        ? Origin::shell
                        : prompt.text.starts_with(kPlanPrompt) ? Origin::plan
                                                               : Origin::typed;
  return c.add_prompt(origin, std::move(prompt.text), std::move(prompt.images));
}

RecordOutcome emit_prompt(RecordContext& c, od::object& item, const Payload& payload, const std::vector<Part>& parts) {
  Prompt prompt = read_prompt(parts, read_kinds(c, item));
  if (prompt.text.empty() && prompt.images.empty())
    return RecordOutcome::skipped(parts.empty() ? "no_content" : "injected_text");
  identify(c, item, payload, prompt.text);
  add_prompt(c, prompt);
  if (prompt.output.empty()) return RecordOutcome::indexed();
  if (c.detail() == Detail::stored) prompt.output.resize(utf8_prefix(prompt.output, kResultTextLimit).size());
  c.add_injected("shell_output", std::move(prompt.output));
  return RecordOutcome::indexed();
}

RecordOutcome emit_answer(RecordContext& c, od::object& item, const Payload& payload, const std::vector<Part>& parts) {
  std::string text = texts_of(parts);
  if (trimmed(text).empty()) return RecordOutcome::skipped("blank_message");
  identify(c, item, payload, text);
  c.add_said(EventKind::assistant_msg, std::move(text));
  return RecordOutcome::indexed();
}

RecordOutcome read_reasoning(RecordContext& c, od::object& item, const Payload& payload) {
  std::string text;
  for (const std::string_view key : {"summary", "content"}) {
    const auto append = [&](const PartKeys& part, od::object&, std::size_t) { append_line(text, c.text(part.text)); };
    if (!for_each_object<PartKeys>(item, key, append)) return RecordOutcome::damaged();
  }
  const auto id = string_body(payload.id);
  if (id.empty() || !identify_item(c, "reasoning", id, turn_of(item), hash64(text)))
    c.identify_locally("reasoning", hash64(text, hash64(payload.encrypted_content)));
  Event& e = c.add(EventKind::thinking, Role::assistant);
  if (text.empty()) e.summary = "[encrypted]";
  e.text = std::move(text);
  return RecordOutcome::indexed();
}

RecordOutcome read_message(RecordContext& c, od::object& item, const Payload& payload) {
  const auto role = string_body(payload.role);
  if (role == "developer" || role == "system") return RecordOutcome::skipped("instructions");
  std::vector<Part> parts;
  if (!read_parts(c, item, parts)) return RecordOutcome::damaged();
  if (role == "user") return emit_prompt(c, item, payload, parts);
  if (role == "assistant" && c.line().is_compaction_output) return RecordOutcome::skipped("repeats_compacted");
  if (role == "assistant") return emit_answer(c, item, payload, parts);
  c.diagnose(DiagnosticType::unknown_field_value, {"payload.role"});
  return RecordOutcome::unknown("unknown_role");
}

}  // namespace

RecordOutcome read_prompt_echo(RecordContext& c, std::string_view text, std::string_view turn) {
  Prompt prompt = read_prompt({{std::string(text), {}}}, {});
  if (prompt.text.empty()) return RecordOutcome::skipped(text.empty() ? "repeats_message" : "injected_text");
  identify_item(c, "message/user", {}, turn, hash64(prompt.text));
  add_prompt(c, prompt).is_echo = true;
  return RecordOutcome::indexed();
}

// Reads a message from one agent to another. A message whose recipient is not the root agent is the task of this file's
// agent.
RecordOutcome read_agent_message(RecordContext& c, od::object& item, const Payload& payload) {
  std::vector<Part> parts;
  if (!read_parts(c, item, parts)) return RecordOutcome::damaged();
  std::string text = texts_of(parts);
  if (trimmed(text).empty()) return RecordOutcome::skipped("encrypted_message");
  c.identify_by("agent_message", string_body(payload.id), hash64(text));
  const std::string way = c.text(payload.author) + " to " + c.text(payload.recipient);
  if (string_body(payload.recipient) == "/root" || string_body(payload.recipient).empty()) {
    c.add_lifecycle("agent_message", one_line(way, 120)).text = std::move(text);
    return RecordOutcome::indexed();
  }
  c.add_prompt(Origin::parent_agent, std::move(text));
  return RecordOutcome::indexed();
}

RecordOutcome read_response_item(RecordContext& c, od::object& item, const Payload& payload) {
  const auto type = string_body(payload.type);
  if (type == "message") return read_message(c, item, payload);
  if (type == "reasoning") return read_reasoning(c, item, payload);
  if (type == "agent_message") return read_agent_message(c, item, payload);
  if (type == "ghost_snapshot") return RecordOutcome::skipped("file_backup");
  if (type == "compaction" || type == "compaction_summary" || type == "context_compaction")
    return RecordOutcome::skipped("encrypted_compaction");
  if (type == "additional_tools" || type == "compaction_trigger") return RecordOutcome::skipped("instructions");
  return read_tool_item(c, item, payload);
}

}  // namespace memd::codex
