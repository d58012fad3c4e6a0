#include "store/read/sessions.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/time.hpp"
#include "schemas/ids.hpp"
#include "schemas/project_identity.hpp"
#include "schemas/sql_text.hpp"
#include "schemas/subagent_id.hpp"
#include "store/db/rows.hpp"
#include "store/insight/outcome.hpp"
#include "store/insight/summary/salience.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/usage.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/token_budget.hpp"
#include "store/text/words.hpp"

#include <algorithm>

namespace memd::queries {
namespace {

constexpr std::size_t kTitleCharacters = 80;
constexpr std::size_t kShortHeading = 20;

std::string_view first_line(std::string_view text) {
  text = ascii::trimmed(text);
  return ascii::trimmed(text.substr(0, text.find_first_of("\r\n")));
}

// Removes and returns the next non-blank line that is no code fence; empty at the end.
std::string_view take_line(std::string_view& text) {
  while (!(text = ascii::trimmed(text)).empty()) {
    const std::string_view line = first_line(text);
    text.remove_prefix(line.size());
    if (!line.starts_with("```") && !line.starts_with("~~~")) return line;
  }
  return {};
}

// Returns the text of a Markdown heading; empty when the line is no heading.
std::string_view heading(std::string_view line) {
  const auto marks = std::min(line.find_first_not_of('#'), line.size());
  return marks > 0 && marks < line.size() && line[marks] == ' ' ? ascii::trimmed(line.substr(marks))
                                                                : std::string_view();
}

// Returns the first informative words. A line that ends with a colon, or a heading as short as "User Input", needs the
// text it introduces.
std::string first_words(std::string_view text) {
  const std::string_view line = take_line(text);
  const std::string_view head = heading(line);
  std::string out(head.empty() ? line : head);
  const bool short_heading = !head.empty() && head.size() <= kShortHeading;
  if (!out.ends_with(':') && !short_heading) return out;
  const std::string_view next = take_line(text);
  const std::string_view next_head = heading(next);
  if (next.empty() || (short_heading && !next_head.empty())) return out;
  return out.append(out.ends_with(':') ? " " : ": ").append(next_head.empty() ? next : next_head);
}

constexpr char kBetweenPrompts = 30;
constexpr char kBeforeResult = 29;
constexpr char kBeforeSharer = 28;
constexpr std::size_t kFewestWords = 2;  // that tell what an informative prompt is about

bool begins_as(std::string_view text, WordClass of) {
  constexpr std::size_t kLongest = 100;
  const std::string lower = ascii::lowered(text.substr(0, kLongest));
  return std::ranges::any_of(words(of), [&](const std::string& beginning) { return lower.starts_with(beginning); });
}

// Returns the line without words at its start that say nothing, at most 80 characters of it.
std::string clipped(std::string_view line) {
  const auto& leads = words(WordClass::title_lead);
  for (auto lead = leads.begin(); lead != leads.end();) {
    const std::string_view rest = ascii::trimmed(line.substr(std::min(lead->size(), line.size())));
    const bool leads_on = !rest.empty() && ascii::lowered(line.substr(0, lead->size())) == *lead;
    if (leads_on) line = rest;
    lead = leads_on ? leads.begin() : std::next(lead);
  }
  return shortened_to_characters(std::string(line), kTitleCharacters);
}

bool is_bare_command(std::string_view title) {
  return title.starts_with('/') && title.find_first_of(" \t") == std::string_view::npos &&
         title.find('/', 1) == std::string_view::npos;
}

bool is_bare_tag(std::string_view title) {
  return title.starts_with('<') && title.find_first_of(" \t>") == title.size() - 1 && title.ends_with('>');
}

bool tells(std::string_view title) {
  return !title.empty() && !is_bare_command(title) && !is_bare_tag(title) && !begins_as(title, WordClass::empty_title);
}

// Returns the text without the elements that a client put in front of it: <loaded_context>…</loaded_context>. Their
// names are of several words, unlike the markup that people write about. Of an element around the whole text, and of
// one whose tag has a line of its own, the tag is removed.
std::string_view without_wrappers(std::string_view text) {
  while ((text = ascii::trimmed(text)).starts_with('<')) {
    const auto name_end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-", 1);
    const auto tag_end = text.find('>');
    if (name_end == std::string_view::npos || tag_end == std::string_view::npos || name_end == 1) break;
    const std::string_view name = text.substr(1, name_end - 1);
    const std::string close = "</" + std::string(name) + ">";
    std::string_view inside = text.substr(tag_end + 1);
    const bool own_line = inside.starts_with('\n') || inside.starts_with('\r');
    const auto end = inside.find(close);
    std::string_view rest;
    if (end != std::string_view::npos) {
      rest = ascii::trimmed(inside.substr(end + close.size()));
      inside = inside.substr(0, end);
    }
    const bool of_client = name.find_first_of("_-") != std::string_view::npos;
    if (of_client && !rest.empty())
      text = rest;
    else if ((own_line || (rest.empty() && end != std::string_view::npos)) && !ascii::trimmed(inside).empty())
      text = inside;
    else
      break;
  }
  return text;
}

std::string title_of_prompt(std::string_view prompt) {
  prompt = without_wrappers(prompt);
  std::string_view rest = prompt;
  const auto words_of = [](std::string_view text) {
    return text.substr(std::min(text.find_first_not_of("# \t\r\n"), text.size()));
  };
  while (begins_as(words_of(rest), WordClass::empty_line))
    if (take_line(rest).empty()) return clipped(first_words(prompt));
  return clipped(first_words(ascii::trimmed(rest).empty() ? prompt : rest));
}

}  // namespace

std::string session_title(std::string_view stored, std::string_view told) {
  if (const auto at = told.find(kBeforeSharer); at != std::string_view::npos)
    return std::string(told.substr(at + 1)) + ": " + session_title(stored, told.substr(0, at));
  if (tells(stored)) return clipped(stored);
  const auto end = std::min(told.find(kBeforeResult), told.size());
  std::string first;
  for (std::string_view prompts = told.substr(0, end); !prompts.empty();) {
    const std::string_view prompt = prompts.substr(0, prompts.find(kBetweenPrompts));
    prompts.remove_prefix(std::min(prompt.size() + 1, prompts.size()));
    std::string title = title_of_prompt(prompt);
    if (telling_words(title) >= kFewestWords && tells(title)) return title;
    if (first.empty()) first = std::move(title);
  }
  const std::string result = end < told.size() ? clipped(first_words(told.substr(end + 1))) : std::string();
  if (tells(result) && (first.empty() || !tells(first))) return result;
  return stored.empty() ? first : clipped(stored);
}

void read_head(const sqlite::Statement& q, SessionHead& head) {
  head.session_title = session_title(q.text(0), q.text(1));
  sqlite::read_from(q, 2, head.session_pk, head.session_uid, head.platform, head.project);
}

}  // namespace memd::queries

