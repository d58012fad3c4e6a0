// The state of the work: problems, next steps.
#include "schemas/base/ascii.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/continuity/sentences.hpp"
#include "store/insight/continuity/text_content.hpp"
#include "store/insight/continuity/todo_list.hpp"
#include "store/insight/continuity/weights.hpp"
#include "store/text/code_names.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/shell_line.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

namespace memd::continuity {
namespace {

constexpr std::size_t kSteps = 12;
constexpr std::size_t kNotYetBegun = 2;  // messages and calls
constexpr std::ptrdiff_t kProgressFewestWords = 4;
constexpr std::size_t kReadOfDecisions = 4 * 1024;  // a longer message is a paste
constexpr std::size_t kErrorBytes = 600;
constexpr std::size_t kLastWordsBytes = 900;
constexpr std::size_t kFewWordsBytes = 600;

// Returns the first and the last lines, which hold the command and its result.
std::string verbatim(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {  // terminal colours
      while (i < text.size() && !ascii::is_letter(text[i]))
        ++i;
    } else if (text[i] == '\n' || text[i] == '\t' || static_cast<unsigned char>(text[i]) >= 0x20) {
      plain += text[i];
    }
  }
  while (!plain.empty() && plain.back() == '\n')
    plain.pop_back();
  if (plain.size() <= kErrorBytes) return plain;
  const auto head_end = plain.rfind('\n', kErrorBytes / 2);
  const auto tail_begin = plain.find('\n', plain.size() - kErrorBytes / 2);
  if (head_end == std::string::npos || tail_begin == std::string::npos) return shortened(plain, kErrorBytes);
  return plain.substr(0, head_end) + "\n…" + plain.substr(tail_begin);
}

}  // namespace

bool states_next_step(std::string_view sentence) {
  if (words_in(normalized_sentence(sentence)) < kProgressFewestWords) return false;  // the title of a list
  return cues().has(sentence, Cue::ahead | Cue::announced);
}

namespace {

// Finds work deferred to a stated moment or with a requested reminder, unless it was later reported as done.
void find_promises(const SessionPast& past, WorkingState& out) {
  constexpr double kPromise = 1.5;
  constexpr double kOfPerson = 2.5;
  std::vector<std::pair<std::size_t, TextContent>> done;  // by the age of the message
  for (const PastText& t : past.texts)
    if (t.speaker == Speaker::agent)
      for_each_sentence(t.text, 8, 300, [&](std::string_view sentence) {
        if (cues().has(sentence.substr(0, 60), Cue::reports_done)) done.emplace_back(t.age, TextContent(sentence));
      });
  for (auto at = past.texts.begin(); at != past.texts.end(); ++at) {
    const PastText& t = *at;
    const bool person = t.speaker != Speaker::agent;
    if (t.text.starts_with('<') || (person && t.text.size() > kReadOfDecisions)) continue;
    // A promise made during work, such as "I'll read that before I begin", is kept immediately.
    const auto next = std::next(at);
    const bool goes_on = next == past.texts.end() ? t.age > kNotYetBegun : next->exchange == t.exchange;
    if (!person && goes_on) continue;
    std::string_view before;  // the sentence before
    for_each_sentence(t.text, 16, 300, [&](std::string_view sentence) {
      const std::string_view named = std::exchange(before, sentence);
      if (!cues().has(sentence, Cue::promised) || cues().has(sentence, Cue::offer) || ends_in_question_mark(sentence) ||
          announces(sentence))
        return;
      const bool is_done = std::any_of(done.begin(), done.end(), [&](const auto& said) {
        return said.first < t.age && said.second.has_sentence(sentence);
      });
      if (is_done) return;
      std::string text = plain_sentence(sentence, 160);
      // "I'll fix that after the release" needs what it points to.
      if (!named.empty() && cues().has(sentence, Cue::points)) text = plain_sentence(named, 160) + ' ' + text;
      out.next_steps.push_back(
          {std::move(text), id_of(past, t.exchange), (person ? kOfPerson : kPromise) * decay(t.age, kToldHalfLife)});
    });
  }
}

// Returns whether the command lines do nothing but look or keep house: what failed before them is still open.
bool only_looks(const std::vector<ShellCommand>& commands) {
  return std::ranges::all_of(commands, [](const ShellCommand& command) {
    return std::ranges::all_of(command_heads(command.line), [](const std::string& head) {
      return words(WordClass::housekeeping).has(head) || words(WordClass::look).has(head);
    });
  });
}

// Returns the age of the latest edit or command that does more than look.
std::size_t last_work(const SessionPast& past) {
  const auto work = std::find_if(past.events.rbegin(), past.events.rend(), [](const PastEvent& e) {
    return e.kind == EventKind::edit || e.modifies || !only_looks(e.facts.commands);
  });
  return work == past.events.rend() ? std::numeric_limits<std::size_t>::max() : work->age;
}

}  // namespace

