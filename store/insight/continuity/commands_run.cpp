// Command lines that were run, their results, and those that are still running.
#include "schemas/base/ascii.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/continuity/weights.hpp"
#include "store/text/shell_line.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>

namespace memd::continuity {
namespace {

constexpr std::size_t kCommands = 80;
constexpr std::size_t kTests = 6;
constexpr std::size_t kRunning = 4;
constexpr std::size_t kLongestShown = 400;  // bytes of a command line

// The tidied command lines of a call, in the order of PastEvent::facts.commands.
using Lines = std::vector<std::string>;
using LinesOfCalls = std::unordered_map<std::int64_t, Lines>;

// Index into WorkingState::tests by the command that runs the test.
using TestPlaces = std::unordered_map<std::string, std::size_t>;

TestOutcome told_as(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::passed: return TestOutcome::passed;
    case RunOutcome::failed: return TestOutcome::failed;
    case RunOutcome::unknown: break;
  }
  return TestOutcome::unknown;
}

// Returns the commands of "make fmt && make lint"; empty for a line with a single command.
std::vector<std::string_view> parts_of_chain(std::string_view line) {
  constexpr std::string_view kAnd = " && ";
  std::vector<std::string_view> out;
  for (std::size_t at = 0, end = 0; end < line.size(); at = end + kAnd.size()) {
    end = std::min(line.find(kAnd, at), line.size());
    out.push_back(line.substr(at, end - at));
  }
  if (out.size() == 1) out.clear();
  return out;
}

bool runs_among_others(std::string_view chain, std::string_view line) {
  const auto parts = parts_of_chain(chain);
  return std::find(parts.begin(), parts.end(), line) != parts.end();
}

// Finds tests, newest first, each with its last run, regardless of output filters. A failure followed by a pass of
// another test gets failed_before, because the two may be spellings of the same test.
TestPlaces find_tests(const SessionPast& past, const LinesOfCalls& lines, WorkingState& out) {
  struct Latest {
    std::size_t age = 0;
    TestState state;
    std::string what;
  };
  std::map<std::string, Latest> latest;  // by the command without its output filters
  const PastEvent* result = nullptr;
  for (const PastEvent& e : past.events) {
    if (e.kind == EventKind::tool_result) result = &e;
    if (e.kind != EventKind::test_run || result == nullptr || !result->pair_seq) continue;
    const PastEvent* call = past.event(*result->pair_seq);
    const auto run = lines.find(*result->pair_seq);
    if (call == nullptr || run == lines.end()) continue;
    const auto& commands = call->facts.commands;
    const auto test = std::find_if(commands.begin(), commands.end(),
                                   [](const ShellCommand& c) { return c.purpose == CommandPurpose::test; });
    const std::string& line =
        run->second[test == commands.end() ? 0 : static_cast<std::size_t>(test - commands.begin())];
    std::string what(without_pipe_end(line));
    Latest& entry = latest[what];
    entry = {e.age,
             {shortened(line, kLongestShown / 2), told_as(result->facts.outcome.value_or(RunOutcome::unknown)),
              id_of(past, e.exchange), e.age},
             std::move(what)};
  }
  std::vector<Latest> list;
  for (auto& [what, entry] : latest)
    list.push_back(std::move(entry));
  std::stable_sort(list.begin(), list.end(), [](const Latest& a, const Latest& b) { return a.age < b.age; });
  // Drops a test that a later chain of commands ran too.
  for (auto entry = list.begin(); entry != list.end();)
    entry = std::any_of(list.begin(), entry,
                        [&](const Latest& later) { return runs_among_others(later.what, entry->what); })
                ? list.erase(entry)
                : std::next(entry);
  if (list.size() > kTests) list.resize(kTests);
  bool passed = false;
  for (Latest& entry : list) {
    passed = passed || entry.state.outcome == TestOutcome::passed;
    if (passed && entry.state.outcome == TestOutcome::failed) entry.state.outcome = TestOutcome::failed_before;
  }
  std::stable_partition(list.begin(), list.end(),
                        [](const Latest& entry) { return entry.state.outcome == TestOutcome::failed; });
  TestPlaces places;
  for (Latest& entry : list) {
    places.emplace(std::move(entry.what), out.tests.size());
    out.tests.push_back(std::move(entry.state));
  }
  return places;
}

// Returns the command without its output filters, and with one mark for each of its numbers: "bd show # | tail" has the
// shape of "bd show 4".
std::string shape_of(std::string_view line) {
  std::string out;
  for (const char c : without_pipe_end(line))
    if (!ascii::is_digit(c))
      out += c;
    else if (!out.ends_with('#'))
      out += '#';
  return out;
}

// Merges lines of one shape into the most frequent one, which gets the sum of their scores.
void keep_one_spelling(std::map<std::string, CommandUse>& commands) {
  std::map<std::string, std::string> best;  // by shape: the chosen line
  for (const auto& [line, use] : commands) {
    const auto [known, is_new] = best.emplace(shape_of(line), line);
    const CommandUse& other = commands.at(known->second);
    if (!is_new && (use.runs != other.runs ? use.runs > other.runs : use.score > other.score)) known->second = line;
  }
  std::erase_if(commands, [&](auto& entry) {
    const std::string& kept = best.at(shape_of(entry.first));
    if (kept == entry.first) return false;
    CommandUse& use = commands.at(kept);
    if (entry.second.exchange > use.exchange) {
      use.exchange = entry.second.exchange;
      use.failed = entry.second.failed;
    }
    use.score += entry.second.score;
    return true;
  });
}

// Returns whether a command is not worth listing: a housekeeping command ("git commit", "chmod +x run.sh"), a line that
// runs nothing ("# then", "x=1"), a lookup ("grep -rn x src", "make lint | grep rows", "clang --version"), or one with
// a variable of a script ("render ${path}"), or one that tries something out ("test -f x && echo yes", "… >/tmp/out").
bool is_not_worth_listing(const CommandUse& use) {
  constexpr std::array<std::string_view, 10> kSigns{"${",      " version", "--version", "--help", "| grep",
                                                    "&& echo", "|| echo",  "|| true",   "/tmp/",  "$?"};
  if (std::ranges::any_of(kSigns, [&](std::string_view sign) { return use.line.find(sign) != std::string::npos; }))
    return true;
  const auto heads = command_heads(use.line);
  return std::all_of(heads.begin(), heads.end(), [&](const std::string& head) {
    return words(WordClass::housekeeping).has(head) || words(WordClass::look).has(head);
  });
}

// Returns whether a program or a task in the line checks the work: "make lint", "npm run test:unit", "sh
// tools/verify.sh". A word in a path, a setting or a text says nothing.
bool names_check(std::string_view line) {
  line = line.substr(0, line.find_first_of("\"'"));
  while (!line.empty()) {
    std::string_view word = ascii::take_until(line, ' ');
    if (word.find('=') != std::string_view::npos) continue;
    if (const auto slash = word.rfind('/'); slash != std::string_view::npos) {
      word.remove_prefix(slash + 1);
      if (words(WordClass::checks).has(word.substr(0, word.find('.')))) return true;
      continue;
    }
    if (std::count(word.begin(), word.end(), '-') > 1) continue;  // a name, unlike "check-types"
    while (!word.empty()) {
      const std::size_t length = std::min(word.find_first_of("-_:."), word.size());
      if (words(WordClass::checks).has(word.substr(0, length))) return true;
      word.remove_prefix(std::min(length + 1, word.size()));
    }
  }
  return false;
}

// Returns the commands that occur in chains.
std::set<std::string, std::less<>> parts_of_chains(const std::map<std::string, CommandUse>& commands) {
  std::set<std::string, std::less<>> out;
  for (const auto& [line, use] : commands)
    for (const std::string_view part : parts_of_chain(without_pipe_end(line)))
      out.emplace(part);
  return out;
}

bool was_moved_to_background(const PastEvent* result) {
  return result != nullptr && result->summary.starts_with(kBackgroundMark);
}

}  // namespace

