#include "store/read/recall.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"
#include "schemas/event.hpp"
#include "schemas/sql_text.hpp"
#include "store/insight/continuity/working_state.hpp"
#include "store/read/commits.hpp"
#include "store/read/sessions.hpp"
#include "store/text/shell_line.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <ranges>
#include <string_view>

namespace memd {
namespace {

using continuity::tidy_command;
using continuity::without_pipe_end;

// A session of the requester's project, with the end of the range that may be recalled.
struct PastSession {
  std::int64_t pk = 0;
  std::int64_t end = 0;  // exclusive seq
};

std::int64_t last_compaction(sqlite::Database& db, std::int64_t session_pk) {
  return db
      .query(sql_text("SELECT coalesce(max(seq), 0) FROM events WHERE session_pk = ?"
                      " AND kind = EventKind::lifecycle AND summary GLOB 'compaction*'"),
             session_pk)
      .value_or(0);
}

// Returns the sessions of the project in scope, newest first.
std::vector<PastSession> sessions_of(sqlite::Database& db, const RecallScope& scope) {
  std::vector<PastSession> out;
  const auto project = NearestProjectQuery{scope.cwd}.run(db);
  if (!project) return out;
  auto& q = db.query(
      "SELECT s.session_pk, s.native_id FROM sessions s JOIN projects p USING (project_pk)"
      " WHERE p.identity_key = ?1 ORDER BY s.ended_at DESC LIMIT ?2",
      project->key, kRecallSessions);
  std::vector<std::int64_t> own;
  while (q.step()) {
    out.push_back({q.int64(0), std::numeric_limits<std::int64_t>::max()});
    if (!scope.session_id.empty() && q.str(1) == scope.session_id) own.push_back(q.int64(0));
  }
  for (PastSession& s : out)
    if (std::find(own.begin(), own.end(), s.pk) != own.end()) s.end = last_compaction(db, s.pk);
  std::erase_if(out, [](const PastSession& s) { return s.end == 0; });
  return out;
}

ExchangeId exchange_of_event(sqlite::Database& db, std::int64_t session_pk, std::int64_t seq) {
  return db
      .query(
          "SELECT exchange_pk FROM exchanges WHERE session_pk = ?1 AND first_seq <= ?2 ORDER BY exchange_number DESC "
          "LIMIT "
          "1",
          session_pk, seq)
      .value_or(0);
}

// A finished command with its result.
struct RecalledRun {
  std::int64_t seq = 0;
  std::string line;
  std::string result;                        // one line
  RunOutcome outcome = RunOutcome::unknown;  // of other commands than tests and builds: what the tool reports