namespace memd {
namespace {

constexpr std::size_t kEchoTokens = 60;

// Returns a query for the names of projects, that of the newest session first.
std::string projects_newest_first(const std::string& conditions) {
  return "SELECT p.name FROM sessions s JOIN projects p ON p.project_pk = s.project_pk WHERE p.name <> '' AND " +
         conditions + " GROUP BY p.name ORDER BY max(s.ended_at) DESC";
}

}  // namespace

std::vector<std::string> RecentProjectsQuery::run(sqlite::Database& db) const {
  static const std::string sql =
      projects_newest_first(sql_text("s.kind = SessionKind::main AND ").str() + std::string(queries::kHasWords)) +
      " LIMIT ?1";
  return db.query(sql, limit).all(sqlite::first_text);
}

std::string UnknownProjectQuery::run(sqlite::Database& db) const {
  if (part.empty()) return {};
  const std::string wanted = ascii::lowered(part);
  const bool known =
      db.query(
            "SELECT 1 FROM projects WHERE instr(lower(identity_key), ?1) > 0 OR instr(lower(name), ?1) > 0"
            " LIMIT 1",
            wanted)
          .any();
  if (known) return {};

  std::string names;
  for (const std::string& name : RecentProjectsQuery().run(db))
    names.append(names.empty() ? "" : ", ").append(name);
  if (names.empty()) return {};
  return "no project has \"" + harmless_line(cut_to_tokens(part, kEchoTokens).text) +
         "\" in its path or name; the newest are " + recorded(names);
}

namespace queries {
namespace {

constexpr std::size_t kMinPrefix = 4;
constexpr int kCandidates = 5;

// Condition: the stored outcome is valid. A session continued since its analysis did not end with that outcome.
const std::string kJudged = "s.analysis_version > 0 OR s.evicted_at IS NOT NULL OR s.next_seq = 0";

// Stretches of time, of which those that overlap count once.
class WorkSpans {
 public:
  void add(TimeMs start, TimeMs end) { spans_.emplace_back(start, end); }

