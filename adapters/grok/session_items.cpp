// The head of a session, and its history for the model where the log of updates is lost.
#include "adapters/grok/item_handlers.hpp"
#include "adapters/grok/update_line.hpp"
#include "adapters/json/json_text.hpp"
#include "schemas/ids.hpp"

namespace memd::grok {
namespace {

constexpr std::size_t kTitleLimit = 200;

TimeMs time_of(const dom::object& object, std::string_view key) {
  return parse_rfc3339(text_of(object, key)).value_or(0);
}

}  // namespace

Fate read_head(ItemContext& c, const dom::object& item) {
  SessionUpdate update;
  update.session_uid = c.session_uid();
  update.platform = Platform::grok;
  update.native_id = text_of(item, "id");
  update.cwd = text_of(item, "cwd");
  dom::object summary;
  dom::object info;
  if (!item["summary"].get(summary)) {
    if (!summary["info"].get(info) && !text_of(info, "cwd").empty()) update.cwd = text_of(info, "cwd");
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
  c.out().sessions.push_back(std::move(update));
  return Fate::indexed();
}

Fate read_chat(ItemContext& c, const dom::object& chat, std::string& type) {
  type = text_of(chat, "type");
  dom::element content;
  const std::string text = chat["content"].get(content) ? std::string() : content_text(content);
  if (type == "user") {
    std::int64_t index = 0;
    const std::string words = human_words(text);
    if (!text_of(chat, "synthetic_reason").empty() && text_of(chat, "synthetic_reason") != "human")
      return Fate::skipped("injected_text");
    if (words.empty()) return Fate::skipped("blank_message");
    Event& e = c.add(EventKind::user_msg, Role::user);
    e.starts_exchange = !chat["prompt_index"].get(index);
    e.origin = e.starts_exchange ? Origin::typed : Origin::queued;
    e.text = words;
    return Fate::indexed();
  }
  if (type == "assistant") {
    c.model = text_of(chat, "model_id");
    if (!json::trimmed(text).empty()) c.add(EventKind::assistant_msg, Role::assistant).text = text;
    dom::array calls;
    if (!chat["tool_calls"].get(calls))
      for (const auto value : calls) {
        dom::object call;
        if (!value.get(call)) emit_call(c, text_of(call, "name"), text_of(call, "id"), text_of(call, "arguments"));
      }
    return c.emitted() ? Fate::indexed() : Fate::skipped("blank_message");
  }
  if (type == "tool_result") {
    Event& e = c.add(EventKind::tool_result, Role::tool);
    e.call_id = text_of(chat, "tool_call_id");
    e.text = c.detail() == json::Detail::full ? std::string_view(text) : json::utf8_prefix(text, kResultTextLimit);
    return Fate::indexed();
  }
  if (type == "reasoning") {
    dom::element summary;
    const std::string thought = chat["summary"].get(summary) ? std::string() : content_text(summary);
    if (json::trimmed(thought).empty()) return Fate::skipped("blank_message");
    c.add(EventKind::thinking, Role::assistant).text = thought;
    return Fate::indexed();
  }
  if (type == "system" || type == "backend_tool_call") return Fate::skipped(type == "system" ? "system" : "state");
  c.diagnose(DiagnosticType::unknown_record_type, {"type"});
  return Fate::unknown("unknown_type");
}

}  // namespace memd::grok
