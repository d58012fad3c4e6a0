#include "store/read/forget_plan.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/sql_text.hpp"
#include "store/db/rows.hpp"
#include "store/raw/raw_archive.hpp"
#include "store/read/retention_plan.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/sessions.hpp"
#include "store/text/plain_text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace memd {
namespace {

using Uids = std::set<std::string, std::less<>>;

struct KnownSession {
  std::string parent;  // empty: a main session
  std::string forked_from;
  std::string title;
  std::string project;
  TimeMs ended_at = 0;
};

class ForgetPlanner {
 public:
  ForgetPlanner(sqlite::Database& db, const ForgetPlanQuery& query)
      : db_(db), selection_(query.selection), raw_directory_(query.raw_directory), seal_(query.seal) {
    load();
  }

  std::vector<PlannedForgetting> plan() {
    std::map<std::string, PlannedForgetting, std::less<>> groups;
    for (const auto& uid : selected()) {
      const Uids all = closure(root_of(uid));
      if (selection_.before != 0 && std::any_of(all.begin(), all.end(), [this](const std::string& member) {
            return sessions_.at(member).ended_at >= selection_.before;
          }))
        continue;
      for (const auto& member : all)
        add(groups, member, root_of(uid));
    }
    std::vector<PlannedForgetting> out;
    for (auto& [uid, group] : groups) {
      count(group);
      out.push_back(std::move(group));
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
      return std::tie(a.ended_at, a.session_id) < std::tie(b.ended_at, b.session_id);
    });
    return out;
  }

 private:
  void load() {
    auto& q = db_.query(
        "SELECT s.uid, s.parent_uid, s.forked_from, s.title, coalesce(p.name, ''), s.ended_at FROM sessions s"
        " LEFT JOIN projects p USING (project_pk)");
    while (q.step())
      sessions_.emplace(q.str(0), KnownSession{q.str(1), q.str(2), q.str(3), q.str(4), q.int64(5)});
    raw_bytes_ = retention::raw_bytes_by_session(db_);
    for (const auto& [uid, session] : sessions_)
      for (const auto& origin : {session.parent, session.forked_from})
        if (!origin.empty()) descendants_[origin].push_back(uid);
  }

  // Returns the main session that `uid` belongs to, as far as its parents are stored.
  std::string root_of(std::string uid) const {
    Uids seen;
    for (auto it = sessions_.find(uid); it != sessions_.end() && seen.insert(uid).second; it = sessions_.find(uid)) {
      if (it->second.parent.empty() || !sessions_.contains(it->second.parent)) break;
      uid = it->second.parent;
    }
    return uid;
  }

  Uids closure(const std::string& root) const {
    Uids out{root};
    std::vector<std::string> open{root};
    while (!open.empty()) {
      const std::string uid = std::move(open.back());
      open.pop_back();
      const auto it = descendants_.find(uid);
      if (it == descendants_.end()) continue;
      for (const auto& next : it->second)
        if (out.insert(next).second) open.push_back(next);
    }
    return out;
  }

  Uids selected() {
    Uids out;
    for (const auto& uid : selection_.uids)
      if (sessions_.contains(uid)) out.insert(uid);
    if (selection_.session.empty() && selection_.project.empty() && selection_.text.empty() && selection_.before == 0)
      return out;
    Uids found;
    if (!selection_.session.empty()) {
      const auto pk = queries::resolve_session(db_, selection_.session, {});
      found = uids("SELECT uid FROM sessions WHERE session_pk = ?1", pk);
    } else {
      for (const auto& [uid, session] : sessions_)
        found.insert(uid);
    }
    if (!selection_.project.empty())
      keep(found,
           uids("SELECT s.uid FROM sessions s JOIN projects p ON p.project_pk IN (s.project_pk, s.own_project_pk)"
                " WHERE instr(lower(p.identity_key), ?1) > 0 OR instr(lower(p.name), ?1) > 0",
                ascii::lowered(selection_.project)));
    if (!selection_.text.empty()) keep(found, sessions_with_text());
    if (selection_.before != 0)
      std::erase_if(found, [this](const auto& uid) {
        const TimeMs ended_at = sessions_.at(uid).ended_at;
        return ended_at == 0 || ended_at >= selection_.before;
      });
    out.merge(found);
    return out;
  }

  static void keep(Uids& found, const Uids& wanted) {
    std::erase_if(found, [&](const auto& uid) { return !wanted.contains(uid); });
  }

  template <class Value>
  Uids uids(const char* sql, const Value& value) {
    const auto found = db_.query(sql, value).all(sqlite::first_text);
    return {found.begin(), found.end()};
  }