  std::optional<TimeMs> total() {
    if (spans_.empty()) return std::nullopt;
    std::sort(spans_.begin(), spans_.end());
    TimeMs sum = 0;
    TimeMs covered = 0;
    for (const auto& [start, end] : spans_) {
      sum += std::max<TimeMs>(0, end - std::max(start, covered));
      covered = std::max(covered, end);
    }
    return sum;
  }

 private:
  std::vector<std::pair<TimeMs, TimeMs>> spans_;
};

// An exchange within kStoppedAfter is one span. A longer one may contain idle time (a question that nobody answered, a
// session continued days later), so its spans come from its events: those that follow each other within that time, and
// a tool call with its result, if that came within a day.
void add_work_of_events(sqlite::Database& db, std::int64_t session_pk, std::int64_t first_seq, std::int64_t last_seq,
                        WorkSpans& spans) {
  struct Moment {
    std::int64_t seq = 0;
    TimeMs time = 0;
    std::int64_t result_seq = 0;  // of a call; -1: it has none
  };
  auto& q = db.query(sql_text("SELECT seq, time, iif(kind = EventKind::tool_call, coalesce(pair_seq, -1), -1)"
                              " FROM events WHERE session_pk = ?1 AND seq BETWEEN ?2 AND ?3 AND time > 0 ORDER BY seq"),
                     session_pk, first_seq, last_seq);
  std::vector<Moment> moments;
  while (q.step())
    moments.push_back(sqlite::fields_of<Moment>(q));
  for (const Moment& call : moments) {
    if (call.result_seq < 0) continue;
    const auto result = std::ranges::lower_bound(moments, call.result_seq, {}, &Moment::seq);
    const bool inside = result != moments.end() && result->seq == call.result_seq;
    const TimeMs answered =
        inside ? result->time
               : db.query("SELECT time FROM events WHERE session_pk = ?1 AND seq = ?2", session_pk, call.result_seq)
                     .value_or(0);
    const TimeMs took = answered - call.time;
    const bool is_between_events = inside && took <= kStoppedAfter;
    if (took >= 0 && took <= kMsPerDay && !is_between_events) spans.add(call.time, answered);
  }
  std::ranges::sort(moments, {}, &Moment::time);
  for (auto begin = moments.begin(); begin != moments.end();) {
    auto last = begin;
    while (last + 1 != moments.end() && (last + 1)->time - last->time <= kStoppedAfter)
      ++last;
    if (last != begin) spans.add(begin->time, last->time);
    begin = last + 1;
  }
}

// Evicted exchanges have no events; their time is in the digest.
TimeMs digested_work_time(sqlite::Database& db, std::int64_t session_pk) {
  return db.query("SELECT wall_clock_ms FROM session_digests WHERE session_pk = ?1", session_pk).value_or(0);
}

// The file that the session is read from; of an evicted one, as its digest says.
const std::string kSourcePath =
    "coalesce(src.path, (SELECT d.source_path FROM session_digests d WHERE d.session_pk = s.session_pk), '')";
// The bytes of the session in it; NULL: unknown.
const std::string kSourceBytes = R"(
  CASE WHEN s.source_pk IS NULL THEN
         (SELECT d.source_bytes FROM session_digests d WHERE d.session_pk = s.session_pk)
       WHEN src.session_uid = s.uid THEN src.size
       ELSE (SELECT sum(i.bytes) FROM source_items i WHERE i.source_pk = s.source_pk AND i.session_uid = s.uid) END)";

// Columns in the order in which read_session reads them.
const std::string kSessionsColumns = std::string(R"(
  s.session_pk, s.uid, s.platform, s.native_id, coalesce(p.identity_key, ''), coalesce(p.name, ''),
  s.next_seq > 0 OR s.turns > 0, iif()" + kJudged +
                                                 R"(, s.outcome, 0),
  s.turns, s.retries,
  min(s.turns, (SELECT count(*) FROM exchanges x WHERE x.session_pk = s.session_pk)),
  s.tool_calls, s.tool_errors, s.compactions,
  (SELECT count(*) FROM sessions c WHERE c.parent_uid = s.uid AND c.parent_uid <> ''),
  )") + kSourcePath + ", " + std::string(kTitleColumns) +
                                     ", " + std::string(kSilentSince) + R"(,
  s.stopped_at, s.capture_disabled_at, s.discovered_at, s.ingested_at,
  iif(s.analysis_version > 0 OR s.evicted_at IS NOT NULL, s.analyzed_at, 0), s.evicted_at,)" +
                                     kSourceBytes + R"(,
  (SELECT d.wall_clock_ms FROM session_digests d WHERE d.session_pk = s.session_pk AND s.analysis_version > 0),
  iif()" + kJudged + R"(, s.outcome_signs, 0),
)" + std::string(kAttributeColumns) + R"(,
  iif(s.lines_added + s.lines_removed > 0, 0,
      (SELECT sum(f.lines_added) FROM exchange_files f WHERE f.session_pk = s.session_pk)),
  iif(s.lines_added + s.lines_removed > 0, 0,
      (SELECT sum(f.lines_removed) FROM exchange_files f WHERE f.session_pk = s.session_pk)))";
