#include "store/read/usage.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "schemas/sql_text.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/session_titles.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace memd {
namespace {

// Columns of responses and session_accounts, in the order of TokenUsage.
constexpr std::string_view kTokens = "input, output, cache_read, cache_creation, cache_creation_1h, reasoning";
constexpr std::string_view kSums =
    "coalesce(sum(input), 0), coalesce(sum(output), 0), coalesce(sum(cache_read), 0), coalesce(sum(cache_creation), 0),"
    " coalesce(sum(cache_creation_1h), 0), coalesce(sum(reasoning), 0)";

// Accounts name a model with what it was asked for ("claude-opus-4-6[1m]"); transcripts name it alone.
std::string_view plain_model(std::string_view model) { return model.substr(0, model.find('[')); }

// Below this a difference of costs is one of rounding.
constexpr double kLeastCost = 0.00005;

// All subagents of the session ?1, theirs too, and itself. No join by parent_uid: for one, SQLite reads all sessions
// into a Bloom filter first.
constexpr std::string_view kFamily =
    "WITH RECURSIVE family (pk, uid) AS (SELECT session_pk, uid FROM sessions WHERE session_pk = ?1 UNION"
    " SELECT c.session_pk, c.uid FROM family f JOIN sessions c ON c.session_pk IN"
    " (SELECT d.session_pk FROM sessions d WHERE d.parent_uid = f.uid AND d.parent_uid <> '')) ";

// Visits the sessions of a filter. One walk; on the connection's thread.
class UsageWalk {
 public:
  UsageWalk(sqlite::Database& db, const QueryFilter& filter, const ResponseVisitor& visit, UsageDetail detail)
      : db_(db), filter_(filter), visit_(visit), detail_(detail) {
    sqlite::each(db_.query("SELECT model_pk, model FROM models"),
                 [&](std::int64_t pk, std::string model) { models_[pk] = std::move(model); });
  }

  void run() {
    const std::vector<std::int64_t> selected = select();
    for (const std::int64_t pk : selected)
      visit_responses(session(pk));
    for (const std::int64_t pk : selected)
      visit_accounts(session(pk));
  }

  void accounts(std::int64_t session_pk) { visit_accounts(session(session_pk)); }

 private:
  struct Known {
    UsageSession session;
    std::string parent_uid;
    std::string model;
    std::optional<double> cost_usd;
    TimeMs ended_at = 0;
    const UsageSession* root = nullptr;
  };

  bool in_time(TimeMs time) const {
    return (filter_.since <= 0 || time >= filter_.since) && (filter_.until <= 0 || (time != 0 && time < filter_.until));
  }

  std::vector<std::int64_t> select() {
    static const std::string sql =
        "SELECT s.session_pk FROM sessions s WHERE " + std::string(queries::kSessionConditions) +
        " AND (?5 = 0 OR s.ended_at >= ?5 OR EXISTS (SELECT 1 FROM session_accounts a WHERE a.session_pk ="
        " s.session_pk AND a.time >= ?5)) ORDER BY s.session_pk";
    static const std::string family = std::string(kFamily) +
                                      "SELECT s.session_pk FROM family f JOIN sessions s ON s.session_pk = f.pk"
                                      " WHERE ?2 OR s.session_pk = ?1 ORDER BY s.session_pk";
    const auto c = queries::conditions_of(db_, filter_);
    auto& q = c.session_pk != 0 ? db_.prepare(family).bind(c.session_pk, c.include_subagents)
                                : db_.prepare(sql).bind(c.platforms, c.project, 0, c.include_subagents, filter_.since);
    return q.all(sqlite::fields_of<std::int64_t>);
  }

  const Known& session(std::int64_t pk) {
    const auto [it, fresh] = sessions_.try_emplace(pk);
    if (fresh) read(pk, it->second);
    return it->second;
  }

  void read(std::int64_t pk, Known& out) {
    auto& q = db_.query(
        sql_text(
            "SELECT s.uid, s.platform, s.kind <> SessionKind::main, coalesce(p.name, ''), coalesce(p.identity_key, ''),"
            " s.git_branch, s.title, s.agent_name, s.parent_uid, s.model, s.cost_usd, s.ended_at"
            " FROM sessions s LEFT JOIN projects p ON p.project_pk = s.project_pk WHERE s.session_pk = ?"),
        pk);
    const auto row = q.row();
    if (!row) throw ErrorException(Error(Errc::not_found, "no session row " + std::to_string(pk)));
    UsageSession& s = out.session;
    s.pk = pk;
    sqlite::read(*row, s.uid, s.platform, s.is_subagent, s.project, s.project_key, s.branch, s.title, s.agent_name,
                 out.parent_uid, out.model, out.cost_usd, out.ended_at);
  }

