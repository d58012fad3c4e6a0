#include "adapters/cursor/item_context.hpp"

#include "schemas/hash.hpp"

#include <algorithm>
#include <limits>

namespace memd::cursor {

void ItemContext::set_id(std::string_view id) { key_ = record_key(Platform::cursor, id); }

Event& ItemContext::add(EventKind kind, Role role, std::size_t block) {
  const auto index = static_cast<std::uint32_t>(out_.events.size() - first_);
  Event& e = out_.events.emplace_back();
  e.session_uid = session_uid_;
  e.event_id = event_key(key_, index);
  e.time = time;
  e.time_estimated = time_estimated;
  e.kind = kind;
  e.role = role;
  e.raw = raw_;
  e.raw.block = static_cast<std::uint16_t>(std::min<std::size_t>(block, std::numeric_limits<std::uint16_t>::max()));
  e.model = model;
  e.cwd = cwd;
  e.is_sidechain = subagent;
  return e;
}

void ItemContext::diagnose(DiagnosticType type, std::vector<FieldName> fields) {
  out_.diagnostics.push_back({Platform::cursor, type, Severity::warning, std::move(fields), 0, raw_.offset});
}

void ItemContext::add_usage(const TokenUsage& usage) {
  if (usage == TokenUsage{}) return;
  if (!emitted()) add(EventKind::lifecycle, Role::system).lifecycle = "usage";
  Event& e = out_.events[first_];
  e.response_key = hash_combine(key_, hash64("usage"));
  e.usage = usage;
}

void emit_prompt(ItemContext& c, std::string text) {
  Event& e = c.add(EventKind::user_msg, Role::user);
  e.origin = c.subagent ? Origin::parent_agent : Origin::typed;
  e.starts_exchange = true;
  e.text = std::move(text);
}

void emit_answer(ItemContext& c, std::string text, std::size_t block) {
  if (json::trimmed(text).empty()) return;
  c.add(EventKind::assistant_msg, Role::assistant, block).text = std::move(text);
}

void emit_thinking(ItemContext& c, std::string text, std::size_t block) {
  if (json::trimmed(text).empty()) return;
  c.add(EventKind::thinking, Role::assistant, block).text = std::move(text);
}

Words typed_words(std::string_view text) {
  constexpr std::string_view open = "<user_query>";
  constexpr std::string_view close = "</user_query>";
  text = json::trimmed(text);
  if (const auto at = text.find(open); at != std::string_view::npos) {
    text.remove_prefix(at + open.size());
    return {json::trimmed(text.substr(0, text.rfind(close))), false};
  }
  for (const std::string_view tag :
       {"<user_info>", "<system_reminder>", "<system-reminder>", "<rules>", "<project_layout>", "<git_status>",
        "<agent_transcripts>", "<open_and_recently", "<environment_details>", "<agent_skills>",
        "<always_applied_workspace_rules>", "<available_subagent_types>", "<additional_data>", "<attached_files>"})
    if (text.starts_with(tag)) return {text, true};
  return {text, false};
}

}  // namespace memd::cursor
