#include "adapters/opencode/item_decoder.hpp"

#include "schemas/ids.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace memd::opencode {

namespace {

constexpr std::uint32_t kFirstNote = 0x8000;  // after the numbers of content, before those of derived events

MEMD_KEYS(TokenKeys, total, input, output, reasoning);
MEMD_KEYS(CacheKeys, read, write);

}  // namespace

Event& ItemContext::add_as(std::uint32_t, EventKind kind, Role role, std::size_t of_block) {
  switch (kind) {
    case EventKind::user_msg:
    case EventKind::assistant_msg:
    case EventKind::thinking:
    case EventKind::tool_call:
      return RecordBuilder::add_as(2 * std::min(next_content_++, kFirstNote / 2 - 1), kind, role, of_block);
    case EventKind::tool_result:
      return RecordBuilder::add_as(2 * std::min(next_content_ - 1, kFirstNote / 2 - 1) + 1, kind, role, of_block);
    default: return RecordBuilder::add_as(kFirstNote + std::min(next_note_++, kFirstNote - 1), kind, role, of_block);
  }
}

Event* ItemContext::add_said(bool thought, TimeMs told, std::string text) {
  Event& e = add(thought ? EventKind::thinking : EventKind::assistant_msg, Role::assistant);
  if (told != 0) e.time = told;
  e.time_estimated = told == 0;
  reach(told);
  e.text = std::move(text);
  if (!trimmed(e.text).empty()) return &e;
  out().events.pop_back();
  return nullptr;
}

void ItemContext::add_failure(std::string name, std::string_view message) {
  if (name == "MessageAbortedError" || name == "aborted" || name == "interrupted") {
    add_lifecycle("interrupt", one_line(message, 80));
    return;
  }
  if (!message.empty()) name.append(": ").append(message);
  add_error(std::move(name));
}

std::string model_name(TextReader& reader, std::string_view provider, std::string_view model) {
  std::string name = reader.text(provider);
  if (!name.empty() && is_string(model)) name.push_back('/');
  reader.append_text(model, name);
  return name;
}

TokenUsage read_usage(od::object& tokens) {
  TokenKeys counts;
  CacheKeys cache;
  if (!collect(tokens, counts)) return {};
  collect_in(tokens, "cache", cache);
  TokenUsage usage{integer(counts.input), integer(counts.output), integer(cache.read), integer(cache.write)};
  // Whether output includes reasoning depends on version and provider. The total decides it, where there is one.
  const std::int64_t rest = integer(counts.total) - usage.input - usage.cache_read - usage.cache_creation;
  if (rest == usage.output + integer(counts.reasoning)) usage.output = rest;
  usage.reasoning = std::clamp<std::int64_t>(integer(counts.reasoning), 0, usage.output);
  return usage;
}

namespace {

// "parent" and "forkedFrom" are in records that earlier versions of memd kept.
MEMD_KEYS(HeadKeys, parentID, parent, directory, title, version, agent, forkedFromID, forkedFrom, created, additions,
          deletions, cost);

// Detects the placeholder title of an unnamed session: "New session - 2026-07-30T14:04:55.689Z".
bool is_default_title(std::string_view title) {
  return title.starts_with("New session - ") || title.starts_with("Child session - ");
}

void read_head(ItemContext& c, od::object& head) {
  HeadKeys tokens;
  if (c.session_uid().empty() || !collect(head, tokens)) return;
  SessionUpdate& update = c.add_session();
  const std::string parent = c.text(is_string(tokens.parentID) ? tokens.parentID : tokens.parent);
  const std::string origin = c.text(is_string(tokens.forkedFromID) ? tokens.forkedFromID : tokens.forkedFrom);
  const std::string agent = c.text(tokens.agent);
  if (!parent.empty()) {
    update.kind = SessionKind::subagent;
    update.parent_uid = make_session_uid(c.platform(), parent);
    update.agent_name = agent;
  } else {
    update.mode = agent;
  }
  update.title = c.text(tokens.title);
  if (is_default_title(update.title)) update.title.clear();
  if (!update.title.empty()) update.title_rank = TitleRank::ai;
  update.cwd = c.text(tokens.directory);
  update.agent_version = c.text(tokens.version);
  if (!origin.empty()) update.forked_from = make_session_uid(c.platform(), origin);
  update.started_at = integer(tokens.created);
  update.lines_added = integer(tokens.additions);
  update.lines_removed = integer(tokens.deletions);
  if (const double cost = std::strtod(c.text(tokens.cost, 40).c_str(), nullptr); cost > 0) update.cost_usd = cost;
}

}  // namespace

RecordOutcome ItemDecoder::read(od::object& root, RawRef raw, EventBatch& out) {
  ItemContext c(platform(), session_uid_, raw, detail_, out);
  if (raw.offset == 0) {
    read_head(c, root);
    return RecordOutcome::indexed("session");
  }
  c.identify(string_body(keys_.id));
  c.time = integer(keys_.created);
  c.is_sidechain = is_true(keys_.child);
  RecordOutcome outcome = RecordOutcome::skipped("damaged", "(damaged)");
  if (!keys_.data.starts_with('{'))
    c.diagnose(DiagnosticType::damaged_record, {"data"});
  else if (is_string(keys_.type))
    outcome = read_record(c, string_body(keys_.type), root);
  else
    outcome = read_message(c, root);
  if (c.lossy()) c.diagnose(DiagnosticType::invalid_encoding);
  return outcome;
}

}  // namespace memd::opencode