  // The main session at the top. A chain that ends at a session that is not known, or in a circle, ends there.
  const UsageSession* root_of(const Known& of) {
    std::set<std::int64_t> seen;
    const Known* at = &of;
    while (!at->parent_uid.empty() && seen.insert(at->session.pk).second) {
      const std::int64_t parent =
          db_.prepare("SELECT session_pk FROM sessions WHERE uid = ?").bind(at->parent_uid).value_or(0);
      if (parent == 0 || seen.contains(parent)) break;
      at = &session(parent);
    }
    return &at->session;
  }

  std::string_view model_of(std::int64_t pk, const Known& of) const {
    const auto it = models_.find(pk);
    return it == models_.end() ? std::string_view(of.model) : std::string_view(it->second);
  }

  // Branches are far behind the texts in the rows of exchanges: read once for each.
  std::string branch_of(const Known& of, std::int64_t exchange) {
    std::string branch = db_.prepare("SELECT git_branch FROM exchanges WHERE session_pk = ? AND exchange_number = ?")
                             .bind(of.session.pk, std::max<std::int64_t>(exchange, 0))
                             .value_or("");
    return branch.empty() ? of.session.branch : branch;
  }

  void visit_responses(const Known& of) {
    static const std::string sql = "SELECT exchange_number, time, model_pk, flags, web_searches, cost_usd, " +
                                   std::string(kTokens) + " FROM responses WHERE session_pk = ?1";
    auto& q = db_.query(sql, of.session.pk);
    ResponseRow row;
    row.session = &of.session;
    row.branch = of.session.branch;
    std::optional<std::int64_t> branch_exchange;
    std::string branch;
    sqlite::each(q, [&](std::int64_t exchange, TimeMs time, std::int64_t model_pk, std::int64_t flags,
                        std::int64_t web_searches, std::optional<double> cost_usd, const TokenUsage& tokens) {
      if (!in_time(time)) return;
      if (row.root == nullptr) row.root = root_of(of);
      row.exchange = exchange;
      row.time = time;
      row.model = model_of(model_pk, of);
      row.facts = facts_of_flags(flags);
      row.facts.web_searches = web_searches;
      row.facts.cost_usd = cost_usd;
      row.tokens = tokens;
      if (detail_ == UsageDetail::branches) {
        if (branch_exchange != row.exchange) branch = branch_of(of, row.exchange);
        branch_exchange = row.exchange;
        row.branch = branch;
      }
      visit_(row);
    });
  }

  struct Account {
    TokenUsage tokens;
    std::int64_t web_searches = 0;
    double cost_usd = 0;
    TimeMs time = 0;

    bool goes_on_from(const Account& o) const {
      const TokenUsage& a = tokens;
      const TokenUsage& b = o.tokens;
      return a.input >= b.input && a.output >= b.output && a.cache_read >= b.cache_read &&
             a.cache_creation >= b.cache_creation && cost_usd >= o.cost_usd;
    }
  };

  // By model. An account that goes on from the one before replaces it; one that starts anew is added.
  std::map<std::string, Account> accounts_of(std::int64_t pk) {
    static const std::string sql =
        "SELECT model_pk, " + std::string(kTokens) +
        ", web_searches, cost_usd, time FROM session_accounts WHERE session_pk = ? ORDER BY time, counted_from";
    std::map<std::string, Account> sums;
    std::map<std::string, Account> last;
    auto& q = db_.query(sql, pk);
    sqlite::each(q, [&](std::int64_t model_pk, const Account& told) {
      const auto name = models_.find(model_pk);
      const std::string model(plain_model(name == models_.end() ? std::string_view() : name->second));
      Account& sum = sums[model];
      Account& before = last[model];
      const bool goes_on = told.goes_on_from(before);
      const Account base = goes_on ? before : Account();
      sum.tokens += told.tokens - base.tokens;
      sum.web_searches += told.web_searches - base.web_searches;
      sum.cost_usd += told.cost_usd - base.cost_usd;
      sum.time = told.time;
      before = told;
    });
    return sums;
  }

