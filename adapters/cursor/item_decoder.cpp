#include "adapters/cursor/item_decoder.hpp"

#include "adapters/cursor/item_json.hpp"
#include "adapters/cursor/prompt_text.hpp"
#include "schemas/base/utf8.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <array>

namespace memd::cursor {

void take_time(ItemContext& c, TimeMs said) {
  if (said == 0) return;
  c.time = said;
  c.time_estimated = false;
}

void emit_prompt(ItemContext& c, std::string text) {
  c.add_prompt(c.is_sidechain ? Origin::parent_agent : Origin::typed, std::move(text));
}

// The head.

namespace {

MEMD_KEYS(HeadKeys, title, description, cwd, mode, model, branch, parent, parent_call, agent, subagent, archived,
          created, updated, context_tokens, cost_cents, lines_added, lines_removed, project);

}  // namespace

RecordOutcome read_head(ItemContext& c, od::object& item) {
  HeadKeys tokens;
  if (!collect(item, tokens)) return RecordOutcome::damaged();
  if (c.session_uid().empty()) return RecordOutcome::skipped("no_session");
  SessionUpdate& update = c.add_session();
  update.title = one_line(c.text(tokens.title), 300);
  if (!update.title.empty()) update.title_rank = TitleRank::ai;
  update.description = c.text(tokens.description, 1000);
  if (integer(tokens.archived) != 0)
    update.description.append(update.description.empty() ? "" : " ").append("(archived)");
  if (const auto parent = c.text(tokens.parent); !parent.empty()) {
    update.parent_uid = make_session_uid(Platform::cursor, parent);
    update.parent_call_id = c.text(tokens.parent_call);
  }
  if (!update.parent_uid.empty() || integer(tokens.subagent) != 0) update.kind = SessionKind::subagent;
  update.agent_name = c.text(tokens.agent);
  update.project_hint = c.text(tokens.project);
  update.cwd = c.text(tokens.cwd);
  update.git_branch = c.text(tokens.branch);
  update.model = c.text(tokens.model);
  if (update.model == "default") update.model = "auto";
  update.mode = c.text(tokens.mode);
  update.time = update.started_at = integer(tokens.created);
  update.ended_at = integer(tokens.updated);
  update.context_tokens = integer(tokens.context_tokens);
  update.lines_added = integer(tokens.lines_added);
  update.lines_removed = integer(tokens.lines_removed);
  if (const auto cents = integer(tokens.cost_cents); cents > 0) update.cost_usd = static_cast<double>(cents) / 100;
  return RecordOutcome::indexed();
}

// All items.

namespace {

// Names of the item kinds in the ledger. Rows that are no items are named by their keys.
struct KindName {
  std::string_view kind;
  std::string_view type;
};
constexpr std::array<KindName, 7> kLedgerNames{{{item_kind::kHead, "conversation"},
                                                {item_kind::kBubble, "bubble"},
                                                {item_kind::kTab, "tab_bubble"},
                                                {item_kind::kMessage, "message"},
                                                {item_kind::kText, "text"},
                                                {item_kind::kPrompt, "prompt"},
                                                {item_kind::kBinary, "message"}}};

RecordOutcome read_text(ItemContext& c, const ItemKeys& keys) {
  std::string text = c.text(keys.text);
  if (trimmed(text).empty()) return RecordOutcome::skipped("blank_message");
  const auto role = string_body(keys.role);
  if (role == "user") {
    PromptText prompt = read_prompt_text(text);
    if (prompt.text.empty()) return RecordOutcome::skipped("injected_text");
    take_time(c, prompt.time);
    emit_prompt(c, std::move(prompt.text));
  } else if (role == "thinking") {
    c.add_said(EventKind::thinking, std::move(text));
  } else if (role == "tool") {
    Event& e = c.add(EventKind::tool_call, Role::assistant);
    e.tool = one_line(std::string_view(text).substr(0, text.find('\n')), 80);
    e.summary = one_line(text, 160);
    e.search_text = utf8_prefix(text, 1500);
    if (c.detail() == Detail::full) e.text = std::move(text);
  } else if (role == "result") {
    text.erase(0, std::min(text.find('\n'), text.size()));  // the name of the tool
    if (trimmed(text).empty()) return RecordOutcome::skipped("blank_message");
    Event& e = c.add(EventKind::tool_result, Role::tool);
    if (c.detail() == Detail::stored) text.resize(utf8_prefix(text, kResultTextLimit).size());
    e.text = std::move(text);
  } else {
    c.add_said(EventKind::assistant_msg, std::move(text));
  }
  return RecordOutcome::indexed();
}

RecordOutcome read_prompt(ItemContext& c, const ItemKeys& keys) {
  std::string text = c.text(keys.text);
  if (trimmed(text).empty()) return RecordOutcome::skipped("blank_message");
  emit_prompt(c, std::move(text));
  c.out().events.back().origin = Origin::history;
  return RecordOutcome::indexed();
}

}  // namespace

RecordOutcome ItemDecoder::read(od::object& item, RawRef raw, EventBatch& out) {
  ItemContext c(Platform::cursor, session_uid_, raw, detail_, out);
  const auto before = out.length();
  RecordOutcome outcome = keys_.damaged.empty() ? read_kind(c, item) : RecordOutcome::damaged();
  if (outcome.broken) {
    out.events.resize(before.events);
    out.sessions.resize(before.sessions);
    c.diagnose(DiagnosticType::damaged_record);
    outcome = RecordOutcome::skipped("damaged");
  } else if (c.lossy()) {
    c.diagnose(DiagnosticType::invalid_encoding);
  }
  outcome.type = "(damaged)";
  for (const auto& name : kLedgerNames)
    if (name.kind == string_body(keys_.k)) outcome.type = name.type;
  return outcome;
}

RecordOutcome ItemDecoder::read_kind(ItemContext& c, od::object& item) const {
  c.block = 0;
  c.model_of_all = true;
  c.identify(c.text(keys_.id));
  c.time = integer(keys_.t);
  c.time_estimated = c.time == 0 || integer(keys_.e) != 0;
  c.is_sidechain = integer(keys_.sub) != 0;
  if (integer(keys_.lossy) != 0) c.mark_lossy();
  const auto kind = string_body(keys_.k);
  if (kind == item_kind::kHead) return read_head(c, item);
  if (kind == item_kind::kText) return read_text(c, keys_);
  if (kind == item_kind::kPrompt) return read_prompt(c, keys_);
  if (kind == item_kind::kBinary) return RecordOutcome::unknown("no_json");
  od::object value;
  if (!seek_object(item, "v", value)) return RecordOutcome::damaged();
  if (kind == item_kind::kBubble) return read_bubble(c, value);
  if (kind == item_kind::kTab) return read_tab_bubble(c, value);
  if (kind == item_kind::kMessage) return read_message(c, value);
  return RecordOutcome::unknown("unknown_kind");
}

}  // namespace memd::cursor
