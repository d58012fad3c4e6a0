#include "adapters/opencode/item_decoder.hpp"

#include "schemas/ids.hpp"

#include <cstdlib>
#include <utility>

namespace memd::opencode {
namespace {

static_assert(simdjson::SIMDJSON_PADDING <= kRecordPadding);

enum : std::size_t {
  kParent,
  kDirectory,
  kTitle,
  kVersion,
  kAgent,
  kForkedFrom,
  kCreated,
  kAdditions,
  kDeletions,
  kCost,
  kHeadKeys
};
constexpr KeyTable<kHeadKeys> kHeadTable{
    {"parent", "directory", "title", "version", "agent", "forkedFrom", "created", "additions", "deletions", "cost"}};

enum : std::size_t { kId, kChild, kItemCreated, kType, kData, kItemKeys };
constexpr KeyTable<kItemKeys> kItemTable{{"id", "child", "created", "type", "data"}};

// "New session - 2026-07-30T14:04:55.689Z": the name of a session that has none yet.
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
  Fate verdict{"(damaged)", Disposition::skipped, "damaged"};
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
  const std::string parent = reader.text(tokens[kParent]);
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
  if (is_string(tokens[kForkedFrom]))
    update.forked_from = make_session_uid(Platform::opencode, reader.text(tokens[kForkedFrom]));
  update.started_at = integer(tokens[kCreated]);
  update.lines_added = integer(tokens[kAdditions]);
  update.lines_removed = integer(tokens[kDeletions]);
  if (const double cost = std::strtod(reader.text(tokens[kCost], 40).c_str(), nullptr); cost > 0)
    update.cost_usd = cost;
  out.sessions.push_back(std::move(update));
}

}  // namespace memd::opencode