  // What the responses of a session tell, by model; those of all its subagents, too.
  std::map<std::string, Account> told_by_responses(std::int64_t pk, bool of_subagents) {
    static const std::string sql =
        std::string(kFamily) + "SELECT session_pk, model_pk, sum(web_searches), total(cost_usd), " +
        std::string(kSums) +
        " FROM responses WHERE session_pk = ?1 OR (?2 AND session_pk IN (SELECT pk FROM family))"
        " GROUP BY session_pk, model_pk";
    std::map<std::string, Account> out;
    auto& q = db_.query(sql, pk, of_subagents);
    sqlite::each(q, [&](std::int64_t session_pk, std::int64_t model_pk, std::int64_t web_searches, double cost_usd,
                        const TokenUsage& tokens) {
      Account& sum = out[std::string(plain_model(model_of(model_pk, session(session_pk))))];
      sum.web_searches += web_searches;
      sum.cost_usd += cost_usd;
      sum.tokens += tokens;
    });
    return out;
  }

  void visit_account(const Known& of, std::string_view model, const Account& more) {
    if (more.tokens == TokenUsage{} && more.web_searches <= 0 && more.cost_usd < kLeastCost) return;
    if (!in_time(more.time)) return;
    ResponseRow row;
    row.session = &of.session;
    row.root = root_of(of);
    row.time = more.time;
    row.model = model;
    row.branch = of.session.branch;
    row.tokens = more.tokens;
    row.facts.web_searches = std::max<std::int64_t>(more.web_searches, 0);
    if (more.cost_usd >= kLeastCost) row.facts.cost_usd = more.cost_usd;
    row.is_account = true;
    visit_(row);
  }

  // An account covers the subagents of its session that have none.
  void visit_accounts(const Known& of) {
    const auto accounts = accounts_of(of.session.pk);
    if (accounts.empty()) return visit_cost(of);
    const auto told = told_by_responses(of.session.pk, true);
    for (const auto& [model, account] : accounts) {
      Account more = account;
      if (const auto known = told.find(model); known != told.end()) {
        more.tokens = excess(account.tokens, known->second.tokens);
        more.web_searches -= known->second.web_searches;
        more.cost_usd -= known->second.cost_usd;
      }
      visit_account(of, model, more);
    }
  }

  // Of agents that calculate the cost of a whole session: what they do not tell with its requests.
  void visit_cost(const Known& of) {
    if (!of.cost_usd) return;
    Account more;
    more.cost_usd = *of.cost_usd;
    more.time = of.ended_at;
    for (const auto& [model, known] : told_by_responses(of.session.pk, false))
      more.cost_usd -= known.cost_usd;
    visit_account(of, of.model, more);
  }

  sqlite::Database& db_;
  const QueryFilter& filter_;
  const ResponseVisitor& visit_;
  const UsageDetail detail_;
  std::unordered_map<std::int64_t, std::string> models_;
  std::map<std::int64_t, Known> sessions_;
};

TokenUsage only_row(sqlite::Statement& q) {
  const auto row = q.row();
  return row ? sqlite::fields_of<TokenUsage>(*row) : TokenUsage();
}

constexpr std::array<std::string_view, 10> kByNames{"day",       "week",  "month",   "block",  "model",
                                                    "day,model", "agent", "project", "branch", "session"};

std::string date_of(std::int64_t day) { return format_rfc3339(day * kMsPerDay).substr(0, 10); }

// "2026-W05" of a day's ISO week, and its Monday.
std::pair<std::string, std::int64_t> week_of(std::int64_t day) {
  const std::int64_t monday = day - ((day + 3) % 7 + 7) % 7;  // day 0 was a Thursday
  return {fmt::format("{:%G-W%V}", fmt::gmtime(static_cast<std::time_t>(day * kMsPerDay / 1000))), monday};
}

// Puts responses into groups.
class Groups {
 public:
  explicit Groups(UsageBy by) : by_(by) {}

