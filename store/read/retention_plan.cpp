#include "store/read/retention_plan.hpp"

#include "schemas/event.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace memd::retention {
namespace {

struct DropGroup {
  PlannedDrop drop;
  bool complete = true;
  bool has_main = false;
};

std::map<std::string, std::uint64_t, std::less<>> raw_bytes_by_session(sqlite::Database& db) {
  std::map<std::string, std::uint64_t, std::less<>> out;
  auto& q = db.prepare(
      "SELECT CASE WHEN f.session_uid = '' THEN o.session_uid ELSE f.session_uid END, sum(f.file_length)"
      " FROM raw_frames f JOIN sources o USING (source_pk) GROUP BY 1");
  q.bind();
  while (q.step())
    out[q.str(0)] = static_cast<std::uint64_t>(q.int64(1));
  q.reset();
  return out;
}

// Sessions with their subagents, by the uid of the one that was there first.
std::map<std::string, DropGroup> groups_of(sqlite::Database& db) {
  std::map<std::string, std::string, std::less<>> parents;
  auto& p = db.prepare("SELECT uid, parent_uid FROM sessions WHERE parent_uid <> ''");
  p.bind();
  while (p.step())
    parents[p.str(0)] = p.str(1);
  p.reset();
  const auto root_of = [&](std::string uid) {
    for (int depth = 0; depth < 16; ++depth) {
      const auto it = parents.find(uid);
      if (it == parents.end()) break;
      uid = it->second;
    }
    return uid;
  };

  const auto bytes = raw_bytes_by_session(db);
  std::map<std::string, DropGroup> out;
  auto& q = db.prepare(
      "SELECT uid, title, ended_at, analysis_version > 0, evicted_at IS NOT NULL AND evicted_at >= ingested_at"
      " FROM sessions");
  q.bind();
  while (q.step()) {
    if (q.int64(4) != 0) continue;
    const std::string uid = q.str(0);
    const std::string root = root_of(uid);
    DropGroup& g = out[root];
    g.drop.session_uid = root;
    if (uid == root) g.drop.title = q.str(1);
    g.drop.members.push_back(uid);
    g.drop.ended_at = std::max(g.drop.ended_at, q.int64(2));
    g.complete = g.complete && q.int64(3) != 0;
    if (const auto it = bytes.find(uid); it != bytes.end()) g.drop.raw_bytes += it->second;
  }
  q.reset();
  return out;
}

TimeMs announced_at(sqlite::Database& db, const RetentionPolicy& policy, TimeMs now) {
  auto& q = db.prepare("SELECT value FROM meta WHERE key = ?");
  const std::string key = announcement_key(policy);
  q.bind(key);
  const TimeMs at = q.step() ? q.int64(0) : now;
  q.reset();
  return at;
}

}  // namespace

std::string announcement_key(const RetentionPolicy& policy) {
  return "retention_age_days:" + std::to_string(policy.max_age_days);
}

std::vector<PlannedDrop> plan(sqlite::Database& db, const RetentionPolicy& policy, TimeMs now, TimeMs until) {
  std::vector<PlannedDrop> out;
  if (!policy.is_set()) return out;
  std::vector<PlannedDrop> left;
  const TimeMs notice_ends = policy.max_age_days > 0 ? announced_at(db, policy, now) + kRetentionNotice : 0;
  for (auto& [uid, group] : groups_of(db)) {
    if (!group.complete || group.drop.ended_at == 0) continue;
    PlannedDrop& drop = group.drop;
    if (policy.max_age_days > 0) {
      drop.due_at = std::max(drop.ended_at + policy.max_age_days * kMsPerDay, notice_ends);
      if (drop.due_at <= until) {
        drop.reason = "ended more than " + std::to_string(policy.max_age_days) + " days before";
        out.push_back(std::move(drop));
        continue;
      }
    }
    left.push_back(std::move(drop));
  }
  if (policy.max_raw_bytes > 0) {
    std::uint64_t total = 0;
    for (const auto& [uid, bytes] : raw_bytes_by_session(db))
      total += bytes;
    for (const auto& drop : out)
      total -= std::min(total, drop.raw_bytes);
    std::sort(left.begin(), left.end(),
              [](const PlannedDrop& a, const PlannedDrop& b) { return a.ended_at < b.ended_at; });
    for (auto& drop : left) {
      if (total <= policy.max_raw_bytes) break;
      if (drop.raw_bytes == 0) continue;
      total -= std::min(total, drop.raw_bytes);
      drop.due_at = now;
      drop.reason = "the raw layer takes more than " + std::to_string(policy.max_raw_bytes) + " bytes";
      out.push_back(std::move(drop));
    }
  }
  std::sort(out.begin(), out.end(), [](const PlannedDrop& a, const PlannedDrop& b) {
    return std::tie(a.due_at, a.ended_at, a.session_uid) < std::tie(b.due_at, b.ended_at, b.session_uid);
  });
  return out;
}

}  // namespace memd::retention
