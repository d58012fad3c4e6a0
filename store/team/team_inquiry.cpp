#include "store/team/team_inquiry.hpp"

#include "schemas/base/error.hpp"
#include "store/team/libpq.hpp"
#include "store/team/vector_columns.hpp"

#include <fmt/format.h>

#include <poll.h>

#include <charconv>
#include <cstddef>
#include <utility>

namespace memd::team {

#ifdef MEMD_LIBPQ

namespace {

using namespace std::chrono_literals;

// Statements are simple queries, which carry no parameters: one message with all of a transaction, and nothing is set
// for longer. E'…' means the same whatever the server's standard_conforming_strings is.
std::string literal(std::string_view text) {
  std::string out = "E'";
  for (const char c : text)
    if (c != '\0') out.append(c == '\'' || c == '\\' ? 2 : 1, c);
  return out + "'";
}

std::string literals(const std::vector<std::string>& texts) {
  std::string out = "ARRAY[";
  for (const std::string& text : texts)
    out += (out.back() == '[' ? "" : ",") + literal(text);
  return out + "]::text[]";
}

std::string transaction(std::string_view from, std::chrono::milliseconds patience) {
  return "BEGIN READ ONLY; SET LOCAL statement_timeout = " + std::to_string(patience.count()) + "; SELECT * FROM " +
         std::string(from) + "; COMMIT";
}

// The conditions of a scope, as the last arguments of a function.
std::string conditions(const TeamScope& scope) {
  constexpr TimeMs kLatest = 253'402'300'800'000;  // the year 10000
  return std::to_string(scope.since) + ", " + std::to_string(scope.until == 0 ? kLatest : scope.until) + ", " +
         literals(scope.agents) + ", " + std::to_string(scope.most) + ")";
}

std::string call_of(const TeamScope& scope, const TeamSearch& q) {
  return "memd.search(" + literal(scope.project) + ", " + literals(q.words) + ", " + literals(q.without) + ", " +
         conditions(scope);
}
std::string call_of(const TeamScope& scope, const TeamNear& q) {
  return fmt::format("memd.near({}, {}, '{{{}}}', X'{}', {}, '{{{}}}', {}, {}", literal(scope.project),
                     number_of_model(q.model), fmt::join(q.vector, ","), signs_of(q.vector), literals(q.session_uids),
                     fmt::join(q.numbers, ","), literals(q.without), conditions(scope));
}
std::string call_of(const TeamScope& scope, const TeamTurns& q) {
  return "memd.turns(" + literal(scope.project) + ", " + literal(q.session_uid) + ", " + std::to_string(q.before) +
         ", " + std::to_string(scope.most) + ")";
}
std::string call_of(const TeamScope& scope, const TeamFileHistory& q) {
  return "memd.changes_of(" + literal(scope.project) + ", " + literal(q.path) + ", " + conditions(scope);
}
std::string call_of(const TeamScope& scope, const TeamObservations& q) {
  return "memd.observed(" + literal(scope.project) + ", " + literal(q.type) + ", " + conditions(scope);
}

std::string call_of(const TeamScope& scope, const TeamMemories& q) {
  return "memd.find_memories(" + literal(scope.project) + ", " + literals(q.words) + ", " + literals(q.without) + ", " +
         literal(q.type) + ", " + std::to_string(scope.most) + ")";
}

std::string call_of(const TeamScope& scope, const TeamMemoryOfSlug& q) {
  return "(SELECT m.slug, m.who, m.type, m.title, m.tags, m.updated, m.content, m.length, 0, 0 FROM memd.memories m"
         " JOIN memd.shares s USING (share_no) WHERE s.project = " +
         literal(scope.project) + " AND m.slug = " + literal(q.slug) + " ORDER BY m.updated DESC LIMIT 1) one";
}

Error too_late() { return {Errc::busy, "it did not answer in time"}; }

double real_of(std::string_view text) {
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// One row, whose columns are in the order of the functions in schemas/sql/team.
class RowReader {
 public:
  RowReader(const TeamRows& rows, int row) : rows_(rows), row_(row) {}
  void read(TeamHead& to) {
    to.session_uid = text();
    to.number = number();
    to.who = text();
    to.agent = text();
    to.title = text();
    to.started_at = number();
  }
  void read(TeamTurn& to) {
    read(static_cast<TeamHead&>(to));
    to.question = text();
    to.answer = text();
  }
  void read(TeamHit& to) {
    read(static_cast<TeamTurn&>(to));
    to.length = number();
    to.bm25 = real_of(next());
    to.coverage = real_of(next());
  }
  void read(TeamNeighbour& to) {
    read(static_cast<TeamTurn&>(to));
    to.length = number();
    for (double* one : {&to.cosine, &to.highest, &to.mean, &to.deviation})
      *one = real_of(next());
    to.sample = number();
  }
  void read(TeamFileUse& to) {
    read(static_cast<TeamTurn&>(to));
    to.change.path = text();
    to.change.lines_added = number();
    to.change.lines_removed = number();
  }
  void read(TeamFinding& to) {
    read(static_cast<TeamHead&>(to));
    to.type = text();
    to.content = text();
  }
  void read(TeamMemoryHit& to) {
    for (std::string* one : {&to.slug, &to.who, &to.type, &to.title, &to.tags})
      *one = text();
    to.updated = number();
    to.content = text();
    to.length = number();
    to.bm25 = real_of(next());
    to.coverage = real_of(next());
  }

 private:
  std::string_view next() { return rows_.text(row_, column_++); }
  std::string text() { return std::string(next()); }
  std::int64_t number() { return number_of(next()); }
  const TeamRows& rows_;
  const int row_;
  int column_ = 0;
};

}  // namespace

struct TeamLine {
  using Time = std::chrono::steady_clock::time_point;
  ConnectionPtr connection;
  PostgresPollingStatusType waits_for = PGRES_POLLING_WRITING;  // until it is connected
  bool is_used = false;  // it has answered before; the server may have gone since

