#include "store/harvest/material.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/sql_text.hpp"
#include "store/read/commits.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/observations.hpp"

#include <algorithm>
#include <charconv>

namespace memd::harvest {
namespace {

// Maximum number of exchanges after which a commit may still contain the change.
constexpr std::int64_t kCommitWithin = 3;

struct Place {
  ExchangeId exchange = 0;
  std::int64_t observation = 0;
};

Place place_of(sqlite::Database& db, std::int64_t observation) {
  const auto exchange = db.query(
                              "SELECT e.exchange_pk FROM observations o JOIN exchanges e"
                              " ON e.session_pk = o.session_pk AND e.exchange_number = o.exchange_number"
                              " WHERE o.observation_pk = ?",
                              observation)
                            .number();
  if (!exchange)
    throw ErrorException(Error(Errc::not_found, "there is no observation " + format_observation_id(observation) +
                                                    " in a turn: `memd memory suggest` names some"));
  return {*exchange, observation};
}

std::vector<MaterialEvent> events_of(sqlite::Database& db, const ExchangeRow& exchange,
                                     const std::vector<Observation>& observations) {
  std::vector<MaterialEvent> out;
  auto& q =
      db.prepare(sql_text("SELECT e.seq, e.event_id, e.kind = EventKind::edit, coalesce(r.seq, e.seq),"
                          " coalesce(r.event_id, e.event_id) FROM events e"
                          " LEFT JOIN events r ON r.session_pk = e.session_pk"
                          " AND r.seq = iif(e.flags & kFlagDerived, coalesce(e.parent_seq, e.seq), e.seq)"
                          " WHERE e.session_pk = ?1 AND e.seq BETWEEN ?2 AND ?3 ORDER BY e.seq"));
  for (q.bind(exchange.session_pk, exchange.first_seq, exchange.last_seq); q.step();) {
    const MaterialEvent e{q.int64(0), static_cast<std::uint64_t>(q.int64(1)), q.int64(2) != 0, q.int64(3),
                          static_cast<std::uint64_t>(q.int64(4))};
    if (out.empty() || e.is_edit ||
        std::any_of(observations.begin(), observations.end(), [&](const auto& o) { return o.event_seq == e.seq; }))
      out.push_back(e);
  }
  return out;
}

}  // namespace

std::optional<HistoryRef> parse_history_ref(std::string_view text) {
  if (const auto exchange = parse_exchange_id(text)) return HistoryRef{*exchange, 0};
  if (auto name = parse_exchange_name(text)) return HistoryRef{0, 0, std::move(name)};
  if (text.size() < 2 || (text[0] != 'o' && text[0] != 'd') || !ascii::is_digit(text[1])) return std::nullopt;
  HistoryRef out;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), out.observation);
  if (error != std::errc() || end != text.data() + text.size() || out.observation <= 0) return std::nullopt;
  return out;
}

std::string format_observation_id(std::int64_t id) { return "o" + std::to_string(id); }

Error MaterialQuery::without_store() { return {Errc::not_found, "nothing has been read yet"}; }

Material MaterialQuery::run(sqlite::Database& db) const {
  const Place place = of.observation != 0 ? place_of(db, of.observation)
                      : of.name           ? Place{NamedExchangeQuery{*of.name}.run(db), 0}
                                          : Place{of.exchange, 0};
  Material out;
  out.exchange = ExchangeQuery{place.exchange}.run(db);
  const auto session = out.exchange.session_pk;
  const auto number = out.exchange.number;
  out.observations = queries::observations_of(db, session, number, number);
  for (std::size_t i = 0; i < out.observations.size(); ++i) {
    const Observation& o = out.observations[i];
    if (place.observation != 0 && o.id == place.observation) out.told = i;
    out.tests_passed |= o.type == ObservationType::success;
  }
  out.events = events_of(db, out.exchange, out.observations);
  for (ExchangeFile& file : ExchangeFilesQuery{session, number}.run(db))
    if (file.access == FileAccess::modified) out.files.push_back(std::move(file.path));
  out.commits = queries::commits_of(db, session, number, number);
  if (out.commits.empty() && !out.files.empty()) {
    out.commits = queries::commits_of(db, session, number + 1, number + kCommitWithin);
    if (out.commits.size() > 1) out.commits.resize(1);
  }
  return out;
}

std::vector<std::string> relative_files(const std::vector<std::string>& files, const std::filesystem::path& project,
                                        const std::string& working_directory) {
  std::vector<std::string> out;
  for (const std::string& file : files) {
    std::string name = file;
    for (const std::string& root : {project.string(), working_directory})
      if (root.size() > 1 && name.size() > root.size() && name.starts_with(root) && name[root.size()] == '/') {
        name.erase(0, root.size() + 1);
        break;
      }
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(std::move(name));
  }
  return out;
}

}  // namespace memd::harvest