  UsageRow& of(const ResponseRow& r) {
    UsageRow row;
    switch (by_) {
      case UsageBy::day:
      case UsageBy::week:
      case UsageBy::month:
      case UsageBy::day_model: set_day(row, r); break;
      case UsageBy::block: break;
      case UsageBy::model: row.key = r.model; break;
      case UsageBy::platform: row.key = to_string(r.session->platform); break;
      case UsageBy::project: row.key = r.session->project_key; break;
      case UsageBy::branch: row.key = r.branch; break;
      case UsageBy::session: row.key = r.root->uid; break;
    }
    const bool dated = row.start != 0;
    const std::string order = (dated ? row.key : "~" + row.key) + (by_ == UsageBy::project ? r.session->project : "");
    const auto [it, fresh] = rows_.try_emplace(order, std::move(row));
    if (fresh) name(it->second, r);
    UsageRow& out = it->second;
    if (out.platform != r.session->platform) out.platform.reset();
    if (out.model != r.model) out.model.clear();
    if (out.project != r.session->project) out.project.clear();
    if (out.session != r.root->uid) out.session.clear(), out.title.clear();
    return out;
  }

  std::vector<UsageRow> take() {
    std::vector<UsageRow> out;
    for (auto& [order, row] : rows_)
      out.push_back(std::move(row));
    const bool timed = by_ == UsageBy::day || by_ == UsageBy::week || by_ == UsageBy::month || by_ == UsageBy::block ||
                       by_ == UsageBy::day_model;
    if (!timed)
      std::stable_sort(out.begin(), out.end(),
                       [](const UsageRow& a, const UsageRow& b) { return a.tokens.total() > b.tokens.total(); });
    return out;
  }

 private:
  void set_day(UsageRow& row, const ResponseRow& r) const {
    if (r.time == 0) {
      if (by_ == UsageBy::day_model) row.key = " " + std::string(r.model);
      return;
    }
    const std::int64_t day = local_day(r.time);
    std::int64_t first = day;
    row.key = date_of(day);
    if (by_ == UsageBy::week) std::tie(row.key, first) = week_of(day);
    if (by_ == UsageBy::month) {
      row.key.resize(7);
      first = parse_rfc3339(row.key + "-01").value_or(0) / kMsPerDay;
    }
    row.start = day_start(first);
    if (by_ == UsageBy::day_model) row.key.append(" ").append(r.model);
  }

  void name(UsageRow& row, const ResponseRow& r) const {
    row.platform = r.session->platform;
    row.model = r.model;
    row.project = r.session->project;
    row.session = r.root->uid;
    row.title = r.root->title;
    if (by_ == UsageBy::project) row.key = r.session->project;
  }

  const UsageBy by_;
  std::map<std::string, UsageRow> rows_;
};

// A session without a title has one made of its first prompt.
void give_titles(sqlite::Database& db, std::vector<UsageRow>& rows) {
  static const std::string sql = "SELECT " + std::string(queries::kTitleColumns) + " FROM sessions s WHERE s.uid = ?1";
  for (UsageRow& row : rows) {
    if (const auto title = db.prepare(sql).bind(row.session).row())
      row.title = queries::session_title(title->text(0), title->text(1));
  }
}

constexpr TimeMs kMsPerMinute = 60LL * 1000;
constexpr TimeMs kMsPerHour = 60 * kMsPerMinute;

}  // namespace

void for_each_response(sqlite::Database& db, const QueryFilter& filter, const ResponseVisitor& visit,
                       UsageDetail detail) {
  UsageWalk(db, filter, visit, detail).run();
}

std::string_view to_string(UsageBy by) { return kByNames[static_cast<std::size_t>(by)]; }

std::optional<UsageBy> parse_usage_by(std::string_view text) {
  const auto it = std::find(kByNames.begin(), kByNames.end(), text);
  if (it == kByNames.end()) return std::nullopt;
  return static_cast<UsageBy>(it - kByNames.begin());
}

void UsageRow::add(const ResponseRow& r, std::optional<double> cost) {
  if (r.time != 0) {
    if (first == 0 || r.time < first) first = r.time;
    last = std::max(last, r.time);
  }
  tokens += r.tokens;
  if (r.session != r.root) subagent_tokens += r.tokens;
  if (r.is_account) account_tokens += r.tokens;
  responses += !r.is_account;
  unfinished += !r.is_account && !r.facts.is_finished;
  web_searches += r.facts.web_searches;
  if (cost)
    cost_usd = cost_usd.value_or(0) + *cost;
  else
    unpriced_tokens += r.tokens.total();
  if (r.facts.cost_usd) agent_cost_usd = agent_cost_usd.value_or(0) + *r.facts.cost_usd;
}

