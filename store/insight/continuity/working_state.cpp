#include "store/insight/continuity/working_state.hpp"

#include "schemas/ascii.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/continuity/todo_list.hpp"
#include "store/insight/continuity/told_sentences.hpp"
#include "store/text/shell_line.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace memd::continuity {

ExchangeId id_of(const SessionPast& past, std::size_t exchange) {
  return exchange < past.exchanges.size() ? past.exchanges[exchange].id : 0;
}

std::string shortened(std::string_view text, std::size_t bytes) {
  std::string out;
  if (const auto begin = text.find_first_not_of("-*• \t\r\n");
      begin != std::string_view::npos && begin > 0 && text[begin - 1] == ' ')
    text.remove_prefix(begin);  // of a list
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || static_cast<unsigned char>(c) < 0x20;
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c;
    if (out.size() > bytes + 4) break;
  }
  while (out.ends_with(' '))
    out.pop_back();
  if (out.size() <= bytes) return out;
  std::size_t end = bytes;
  if (const auto blank = out.rfind(' ', end); blank != std::string::npos && blank > bytes / 2) end = blank;
  while (end > 0 && is_utf8_tail(out, end))
    --end;
  return out.substr(0, end) + "…";
}

std::string plain_sentence(std::string_view text, std::size_t bytes) {
  const auto number = text.find_first_not_of("0123456789");
  if (number != std::string_view::npos && number > 0 && number <= 2 &&
      (text.substr(number).starts_with(". ") || text.substr(number).starts_with(") ")))
    text.remove_prefix(number + 2);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool bold = text.substr(i, 2) == "**" && text.substr(i + 2, 1) != "/" && (i == 0 || text[i - 1] != '/');
    if (bold)
      ++i;
    else
      out += text[i];
  }
  return shortened(out, bytes);
}

void keep_best(std::vector<Told>& list, std::size_t most) {
  std::stable_sort(list.begin(), list.end(), [](const Told& a, const Told& b) { return a.score > b.score; });
  std::vector<std::string> known;
  std::erase_if(list, [&](const Told& t) {
    std::string spoken = spoken_form(t.text);
    const bool doubled = known.size() == most || std::any_of(known.begin(), known.end(), [&](const std::string& k) {
                           return k.find(spoken) != std::string::npos || spoken.find(k) != std::string::npos;
                         });
    if (!doubled) known.push_back(std::move(spoken));
    return doubled;
  });
}

void drop_said(std::vector<Told>& list, std::string_view text) {
  const std::string said = spoken_form(text);
  std::erase_if(list, [&](const Told& t) { return said.find(spoken_form(t.text)) != std::string::npos; });
}

std::string command_line(const SessionPast& past, const PastEvent& call, bool& whole) {
  whole = true;
  if (const auto command = command_of_input(past.full_text(call.seq)); !command.empty()) {
    std::string line = tidy_command(without_argv(command));
    return is_tool_script(line) ? std::string() : line;
  }
  std::string_view line = call.summary;
  const auto colon = line.find(": ");
  line = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 2);
  whole = !line.ends_with("…");
  return is_tool_script(line) ? std::string() : tidy_command(line);
}