  bool is_connected() const { return waits_for == PGRES_POLLING_OK; }

  // Waits until the socket can be used; false: the deadline has passed.
  bool wait(short events, Time deadline) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd one{libpq().socket(connection.get()), events, 0};
    return left > 0ms && ::poll(&one, 1, static_cast<int>(left.count())) > 0;
  }
  bool send(const std::string& sql) { return libpq().send_query(connection.get(), sql.c_str()) == 1; }

  Result<void> connect(Time deadline) {
    while (!is_connected()) {
      if (libpq().status(connection.get()) == CONNECTION_BAD) return trouble_of(connection.get(), nullptr);
      if (!wait(waits_for == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline)) return too_late();
      waits_for = libpq().connect_poll(connection.get());
    }
    return {};
  }

  template <class Row>
  Result<std::vector<Row>> receive(Time deadline) {
    std::vector<Row> out;
    while (true) {
      while (libpq().is_busy(connection.get()) != 0) {
        if (!wait(POLLIN, deadline)) return too_late();
        if (libpq().consume_input(connection.get()) == 0) return trouble_of(connection.get(), nullptr);
      }
      PGresult* const result = libpq().get_result(connection.get());
      if (result == nullptr) return out;
      const TeamRows rows(result);
      const auto status = libpq().result_status(result);
      for (int i = 0; status == PGRES_TUPLES_OK && i < rows.size(); ++i)
        RowReader(rows, i).read(out.emplace_back());
      if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
        const char* const state = libpq().error_field(result, PG_DIAG_SQLSTATE);
        const bool is_late = state != nullptr && std::string_view(state) == "57014";
        return is_late ? too_late() : trouble_of(connection.get(), result);
      }
    }
  }
};

template <class Row>
TeamInquiry<Row>::TeamInquiry(TeamInquiries& from, std::string url, std::string sql)
    : from_(&from), url_(std::move(url)), sql_(std::move(sql)), line_(from.take(url_)) {
  if (line_ && line_->is_connected() && !line_->send(sql_)) line_.reset();
  if (!line_ && !libpq().is_missing_one) line_ = std::make_unique<TeamLine>(TeamLine{connect_to(url_, true)});
}

