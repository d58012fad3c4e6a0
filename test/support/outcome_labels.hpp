#pragma once

#include "schemas/outcome.hpp"
#include "store/db/database.hpp"
#include "store/insight/outcome.hpp"
#include "store/read/session_end.hpp"
#include "test/support/labels.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Compares the outcomes that memd computes with a reader's labels of real sessions (test/labels/outcomes.tsv).
namespace memd::test {

struct OutcomeLabel {
  // end: the real end of the session. after: cut after that exchange. at: cut right after that exchange's prompt.
  enum class Cut { end, after, at };
  // dev and held: used to choose weights and cues. fresh: used only for the report.
  enum class Part { dev, held, fresh };

  std::string stratum;
  Part part = Part::dev;
  std::string uid;
  Cut cut = Cut::end;
  std::int64_t exchange = 0;
  Outcome label = Outcome::unknown;
  std::string reason;
};

inline Outcome parse_outcome(std::string_view name) {
  for (const auto o : {Outcome::unknown, Outcome::success, Outcome::fail, Outcome::abandoned})
    if (to_string(o) == name) return o;
  throw std::runtime_error("not an outcome: " + std::string(name));
}

inline OutcomeLabel::Part parse_part(std::string_view name) {
  using Part = OutcomeLabel::Part;
  for (const auto& [part, of] : {std::pair{Part::dev, "dev"}, {Part::held, "held"}, {Part::fresh, "fresh"}})
    if (name == of) return part;
  throw std::runtime_error("not a part: " + std::string(name));
}

// Throws std::runtime_error for a malformed line.
inline std::vector<OutcomeLabel> read_outcome_labels(const std::string& path) {
  std::vector<OutcomeLabel> out;
  for_each_label(path, 7, [&](const std::vector<std::string_view>& fields) {
    OutcomeLabel one;
    one.stratum = fields[0];
    one.part = parse_part(fields[1]);
    one.uid = std::string(fields[2]) + ":" + std::string(fields[3]);
    const std::string_view cut = fields[4];
    if (const auto blank = cut.find(' '); blank != std::string_view::npos) {
      one.cut = cut.starts_with("after") ? OutcomeLabel::Cut::after : OutcomeLabel::Cut::at;
      one.exchange = std::stoll(std::string(cut.substr(blank + 1)));
    }
    one.label = parse_outcome(fields[5]);
    one.reason = fields[6];
    out.push_back(std::move(one));
  });
  return out;
}

inline std::optional<std::int64_t> first_seq(sqlite::Database& db, std::int64_t session_pk, std::int64_t exchange) {
  auto& q = db.prepare("SELECT first_seq FROM exchanges WHERE session_pk = ? AND exchange_number = ?");
  q.bind(session_pk, exchange);
  const auto seq = q.step() ? std::optional(q.int64(0)) : std::nullopt;
  q.reset();
  return seq;
}

// Returns the end of the session, cut as the label says; nullopt if the store does not contain it.
inline std::optional<SessionEnd> end_of(sqlite::Database& db, const OutcomeLabel& label) {
  auto& q = db.prepare("SELECT session_pk FROM sessions WHERE uid = ?").bind(label.uid);
  const auto pk = q.step() ? std::optional(q.int64(0)) : std::nullopt;
  q.reset();
  if (!pk) return std::nullopt;
  if (label.cut == OutcomeLabel::Cut::end) return SessionEndQuery{*pk}.run(db);
  const bool at = label.cut == OutcomeLabel::Cut::at;
  const auto seq = first_seq(db, *pk, at ? label.exchange : label.exchange + 1);
  if (!seq) return std::nullopt;
  return SessionEndQuery{*pk, at ? *seq + 1 : *seq}.run(db);
}

// Counts by label (rows) and computed outcome (columns).
struct OutcomeTable {
  std::array<std::array<int, 4>, 4> ends{};

  int& at(Outcome label, Outcome judged) {
    return ends[static_cast<std::size_t>(label)][static_cast<std::size_t>(judged)];
  }
  int of(Outcome label, Outcome judged) const {
    return ends[static_cast<std::size_t>(label)][static_cast<std::size_t>(judged)];
  }
  int labelled(Outcome o) const {
    int n = 0;
    for (const int k : ends[static_cast<std::size_t>(o)])
      n += k;
    return n;
  }
  int judged(Outcome o) const {
    int n = 0;
    for (const auto& row : ends)
      n += row[static_cast<std::size_t>(o)];
    return n;
  }
};

// `ends` counts the labels with Cut::end of all parts. `missing` counts labels whose session is not stored.
struct OutcomeComparison {
  std::array<OutcomeTable, 3> parts{};
  OutcomeTable ends;
  int missing = 0;

  OutcomeTable& of(OutcomeLabel::Part part) { return parts[static_cast<std::size_t>(part)]; }
  const OutcomeTable& of(OutcomeLabel::Part part) const { return parts[static_cast<std::size_t>(part)]; }
};
inline OutcomeComparison compare_outcomes(sqlite::Database& db, const std::vector<OutcomeLabel>& labels) {
  OutcomeComparison out;
  for (const OutcomeLabel& label : labels) {
    const auto end = end_of(db, label);
    if (!end) {
      ++out.missing;
      continue;
    }
    const JudgedOutcome judged = judge_outcome(*end);
    ++out.of(label.part).at(label.label, judged.value);
    if (label.cut == OutcomeLabel::Cut::end) ++out.ends.at(label.label, judged.value);
  }
  return out;
}

}  // namespace memd::test