  bool failed() const { return outcome == RunOutcome::failed; }
  bool passed() const { return outcome == RunOutcome::passed; }
};

// Returns the finished runs of a session, in order.
std::vector<RecalledRun> runs_of(sqlite::Database& db, const PastSession& session) {
  std::vector<RecalledRun> out;
  auto& q = db.query(sql_text("SELECT c.event_seq, c.line, r.summary, r.flags, o.outcome FROM commands c"
                              " JOIN events e ON e.session_pk = c.session_pk AND e.seq = c.event_seq"
                              " JOIN events r ON r.session_pk = c.session_pk AND r.seq = e.pair_seq"
                              " LEFT JOIN command_results o ON o.session_pk = c.session_pk AND o.event_seq = r.seq"
                              " WHERE c.session_pk = ?1 AND c.event_seq < ?2 AND r.kind = EventKind::tool_result"
                              " ORDER BY c.event_seq, c.place"),
                     session.pk, session.end);
  while (q.step()) {
    const bool error = (static_cast<std::uint32_t>(q.int64(3)) & kFlagError) != 0;
    RecalledRun run{q.int64(0), tidy_command(q.str(1)), std::string(q.str(2)),
                    error ? RunOutcome::failed : RunOutcome::passed};
    if (!q.is_null(4)) run.outcome = static_cast<RunOutcome>(q.int64(4));
    out.push_back(std::move(run));
  }
  return out;
}

// Returns the last edits between two runs, at most 4.
std::vector<std::int64_t> last_edits(sqlite::Database& db, std::int64_t session_pk, std::int64_t from,
                                     std::int64_t to) {
  auto out = db.query(sql_text("SELECT seq FROM events WHERE session_pk = ?1 AND seq > ?2 AND seq < ?3"
                               " AND kind = EventKind::edit ORDER BY seq DESC LIMIT 4"),
                      session_pk, from, to)
                 .all([](const sqlite::Statement& q) { return q.int64(0); });
  std::ranges::reverse(out);
  return out;
}

// Returns the names of the files edited between two runs, at most 4.
std::vector<std::string> edited_between(sqlite::Database& db, std::int64_t session_pk, std::int64_t from,
                                        std::int64_t to) {
  return db
      .query(sql_text("SELECT DISTINCT p.name FROM events e JOIN paths p USING (path_pk) WHERE e.session_pk = ?1"
                      " AND e.seq > ?2 AND e.seq < ?3 AND e.kind = EventKind::edit LIMIT 4"),
             session_pk, from, to)
      .all(sqlite::first_text);
}

std::string recalled_line(std::string_view text, std::size_t bytes) {
  std::string out = ascii::one_line(text);
  if (out.size() <= bytes) return out;
  const auto blank = out.rfind(' ', bytes);
  out.resize(utf8_prefix(out, blank == std::string::npos || blank < bytes / 2 ? bytes : blank).size());
  return out + "…";
}

constexpr std::size_t kRecalledCommandBytes = 140;

// Returns a line in lower case without digits, control characters and repeated blanks.
std::string without_numbers(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (ascii::is_digit(c) || static_cast<unsigned char>(c) < 0x20) continue;
    if (c == ' ' && (line.empty() || line.back() == ' ')) continue;
    line += ascii::lower(c);
  }
  return line;
}

// Whether the signature is of what the output itself tells how to mend.
bool is_mended_at_once(std::string_view signature) {
  return std::ranges::any_of(words(WordClass::plain_error),
                             [&](std::string_view plain) { return signature.find(plain) != std::string::npos; });
}

// Whether a command is another form of one: it begins with the same three words, or with all of them.
bool is_form_of(std::string_view line, std::string_view of) {
  std::size_t end = 0;
  for (int word = 0; word < 3 && end != std::string_view::npos; ++word)
    end = of.find(' ', end + (word > 0 ? 1 : 0));
  const std::string_view head = of.substr(0, end);
  return head.find(' ') != std::string_view::npos && line.starts_with(head) &&
         (line.size() == head.size() || line[head.size()] == ' ');
}

// Whether each program of a command only displays something.
bool only_looks(std::string_view line) {
  const auto heads = continuity::command_heads(line);
  return std::ranges::all_of(heads, [](const std::string& head) {
    return words(WordClass::look).has(head) || words(WordClass::output_filter).has(head);
  });
}

// Returns the comment that a command line replies to, and the beginning of the reply; empty: it replies to none.
std::string reply_in(std::string_view line) {
  const auto end = line.find("/replies");
  const auto body = line.find("body=", end);
  if (end == std::string_view::npos || body == std::string_view::npos) return {};
  const auto begin = line.rfind('/', end - 1);
  if (begin == std::string_view::npos) return {};
  const std::string_view id = line.substr(begin + 1, end - begin - 1);
  if (id.empty() || !std::ranges::all_of(id, ascii::is_digit)) return {};
  std::string_view said = line.substr(body + 5);
  while (said.starts_with('"') || said.starts_with('\''))
    said.remove_prefix(1);
  return std::string(id) + ": " + std::string(said.substr(0, said.find('"')));
}

using Runs = std::vector<RecalledRun>;

// Returns what was done between a failed run and the next one of the command, or of another form of it, that passed.
// nullopt: none did, or nothing was done.
std::optional<FailureEnd> end_of(sqlite::Database& db, std::int64_t session_pk, const Runs& runs,
                                 Runs::const_iterator failed) {
  const std::string_view what = without_pipe_end(failed->line);
  const auto ends = [&](const RecalledRun& run) {
    const std::string_view then = without_pipe_end(run.line);
    return run.passed() && (then == what || is_form_of(then, what));
  };
  const auto next = std::find_if(std::next(failed), runs.end(), ends);
  if (next == runs.end()) return std::nullopt;
  FailureEnd end;
  for (const std::string& name : edited_between(db, session_pk, failed->seq, next->seq))
    end.text += (end.text.empty() ? "edits of " : ", ") + name;
  if (without_pipe_end(next->line) != what)
    end.command = next->line;
  else if (end.text.empty()) {
    const auto between = std::find_if(std::next(failed), next, [](const RecalledRun& run) { return run.passed(); });
    if (between != next) end.command = between->line;
  }
  if (!end.command.empty()) end.text = "`" + recalled_line(end.command, kRecalledCommandBytes) + "`";
  if (end.text.empty()) return std::nullopt;
  if (end.command.empty()) end.edits = last_edits(db, session_pk, failed->seq, next->seq);
  end.exchange = exchange_of_event(db, session_pk, next->seq);
  return end;
}

}  // namespace

std::size_t error_begin(std::string_view output) {
  constexpr std::size_t kLeastLetters = 16;
  for (std::size_t at = 0; at < output.size(); at = output.find('\n', at)) {
    at += output[at] == '\n';
    const std::string line = without_numbers(output.substr(at, output.find('\n', at) - at));
    const bool tells = line.find("error") != std::string::npos || line.find("fail") != std::string::npos ||
                       line.find("fatal") != std::string::npos || line.find("cannot") != std::string::npos ||
                       line.find("not found") != std::string::npos || line.find("no such") != std::string::npos ||
                       line.find("undefined") != std::string::npos || line.find("denied") != std::string::npos;
    if (tells && line.size() >= kLeastLetters && !line.starts_with("exit code")) return at;
  }
  return std::string_view::npos;
}