template <class Row>
Result<std::vector<Row>> TeamInquiry<Row>::answer(Time deadline) {
  if (!line_) return no_library();
  while (true) {
    const bool was_used = line_->is_used;
    if (!line_->is_connected()) {
      const auto connected = line_->connect(deadline);
      if (!connected) {
        // The next question finds the connection further on its way.
        if (connected.error().is(Errc::busy)) from_->give_back(url_, std::move(line_));
        return connected.error();
      }
      if (!line_->send(sql_)) return trouble_of(line_->connection.get(), nullptr);
    }
    auto rows = line_->template receive<Row>(deadline);
    if (rows) {
      line_->is_used = true;
      from_->give_back(url_, std::move(line_));
      return rows;
    }
    if (!was_used || libpq().status(line_->connection.get()) == CONNECTION_OK) return rows;
    line_ = std::make_unique<TeamLine>(TeamLine{connect_to(url_, true)});
  }
}

template <class Question>
TeamInquiry<typename Question::Row> TeamInquiries::ask(const std::string& url, const TeamScope& scope,
                                                       const Question& question, std::chrono::milliseconds patience) {
  return {*this, url, transaction(call_of(scope, question), patience)};
}

#else

struct TeamLine {};
template <class Row>
TeamInquiry<Row>::TeamInquiry(TeamInquiries& from, std::string url, std::string sql)
    : from_(&from), url_(std::move(url)), sql_(std::move(sql)) {}
template <class Row>
Result<std::vector<Row>> TeamInquiry<Row>::answer(Time) {
  return Error(Errc::unsupported, "this memd was built without PostgreSQL");
}
template <class Question>
TeamInquiry<typename Question::Row> TeamInquiries::ask(const std::string& url, const TeamScope&, const Question&,
                                                       std::chrono::milliseconds) {
  return {*this, url, {}};
}

#endif

template <class Row>
TeamInquiry<Row>::~TeamInquiry() = default;
template <class Row>
TeamInquiry<Row>::TeamInquiry(TeamInquiry&&) noexcept = default;
TeamInquiries::TeamInquiries() = default;
TeamInquiries::~TeamInquiries() = default;

std::unique_ptr<TeamLine> TeamInquiries::take(const std::string& url) {
  const std::lock_guard lock(mutex_);
  const auto idle = idle_.find(url);
  return idle != idle_.end() ? std::move(idle_.extract(idle).mapped()) : nullptr;
}

void TeamInquiries::give_back(const std::string& url, std::unique_ptr<TeamLine> line) {
  constexpr std::size_t kMostIdle = 2;  // a server has a hundred for all machines
  const std::lock_guard lock(mutex_);
  if (idle_.count(url) < kMostIdle) idle_.emplace(url, std::move(line));
}

template class TeamInquiry<TeamHit>;
template class TeamInquiry<TeamNeighbour>;
template class TeamInquiry<TeamTurn>;
template class TeamInquiry<TeamFileUse>;
template class TeamInquiry<TeamFinding>;
template class TeamInquiry<TeamMemoryHit>;
template TeamInquiry<TeamHit> TeamInquiries::ask(const std::string&, const TeamScope&, const TeamSearch&,
                                                 std::chrono::milliseconds);
template TeamInquiry<TeamNeighbour> TeamInquiries::ask(const std::string&, const TeamScope&, const TeamNear&,
                                                       std::chrono::milliseconds);
template TeamInquiry<TeamTurn> TeamInquiries::ask(const std::string&, const TeamScope&, const TeamTurns&,
                                                  std::chrono::milliseconds);
template TeamInquiry<TeamFileUse> TeamInquiries::ask(const std::string&, const TeamScope&, const TeamFileHistory&,
                                                     std::chrono::milliseconds);
template TeamInquiry<TeamFinding> TeamInquiries::ask(const std::string&, const TeamScope&, const TeamObservations&,
                                                     std::chrono::milliseconds);
template TeamInquiry<TeamMemoryHit> TeamInquiries::ask(const std::string&, const TeamScope&, const TeamMemories&,
                                                       std::chrono::milliseconds);
template TeamInquiry<TeamMemoryHit> TeamInquiries::ask(const std::string&, const TeamScope&, const TeamMemoryOfSlug&,
                                                       std::chrono::milliseconds);

}  // namespace memd::team
