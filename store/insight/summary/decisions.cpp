#include "store/insight/summary/decisions.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"
#include "schemas/event.hpp"
#include "store/insight/summary/salience.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace memd {
namespace {

constexpr std::size_t kPartBytes = 160;                        // of the question, and of the chosen option
constexpr std::size_t kReadOfPlan = 2000;                      // bytes in which its title stands
constexpr std::string_view kProposedPlan = "<proposed_plan>";  // Codex: precedes a plan that it offers

bool asks_back(std::string_view answer) {
  return answer.find('?') != std::string_view::npos || answer.find("？") != std::string_view::npos;
}

Decision chosen_by_person(DecisionKind kind, std::string sentence, std::string chosen) {
  Decision d;
  d.kind = kind;
  d.by = DecidedBy::user;
  d.sentence = std::move(sentence);
  d.chosen = std::move(chosen);
  return d;
}

// Splits lines of "question: answer". If questions end with a question mark, they may contain colons and their answers
// may span lines. If questions are only names, each line is one pair.
std::vector<std::pair<std::string, std::string>> questions_and_answers(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> out;
  const bool marked = text.substr(0, text.find('\n')).find("?: ") != std::string_view::npos;
  while (!text.empty()) {
    const std::string line = ascii::one_line(ascii::take_until(text, '\n'));
    std::size_t mark = line.find("?: ");
    if (mark == std::string::npos && line.ends_with("?:")) mark = line.size() - 2;
    const std::size_t colon = mark != std::string::npos ? mark + 1 : line.find(": ");
    if (colon != std::string::npos && (mark != std::string::npos || !marked)) {
      out.emplace_back(line.substr(0, colon), line.substr(std::min(colon + 2, line.size())));
    } else if (!out.empty() && !line.empty()) {
      std::string& answer = out.back().second;
      answer += (answer.empty() ? "" : " ") + line;
    }
  }
  return out;
}

struct Shared {
  std::size_t terms = 0;
  double share = 0;  // of the terms of the shorter text
};

Shared shared_terms(std::string_view a, std::string_view b) {
  std::vector<std::uint64_t> of_a = content_terms(a);
  std::vector<std::uint64_t> of_b = content_terms(b);
  for (auto* terms : {&of_a, &of_b}) {
    std::sort(terms->begin(), terms->end());
    terms->erase(std::unique(terms->begin(), terms->end()), terms->end());
  }
  if (of_a.empty() || of_b.empty()) return {};
  std::vector<std::uint64_t> both;
  std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), std::back_inserter(both));
  return {both.size(), static_cast<double>(both.size()) / static_cast<double>(std::min(of_a.size(), of_b.size()))};
}

}  // namespace

std::vector<Decision> read_choices(std::string_view text) {
  std::vector<Decision> found;
  if (text.starts_with(kPlanAccepted)) {
    if (Decision plan = accepted_plan(text.substr(kPlanAccepted.size())); !plan.sentence.empty())
      found.push_back(std::move(plan));
    return found;
  }
  for (const auto& [question, answer] : questions_and_answers(text)) {
    if (answer.empty() || asks_back(answer) || found.size() >= kChoicesPerDialog) continue;
    found.push_back(chosen_by_person(DecisionKind::answer,
                                     shortened(shortened(question, kPartBytes) + ": " + answer, kDecisionBytes),
                                     shortened(answer, kPartBytes)));
  }
  return found;
}

Decision accepted_plan(std::string_view plan) {
  std::string first;
  for (const TextUnit& unit : split_units(utf8_prefix(plan, kReadOfPlan))) {
    if (unit.kind == UnitKind::code || unit.kind == UnitKind::table) continue;
    const bool heading = unit.kind == UnitKind::heading;
    if (heading || first.empty()) first = ascii::one_line(unit.text);
    if (heading) break;
  }
  // A plan may stand on a single line.
  std::string title = shortened(plain_sentence(first.substr(0, first.find(" ## "))), kDecisionBytes);
  std::string chosen = shortened(title, kPartBytes);
  return chosen_by_person(DecisionKind::plan, std::move(title), std::move(chosen));
}

std::optional<Decision> plan_accepted_by(std::string_view message, std::string_view offered) {
  if (!cues().opening(ascii::trimmed(message), Cue::plan_told)) return std::nullopt;
  const auto proposed = offered.rfind(kProposedPlan);
  if (proposed == std::string_view::npos) return accepted_plan(message);
  Decision d = accepted_plan(offered.substr(proposed + kProposedPlan.size()));
  d.sentence = shortened(shortened(d.sentence, kPartBytes) + ": " + ascii::one_line(message), kDecisionBytes);
  return d;
}

bool reverses(const Decision& later, const Decision& earlier) {
  constexpr double kLeastShare = 0.6;
  if (!later.rejected.empty() && !earlier.chosen.empty()) {
    const Shared shared = shared_terms(later.rejected, earlier.chosen);
    if (shared.share >= kLeastShare && (shared.terms >= 2 || shared.share == 1)) return true;
  }
  if (later.kind != DecisionKind::reversal) return false;
  const Shared shared = shared_terms(later.sentence, earlier.sentence);
  return shared.terms >= 2 && shared.share >= kLeastShare / 2;
}

}  // namespace memd