const std::string kFrom =
    " FROM sessions s LEFT JOIN projects p ON p.project_pk = s.project_pk"
    " LEFT JOIN sources src ON src.source_pk = s.source_pk ";

SessionRow read_session(sqlite::Database& db, const sqlite::Statement& q) {
  SessionRow r;
  read_attributes(q, 28, r);
  sqlite::read(q, r.pk, r.uid, r.platform, r.native_id, r.project_key, r.project_name, r.life.has_events, r.outcome,
               r.cost.turns, r.cost.retries, r.exchanges, r.tool_calls, r.tool_errors, r.compactions, r.subagents,
               r.source_path);
  r.title = session_title(q.text(16), q.text(17));
  sqlite::read_from(q, 18, r.life.silent_since, r.life.stopped_at, r.life.capture_disabled_at, r.watermarks,
                    r.source_bytes, r.cost.wall_clock);
  if (q.is_null(26)) {
    const auto worked = work_time(db, r.pk);
    r.cost.wall_clock = worked ? *worked : digested_work_time(db, r.pk);
  }
  r.outcome_reasons = outcome_reasons(r.outcome, OutcomeSignSet::of_bits(q.int64(27)));
  if (r.lines_added + r.lines_removed <= 0) sqlite::read_from(q, 48, r.lines_added, r.lines_removed);
  const SessionTokens tokens = session_tokens(db, r.pk);
  r.cost.tokens = tokens.own;
  r.subagent_tokens = tokens.subagents;
  r.account_tokens = tokens.account;
  return r;
}

}  // namespace

std::optional<TimeMs> work_time(sqlite::Database& db, std::int64_t session_pk) {
  struct Exchange {
    TimeMs started_at = 0;
    TimeMs ended_at = 0;
    std::int64_t first_seq = 0;
    std::int64_t last_seq = 0;
  };
  WorkSpans spans;
  std::vector<Exchange> long_ones;
  auto& q = db.query(
      "SELECT started_at, ended_at, first_seq, last_seq FROM exchanges WHERE session_pk = ?1 AND started_at > 0",
      session_pk);
  while (q.step()) {
    const auto x = sqlite::fields_of<Exchange>(q);
    if (x.ended_at - x.started_at <= kStoppedAfter)
      spans.add(x.started_at, x.ended_at);
    else
      long_ones.push_back(x);
  }
  for (const Exchange& x : long_ones)
    add_work_of_events(db, session_pk, x.first_seq, x.last_seq, spans);
  return spans.total();
}

