#include "adapters/cursor/global_state_reader.hpp"
#include "adapters/cursor/row_ledger.hpp"
#include "adapters/sqlite/change_mark.hpp"

#include <algorithm>
#include <unordered_set>

namespace memd::cursor {
namespace {

// Rows in one statement: few enough that a writer in rollback mode does not notice.
constexpr int kRowsAtOnce = 500;
// More new rows than this and reading everything is about as fast.
constexpr std::size_t kManyRows = 20'000;
constexpr std::size_t kActive = 2;

// The totals of what is not taken in are counted when everything is read. That is done again when a good part has
// been written anew; it also finds what may have been missed in ways nobody thought of.
bool counted_long_ago(const StateMark& before, const StateMark& now) {
  const std::int64_t counted = std::max<std::int64_t>(before.counted_rowid, 1);
  return now.last_rowid - counted > std::max<std::int64_t>(counted / 2, 50'000);
}

std::string composer_in(std::string_view key) {
  if (key.starts_with(kComposerKey)) return std::string(key.substr(kComposerKey.size()));
  if (!key.starts_with(kBubbleKey)) return {};
  key.remove_prefix(kBubbleKey.size());
  return std::string(key.substr(0, key.find(':')));
}

}  // namespace

Result<SnapshotReader::Plan> GlobalStateReader::plan(const std::string& mark) {
  rows_.reset();  // no lock of ours may be there when the file is looked at
  loaded_.reset();
  StateMark now;
  MEMD_TRY_ASSIGN(now.change, sqlite::change_mark(files_, path_));
  const auto before = StateMark::parse(mark);
  if (before && before->change == now.change) {
    Plan plan;
    plan.mark = mark;
    plan.unchanged = true;
    plan.size = before->size;
    return plan;
  }
  MEMD_TRY(open());
  MEMD_TRY_ASSIGN(now.schema_version, rows_->schema_version());
  MEMD_TRY_ASSIGN(const StateRows::Row last, rows_->last_row());
  now.last_rowid = last.rowid;
  now.last_key = last.key;
  if (before) {
    MEMD_TRY_ASSIGN(auto changed, changes(*before, now));
    if (changed) return std::move(*changed);
  }
  return everything(std::move(now));
}

// What was written since; nullopt when that cannot be told.
Result<std::optional<SnapshotReader::Plan>> GlobalStateReader::changes(const StateMark& before, StateMark now) {
  const std::optional<Plan> unclear;
  if (before.schema_version != now.schema_version || now.last_rowid < before.last_rowid || before.last_rowid == 0 ||
      counted_long_ago(before, now))
    return unclear;
  // The last row of then is where it was, or was written again and stands above.
  MEMD_TRY_ASSIGN(const std::int64_t there, rows_->rowid_of(before.last_key));
  if (there < before.last_rowid) return unclear;

  std::vector<std::string> touched;  // the latest change last
  std::size_t seen = 0;
  for (std::int64_t next = before.last_rowid;;) {
    MEMD_TRY_ASSIGN(const auto rows, rows_->from(next, kRowsAtOnce));
    for (const auto& row : rows) {
      const bool is_old = row.rowid == before.last_rowid && row.key == before.last_key;
      auto id = is_old ? std::string() : composer_in(row.key);
      if (id.empty()) continue;
      std::erase(touched, id);
      touched.push_back(std::move(id));
    }
    seen += rows.size();
    if (seen > kManyRows) return unclear;
    if (rows.size() < static_cast<std::size_t>(kRowsAtOnce)) break;
    next = rows.back().rowid + 1;
  }

  Plan plan;
  const std::string since = "@" + std::to_string(before.last_rowid);
  std::vector<std::string> active = before.active;
  for (const auto& id : touched)
    std::erase(active, id);
  active.insert(active.end(), touched.begin(), touched.end());
  for (const auto& id : active)
    plan.sessions.push_back(id + since);
  if (active.size() > kActive) active.erase(active.begin(), active.end() - kActive);
  now.active = std::move(active);
  now.counted_rowid = before.counted_rowid;
  now.size = before.size;
  plan.size = now.size;
  plan.mark = now.to_text();
  MEMD_TRY(rows_->database().confirm());
  return std::optional(std::move(plan));
}

Result<SnapshotReader::Plan> GlobalStateReader::everything(StateMark now) {
  struct Found {
    TimeMs time = 0;
    std::string id;
  };
  std::vector<Found> sessions;
  RowLedger ledger(*rows_);
  for (std::string after;;) {
    MEMD_TRY_ASSIGN(const auto keys, rows_->keys_under(kComposerKey, after, kRowsAtOnce));
    for (const auto& key : keys) {
      const std::string id = key.substr(kComposerKey.size());
      MEMD_TRY_ASSIGN(const auto found, rows_->conversation(id));
      const Composer& composer = found.conversation.composer;
      const bool there = found.missing == StateRows::Missing::no && !found.conversation.is_empty();
      ledger.note(found);
      if (there) sessions.push_back({std::max(composer.updated, composer.created), id});
    }
    if (keys.size() < static_cast<std::size_t>(kRowsAtOnce)) break;
    after = keys.back();
  }
  MEMD_TRY(ledger.count());
  std::stable_sort(sessions.begin(), sessions.end(), [](const Found& a, const Found& b) { return a.time < b.time; });

  Plan plan;
  for (const auto& session : sessions)
    plan.sessions.push_back(session.id);
  const std::size_t active = std::min(kActive, plan.sessions.size());
  now.active.assign(plan.sessions.end() - static_cast<std::ptrdiff_t>(active), plan.sessions.end());
  now.counted_rowid = now.last_rowid;
  now.size = ledger.size();
  plan.rest = ledger.take_rest();
  plan.size = now.size;
  plan.mark = now.to_text();
  MEMD_TRY(rows_->database().confirm());
  return plan;
}

}  // namespace memd::cursor
