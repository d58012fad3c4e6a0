#include "adapters/json/prompt_history.hpp"

#include "adapters/json/json_text.hpp"
#include "schemas/hash.hpp"

namespace memd::json {
namespace {

// A slash command without a word of the person's own: "/clear", "/model".
bool is_bare_command(std::string_view text) {
  return text == "exit" || text == "quit" ||
         (text.starts_with('/') && text.find_first_of(" \t\r\n") == std::string_view::npos &&
          text.find('/', 1) == std::string_view::npos);
}

}  // namespace

Fate add_history_prompt(const HistoryPrompt& prompt, RawRef raw, EventBatch& out) {
  const auto text = trimmed(prompt.text);
  if (text.empty()) return Fate::skipped("blank_message");
  if (is_bare_command(text)) return Fate::skipped("command");
  Event& e = out.events.emplace_back();
  e.session_uid = prompt.session_uid;
  e.event_id = hash_combine(
      record_key(prompt.platform, "history/" + prompt.session_uid + "/" + std::to_string(prompt.time)), hash64(text));
  e.time = prompt.time;
  e.kind = EventKind::user_msg;
  e.role = Role::user;
  e.origin = Origin::history;
  e.raw = raw;
  e.text = text;
  e.cwd = prompt.cwd;
  e.starts_exchange = true;
  return Fate::indexed();
}

}  // namespace memd::json
