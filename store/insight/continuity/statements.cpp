// What was decided and stated, in sentences that still tell something later.
#include "schemas/base/ascii.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/continuity/sentences.hpp"
#include "store/insight/continuity/weights.hpp"
#include "store/insight/summary/decisions.hpp"
#include "store/insight/summary/directions.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/words.hpp"

#include <map>

namespace memd::continuity {
namespace {

constexpr std::size_t kOfUser = 6;  // decisions, and likewise directions
constexpr std::size_t kSaid = 5;
constexpr std::size_t kShortestStatement = 12;
constexpr std::size_t kStatementBytes = 240;
constexpr std::size_t kFewWords = 300;  // bytes of a message; a longer one reports or is a paste

// Returns the unit after a number: "48 MB", "48MB", "12,5 %"; empty if there is none.
std::string_view unit_behind(std::string_view text, std::size_t at) {
  if (at < text.size() && (text[at] == ' ' || text[at] == '-')) ++at;
  std::size_t end = at;
  while (end < text.size() && (ascii::is_letter(text[end]) || ascii::is_non_ascii(text[end]) || text[end] == '/'))
    ++end;
  if (end == at && end < text.size() && (text[end] == '%' || text[end] == '$')) ++end;
  return text.substr(at, end - at);
}

// Returns whether the choice includes its answer. The one-line summary of a long question may be cut before it.
bool tells_answer(const PastEvent& choice) {
  return choice.is_complete_in_summary() || choice.summary.find("?: ") != std::string::npos;
}

// "Shall I clean this up?: yes": approved work was a goal and has been done since. "What about this task?: Work on it"
// does not say on what.
bool is_permission(std::string_view text) {
  constexpr std::ptrdiff_t kBareYes = 3;  // words
  constexpr std::ptrdiff_t kPoints = 4;
  const auto mark = text.rfind("?: ");
  if (mark == std::string_view::npos) return false;
  const std::string_view answer = text.substr(mark + 3);
  const std::ptrdiff_t words = words_in(normalized_sentence(answer));
  return (words <= kBareYes && cues().has(answer, Cue::go_ahead)) ||
         (words <= kPoints && cues().has(answer, Cue::points));
}

// Returns whether the sentence tells nothing by itself: it starts work, without a cue of `unless`, or refers to text
// around it.
bool says_nothing(std::string_view text, CueSet unless) {
  return is_continue_prompt(text) || is_permission(text) || announces(text) || refers_back(text) ||
         (cues().opening(text, Cue::announces) && !cues().has(text, unless));
}

void find_words_of_user(const SessionPast& past, WorkingState& out) {
  const auto add = [&](std::string_view text, std::size_t age, std::size_t exchange,
                       std::vector<ExtractedSentence>& to) {
    if (!says_nothing(text, Cue::reason | Cue::contrast))
      to.push_back({plain_sentence(text, kDecisionBytes), id_of(past, exchange), decay(age, kToldHalfLife)});
  };
  for (const PastEvent& e : past.events)
    if (e.kind == EventKind::decision && !e.derived && tells_answer(e))
      add(e.summary, e.age, e.exchange, out.decisions);
  for (const PastText& t : past.texts)
    if (t.speaker != Speaker::agent)
      for (const std::string& direction : find_directions(t.text))
        add(direction, t.age, t.exchange, out.directions);
  for (auto* words : {&out.decisions, &out.directions}) {
    // Rules are listed as constraints.
    for (const auto* list : {&out.goal, &out.constraints})
      for (const ExtractedSentence& sentence : *list)
        drop_contained_in(*words, sentence.text);
    for (const ExtractedSentence& one : *words)
      drop_contained_in(out.constraints, one.text);
    keep_best(*words, kOfUser);
  }
}

// Returns whether an agent's sentence tells of a choice, or of a result where it ends the work in few words. What it
// says on the way is mostly dropped again, and a long report is about details.
bool is_worth_telling(std::string_view sentence, bool ends_work) {
  constexpr CueSet kGuess = Cue::undecided | Cue::unsure | Cue::supposed;
  constexpr CueSet kStated = Cue::settled | Cue::declined | Cue::taken_back;
  const CueSet found = cues().find(sentence, kGuess | kStated | Cue::decided | Cue::contrast | Cue::choosing);
  if (!(found & kGuess).empty() || ends_in_question_mark(sentence) || says_nothing(sentence, Cue::reason)) return false;
  if (found.has(Cue::decided) || (found.has(Cue::contrast) && found.has(Cue::choosing))) return true;
  return ends_work && (!(found & kStated).empty() || found.has(Cue::contrast) || values_in(sentence) > 0);
}

// Returns whether a person's next words agree to what the agent said.
bool is_agreed_to(const SessionPast& past, std::vector<PastText>::const_iterator said) {
  const auto next = std::next(said);
  return next != past.texts.end() && next->speaker == Speaker::user && is_continue_prompt(next->text) &&
         cues().opening(next->text, Cue::reply);
}

// Returns whether the agent's sentence tells how things are to be, other than what it did, found or does next.
bool is_proposal(std::string_view sentence) {
  return !ends_in_question_mark(sentence) && !says_nothing(sentence, Cue::reason) &&
         !cues().has(sentence, Cue::undecided | Cue::unsure | Cue::supposed | Cue::carried_out | Cue::reports_done |
                                   Cue::tests_pass | Cue::announced | Cue::offer | Cue::trouble);
}

void find_said(const SessionPast& past, WorkingState& out) {
  std::map<std::size_t, std::size_t> last_calls;  // by exchange: the age
  for (const PastEvent& e : past.events)
    if (e.kind == EventKind::tool_call) last_calls[e.exchange] = e.age;
  for (auto at = past.texts.begin(); at != past.texts.end(); ++at) {
    const PastText& t = *at;
    const bool person = t.speaker != Speaker::agent;
    const bool few_words = t.text.size() <= kFewWords;
    // Several lines of a person are a paste.
    if (person && (!few_words || t.text.starts_with('<') || t.text.find('\n') != std::string_view::npos)) continue;
    const auto call = last_calls.find(t.exchange);
    const bool ends_work = few_words && (call == last_calls.end() || t.age < call->second);
    const bool agreed = ends_work && is_agreed_to(past, at);
    for_each_sentence(t.text, kShortestStatement, kStatementBytes, [&](std::string_view sentence) {
      const bool tells = person ? values_in(sentence) > 0 && !ends_in_question_mark(sentence) && !announces(sentence)
                                : is_worth_telling(sentence, ends_work) || (agreed && is_proposal(sentence));
      if (tells)
        out.said.push_back(
            {plain_sentence(sentence, kStatementBytes), id_of(past, t.exchange), decay(t.age, kToldHalfLife)});
    });
  }
  for (const auto* list : {&out.goal, &out.constraints, &out.decisions, &out.directions})
    for (const ExtractedSentence& sentence : *list)
      drop_contained_in(out.said, sentence.text);
  keep_best(out.said, kSaid);
}

}  // namespace

int values_in(std::string_view sentence) {
  int found = 0;
  for (std::size_t i = 0; i < sentence.size();) {
    if (!ascii::is_digit(sentence[i])) {
      ++i;
      continue;
    }
    const bool apart = i == 0 || sentence[i - 1] == ' ' || sentence[i - 1] == '(' || sentence[i - 1] == '~' ||
                       sentence[i - 1] == '<' || sentence[i - 1] == '>' || sentence[i - 1] == '=';
    std::size_t end = i;
    while (end < sentence.size() &&
           (ascii::is_digit(sentence[end]) || ((sentence[end] == '.' || sentence[end] == ',') &&
                                               end + 1 < sentence.size() && ascii::is_digit(sentence[end + 1]))))
      ++end;
    const std::string_view unit = unit_behind(sentence, end);
    const bool large = sentence.substr(i, end - i).find(',') != std::string_view::npos;
    if (apart && (large || words(WordClass::unit).has(unit))) ++found;
    i = end;
  }
  return found;
}

void find_statements(const SessionPast& past, WorkingState& out) {
  find_words_of_user(past, out);
  find_said(past, out);
}

}  // namespace memd::continuity