  Uids sessions_with_text() {
    const std::string text = ascii::lowered(selection_.text);
    Uids out = uids(
        "SELECT s.uid FROM sessions s WHERE instr(lower(s.title), ?1) > 0 OR instr(lower(s.description), ?1) > 0"
        " OR EXISTS (SELECT 1 FROM exchanges x WHERE x.session_pk = s.session_pk AND (instr(lower(x.user_message), ?1)"
        " > 0 OR instr(lower(x.interventions), ?1) > 0 OR instr(lower(x.assistant_response), ?1) > 0"
        " OR instr(lower(x.tool_text), ?1) > 0))"
        " OR EXISTS (SELECT 1 FROM events e WHERE e.session_pk = s.session_pk AND instr(lower(e.summary), ?1) > 0)"
        " OR EXISTS (SELECT 1 FROM commands c WHERE c.session_pk = s.session_pk AND instr(lower(c.line), ?1) > 0)"
        " OR EXISTS (SELECT 1 FROM observations o WHERE o.session_pk = s.session_pk"
        " AND instr(lower(o.content), ?1) > 0)"
        " OR EXISTS (SELECT 1 FROM session_digests d WHERE d.session_pk = s.session_pk AND (instr(lower(d.request), ?1)"
        " > 0 OR instr(lower(d.result), ?1) > 0 OR instr(lower(d.abstract), ?1) > 0))",
        text);
    std::string quoted;
    json::append_string(quoted, text);
    const std::string in_json = ascii::lowered(std::string_view(quoted).substr(1, quoted.size() - 2));
    raw::RawOrder records(raw_directory_, seal_);
    if (auto scanned = records.scan(); !scanned) throw ErrorException(scanned.error());
    const auto look = [&](const raw::FrameHeader& header, const raw::Part&, std::string_view content) -> Result<void> {
      if (header.session().empty() || out.contains(header.session())) return {};
      const std::string lowered = ascii::lowered(content);
      if (lowered.find(text) != std::string::npos || lowered.find(in_json) != std::string::npos)
        out.insert(header.session());
      return {};
    };
    if (auto looked = records.for_each(look); !looked) throw ErrorException(looked.error());
    return out;
  }

  void add(std::map<std::string, PlannedForgetting, std::less<>>& groups, const std::string& uid,
           const std::string& selected_root) {
    const std::string root = root_of(uid);
    PlannedForgetting& group = groups[root];
    if (std::find(group.members.begin(), group.members.end(), uid) != group.members.end()) return;
    const KnownSession& session = sessions_.at(uid);
    group.members.push_back(uid);
    group.session_id = root;
    group.ended_at = std::max(group.ended_at, session.ended_at);
    if (uid != root) return;
    group.title = session.title;
    group.project = session.project;
    if (root != selected_root) group.reason = "goes on from " + selected_root;
  }

  void count(PlannedForgetting& group) {
    for (const auto& uid : group.members) {
      if (const auto row = db_.query("SELECT (SELECT count(*) FROM exchanges x WHERE x.session_pk = s.session_pk),"
                                     " (SELECT count(*) FROM events e WHERE e.session_pk = s.session_pk) FROM "
                                     "sessions s WHERE s.uid = ?",
                                     uid)
                               .row()) {
        group.exchanges += row->int64(0);
        group.events += row->int64(1);
      }
      group.raw_bytes += raw_bytes_[uid];
    }
  }

  sqlite::Database& db_;
  const ForgetSelection& selection_;
  const std::filesystem::path& raw_directory_;
  const raw::FrameSeal& seal_;
  std::map<std::string, KnownSession, std::less<>> sessions_;
  std::map<std::string, std::vector<std::string>, std::less<>> descendants_;
  retention::BytesBySession raw_bytes_;
};

}  // namespace

ForgetPlanQuery::Answer ForgetPlanQuery::run(sqlite::Database& db) const {
  if (selection.is_empty()) return {};
  return ForgetPlanner(db, *this).plan();
}

SessionPlacesQuery::Answer SessionPlacesQuery::run(sqlite::Database& db) const {
  auto& q = db.query(
      "SELECT s.uid, s.platform, s.cwd, coalesce(o.path, '') FROM sessions s LEFT JOIN sources o"
      " ON o.source_pk = s.source_pk AND o.session_uid = s.uid");
  return q.all(sqlite::fields_of<SessionPlace>);
}