std::string error_signature(std::string_view output) {
  const std::size_t begin = error_begin(output);
  if (begin == std::string_view::npos) return {};
  return without_numbers(output.substr(begin, output.find('\n', begin) - begin)).substr(0, 100);
}

ErrorRecallQuery::Answer ErrorRecallQuery::run(sqlite::Database& db) const {
  const std::string wanted = error_signature(text);
  if (wanted.empty() || is_mended_at_once(wanted)) return {};
  Answer out;
  const auto met = [&](const RecalledRun& run) {
    const std::string known = error_signature(run.result);
    return !known.empty() && (wanted.starts_with(known) || known.starts_with(wanted));
  };
  for (const PastSession& session : sessions_of(db, scope)) {
    const std::vector<RecalledRun> runs = runs_of(db, session);
    if (std::ranges::any_of(runs, [&](const RecalledRun& run) { return run.passed() && met(run); })) return {};
    if (!out.empty()) continue;
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      if (!run->failed() || !met(*run) || !out.empty()) continue;
      if (auto end = end_of(db, session.pk, runs, std::prev(run.base())))
        out = {{RecalledKind::met_error, recalled_line(run->line, kRecalledCommandBytes),
                exchange_of_event(db, session.pk, run->seq)},
               {RecalledKind::solved, std::move(end->text), end->exchange}};
    }
  }
  return out;
}

SessionDeedsQuery::Answer SessionDeedsQuery::run(sqlite::Database& db) const {
  Answer out;
  const auto told = [&](std::string_view text, std::int64_t seq) {
    return recalled_line(text, kRecalledCommandBytes) + " [" +
           format_exchange_id(exchange_of_event(db, session_pk, seq)) + "]";
  };
  for (const CommitRow& commit :
       queries::commits_of(db, session_pk, 0, std::numeric_limits<std::int64_t>::max()) | std::views::reverse)
    out.commits.push_back(told(commit.sha + " " + commit.subject, commit.event_seq));
  for (const PullRequestRow& request : queries::pull_requests_of(db, session_pk) | std::views::reverse)
    out.pull_requests.push_back(request.url);
  const std::vector<RecalledRun> runs = runs_of(db, {session_pk, std::numeric_limits<std::int64_t>::max()});
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (const std::string reply = reply_in(run->line); run->passed() && !reply.empty())
      out.replies.push_back(told(reply, run->seq));
    if (!run->failed() || only_looks(run->line)) continue;
    const std::string_view what = without_pipe_end(run->line);
    const auto form = std::find_if(run.base(), runs.end(), [&](const RecalledRun& next) {
      return without_pipe_end(next.line) == what || is_form_of(without_pipe_end(next.line), what);
    });
    if (form == runs.end() || !form->passed() || without_pipe_end(form->line) == what ||
        !edited_between(db, session_pk, run->seq, form->seq).empty())
      continue;
    if (std::string line = told("`" + form->line + "`", form->seq);
        std::ranges::find(out.forms, line) == out.forms.end())
      out.forms.push_back(std::move(line));
  }
  auto& q = db.query(sql_text("SELECT r.seq, r.summary, c.summary, coalesce(x.interventions, '') FROM events r"
                              " JOIN events c ON c.session_pk = r.session_pk AND c.seq = r.pair_seq"
                              " JOIN exchanges x ON x.session_pk = r.session_pk AND r.seq BETWEEN x.first_seq AND"
                              " x.last_seq WHERE r.session_pk = ?1 AND r.kind = EventKind::tool_result"
                              " AND r.flags & ?2 ORDER BY r.seq DESC"),
                     session_pk, std::int64_t{kFlagError});
  while (q.step()) {
    if (!continuity::is_refusal(q.text(1)) || q.text(3).empty() || q.text(3).starts_with('/')) continue;
    const std::string_view words = q.text(3);
    out.refusals.push_back(told(recalled_line(q.text(2), kRecalledCommandBytes / 2) + ": \"" +
                                    std::string(words.substr(0, words.find('\n'))) + "\"",
                                q.int64(0)));
  }
  return out;
}

FailureEndQuery::Answer FailureEndQuery::run(sqlite::Database& db) const {
  const Runs runs = runs_of(db, {session_pk, std::numeric_limits<std::int64_t>::max()});
  const auto failed = std::ranges::find(runs, seq, &RecalledRun::seq);
  return failed == runs.end() ? std::nullopt : end_of(db, session_pk, runs, failed);
}

}  // namespace memd
