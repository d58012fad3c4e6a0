#include "adapters/opencode/item_decoder.hpp"

#include "schemas/ids.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace memd::opencode {

namespace {

constexpr std::uint32_t kFirstNote = 0x8000;  // after the numbers of content, before those of derived events

enum : std::size_t { kTotal, kInput, kOutput, kReasoning, kTokenKeys };
constexpr KeyTable<kTokenKeys> kTokenTable{{"total", "input", "output", "reasoning"}};
enum : std::size_t { kRead, kWrite, kCacheKeys };
constexpr KeyTable<kCacheKeys> kCacheTable{{"read", "write"}};

}  // namespace

Event& ItemContext::add_numbered(EventKind kind, Role role, std::size_t block, std::uint32_t index) {
  Event& e = emplace(event_key(key, index), time, kind, role, block);
  e.cwd = cwd;
  e.model = model;
  e.is_sidechain = is_child;
  return e;
}

Event& ItemContext::add(EventKind kind, Role role, std::size_t block) {
  return add_numbered(kind, role, block, 2 * std::min<std::uint32_t>(next_content_++, kFirstNote / 2 - 1));
}

Event& ItemContext::add_result(std::size_t block) {
  const std::uint32_t call = std::min<std::uint32_t>(next_content_ - 1, kFirstNote / 2 - 1);
  return add_numbered(EventKind::tool_result, Role::tool, block, 2 * call + 1);
}

Event& ItemContext::add_note(EventKind kind, Role role, std::size_t block) {
  return add_numbered(kind, role, block, kFirstNote + std::min<std::uint32_t>(next_note_++, kFirstNote - 1));
}

Event& ItemContext::add_lifecycle(std::string_view name, std::size_t block) {
  Event& e = add_note(EventKind::lifecycle, Role::system, block);
  e.lifecycle = name;
  return e;
}

std::string model_name(TextReader& reader, std::string_view provider, std::string_view model) {
  std::string name = reader.text(provider);
  if (!name.empty() && is_string(model)) name.push_back('/');
  reader.append_text(model, name);
  return name;
}

TokenUsage read_usage(od::object& tokens) {
  Tokens<kTokenKeys> counts;
  Tokens<kCacheKeys> cache{};
  od::object inner;
  if (!collect(tokens, kTokenTable, counts)) return {};
  if (seek_object(tokens, "cache", inner) && !collect(inner, kCacheTable, cache)) return {};
  TokenUsage usage{integer(counts[kInput]), integer(counts[kOutput]), integer(cache[kRead]), integer(cache[kWrite])};
  // Whether output includes reasoning depends on version and provider. The total decides it, where there is one.
  const std::int64_t rest = integer(counts[kTotal]) - usage.input - usage.cache_read - usage.cache_creation;
  if (rest == usage.output + integer(counts[kReasoning])) usage.output = rest;
  return usage;
}

namespace {

static_assert(simdjson::SIMDJSON_PADDING <= kRecordPadding);

enum : std::size_t {
  kParent,
  kParentBefore,
  kDirectory,
  kTitle,
  kVersion,
  kAgent,
  kForkedFrom,
  kForkedFromBefore,
  kCreated,
  kAdditions,
  kDeletions,
  kCost,
  kHeadKeys
};
// "parent" and "forkedFrom" are in records that earlier versions of memd kept.
constexpr KeyTable<kHeadKeys> kHeadTable{{"parentID", "parent", "directory", "title", "version", "agent",
                                          "forkedFromID", "forkedFrom", "created", "additions", "deletions", "cost"}};

enum : std::size_t { kId, kChild, kItemCreated, kType, kData, kItemKeys };
constexpr KeyTable<kItemKeys> kItemTable{{"id", "child", "created", "type", "data"}};

// Detects the placeholder title of an unnamed session: "New session - 2026-07-30T14:04:55.689Z".
bool is_default_title(std::string_view title) {
  return title.starts_with("New session - ") || title.starts_with("Child session - ");
}

}  // namespace

ItemDecoder::ItemDecoder(const Source& source, Detail detail) : session_uid_(source.session_uid), detail_(detail) {}

bool ItemDecoder::is_complete(std::string_view bytes) const { return bytes.ends_with('}'); }

void ItemDecoder::decode(const RawRecord& record, EventBatch& out) {
  const std::uint64_t bytes = record.bytes.size() + (record.newline_follows ? 1 : 0);
  const RawRef raw{record.offset, static_cast<std::uint32_t>(record.bytes.size()), 0};
  ItemContext context(session_uid_, raw, detail_, out);
  od::object root;
  Tokens<kItemKeys> tokens;
  if (!parser_.open(record.bytes, root) || !collect(root, kItemTable, tokens)) {
    context.diagnose(DiagnosticType::damaged_record);
    return out.cover("(damaged)", Disposition::skipped, "damaged", bytes);
  }
  if (record.offset == 0) {
    read_head(root, out);
    return out.cover("session", Disposition::indexed, {}, bytes);
  }
  context.key = record_key(Platform::opencode, string_body(tokens[kId]));
  context.time = integer(tokens[kItemCreated]);
  context.is_child = is_true(tokens[kChild]);
  RecordOutcome verdict = RecordOutcome::damaged("(damaged)");
  if (!tokens[kData].starts_with('{'))
    context.diagnose(DiagnosticType::damaged_record, {"data"});
  else if (is_string(tokens[kType]))
    verdict = read_record(context, string_body(tokens[kType]), root);
  else
    verdict = read_message(context, root);
  if (context.lossy() || parser_.replaced()) context.diagnose(DiagnosticType::invalid_encoding);
  out.cover(verdict.type, verdict.disposition, verdict.reason, bytes);
}

void ItemDecoder::read_head(od::object& head, EventBatch& out) {
  Tokens<kHeadKeys> tokens;
  const auto parts = split_session_uid(session_uid_);
  if (!parts || !collect(head, kHeadTable, tokens)) return;
  TextReader reader(detail_);
  SessionUpdate update;
  update.session_uid = session_uid_;
  update.platform = Platform::opencode;
  update.native_id = parts->native_id;
  const auto either = [&](std::size_t key, std::size_t before) {
    return reader.text(is_string(tokens[key]) ? tokens[key] : tokens[before]);
  };
  const std::string parent = either(kParent, kParentBefore);
  const std::string agent = reader.text(tokens[kAgent]);
  if (!parent.empty()) {
    update.kind = SessionKind::subagent;
    update.parent_uid = make_session_uid(Platform::opencode, parent);
    update.agent_name = agent;
  } else {
    update.mode = agent;
  }
  update.title = reader.text(tokens[kTitle]);
  if (is_default_title(update.title)) update.title.clear();
  if (!update.title.empty()) update.title_rank = TitleRank::ai;
  update.cwd = reader.text(tokens[kDirectory]);
  update.agent_version = reader.text(tokens[kVersion]);
  if (const std::string origin = either(kForkedFrom, kForkedFromBefore); !origin.empty())
    update.forked_from = make_session_uid(Platform::opencode, origin);
  update.started_at = integer(tokens[kCreated]);
  update.lines_added = integer(tokens[kAdditions]);
  update.lines_removed = integer(tokens[kDeletions]);
  if (const double cost = std::strtod(reader.text(tokens[kCost], 40).c_str(), nullptr); cost > 0)
    update.cost_usd = cost;
  out.sessions.push_back(std::move(update));
}

}  // namespace memd::opencode