void read_attributes(const sqlite::Statement& row, int column, SessionAttributes& out) {
  sqlite::read_from(row, column, out.kind, out.parent_uid, out.parent_call_id, out.forked_from, out.agent_name,
                    out.title, out.title_rank, out.description, out.cwd, out.git_branch, out.model, out.agent_version,
                    out.mode, out.repo, out.started_at, out.ended_at, out.context_tokens, out.lines_added,
                    out.lines_removed, out.cost_usd);
}

SessionSource source_of_session(sqlite::Database& db, std::int64_t session_pk) {
  static const std::string sql = "SELECT " + kSourcePath + ", " + kSourceBytes + kFrom + " WHERE s.session_pk = ?1";
  SessionSource out;
  if (const auto row = db.query(sql, session_pk).row()) sqlite::read(*row, out.path, out.bytes);
  return out;
}

SessionRow session_by_pk(sqlite::Database& db, std::int64_t session_pk) {
  static const std::string sql = "SELECT " + kSessionsColumns + kFrom + " WHERE s.session_pk = ?1";
  const auto row = db.query(sql, session_pk).row();
  if (!row) throw ErrorException(Error(Errc::not_found, "no session row " + std::to_string(session_pk)));
  return read_session(db, *row);
}

namespace {

struct Candidates {
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> main;
};

Candidates collect(sqlite::Statement& q) {
  Candidates out;
  while (q.step()) {
    out.all.push_back(q.int64(0));
    if (q.int64(1) == static_cast<int>(SessionKind::main)) out.main.push_back(q.int64(0));
  }
  return out;
}

std::string described(sqlite::Database& db, const std::vector<std::int64_t>& pks) {
  std::string out;
  for (std::size_t i = 0; i < pks.size() && i < kCandidates; ++i) {
    const SessionRow row = session_by_pk(db, pks[i]);
    out += "\n  " + recorded(row.uid + "  " + format_rfc3339(row.ended_at) + "  " + row.title);
  }
  if (pks.size() > kCandidates) out += "\n  and " + std::to_string(pks.size() - kCandidates) + " more";
  return out;
}

std::vector<std::int64_t> newest_main(sqlite::Database& db, std::string_view project, int count) {
  static const std::string sql = "SELECT s.session_pk, s.kind FROM sessions s WHERE " +
                                 std::string(kSessionConditions) + " AND " + std::string(kHasWords) +
                                 " ORDER BY s.ended_at DESC, s.session_pk DESC LIMIT ?5";
  const std::string wanted = ascii::lowered(project);
  return collect(db.query(sql, "", wanted, 0, false, count)).all;
}

// Returns the single candidate, preferring a main session over its agents; 0 when there is none. Throws when several
// match.
std::int64_t only_one(sqlite::Database& db, const Candidates& found, std::string_view reference) {
  if (found.all.empty()) return 0;
  if (found.all.size() == 1) return found.all.front();
  if (found.main.size() == 1) return found.main.front();
  throw ErrorException(Error(Errc::invalid_argument, "\"" + std::string(reference) + "\" fits " +
                                                         std::to_string(found.all.size()) +
                                                         " sessions, give more of it:" + described(db, found.all)));
}

}  // namespace

