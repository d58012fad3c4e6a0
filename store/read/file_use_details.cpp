#include "store/read/file_use_details.hpp"

#include "schemas/sql_text.hpp"
#include "store/read/commits.hpp"
#include "store/read/row_filter.hpp"
#include "store/read/sessions.hpp"

#include <algorithm>

namespace memd::queries {
namespace {

constexpr std::string_view kPassed = "passed: ";

struct Span {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// Where in the exchange the files were touched first and last.
Span touched_span(sqlite::Database& db, const FileUse& use, const Span& exchange) {
  auto& q = db.prepare(
      "SELECT min(seq), max(seq) FROM events WHERE session_pk = ?1 AND seq BETWEEN ?2 AND ?3 AND path_pk = ?4");
  Span out{exchange.last + 1, exchange.first - 1};
  for (const auto& file : use.files) {
    q.bind(use.session_pk, exchange.first, exchange.last, file.path_pk);
    if (q.step() && !q.is_null(0)) out = {std::min(out.first, q.int64(0)), std::max(out.last, q.int64(1))};
    q.reset();
  }
  return out.first > out.last ? exchange : out;
}

std::string summary_of(sqlite::Database& db, std::string_view sql, std::int64_t session, std::int64_t from,
                       std::int64_t to) {
  auto& q = db.prepare(sql);
  q.bind(session, from, to);
  std::string out = q.step() ? q.str(0) : std::string();
  q.reset();
  return out;
}

// A run in the exchange after counts as well: people say "now run the tests".
std::optional<TestRun> test_behind(sqlite::Database& db, std::int64_t session, std::int64_t seq, std::int64_t end) {
  auto& q =
      db.prepare(sql_text("SELECT summary, seq FROM events WHERE session_pk = ?1 AND seq > ?2"
                          " AND kind = EventKind::test_run AND seq <= coalesce((SELECT last_seq FROM exchanges"
                          " WHERE session_pk = ?1 AND first_seq > ?3 ORDER BY exchange_number LIMIT 1), ?3)"
                          " ORDER BY seq LIMIT 1"));
  q.bind(session, seq, end);
  std::optional<TestRun> out;
  if (q.step()) out = TestRun{!q.text(0).starts_with(kPassed), q.str(0), q.int64(1) <= end};
  q.reset();
  return out;
}

std::string beginning_of_answer(std::string_view response, std::int64_t offset) {
  constexpr std::size_t kBytes = 400;
  if (offset < 0 || static_cast<std::size_t>(offset) >= response.size()) return {};
  response.remove_prefix(static_cast<std::size_t>(offset));
  std::size_t end = std::min(kBytes, response.size());
  while (end < response.size() && end > 0 && (static_cast<unsigned char>(response[end]) & 0xC0U) == 0x80U)
    --end;
  return std::string(response.substr(0, end));
}

}  // namespace

std::string path_of(sqlite::Database& db, std::int64_t path_pk) {
  auto& q = db.prepare("SELECT path FROM paths WHERE path_pk = ?").bind(path_pk);
  std::string out = q.step() ? q.str(0) : std::string();
  q.reset();
  return out;
}

void add_details(sqlite::Database& db, FileUse& use) {
  auto& q = db.prepare(
                  "SELECT first_seq, last_seq, origin, substr(user_message, 1, 2000), assistant_response, tool_errors,"
                  " answer_offset"
                  " FROM exchanges WHERE exchange_pk = ?")
                .bind(use.exchange_id);
  Span exchange;
  std::int64_t answer_offset = 0;
  if (q.step()) {
    exchange = {q.int64(0), q.int64(1)};
    use.origin = static_cast<Origin>(q.int64(2));
    use.user_message = q.str(3);
    use.assistant_response = q.str(4);
    use.tool_errors = q.int64(5);
    answer_offset = q.int64(6);
  }
  q.reset();
  const Span touched = touched_span(db, use, exchange);
  use.said_before = summary_of(db,
                               sql_text("SELECT summary FROM events WHERE session_pk = ? AND seq >= ? AND seq < ?"
                                        " AND kind = EventKind::assistant_msg AND summary NOT IN ('', '<thinking>')"
                                        " ORDER BY seq DESC LIMIT 1"),
                               use.session_pk, exchange.first, touched.first);
  if (use.said_before.empty()) use.said_before = beginning_of_answer(use.assistant_response, answer_offset);
  use.last_error = summary_of(db,
                              sql_text("SELECT summary FROM events WHERE session_pk = ? AND seq > ? AND seq <= ?"
                                       " AND kind = EventKind::error ORDER BY seq DESC LIMIT 1"),
                              use.session_pk, touched.first, exchange.last);
  const bool changed = std::any_of(use.files.begin(), use.files.end(),
                                   [](const ExchangeFile& f) { return f.access == FileAccess::modified; });
  if (!changed) return;
  use.test = test_behind(db, use.session_pk, touched.last, exchange.last);
  use.commit = commit_after(db, use.session_pk, touched.last);
}

FileUseSession session_of_use(sqlite::Database& db, std::int64_t session_pk) {
  FileUseSession out{session_by_pk(db, session_pk), {}};
  for (PullRequestRow& request : pull_requests_of(db, session_pk))
    out.pull_requests.push_back(std::move(request.url));
  return out;
}

std::vector<EditPlace> edits_of(sqlite::Database& db, ExchangeId exchange, std::int64_t path_pk) {
  // An edit made by the assembler hangs on the result or the call it was seen in; the other one is that one's pair.
  auto& q = db.prepare(sql_text("SELECT x.session_pk, e.time, e.seq, e.flags, e.parent_seq, p.pair_seq, p.kind"
                                " FROM exchanges x CROSS JOIN events e ON e.session_pk = x.session_pk"
                                " AND e.seq BETWEEN x.first_seq AND x.last_seq LEFT"
                                " JOIN events p ON p.session_pk = e.session_pk AND p.seq = e.parent_seq"
                                " WHERE x.exchange_pk = ?1 AND e.kind = EventKind::edit AND e.path_pk = ?2"
                                " AND e.flags & ?3 = 0 ORDER BY e.seq"))
                .bind(exchange, path_pk, static_cast<std::uint32_t>(kFlagPlanned));
  std::vector<EditPlace> out;
  while (q.step()) {
    EditPlace edit{exchange, q.int64(0), q.int64(1), {}};
    const bool derived = (q.int64(3) & kFlagDerived) != 0;
    if (!derived || q.is_null(4)) {
      edit.records.push_back(q.int64(2));
    } else {
      edit.records.push_back(q.int64(4));
      if (!q.is_null(5)) edit.records.push_back(q.int64(5));
      // A result may say where the lines are, a call only which.
      if (edit.records.size() == 2 && static_cast<EventKind>(q.int64(6)) == EventKind::tool_call)
        std::swap(edit.records[0], edit.records[1]);
    }
    out.push_back(std::move(edit));
  }
  q.reset();
  return out;
}

}  // namespace memd::queries
