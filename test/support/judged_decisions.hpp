#pragma once

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/observation.hpp"
#include "store/db/database.hpp"
#include "store/insight/summary/observations.hpp"
#include "store/text/text_units.hpp"
#include "test/support/labels.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

// Compares a store's decisions with those that a reader marked in exchanges of real histories
// (test/labels/decisions.tsv). The labels identify exchanges by session and number and sentences by hash, so the store
// must contain the history they were taken from.
namespace memd::test {

// The label of one sentence.
struct JudgedSentence {
  std::string kind;  // kind of decision; "restated" and "unclear" count neither way
  std::string by;
  std::uint64_t hash = 0;
  bool every = false;  // the label covers everything that `by` says in the exchange
  std::string words;   // set once the sentence is found
  bool told = false;

  bool is_neutral() const { return kind == "restated" || kind == "unclear"; }
};

struct JudgedExchange {
  bool held = false;
  std::vector<JudgedSentence> sentences;
};
using ExchangeKey = std::tuple<std::string, std::string, std::int64_t>;  // platform, session, number
using Labels = std::map<ExchangeKey, JudgedExchange>;

inline Labels read_decision_labels(const std::string& path) {
  Labels out;
  for_each_label(path, 7, [&](const std::vector<std::string_view>& fields) {
    JudgedExchange& exchange =
        out[{std::string(fields[0]), std::string(fields[1]), std::stoll(std::string(fields[2]))}];
    exchange.held = fields[3] == "held";
    if (fields[4] == "none") return;
    JudgedSentence sentence{std::string(fields[4]), std::string(fields[5]), 0, fields[6] == "*", {}, false};
    if (!sentence.every) sentence.hash = std::stoull(std::string(fields[6]), nullptr, 16);
    exchange.sentences.push_back(std::move(sentence));
  });
  return out;
}

// Returns the words of `text` in lower case, with one space before and after each.
inline std::string words_of(std::string_view text) {
  std::string out = " ";
  for (const char c : text)
    if (ascii::is_word(c) || ascii::is_non_ascii(c))
      out += ascii::lower(c);
    else if (out.back() != ' ')
      out += ' ';
  if (out.back() != ' ') out += ' ';
  return out;
}

inline void find_sentences(JudgedExchange& exchange, std::string_view text, std::string_view speaker) {
  for (const TextUnit& unit : split_units(text)) {
    const std::string line = ascii::one_line(unit.text);
    const std::uint64_t hash = hash64(line);
    for (JudgedSentence& s : exchange.sentences)
      if (s.hash == hash && s.by == speaker && s.words.empty()) s.words = words_of(line);
  }
}

inline bool overlap(const std::string& a, const std::string& b) {
  return a.size() > 2 && b.size() > 2 && (a.find(b) != std::string::npos || b.find(a) != std::string::npos);
}

struct Score {
  Share precision;
  Share recall;
};
using Scores = std::map<std::string, std::array<Score, 2>>;  // by the thing counted; index 0: dev, 1: held out

struct StoredDecision {
  std::string kind;
  std::string by;
  std::string content;
};

inline std::unordered_map<std::int64_t, std::vector<StoredDecision>> stored_decisions(sqlite::Database& db) {
  auto& q = db.prepare(
      "SELECT e.exchange_pk, coalesce(d.kind, 0), coalesce(d.decided_by, 1), o.content FROM observations o"
      " JOIN exchanges e ON e.session_pk = o.session_pk AND e.exchange_number = o.exchange_number"
      " LEFT JOIN decisions d USING (observation_pk) WHERE o.type = ?");
  q.bind(to_string(ObservationType::decision));
  std::unordered_map<std::int64_t, std::vector<StoredDecision>> out;
  while (q.step())
    out[q.int64(0)].push_back({std::string(to_string(static_cast<DecisionKind>(q.int64(1)))),
                               std::string(to_string(static_cast<DecidedBy>(q.int64(2)))), q.str(3)});
  q.reset();
  return out;
}

// Counts precision and recall, one exchange at a time. Single-threaded.
class DecisionComparison {
 public:
  void exchange(JudgedExchange& judged, const std::vector<StoredDecision>& told) {
    const std::size_t half = judged.held ? 1 : 0;
    for (const StoredDecision& one : told) {
      const auto verdict = judge(judged, one);
      if (verdict == Verdict::neutral) continue;
      const bool right = verdict == Verdict::right;
      count_precision("all", half, right);
      count_precision("by the " + one.by, half, right);
      count_precision(one.kind, half, right);
    }
    for (const JudgedSentence& s : judged.sentences) {
      if (s.is_neutral()) continue;
      scores_["all"][half].recall.count(s.told);
      scores_["by the " + s.by][half].recall.count(s.told);
      scores_[s.kind][half].recall.count(s.told);
    }
  }
  const Scores& scores() const { return scores_; }

 private:
  enum class Verdict { right, wrong, neutral };

  // A decision is right if its sentence is a marked one or overlaps one.
  static Verdict judge(JudgedExchange& judged, const StoredDecision& one) {
    const std::string words = words_of(one.content);
    const std::uint64_t hash = words_hash(one.content);
    bool neutral = false;
    bool right = false;
    for (JudgedSentence& s : judged.sentences) {
      if (s.by != one.by || !(s.every || s.hash == hash || overlap(words, s.words))) continue;
      if (s.is_neutral()) {
        neutral = true;
        continue;
      }
      s.told = true;
      right = true;
    }
    return right ? Verdict::right : neutral ? Verdict::neutral : Verdict::wrong;
  }

  void count_precision(const std::string& name, std::size_t half, bool right) {
    scores_[name][half].precision.count(right);
  }

  Scores scores_;
};

struct JudgedStore {
  Scores scores;
  std::size_t exchanges_found = 0;
  std::size_t exchanges = 0;  // labelled
  std::size_t decisions = 0;  // in the whole store
};

inline JudgedStore judge_decisions(sqlite::Database& db, const std::string& labels_file) {
  Labels labels = read_decision_labels(labels_file);
  const auto told = stored_decisions(db);
  JudgedStore out;
  out.exchanges = labels.size();
  for (const auto& [id, list] : told)
    out.decisions += list.size();
  DecisionComparison comparison;
  auto& q = db.prepare(
      "SELECT e.exchange_pk, s.platform, s.native_id, e.exchange_number, coalesce(e.user_message, ''),"
      " coalesce(e.interventions, ''), coalesce(e.assistant_response, '') FROM exchanges e JOIN sessions s"
      " USING (session_pk) ORDER BY s.uid, e.exchange_number");
  while (q.step()) {
    const auto it = labels.find({q.str(1), q.str(2), q.int64(3)});
    if (it == labels.end()) continue;
    JudgedExchange& judged = it->second;
    ++out.exchanges_found;
    find_sentences(judged, q.text(4), "user");
    find_sentences(judged, q.text(5), "user");
    find_sentences(judged, q.text(6), "agent");
    find_sentences(judged, q.text(6), "user");  // a user's choice that the agent repeats
    const auto of_exchange = told.find(q.int64(0));
    comparison.exchange(judged, of_exchange == told.end() ? std::vector<StoredDecision>() : of_exchange->second);
  }
  q.reset();
  out.scores = comparison.scores();
  return out;
}

}  // namespace memd::test