void find_next_steps(const SessionPast& past, WorkingState& out) {
  std::vector<Todo> todos;
  const PastEvent* change = nullptr;  // the last one of the list
  for (const PastEvent& e : past.events) {
    if (!e.facts.todos) continue;
    take_in(todos, *e.facts.todos, e.seq);
    change = &e;
  }
  const std::size_t listed = change == nullptr ? 0 : change->exchange;
  // A later request is not on the list, and what was done for it was often done instead. A list that nobody changes
  // while the work goes on is given up, or kept elsewhere.
  if ((change != nullptr && change->age > kOpenWithin) || std::ranges::any_of(past.texts, [&](const PastText& t) {
        return t.speaker == Speaker::user && t.exchange > listed && !is_continue_prompt(t.text) &&
               !ends_in_question_mark(ascii::trimmed(t.text));
      }))
    todos.clear();
  for (const Todo& todo : todos) {
    if (!is_open(todo)) continue;
    const bool doing = todo.state == TodoState::in_progress;
    const PastEvent* stated = past.event(todo.seq);
    out.next_steps.push_back({(doing ? "in progress: " : "to do: ") + shortened(todo.text, 160),
                              stated == nullptr ? 0 : id_of(past, stated->exchange), doing ? 4.0 : 3.0});
  }
  const auto last = std::find_if(past.texts.rbegin(), past.texts.rend(),
                                 [](const PastText& t) { return t.speaker == Speaker::agent; });
  const std::size_t worked = last_work(past);
  for (auto at = past.texts.begin(); at != past.texts.end(); ++at) {
    const PastText& t = *at;
    if (t.speaker != Speaker::agent || t.age > kOpenWithin / 3 || t.age >= worked) continue;
    // What the end of an answer announced stays ahead while only questions follow. The last words are told as such.
    const auto next = std::next(at);
    if (next == past.texts.end() || next->exchange == t.exchange) continue;
    for_each_sentence(t.text, 16, 300, [&](std::string_view sentence) {
      if (states_next_step(sentence))
        out.next_steps.push_back(
            {plain_sentence(sentence, 160), id_of(past, t.exchange), decay(t.age, kToldHalfLife / 10)});
    });
  }
  find_promises(past, out);
  keep_best(out.next_steps, kSteps);
  if (last == past.texts.rend()) return;
  // The start of the message states its subject, so its end is cut.
  out.last_words = ExtractedSentence{shortened(last->text, kLastWordsBytes), id_of(past, last->exchange), 1};
}

void prepend_context_to_last_words(const SessionPast& past, WorkingState& out) {
  // Open problems and next steps have their own lists.
  const auto tells_apart = [&](std::string_view text) {
    const std::string normalized = normalized_sentence(text);
    return std::ranges::any_of(std::array{&out.problems, &out.next_steps},
                               [&](const std::vector<ExtractedSentence>* list) {
                                 return std::ranges::any_of(*list, [&](const ExtractedSentence& sentence) {
                                   return normalized.find(normalized_sentence(sentence.text)) != std::string::npos;
                                 });
                               });
  };
  std::string words;
  for (auto t = past.texts.rbegin(); t != past.texts.rend() && words.size() < kFewWordsBytes; ++t) {
    if (t->speaker != Speaker::agent || tells_apart(t->text)) break;
    words.insert(0, std::string(t->text) + ' ');
  }
  if (!words.empty()) out.last_words->text = shortened(words, kLastWordsBytes);
}

void find_last_error(const SessionPast& past, WorkingState& out) {
  bool is_newest = true;  // no other command that does something was run later
  for (auto e = past.events.rbegin(); e != past.events.rend(); ++e) {
    if (e->kind != EventKind::tool_result || !e->pair_seq) continue;
    const PastEvent* call = past.event(*e->pair_seq);
    if (call == nullptr) continue;
    // An earlier error of another command is a slip that the agent fixed at once.
    const auto& commands = call->facts.commands;
    if (commands.empty()) continue;
    const bool checks =
        std::ranges::any_of(commands, [](const ShellCommand& c) { return c.purpose != CommandPurpose::other; });
    if (!checks && (!is_newest || only_looks(commands))) continue;
    is_newest = false;
    const RunOutcome outcome = e->facts.outcome.value_or(e->has_failed() ? RunOutcome::failed : RunOutcome::passed);
    if (outcome == RunOutcome::passed) {
      if (checks) return;
      continue;
    }
    std::string_view text = past.full_text(e->seq);
    if (text.empty()) text = e->summary;
    if (outcome != RunOutcome::failed || text.empty() || is_refusal(text)) continue;
    if (e->age > kOpenWithin) return;
    out.last_error =
        ExtractedSentence{shortened(call->summary, 160) + "\n" + verbatim(text), id_of(past, e->exchange), 1, e->age};
    return;
  }
}

// ---- Problems that an agent reported and did not report as fixed.