std::vector<TextWish> texts_to_fetch(const SessionPast& past) {
  constexpr std::size_t kEdits = 60;
  constexpr std::size_t kCommands = 80;
  constexpr std::size_t kErrors = 4;
  constexpr std::size_t kTodos = 40;
  constexpr std::size_t kResults = 40;
  constexpr std::size_t kTestRuns = 8;
  std::vector<TextWish> out;
  std::size_t edits = 0;
  std::size_t commands = 0;
  std::size_t errors = 0;
  std::size_t todos = 0;
  std::size_t results = 0;
  std::size_t test_runs = 0;
  bool of_tests = false;  // the result that comes next, going back
  for (auto e = past.events.rbegin(); e != past.events.rend(); ++e) {
    if (e->kind == EventKind::test_run) of_tests = true;
    if (e->kind == EventKind::tool_result && of_tests) {
      of_tests = false;
      if (results++ < kResults || test_runs++ < kTestRuns) out.push_back({e->seq, e->kind});
    } else if (e->kind == EventKind::tool_result && e->failed) {
      if (errors++ < kErrors) out.push_back({e->seq, e->kind});
    } else if (e->kind == EventKind::tool_result) {
      if (results++ < kResults) out.push_back({e->seq, e->kind});
    } else if (e->kind == EventKind::tool_call) {
      const bool wanted = e->modifies              ? edits++ < kEdits
                          : runs_commands(e->tool) ? commands++ < kCommands
                                                   : keeps_todos(e->tool) && todos++ < kTodos;
      if (wanted) out.push_back({e->seq, e->kind});
    }
  }
  return out;
}

namespace {

// The last words tell what else is open or comes next; if they are no more than that, they stand there.
void say_last_words_once(WorkingState& out) {
  const std::string spoken = spoken_form(out.last_words->text);
  for (const auto* list : {&out.problems, &out.next_steps})
    for (const Told& told : *list)
      if (spoken_form(told.text) == spoken) return out.last_words.reset();
  drop_said(out.problems, out.last_words->text);
  drop_said(out.next_steps, out.last_words->text);
}

}  // namespace

WorkingState recover_state(const SessionPast& past) {
  WorkingState out;
  out.cwd = past.cwd;
  out.branch = past.branch;
  find_goal(past, out);
  find_constraints(past, out);
  find_choices(past, out);
  find_problems(past, out);
  find_next_steps(past, out);
  if (out.last_words) say_last_words_once(out);
  find_last_error(past, out);
  find_files(past, out);
  find_commands(past, out);
  find_names(past, out);
  return out;
}

namespace {

template <std::size_t N>
bool has_any(std::string_view text, const std::array<std::string_view, N>& marks) {
  return std::any_of(marks.begin(), marks.end(), [&](std::string_view m) { return text.find(m) != text.npos; });
}

// A pipe, or what comes behind the tests and ends well.
bool hides_exit_code(std::string_view line) {
  for (auto at = next_separator(line, 0); at != std::string_view::npos; at = next_separator(line, at + 1))
    if (line[at] == ';' || line[at] == '|') return true;
  return false;
}

// "3 failed", "1 failure"; not "0 failed".
bool counts(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    if (at < 2 || text[at - 1] != ' ' || !ascii::is_digit(text[at - 2])) continue;
    for (std::size_t i = at - 1; i-- > 0 && ascii::is_digit(text[i]);)
      if (text[i] != '0') return true;
  }
  return false;
}

bool tells_failure(std::string_view output) {
  constexpr std::array<std::string_view, 7> kMarks{"--- FAIL", "FAIL\t",  "FAIL:",  "FAIL ",
                                                   "FAILED",   "panic: ", "not ok "};
  constexpr std::array<std::string_view, 4> kCounted{"failed", "failing", "failure", "error"};
  return has_any(output, kMarks) ||
         std::any_of(kCounted.begin(), kCounted.end(), [&](std::string_view word) { return counts(output, word); });
}

bool tells_success(std::string_view output) {
  constexpr std::array<std::string_view, 7> kMarks{"PASS", "passed", "ok  ", "ok\t", " 0 failures", " passing", "ok 1"};
  return has_any(output, kMarks);
}

}  // namespace

TestOutcome test_outcome(std::string_view line, bool reported_failed, std::string_view output) {
  if (reported_failed) return TestOutcome::failed;
  if (!hides_exit_code(line)) return TestOutcome::passed;
  if (tells_failure(output)) return TestOutcome::failed;
  return tells_success(output) ? TestOutcome::passed : TestOutcome::unknown;
}

}  // namespace memd::continuity