namespace {

constexpr std::size_t kLongestPrompt = 120;  // bytes shown

struct StoredExchange {
  std::int64_t session_pk = 0;
  std::int64_t first_seq = 0;
  std::int64_t last_seq = 0;
};

// Sessions that a call of the exchange started; of those whose call is not known, what began while it was the newest.
std::vector<std::string> started_in(sqlite::Database& db, const StoredExchange& x, const PlannedExchange& planned) {
  const auto keys = db.query(sql_text("SELECT call_key FROM events WHERE session_pk = ? AND seq BETWEEN ? AND ?"
                                      " AND kind = EventKind::tool_call AND call_key IS NOT NULL"),
                             x.session_pk, x.first_seq, x.last_seq)
                        .all(sqlite::first_number);
  const std::set<std::int64_t> calls(keys.begin(), keys.end());
  std::vector<std::string> out;
  auto& children = db.query(
      "SELECT s.uid, s.parent_call_id, s.started_at >= ?2 AND s.started_at < coalesce((SELECT min(n.started_at)"
      " FROM exchanges n WHERE n.session_pk = ?3 AND n.exchange_number > ?4), s.started_at + 1) FROM sessions s"
      " WHERE s.parent_uid = ?1 ORDER BY 1",
      planned.exchange.session_uid, planned.started_at, x.session_pk, planned.exchange.number);
  while (children.step())
    if (children.text(1).empty() ? children.int64(2) != 0 : calls.contains(as_sql(hash64(children.text(1)))))
      out.push_back(children.str(0));
  auto& below = db.prepare("SELECT uid FROM sessions WHERE parent_uid = ? ORDER BY 1");
  for (std::size_t i = 0; i < out.size(); ++i)
    for (auto& uid : below.bind(out[i]).all(sqlite::first_text))
      if (std::find(out.begin(), out.end(), uid) == out.end()) out.push_back(std::move(uid));
  return out;
}

void read_events(sqlite::Database& db, const StoredExchange& x, PlannedExchange& planned) {
  auto& events =
      db.query(sql_text("SELECT event_id, kind IN (EventKind::user_msg, EventKind::human_intervention), input_hash,"
                        " time, flags & kFlagDerived FROM events WHERE session_pk = ? AND seq BETWEEN ? AND ?"),
               x.session_pk, x.first_seq, x.last_seq);
  while (events.step()) {
    ++planned.events;
    if (events.int64(4) != 0) continue;
    planned.exchange.event_ids.push_back(from_sql(events.int64(0)));
    if (events.int64(1) != 0 && !events.is_null(2))
      planned.exchange.prompts.push_back({from_sql(events.int64(2)), events.int64(3)});
  }
  // Records that told the same once more have no rows.
  auto& echoes = db.query("SELECT identity FROM identities WHERE session_pk = ? AND place BETWEEN ? AND ?",
                          x.session_pk, x.first_seq, x.last_seq);
  while (echoes.step())
    planned.exchange.event_ids.push_back(from_sql(echoes.int64(0)));
}

}  // namespace

ExchangeForgetPlanQuery::Answer ExchangeForgetPlanQuery::run(sqlite::Database& db) const {
  Answer out;
  for (const ExchangeId id : ids) {
    auto& q = db.prepare(
        sql_text("SELECT s.uid, x.exchange_number, x.session_pk, x.first_seq, x.last_seq, x.started_at,"
                 " coalesce(x.user_message, ''), x.data_completeness = DataCompleteness::metadata_only FROM exchanges x"
                 " JOIN sessions s USING (session_pk) WHERE x.exchange_pk = ?"));
    const auto row = q.bind(id).row();
    if (!row) throw ErrorException(Error(Errc::not_found, "there is no turn " + format_exchange_id(id)));
    PlannedExchange planned;
    planned.exchange.key = id;
    planned.exchange.session_uid = q.str(0);
    planned.exchange.number = q.int64(1);
    const StoredExchange x{q.int64(2), q.int64(3), q.int64(4)};
    planned.started_at = q.int64(5);
    planned.prompt = first_line(q.text(6), kLongestPrompt);
    const bool is_evicted = q.int64(7) != 0;
    if (is_evicted)
      throw ErrorException(
          Error(Errc::invalid_argument, format_exchange_id(id) +
                                            " is of an evicted session, of which the first lines of each "
                                            "turn are left: forget the session, " +
                                            planned.exchange.session_uid));
    read_events(db, x, planned);
    planned.subagents = started_in(db, x, planned);
    out.push_back(std::move(planned));
  }
  return out;
}

CutOffSessionsQuery::Answer CutOffSessionsQuery::run(sqlite::Database& db) const {
  auto& q = db.query(
      "SELECT uid, next_exchange - 1 FROM sessions s WHERE next_exchange > 0 AND NOT EXISTS (SELECT 1 FROM exchanges x"
      " WHERE x.session_pk = s.session_pk AND x.exchange_number = s.next_exchange - 1)");
  return q.all(sqlite::fields_of<CutOffSession>);
}

}  // namespace memd
