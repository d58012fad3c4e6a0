#include "store/insight/outcome.hpp"

#include "schemas/base/ascii.hpp"
#include "store/insight/continuity/sentences.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace memd {
namespace {

struct Weight {
  OutcomeSign sign{};
  Outcome speaks_for{};
  double weight = 0;
};

// Chosen on "dev" and "held" of test/labels/outcomes.tsv (docs/benchmarks.md, "Outcomes").
constexpr std::array<Weight, kOutcomeSigns> kWeights{{
    {OutcomeSign::answered, Outcome::success, 1},
    {OutcomeSign::reports_done, Outcome::success, 1},
    {OutcomeSign::question_answered, Outcome::success, 1},
    {OutcomeSign::files_changed, Outcome::success, 1},
    {OutcomeSign::tests_passed, Outcome::success, 1.5},
    {OutcomeSign::committed, Outcome::success, 1.5},
    {OutcomeSign::pull_request_opened, Outcome::success, 1},
    {OutcomeSign::person_pleased, Outcome::success, 4},
    {OutcomeSign::report_taken, Outcome::success, 3},
    {OutcomeSign::agent_asks, Outcome::unknown, 6},
    {OutcomeSign::untested, Outcome::unknown, 5},
    {OutcomeSign::plan_waits, Outcome::unknown, 4},
    {OutcomeSign::change_offered, Outcome::unknown, 2},
    {OutcomeSign::agent_unable, Outcome::fail, 3},
    {OutcomeSign::agent_says_failing, Outcome::fail, 3},
    {OutcomeSign::tests_failed, Outcome::fail, 8},
    {OutcomeSign::commit_failed, Outcome::fail, 8},
    {OutcomeSign::person_complains, Outcome::fail, 4},
    {OutcomeSign::request_failed, Outcome::fail, 5},
    {OutcomeSign::subagent_failed, Outcome::fail, 8},
    {OutcomeSign::interrupted, Outcome::abandoned, 6},
    {OutcomeSign::prompt_unanswered, Outcome::abandoned, 3},
    {OutcomeSign::broken_off, Outcome::abandoned, 5},
    {OutcomeSign::todos_open, Outcome::unknown, 3},
    {OutcomeSign::build_failed, Outcome::fail, 8},
    {OutcomeSign::only_told, Outcome::unknown, 2.5},
    {OutcomeSign::change_refused, Outcome::unknown, 3},
}};
// Minimum total weight: the mere fact that the agent had the last word is not enough.
constexpr double kLeastForSuccess = 1.5;

constexpr std::size_t kFirstUnits = 3;        // of a message that ends the work; they state what was done
constexpr std::size_t kLastUnits = 4;         // they state what is left
constexpr std::size_t kTrialUnits = 8;        // those that may say that a change was not tried
constexpr std::size_t kLongRequest = 1500;    // bytes; a plan or a paste
constexpr std::size_t kReadOfWords = 600;     // bytes read of a user's message; the rest is a paste
constexpr std::ptrdiff_t kWordsOfPraise = 8;  // maximum

consteval bool are_in_order() {
  for (std::size_t i = 0; i < kWeights.size(); ++i)
    if (kWeights[i].sign != static_cast<OutcomeSign>(i)) return false;
  return true;
}
static_assert(are_in_order());

// Returns the sentences, list items and headings of a message.
std::vector<std::string_view> told_in(std::string_view message) {
  std::vector<std::string_view> out;
  for (const TextUnit& unit : split_units(message))
    if (unit.kind == UnitKind::sentence || unit.kind == UnitKind::bullet || unit.kind == UnitKind::heading)
      out.push_back(unit.text);
  return out;
}

bool is_question(std::string_view sentence) {
  while (!sentence.empty() && std::string_view(" \n*_)\"'").find(sentence.back()) != std::string_view::npos)
    sentence.remove_suffix(1);
  return ends_in_question_mark(sentence);
}

// Returns whether the sentence states the cue outright, neither as a question nor conditionally.
bool states(std::string_view sentence, CueSet cue) {
  return !is_question(sentence) && cues().has(sentence, cue) && !cues().has(sentence, Cue::supposed);
}

bool asks_something(std::string_view request) {
  auto sentences = told_in(request);
  if (sentences.empty()) return false;
  if (request.size() > kLongRequest) sentences = {sentences.back()};
  return std::any_of(sentences.begin(), sentences.end(), [](std::string_view s) {
    if (cues().has(s, Cue::to_change)) return false;  // "Can you fix it?" is a request for work
    return is_question(s) || cues().has(s, Cue::asked) || cues().opening(s, Cue::asking | Cue::request);
  });
}

bool only_praises(std::string_view words) {
  return !is_question(words) && cues().has(words, Cue::praises) && !cues().has(words, Cue::complains) &&
         continuity::words_in(continuity::normalized_sentence(words)) <= kWordsOfPraise;
}

bool complains(std::string_view words) {
  const auto sentences = told_in(words.substr(0, kReadOfWords));
  return std::any_of(sentences.begin(), sentences.end(), [](std::string_view s) { return states(s, Cue::complains); });
}

// Returns the signs in the agent's final message.
OutcomeSignSet signs_of_answer(const SessionEnd& end) {
  OutcomeSignSet out = OutcomeSign::answered;
  const auto sentences = told_in(end.answer);
  const std::size_t n = sentences.size();
  const auto first = std::span(sentences).first(std::min(n, kFirstUnits));
  const auto last = std::span(sentences).last(std::min(n, kLastUnits));
  const bool changed = end.files_changed > 0 || end.commits > 0;
  const auto of_trial = std::span(sentences).last(std::min(n, changed ? kTrialUnits : kLastUnits));
  const auto any = [](std::span<const std::string_view> list, const auto& is) {
    return std::any_of(list.begin(), list.end(), is);
  };
  const auto anywhere = [&](const auto& is) { return any(first, is) || any(last, is); };

  if (anywhere([](std::string_view s) {
        return states(s, Cue::carried_out | Cue::mended | Cue::tests_pass) || cues().opening(s, Cue::reports_done);
      }))
    out |= OutcomeSign::reports_done;
  if (anywhere([](std::string_view s) { return states(s, Cue::unable); })) out |= OutcomeSign::agent_unable;
  if (anywhere([](std::string_view s) { return states(s, Cue::unmended); })) out |= OutcomeSign::agent_says_failing;
  // "If it still fails, …" refers to something untested.
  if (any(of_trial, [](std::string_view s) { return cues().has(s, Cue::untried); })) out |= OutcomeSign::untested;
  if (any(last, [](std::string_view s) {
        return (is_question(s) && cues().has(s, Cue::asks_back)) || cues().has(s, Cue::awaits);
      }))
    out |= OutcomeSign::agent_asks;
  // In any language: a message that ends with a question, but not with an offer.
  if (n > 0 && is_question(last.back()) &&
      (!cues().has(last.back(), Cue::offers) || cues().opening(last.back(), Cue::asking)))
    out |= OutcomeSign::agent_asks;

  const bool wants_to_know = asks_something(end.request) || !end.asked_by_person;
  if (wants_to_know && !changed) out |= OutcomeSign::question_answered;
  if (!wants_to_know && !changed && any(last, [](std::string_view s) { return cues().has(s, Cue::offers); }))
    out |= OutcomeSign::change_offered;
  if (!wants_to_know && !changed && end.calls == 0) out |= OutcomeSign::only_told;
  return out;
}

OutcomeSignSet signs_of_work(const SessionEnd& end) {
  OutcomeSignSet out;
  if (end.files_changed > 0) out |= OutcomeSign::files_changed;
  if (end.commits > 0) out |= OutcomeSign::committed;
  if (end.pull_requests > 0) out |= OutcomeSign::pull_request_opened;
  if (end.tests == RunOutcome::failed) out |= OutcomeSign::tests_failed;
  if (end.tests == RunOutcome::passed && !end.changed_since_tests) out |= OutcomeSign::tests_passed;
  if (end.commit == RunOutcome::failed) out |= OutcomeSign::commit_failed;
  if (end.build == RunOutcome::failed) out |= OutcomeSign::build_failed;
  if (end.plan_shown) out |= OutcomeSign::plan_waits;
  if (end.change_refused) out |= OutcomeSign::change_refused;
  if (end.todos_open) out |= OutcomeSign::todos_open;
  return out;
}

OutcomeSignSet signs_of(const SessionEnd& end) {
  using Last = SessionEnd::Last;
  OutcomeSignSet out;
  switch (end.last) {
    case Last::nothing: return {};
    case Last::interruption: return OutcomeSign::interrupted;
    case Last::failed_request: return OutcomeSign::request_failed;
    case Last::words:
      if (only_praises(end.last_words)) return OutcomeSign::person_pleased;
      out = OutcomeSign::prompt_unanswered;
      if (end.asked_by_person && complains(end.last_words)) out |= OutcomeSign::person_complains;
      return out;
    case Last::answer:
      out = signs_of_answer(end);
      out |= signs_of_work(end);
      break;
    case Last::call:
    case Last::result: break;
  }
  // The report of a subagent is in the session that started it.
  if (end.report == RunOutcome::failed || states(end.report_text, Cue::unable))
    out |= OutcomeSign::subagent_failed;
  else if (end.report == RunOutcome::passed && end.last != Last::answer)
    out |= OutcomeSign::report_taken;
  if (end.last == Last::answer || end.report) return out;

  out |= signs_of_work(end);
  const bool work_is_whole = end.last == Last::result && (end.turn_ended || end.commits > 0);
  if (!work_is_whole) out |= OutcomeSign::broken_off;
  return out;
}

Outcome outcome_of(OutcomeSignSet signs) {
  std::array<double, 4> said{};
  for (const Weight& w : kWeights)
    if (signs.has(w.sign)) said[static_cast<std::size_t>(w.speaks_for)] += w.weight;
  const auto [unknown, success, fail, abandoned] = said;
  if (success >= kLeastForSuccess && success > unknown + fail + abandoned) return Outcome::success;
  if (fail > abandoned && fail > unknown) return Outcome::fail;
  return abandoned > unknown && abandoned > fail ? Outcome::abandoned : Outcome::unknown;
}

}  // namespace

OutcomeSignSet JudgedOutcome::signs() const {
  OutcomeSignSet out;
  for (const OutcomeReason& reason : reasons)
    out |= reason.sign;
  return out;
}

JudgedOutcome judge_outcome(const SessionEnd& end) {
  const OutcomeSignSet signs = signs_of(end);
  const Outcome value = outcome_of(signs);
  return {value, outcome_reasons(value, signs)};
}

std::vector<OutcomeReason> outcome_reasons(Outcome outcome, OutcomeSignSet signs) {
  std::vector<OutcomeReason> out;
  for (const Weight& w : kWeights)
    if (signs.has(w.sign)) out.push_back({w.sign, w.speaks_for, w.weight});
  std::stable_sort(out.begin(), out.end(), [&](const OutcomeReason& a, const OutcomeReason& b) {
    const bool for_a = a.speaks_for == outcome;
    const bool for_b = b.speaks_for == outcome;
    return for_a != for_b ? for_a : a.weight > b.weight;
  });
  return out;
}

}  // namespace memd
