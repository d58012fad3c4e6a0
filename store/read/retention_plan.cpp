#include "store/read/retention_plan.hpp"

#include "schemas/event.hpp"
#include "schemas/sql_text.hpp"
#include "store/read/sessions.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace memd::retention {
namespace {

struct DropGroup {
  PlannedEviction drop;
  bool analysed = true;
};

// Groups sessions with their subagents, keyed by the uid of the root session.
std::map<std::string, DropGroup> groups_of(sqlite::Database& db, const BytesBySession& bytes) {
  std::map<std::string, std::string, std::less<>> parents;
  auto& p = db.query("SELECT uid, parent_uid FROM sessions WHERE parent_uid <> ''");
  while (p.step())
    parents[p.str(0)] = p.str(1);
  const auto root_of = [&](std::string uid) {
    for (int depth = 0; depth < 16; ++depth) {
      const auto it = parents.find(uid);
      if (it == parents.end()) break;
      uid = it->second;
    }
    return uid;
  };

  std::map<std::string, DropGroup> out;
  auto& q = db.query(sql_text(
      "SELECT uid, title, ended_at, analysis_version > 0, evicted_at IS NOT NULL AND evicted_at >= ingested_at,"
      " CASE WHEN evicted_at IS NULL THEN (SELECT count(*) FROM exchanges x WHERE x.session_pk = s.session_pk)"
      " ELSE (SELECT count(*) FROM exchanges x WHERE x.session_pk = s.session_pk AND"
      " x.data_completeness <> DataCompleteness::metadata_only) END FROM sessions s"));
  while (q.step()) {
    if (q.int64(4) != 0) continue;
    const std::string uid = q.str(0);
    const std::string root = root_of(uid);
    DropGroup& g = out[root];
    g.drop.session_id = root;
    g.drop.members.push_back(uid);
    if (uid == root) {
      g.drop.title = q.str(1);
      std::swap(g.drop.members.front(), g.drop.members.back());
    }
    g.drop.ended_at = std::max(g.drop.ended_at, q.int64(2));
    g.drop.exchanges += q.int64(5);
    g.analysed = g.analysed && q.int64(3) != 0;
    if (const auto it = bytes.find(uid); it != bytes.end()) g.drop.raw_bytes += it->second;
  }
  return out;
}

void due_by_age(std::vector<DropGroup>& groups, int max_age_days) {
  if (max_age_days == 0) return;
  for (DropGroup& g : groups) {
    g.drop.due_at = g.drop.ended_at + max_age_days * kMsPerDay;
    g.drop.reason = "ended more than " + std::to_string(max_age_days) + " days before";
  }
}

// Marks the oldest groups as due until the rest fits. The sum excludes groups already due by age.
void due_by_size(std::vector<DropGroup>& groups, std::uint64_t max_raw_bytes, std::uint64_t total, TimeMs now) {
  if (max_raw_bytes == 0) return;
  for (const DropGroup& g : groups)
    if (g.analysed && g.drop.due_at != 0 && g.drop.due_at <= now) total -= std::min(total, g.drop.raw_bytes);
  std::vector<DropGroup*> oldest;
  for (DropGroup& g : groups)
    if (g.drop.raw_bytes > 0 && (g.drop.due_at == 0 || g.drop.due_at > now)) oldest.push_back(&g);
  std::stable_sort(oldest.begin(), oldest.end(),
                   [](const auto* a, const auto* b) { return a->drop.ended_at < b->drop.ended_at; });
  for (DropGroup* g : oldest) {
    if (total <= max_raw_bytes) break;
    g->drop.due_at = now;
    g->drop.reason = "the original records take more than " + std::to_string(max_raw_bytes) + " bytes";
    if (g->analysed) total -= std::min(total, g->drop.raw_bytes);
  }
}

}  // namespace

std::string policy_key(const RetentionPolicy& policy) {
  return std::string(kPolicyKeys) + std::to_string(policy.max_age_days) + ":" + std::to_string(policy.max_raw_bytes);
}

TimeMs time_of(sqlite::Database& db, std::string_view key, TimeMs otherwise) {
  return db.query("SELECT value FROM meta WHERE key = ?", key).value_or(otherwise);
}

BytesBySession raw_bytes_by_session(sqlite::Database& db) {
  BytesBySession out;
  auto& q = db.query(
      "SELECT iif(f.session_uid = '', o.session_uid, f.session_uid), sum(f.file_length)"
      " FROM raw_frames f JOIN sources o USING (source_pk) GROUP BY 1");
  while (q.step())
    out[q.str(0)] = static_cast<std::uint64_t>(q.int64(1));
  return out;
}

RetentionPlan plan(sqlite::Database& db, const RetentionPolicy& policy, TimeMs now, TimeMs until) {
  RetentionPlan out;
  if (!policy.is_set()) return out;
  const auto bytes = raw_bytes_by_session(db);
  std::uint64_t total_bytes = 0;
  for (const auto& [uid, n] : bytes)
    total_bytes += n;
  std::vector<DropGroup> groups;
  for (auto& [uid, group] : groups_of(db, bytes)) {
    out.exchanges += group.drop.exchanges;
    if (group.drop.ended_at != 0) groups.push_back(std::move(group));
  }
  due_by_age(groups, policy.max_age_days);
  due_by_size(groups, policy.max_raw_bytes, total_bytes, now);

  std::int64_t due_now = 0;
  for (DropGroup& g : groups) {
    if (g.drop.due_at == 0 || g.drop.due_at > std::max(until, now)) continue;
    if (!g.analysed) {
      out.waiting += g.drop.due_at <= now ? static_cast<std::int64_t>(g.drop.members.size()) : 0;
      continue;
    }
    if (g.drop.due_at <= now) due_now += g.drop.exchanges;
    if (g.drop.due_at <= until) out.drops.push_back(std::move(g.drop));
  }
  out.is_large = due_now * kLargeShareDivisor > out.exchanges;
  const TimeMs policy_stands = time_of(db, policy_key(policy), now) + kRetentionNotice;
  const TimeMs large_stands = time_of(db, kLargeKey, now) + kRetentionNotice;
  for (PlannedEviction& drop : out.drops) {
    drop.goes_at = std::max(drop.due_at, policy_stands);
    if (out.is_large && drop.due_at <= now) drop.goes_at = std::max(drop.goes_at, large_stands);
  }
  std::sort(out.drops.begin(), out.drops.end(), [](const PlannedEviction& a, const PlannedEviction& b) {
    return std::tie(a.goes_at, a.ended_at, a.session_id) < std::tie(b.goes_at, b.ended_at, b.session_id);
  });
  return out;
}

std::int64_t count_events(sqlite::Database& db, const PlannedEviction& drop) {
  std::int64_t n = 0;
  for (const std::string& uid : drop.members) {
    if (const auto row =
            db.query("SELECT count(*) FROM events WHERE session_pk = (SELECT session_pk FROM sessions WHERE uid = ?)",
                     uid)
                .row())
      n += row->int64(0);
  }
  return n;
}

}  // namespace memd::retention

namespace memd {

RetentionPlan RetentionPlanQuery::run(sqlite::Database& db) const {
  RetentionPlan out = retention::plan(db, policy, now, until);
  for (PlannedEviction& drop : out.drops) {
    // The main session may be missing from the store while its subagents exist.
    if (drop.title.empty()) drop.title = SessionQuery{drop.members.front()}.run(db).title;
    if (count_events) drop.events = retention::count_events(db, drop);
  }
  return out;
}

}  // namespace memd
