#include "adapters/cursor/item_decoder.hpp"

#include "adapters/cursor/item_json.hpp"
#include "adapters/cursor/prompt_text.hpp"
#include "schemas/hash.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace memd::cursor {

void ItemContext::set_id(std::string_view id) { key_ = record_key(Platform::cursor, id); }

void ItemContext::take_time(TimeMs said) {
  if (said == 0) return;
  time = said;
  time_estimated = false;
}

Event& ItemContext::add(EventKind kind, Role role, std::size_t block) {
  Event& e = emplace(event_key(key_, index_++), time, kind, role, block);
  e.time_estimated = time_estimated;
  e.model = model;
  e.cwd = cwd;
  e.is_sidechain = subagent;
  return e;
}

void ItemContext::add_usage(const TokenUsage& usage) {
  if (usage == TokenUsage{}) return;
  if (!emitted()) add(EventKind::lifecycle, Role::system).lifecycle = "usage";
  first_event().response_key = hash_combine(key_, hash64("usage"));
  first_event().usage = usage;
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

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

// The head.

namespace {

enum : std::size_t {
  kTitle,
  kDescription,
  kCwd,
  kMode,
  kModel,
  kHeadBranch,
  kParent,
  kParentCall,
  kAgent,
  kSubagent,
  kHeadArchived,
  kHeadCreated,
  kHeadUpdated,
  kHeadContextTokens,
  kCost,
  kHeadAdded,
  kHeadRemoved,
  kProject,
  kHeadKeys
};
constexpr KeyTable<kHeadKeys> kHeadTable{{"title", "description", "cwd", "mode", "model", "branch", "parent",
                                          "parent_call", "agent", "subagent", "archived", "created", "updated",
                                          "context_tokens", "cost_cents", "lines_added", "lines_removed", "project"}};

}  // namespace

RecordOutcome read_head(ItemContext& c, od::object& item) {
  Tokens<kHeadKeys> tokens;
  if (!collect(item, kHeadTable, tokens)) return RecordOutcome::damaged();
  const auto parts = split_session_uid(c.session_uid());
  if (!parts) return RecordOutcome::skipped("no_session");
  SessionUpdate update;
  update.session_uid = c.session_uid();
  update.platform = Platform::cursor;
  update.native_id = parts->native_id;
  update.title = one_line(c.text(tokens[kTitle]), 300);
  if (!update.title.empty()) update.title_rank = TitleRank::ai;
  update.description = c.text(tokens[kDescription], 1000);
  if (integer(tokens[kHeadArchived]) != 0)
    update.description.append(update.description.empty() ? "" : " ").append("(archived)");
  if (const auto parent = c.text(tokens[kParent]); !parent.empty()) {
    update.parent_uid = make_session_uid(Platform::cursor, parent);
    update.parent_call_id = c.text(tokens[kParentCall]);
  }
  if (!update.parent_uid.empty() || integer(tokens[kSubagent]) != 0) update.kind = SessionKind::subagent;
  update.agent_name = c.text(tokens[kAgent]);
  update.project_hint = c.text(tokens[kProject]);
  update.cwd = c.text(tokens[kCwd]);
  update.git_branch = c.text(tokens[kHeadBranch]);
  update.model = c.text(tokens[kModel]);
  if (update.model == "default") update.model = "auto";
  update.mode = c.text(tokens[kMode]);
  update.time = update.started_at = integer(tokens[kHeadCreated]);
  update.ended_at = integer(tokens[kHeadUpdated]);
  update.context_tokens = integer(tokens[kHeadContextTokens]);
  update.lines_added = integer(tokens[kHeadAdded]);
  update.lines_removed = integer(tokens[kHeadRemoved]);
  if (const auto cents = integer(tokens[kCost]); cents > 0) update.cost_usd = static_cast<double>(cents) / 100;
  c.out().sessions.push_back(std::move(update));
  return RecordOutcome::indexed();
}

// All items.

namespace {

static_assert(simdjson::SIMDJSON_PADDING <= kRecordPadding);

enum : std::size_t {
  kKind,
  kId,
  kTime,
  kEstimated,
  kItemDecoderSubagent,
  kLossy,
  kRole,
  kItemDecoderText,
  kDamaged,
  kItemKeys
};
constexpr KeyTable<kItemKeys> kItemTable{{"k", "id", "t", "e", "sub", "lossy", "role", "text", "damaged"}};

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

RecordOutcome read_text(ItemContext& c, const Tokens<kItemKeys>& tokens) {
  std::string text = c.text(tokens[kItemDecoderText]);
  if (trimmed(text).empty()) return RecordOutcome::skipped("blank_message");
  const auto role = string_body(tokens[kRole]);
  if (role == "user") {
    PromptText prompt = read_prompt_text(text);
    if (prompt.text.empty()) return RecordOutcome::skipped("injected_text");
    c.take_time(prompt.time);
    emit_prompt(c, std::move(prompt.text));
  } else if (role == "thinking") {
    emit_thinking(c, std::move(text));
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
    emit_answer(c, std::move(text));
  }
  return RecordOutcome::indexed();
}

RecordOutcome read_prompt(ItemContext& c, const Tokens<kItemKeys>& tokens) {
  std::string text = c.text(tokens[kItemDecoderText]);
  if (trimmed(text).empty()) return RecordOutcome::skipped("blank_message");
  emit_prompt(c, std::move(text));
  c.out().events.back().origin = Origin::history;
  return RecordOutcome::indexed();
}

}  // namespace

struct ItemDecoder::Parser {
  od::parser parser;
  od::document document;
};

ItemDecoder::ItemDecoder(const Source& source, Detail detail)
    : session_uid_(source.session_uid), detail_(detail), parser_(std::make_unique<Parser>()) {}

ItemDecoder::~ItemDecoder() = default;

bool ItemDecoder::open(std::string_view json, od::object& item) const {
  return !parser_->parser.iterate(json.data(), json.size(), json.size() + kRecordPadding).get(parser_->document) &&
         !parser_->document.get_object().get(item);
}

bool ItemDecoder::is_complete(std::string_view bytes) const { return is_json_object(bytes); }

void ItemDecoder::decode(const RawRecord& record, EventBatch& out) {
  const auto events = out.events.size();
  const auto sessions = out.sessions.size();
  std::string_view type = "(damaged)";
  const RecordOutcome verdict = read(record, out, type);
  if (verdict.broken) {
    out.events.resize(events);
    out.sessions.resize(sessions);
    out.diagnostics.push_back(
        {Platform::cursor, DiagnosticType::damaged_record, Severity::warning, {}, 0, record.offset});
  }
  out.cover(type, verdict.disposition, verdict.reason, record.bytes.size() + (record.newline_follows ? 1 : 0));
}

RecordOutcome ItemDecoder::read(const RawRecord& record, EventBatch& out, std::string_view& type) {
  od::object item;
  Tokens<kItemKeys> tokens;
  if (!open(record.bytes, item) || !collect(item, kItemTable, tokens)) return RecordOutcome::damaged();
  const auto kind = string_body(tokens[kKind]);
  for (const auto& name : kLedgerNames)
    if (name.kind == kind) type = name.type;
  if (!tokens[kDamaged].empty()) return RecordOutcome::damaged();

  ItemContext c(session_uid_, {record.offset, static_cast<std::uint32_t>(record.bytes.size()), 0}, detail_, out);
  c.set_id(c.text(tokens[kId]));
  c.time = integer(tokens[kTime]);
  c.time_estimated = c.time == 0 || integer(tokens[kEstimated]) != 0;
  c.subagent = integer(tokens[kItemDecoderSubagent]) != 0;
  if (integer(tokens[kLossy]) != 0) c.mark_lossy();

  RecordOutcome verdict = RecordOutcome::unknown("unknown_kind");
  od::object value;
  const bool has_value = seek_object(item, "v", value);
  if (kind == item_kind::kHead)
    verdict = read_head(c, item);
  else if (kind == item_kind::kText)
    verdict = read_text(c, tokens);
  else if (kind == item_kind::kPrompt)
    verdict = read_prompt(c, tokens);
  else if (kind == item_kind::kBinary)
    verdict = RecordOutcome::unknown("no_json");
  else if (!has_value)
    verdict = RecordOutcome::damaged();
  else if (kind == item_kind::kBubble)
    verdict = read_bubble(c, value);
  else if (kind == item_kind::kTab)
    verdict = read_tab_bubble(c, value);
  else if (kind == item_kind::kMessage)
    verdict = read_message(c, value);
  if (!verdict.broken && c.lossy()) c.diagnose(DiagnosticType::invalid_encoding);
  return verdict;
}

}  // namespace memd::cursor