namespace {

constexpr std::size_t kProblems = 4;
constexpr std::size_t kSentenceBytes = 240;
constexpr std::size_t kShortestTrouble = 24;

constexpr CueSet kNoTrouble = Cue::harmless | Cue::no_complaint | Cue::asked | Cue::supposed;

// Returns whether the sentence states a problem and its subject. "I see the issue" and "Let me look at the errors" do
// not.
bool names_its_subject(std::string_view sentence) {
  constexpr std::ptrdiff_t kTellingWords = 6;
  const std::string_view plain = sentence.substr(std::min(sentence.find_first_not_of("*-•# \t"), sentence.size()));
  if (plain.starts_with("I ") || plain.starts_with("I'")) return false;
  bool named = sentence.find_first_of("`\"0123456789") != std::string_view::npos ||
               std::any_of(sentence.begin(), sentence.end(), ascii::is_non_ascii);
  for_each_code_name(sentence, [&](std::string_view) { named = true; });
  return named || words_in(normalized_sentence(sentence)) >= kTellingWords;
}

// Returns the ages of the commands that failed, or of which nobody recorded how they ended, that more than looked and
// did not pass later.
std::vector<std::size_t> open_failures(const SessionPast& past) {
  std::map<std::string_view, std::size_t> open;
  for (const PastEvent& e : past.events) {
    const PastEvent* call = e.kind == EventKind::tool_result && e.pair_seq ? past.event(*e.pair_seq) : nullptr;
    if (call == nullptr || call->facts.commands.empty() || only_looks(call->facts.commands)) continue;
    const bool passed = e.facts.outcome ? e.facts.outcome == RunOutcome::passed : e.facts.exit_code == 0;
    if (e.has_failed() || !passed)
      open[call->summary] = e.age;
    else
      open.erase(call->summary);
  }
  std::vector<std::size_t> out;
  for (const auto& [line, age] : open)
    out.push_back(age);
  return out;
}

// The final message of a task starts with what was done.
bool reports_done(std::string_view text) { return cues().has(text.substr(0, 80), Cue::reports_done); }

}  // namespace

ProblemCues problem_cues_in(std::string_view sentence) {
  const auto problem = static_cast<int>(cues().all(sentence, Cue::trouble).size());
  if (cues().has(sentence, Cue::mended)) return {0, problem == 0};
  if (problem == 0 || sentence.size() < kShortestTrouble || announces(sentence) || refers_back(sentence) ||
      ends_in_question_mark(sentence))
    return {};
  return {cues().has(sentence, kNoTrouble) || !names_its_subject(sentence) ? 0 : problem, false};
}

void find_problems(const SessionPast& past, WorkingState& out) {
  // Without a run that failed and was not passed later, most such sentences tell how something works.
  std::size_t failed = 0;
  if (out.last_error) failed = out.last_error->age + 1;
  for (const TestState& test : out.tests)
    if (test.outcome == TestOutcome::failed) failed = std::max(failed, test.age + 1);
  const auto spoke = std::find_if(past.texts.rbegin(), past.texts.rend(),
                                  [](const PastText& t) { return t.speaker == Speaker::agent; });
  const PastText* last = spoke == past.texts.rend() ? nullptr : &*spoke;
  const std::vector<std::size_t> failures = open_failures(past);
  std::size_t said = std::numeric_limits<std::size_t>::max();  // age of the agent's message before
  for (const PastText& t : past.texts) {
    if (t.speaker != Speaker::agent) continue;
    // The message that follows a failure tells of it, whatever was done later.
    const std::size_t before = std::exchange(said, t.age);
    if (t.age > kOpenWithin) continue;
    const bool tells_of_failure =
        t.age < failed || std::ranges::any_of(failures, [&](std::size_t age) { return t.age < age && age <= before; });
    if (&t == last && reports_done(t.text)) out.problems.clear();
    for_each_sentence(t.text, 8, 400, [&](std::string_view sentence) {
      const ProblemCues problem = problem_cues_in(sentence);
      if (problem.resolved) out.problems.clear();
      if (problem.cues == 0 || !tells_of_failure) return;
      out.problems.push_back({plain_sentence(sentence, kSentenceBytes), id_of(past, t.exchange),
                              static_cast<double>(problem.cues) * decay(t.age, kToldHalfLife / 6), t.age});
    });
  }
  // Statements about failing tests are outdated once the tests passed.
  const auto passed = std::find_if(out.tests.begin(), out.tests.end(),
                                   [](const TestState& t) { return t.outcome == TestOutcome::passed; });
  if (passed != out.tests.end())
    std::erase_if(out.problems, [&](const ExtractedSentence& sentence) {
      return sentence.exchange <= passed->exchange && sentence.age > passed->age &&
             cues().has(sentence.text, Cue::tests_named);
    });
  keep_best(out.problems, kProblems);
}

}  // namespace memd::continuity
