#include "store/team/team_inquiry.hpp"

#include "schemas/base/error.hpp"
#include "store/team/libpq.hpp"

#include <poll.h>

#include <charconv>
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

constexpr std::string_view kColumns =
    "session_uid, number, who, agent, title, started_at, length, bm25, coverage, question, answer";

std::string transaction(std::string_view from, std::chrono::milliseconds patience) {
  return "BEGIN READ ONLY; SET LOCAL statement_timeout = " + std::to_string(patience.count()) + "; SELECT " +
         std::string(kColumns) + " FROM " + std::string(from) + "; COMMIT";
}

Error too_late() { return {Errc::busy, "it did not answer in time"}; }

double real_of(std::string_view text) {
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

std::vector<TeamHit> hits_of(const TeamRows& rows) {
  std::vector<TeamHit> out;
  for (int i = 0; i < rows.size(); ++i) {
    const auto text = [&](int column) { return std::string(rows.text(i, column)); };
    out.push_back({text(0), rows.number(i, 1), text(2), text(3), text(4), rows.number(i, 5), rows.number(i, 6),
                   real_of(rows.text(i, 7)), real_of(rows.text(i, 8)), text(9), text(10)});
  }
  return out;
}

}  // namespace

struct TeamInquiry::Line {
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

  Result<std::vector<TeamHit>> receive(Time deadline) {
    std::vector<TeamHit> out;
    while (true) {
      while (libpq().is_busy(connection.get()) != 0) {
        if (!wait(POLLIN, deadline)) return too_late();
        if (libpq().consume_input(connection.get()) == 0) return trouble_of(connection.get(), nullptr);
      }
      PGresult* const result = libpq().get_result(connection.get());
      if (result == nullptr) return out;
      const TeamRows rows(result);
      const auto status = libpq().result_status(result);
      if (status == PGRES_TUPLES_OK) out = hits_of(rows);
      if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
        const char* const state = libpq().error_field(result, PG_DIAG_SQLSTATE);
        const bool is_late = state != nullptr && std::string_view(state) == "57014";
        return is_late ? too_late() : trouble_of(connection.get(), result);
      }
    }
  }
};

TeamInquiry::TeamInquiry(TeamInquiries& from, std::string url, std::string sql)
    : from_(&from), url_(std::move(url)), sql_(std::move(sql)) {
  {
    const std::lock_guard lock(from.mutex_);
    const auto idle = from.idle_.find(url_);
    if (idle != from.idle_.end()) line_ = std::move(from.idle_.extract(idle).mapped());
  }
  if (line_ && line_->is_connected() && !line_->send(sql_)) line_.reset();
  if (!line_ && !libpq().is_missing_one) line_ = std::make_unique<Line>(Line{connect_to(url_, true)});
}

Result<std::vector<TeamHit>> TeamInquiry::answer(Time deadline) {
  if (!line_) return no_library();
  while (true) {
    const bool was_used = line_->is_used;
    if (!line_->is_connected()) {
      const auto connected = line_->connect(deadline);
      if (!connected) {
        // The next question finds the connection further on its way.
        if (connected.error().is(Errc::busy)) give_back();
        return connected.error();
      }
      if (!line_->send(sql_)) return trouble_of(line_->connection.get(), nullptr);
    }
    auto hits = line_->receive(deadline);
    if (hits) {
      line_->is_used = true;
      give_back();
      return hits;
    }
    if (!was_used || libpq().status(line_->connection.get()) == CONNECTION_OK) return hits;
    line_ = std::make_unique<Line>(Line{connect_to(url_, true)});
  }
}

void TeamInquiry::give_back() {
  const std::lock_guard lock(from_->mutex_);
  from_->idle_.emplace(url_, std::move(line_));
}

TeamInquiry TeamInquiries::ask(const std::string& url, const TeamQuestion& q, std::chrono::milliseconds patience) {
  constexpr TimeMs kLatest = 253'402'300'800'000;  // the year 10000
  return {*this, url,
          transaction("memd.search(" + literal(q.project) + ", " + literals(q.words) + ", " + literals(q.without) +
                          ", " + std::to_string(q.since) + ", " + std::to_string(q.until == 0 ? kLatest : q.until) +
                          ", " + literals(q.agents) + ", " + std::to_string(q.most) + ")",
                      patience)};
}

TeamInquiry TeamInquiries::look_up(const std::string& url, const std::string& project, const std::string& session_uid,
                                   std::int64_t number, std::chrono::milliseconds patience) {
  return {
      *this, url,
      transaction("memd.turn(" + literal(project) + ", " + literal(session_uid) + ", " + std::to_string(number) + ")",
                  patience)};
}

#else

struct TeamInquiry::Line {};
TeamInquiry::TeamInquiry(TeamInquiries& from, std::string url, std::string sql)
    : from_(&from), url_(std::move(url)), sql_(std::move(sql)) {}
void TeamInquiry::give_back() { from_ = nullptr; }
Result<std::vector<TeamHit>> TeamInquiry::answer(Time) {
  return Error(Errc::unsupported, "this memd was built without PostgreSQL");
}
TeamInquiry TeamInquiries::ask(const std::string& url, const TeamQuestion&, std::chrono::milliseconds) {
  return {*this, url, {}};
}
TeamInquiry TeamInquiries::look_up(const std::string& url, const std::string&, const std::string&, std::int64_t,
                                   std::chrono::milliseconds) {
  return {*this, url, {}};
}

#endif

TeamInquiry::~TeamInquiry() = default;
TeamInquiry::TeamInquiry(TeamInquiry&&) noexcept = default;
TeamInquiries::TeamInquiries() = default;
TeamInquiries::~TeamInquiries() = default;

}  // namespace memd::team