void UsageRow::add_sums(const UsageRow& o) {
  if (o.first != 0 && (first == 0 || o.first < first)) first = o.first;
  last = std::max(last, o.last);
  tokens += o.tokens;
  subagent_tokens += o.subagent_tokens;
  account_tokens += o.account_tokens;
  responses += o.responses;
  unfinished += o.unfinished;
  web_searches += o.web_searches;
  unpriced_tokens += o.unpriced_tokens;
  if (o.cost_usd) cost_usd = cost_usd.value_or(0) + *o.cost_usd;
  if (o.agent_cost_usd) agent_cost_usd = agent_cost_usd.value_or(0) + *o.agent_cost_usd;
}

UsageAnswer UsageQuery::run(sqlite::Database& db) const {
  UsageAnswer out;
  out.total.key = "total";
  Groups groups(by);
  std::map<TimeMs, UsageRow> minutes;  // from which blocks are put together: one begins where the one before ends
  const auto visit = [&](const ResponseRow& r) {
    const std::optional<double> cost = pricer ? pricer(r) : std::nullopt;
    out.total.add(r, cost);
    (by == UsageBy::block ? minutes[r.time / kMsPerMinute] : groups.of(r)).add(r, cost);
  };
  for_each_response(db, filter, visit, by == UsageBy::branch ? UsageDetail::branches : UsageDetail::sessions);
  if (by != UsageBy::block) {
    out.rows = groups.take();
    if (by == UsageBy::session) give_titles(db, out.rows);
    return out;
  }
  for (const auto& [minute, sums] : minutes) {
    const TimeMs time = minute * kMsPerMinute;
    const UsageRow* open = out.rows.empty() ? nullptr : &out.rows.back();
    if (open == nullptr || time >= open->start + kUsageBlock || time - open->last >= kUsageBlock) {
      UsageRow& block = out.rows.emplace_back();
      block.start = time / kMsPerHour * kMsPerHour;
      block.key = format_rfc3339(block.start);
    }
    out.rows.back().add_sums(sums);
  }
  return out;
}

SessionTokens session_tokens(sqlite::Database& db, std::int64_t session_pk) {
  static const std::string sql = "SELECT " + std::string(kSums) + " FROM responses WHERE session_pk = ?";
  static const std::string of_subagents = std::string(kFamily) + "SELECT " + std::string(kSums) +
                                          " FROM responses WHERE session_pk IN (SELECT pk FROM family WHERE pk <> ?1)";
  SessionTokens out;
  out.own = only_row(db.prepare(sql).bind(session_pk));
  out.subagents = only_row(db.prepare(of_subagents).bind(session_pk));
  static const std::string accounts = std::string(kFamily) +
                                      "SELECT DISTINCT session_pk FROM session_accounts"
                                      " WHERE session_pk IN (SELECT pk FROM family)";
  const auto with_account = db.prepare(accounts).bind(session_pk).all(sqlite::fields_of<std::int64_t>);
  if (with_account.empty()) return out;
  const QueryFilter all;
  const ResponseVisitor add = [&](const ResponseRow& r) {
    (r.session->pk == session_pk ? out.account : out.subagents) += r.tokens;
  };
  UsageWalk walk(db, all, add, UsageDetail::sessions);
  for (const std::int64_t pk : with_account)
    walk.accounts(pk);
  return out;
}

TokenUsage exchange_tokens(sqlite::Database& db, std::int64_t session_pk, std::int64_t exchange_number) {
  static const std::string sql =
      "SELECT " + std::string(kSums) + " FROM responses WHERE session_pk = ? AND exchange_number = ?";
  return only_row(db.prepare(sql).bind(session_pk, exchange_number));
}

std::vector<KnownLimit> RateLimitQuery::run(sqlite::Database& db) const {
  std::vector<KnownLimit> out;
  auto& q = db.query(
      "SELECT platform, name, used_percent, window_minutes, resets_at, reported_at FROM rate_limits"
      " ORDER BY platform, window_minutes, name");
  sqlite::each(q, [&](Platform platform, const RateLimit& limit) { out.push_back({limit, platform}); });
  return out;
}

}  // namespace memd