void find_commands(const SessionPast& past, WorkingState& out) {
  LinesOfCalls lines;
  std::map<std::string, CommandUse> commands;
  std::int64_t last_call = 0;
  for (const PastEvent& e : past.events)
    if (e.kind == EventKind::tool_call) last_call = e.seq;
  for (const PastEvent& e : past.events) {
    if (e.facts.commands.empty()) continue;
    const double weight = decay(e.age, kWeights.command_half_life);
    const PastEvent* result = e.pair_seq ? past.event(*e.pair_seq) : nullptr;
    Lines& tidy = lines[e.seq];
    for (const ShellCommand& command : e.facts.commands) {
      const std::string& line = tidy.emplace_back(tidy_command(command.line));
      const bool is_latest = e.exchange + 1 == past.exchanges.size();  // an older one has mostly ended
      // An agent waits for what was moved there, so it has ended once there is another call.
      if (is_latest && (command.in_background || (e.seq == last_call && was_moved_to_background(result))))
        out.running.push_back({shortened(line, kLongestShown / 2), id_of(past, e.exchange), weight});
      CommandUse& use = commands[line];
      use.line = line;
      use.shown = tidy_command(command.line, LineBreaks::stay);
      use.whole = command.is_whole;
      ++use.runs;
      use.failed = result != nullptr && result->has_failed();
      use.builds = command.purpose == CommandPurpose::build;
      use.checks = command.purpose == CommandPurpose::test || names_check(line);
      use.exchange = id_of(past, e.exchange);
      use.score += weight;
    }
  }
  const TestPlaces tests = find_tests(past, lines, out);
  keep_one_spelling(commands);
  const auto parts = parts_of_chains(commands);
  for (auto& [line, use] : commands) {
    if (is_not_worth_listing(use) || parts.contains(without_pipe_end(line))) continue;
    if (const auto test = tests.find(std::string(without_pipe_end(line))); test != tests.end()) use.test = test->second;
    const bool fails = use.builds || (use.test && out.tests[*use.test].outcome == TestOutcome::failed);
    if (use.failed && !fails) continue;  // a slip, or a failure that was fixed in another way
    if (use.failed) use.score *= kWeights.command_failed;
    if (use.test) use.score *= kWeights.command_is_test;
    if (use.line.size() > kLongestShown) {
      if (without_here_text(use.line).size() < use.line.size()) continue;  // without its text it cannot be run again
      use.line = shortened(use.line, kLongestShown);
      use.shown = use.line;
      use.whole = false;
    }
    out.commands.push_back(std::move(use));
  }
  std::sort(out.commands.begin(), out.commands.end(), [](const CommandUse& a, const CommandUse& b) {
    return a.score != b.score ? a.score > b.score : a.line < b.line;
  });
  if (out.commands.size() > kCommands) out.commands.resize(kCommands);
  std::reverse(out.running.begin(), out.running.end());
  if (out.running.size() > kRunning) out.running.resize(kRunning);
}

}  // namespace memd::continuity