std::int64_t resolve_session(sqlite::Database& db, std::string_view reference, std::string_view project) {
  if (reference == "latest" || reference == "last") {
    const auto newest = newest_main(db, project, 1);
    if (!newest.empty()) return newest.front();
    std::string why = UnknownProjectQuery{project}.run(db);
    if (why.empty())
      why = project.empty() ? "there is no session yet"
                            : "there is no session of a project like \"" + std::string(project) + "\"";
    throw ErrorException(Error(Errc::not_found, std::move(why)));
  }
  const auto parts = split_session_uid(reference);  // also parses "claude:…"
  const std::string uid = parts ? make_session_uid(parts->platform, parts->native_id) : std::string(reference);
  const auto exact =
      collect(db.query("SELECT session_pk, kind FROM sessions WHERE uid = ?1"
                       " UNION SELECT session_pk, kind FROM sessions WHERE native_id = ?2",
                       uid, reference));
  if (const auto pk = only_one(db, exact, reference)) return pk;

  std::string prefix(parts ? parts->native_id : reference);
  std::string platform(parts ? to_string(parts->platform) : "");
  if (const auto colon = reference.find(':'); !parts && colon != std::string_view::npos) {  // c:17b6b665
    platform = reference.substr(0, colon);
    prefix = reference.substr(colon + 1);
  }
  if (prefix.size() < kMinPrefix)
    throw ErrorException(Error(Errc::invalid_argument, "\"" + std::string(reference) +
                                                           "\" is no session: give \"latest\", an id, or at least " +
                                                           std::to_string(kMinPrefix) + " characters of one"));
  const auto close =
      collect(db.query("SELECT session_pk, kind FROM sessions WHERE substr(platform, 1, length(?1)) = ?1"
                       " AND substr(native_id, 1, length(?2)) = ?2 ORDER BY ended_at DESC",
                       platform, prefix));
  if (const auto pk = only_one(db, close, reference)) return pk;
  if (const auto slash = prefix.find('/'); slash != std::string::npos) {  // 17b6b665/a81c
    const auto subagents =
        collect(db.query("SELECT session_pk, kind FROM sessions WHERE substr(platform, 1, length(?1)) = ?1"
                         " AND substr(native_id, 1, length(?2)) = ?2"
                         " AND (instr(native_id, '/' || ?3) > 0 OR instr(native_id, '/' || ?4 || ?3) > 0)"
                         " ORDER BY ended_at DESC",
                         platform, prefix.substr(0, slash), prefix.substr(slash + 1), kSubagentIdBegins));
    if (const auto pk = only_one(db, subagents, reference)) return pk;
  }
  const auto newest = newest_main(db, {}, kCandidates);
  throw ErrorException(Error(Errc::not_found, "no session \"" + std::string(reference) + "\"" +
                                                  (newest.empty() ? "" : "; the newest are:" + described(db, newest))));
}

}  // namespace queries

Error SessionQuery::without_store() { return {Errc::not_found, "there is no session yet: nothing has been read"}; }

SessionRow SessionQuery::run(sqlite::Database& db) const {
  return queries::session_by_pk(db, queries::resolve_session(db, reference, project));
}

namespace {

// SQL for SessionLife::state() over `sessions s`. A session silent since `silent_before` counts as stopped.
std::string state_at(std::string_view silent_before) {
  return std::string("CASE WHEN s.stopped_at <> 0 OR (")
             .append(queries::kSilentSince)
             .append(") BETWEEN 1 AND ")
             .append(silent_before) +
         std::string(sql_text(" THEN SessionState::stopped"
                              " WHEN s.capture_disabled_at <> 0 THEN SessionState::capture_disabled"
                              " WHEN s.next_seq > 0 OR s.turns > 0 THEN SessionState::active"
                              " ELSE SessionState::started END"));
}

}  // namespace

SessionList SessionListQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string where = " WHERE " + std::string(kSessionConditions) +
                                   " AND (?5 = 0 OR s.ended_at >= ?5) AND (?6 = 0 OR s.started_at < ?6)"
                                   " AND (?7 < 0 OR " +
                                   state_at("?8") + " = ?7) AND (?9 OR " + std::string(kHasWords) +
                                   ") AND (?10 < 0 OR iif(" + kJudged + ", s.outcome, 0) = ?10)";
  static const std::string count = "SELECT count(*) FROM sessions s" + where;
  static const std::string page = "SELECT " + kSessionsColumns + kFrom + where +
                                  " ORDER BY s.ended_at DESC, s.session_pk DESC LIMIT ?11 OFFSET ?12";
  const auto c = conditions_of(db, filter);
  const auto since = filter.since;
  const auto until = filter.until;
  const int wanted = state ? static_cast<int>(state->state) : -1;
  const int outcome = state && state->outcome ? static_cast<int>(*state->outcome) : -1;
  const TimeMs silent_before = state ? state->now - state->stopped_after : 0;

  SessionList out;
  out.total = db.query(count, c.platforms, c.project, c.session_pk, c.include_subagents, since, until, wanted,
                       silent_before, placeholders, outcome)
                  .value_or(0);
  auto& q = db.query(page, c.platforms, c.project, c.session_pk, c.include_subagents, since, until, wanted,
                     silent_before, placeholders, outcome, std::max(limit, 0), std::max(offset, 0));
  while (q.step())
    out.sessions.push_back(read_session(db, q));
  return out;
}

TypedSessionsQuery::Answer TypedSessionsQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string all =
      "SELECT s.session_pk, s.uid, substr(s.uid, 1, length(?5)) = ?5 OR substr(s.native_id, 1, length(?5)) = ?5"
      " OR instr(lower(s.title), ?6) > 0, s.title FROM sessions s WHERE " +
      std::string(kSessionConditions) + " AND " + std::string(kHasWords) +
      " ORDER BY s.ended_at DESC, s.session_pk DESC";
  static const std::string title_of =
      "SELECT " + std::string(kTitleColumns) + " FROM sessions s WHERE s.session_pk = ?1";
  const auto c = conditions_of(db, filter);
  const std::string wanted = ascii::lowered(typed);
  auto& title = db.prepare(title_of);
  const auto has_in_title = [&](std::int64_t pk) {
    const auto row = title.bind(pk).row();
    return row && ascii::lowered(session_title(row->text(0), row->text(1))).find(wanted) != std::string::npos;
  };
  Found out;
  auto& q = db.query(all, c.platforms, c.project, c.session_pk, c.include_subagents, typed, wanted);
  while (q.step()) {
    // A stored title that does not tell is replaced by one from prompts, which is in other rows.
    if (q.int64(2) == 0 && (tells(q.text(3)) || !has_in_title(q.int64(0)))) continue;
    if (out.total++ < limit) out.uids.push_back(q.str(1));
  }
  return out;
}

TypedProjectsQuery::Answer TypedProjectsQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string sql =
      projects_newest_first(std::string(kSessionConditions) +
                            " AND instr(lower(p.name || char(10) || p.identity_key), ?5) > 0") +
      ", p.name";
  const auto c = conditions_of(db, filter);
  const std::string wanted = ascii::lowered(typed);
  auto& q = db.query(sql, c.platforms, c.project, c.session_pk, c.include_subagents, wanted);
  Found out;
  while (q.step())
    if (out.total++ < limit) out.names.push_back(q.str(0));
  return out;
}

NearestProjectQuery::Answer NearestProjectQuery::run(sqlite::Database& db) const {
  static const std::string kMainSession = sql_text(
                                              "SELECT e.identity_key, e.project_pk <> p.project_pk FROM projects p"
                                              " JOIN projects e ON e.project_pk = coalesce(p.joined_pk, p.project_pk)"
                                              " JOIN sessions s ON s.project_pk = e.project_pk"
                                              " WHERE p.identity_key = ?1 AND s.kind = SessionKind::main AND ")
                                              .str() +
                                          std::string(queries::kHasWords) + " LIMIT 1";
  auto& q = db.prepare(kMainSession);
  if (or_below) {
    std::string key = project_identity(directory).key;
    if (const auto row = q.bind(key).row(); row->int64(1) != 0) key = row->str(0);
    const std::string tree = ascii::lowered(project_tree(key));
    auto& below = db.query(
        "SELECT 1 FROM projects p WHERE instr(char(1) || lower(p.identity_key) || '/', ?1) = 1"
        " AND EXISTS (SELECT 1 FROM sessions s WHERE s.project_pk = p.project_pk) LIMIT 1",
        tree);
    if (!key.empty() && below.any()) return Found{std::string(directory), std::move(key)};
  }
  for (std::string_view at = directory; at.size() > 1; at = at.substr(0, at.rfind('/'))) {
    const std::string own = project_identity(at).key;
    std::string key = own.empty() ? std::string() : q.bind(own).value_or("");
    if (!key.empty()) return Found{std::string(at), std::move(key)};
    if (at.find('/') == std::string_view::npos) break;
  }
  return std::nullopt;
}

std::vector<SessionRow> SubagentsQuery::run(sqlite::Database& db) const {
  using namespace queries;
  static const std::string sql = "SELECT " + kSessionsColumns + kFrom +
                                 " WHERE s.parent_uid = ?1 AND s.parent_uid <> '' ORDER BY s.started_at, s.session_pk";
  return db.query(sql, session_uid).all([&](const sqlite::Statement& q) { return read_session(db, q); });
}

}  // namespace memd
