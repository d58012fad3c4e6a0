// Command lines that were run, what came of them, and what is still running.
#include "store/insight/continuity/evidence.hpp"
#include "store/text/shell_line.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace memd::continuity {
namespace {

constexpr std::size_t kCommands = 80;
constexpr std::size_t kPrograms = 60;
constexpr std::size_t kTests = 6;
constexpr std::size_t kRunning = 4;
constexpr std::size_t kLongestShown = 400;  // bytes of a command line

template <class T>
void sort_by_score(std::vector<T>& list, std::string T::*text, std::size_t most) {
  std::sort(list.begin(), list.end(),
            [&](const T& a, const T& b) { return a.score != b.score ? a.score > b.score : a.*text < b.*text; });
  if (list.size() > most) list.resize(most);
}

struct Run {
  const PastEvent* call = nullptr;
  std::string line;
  bool whole = true;
};

// A test by what it runs, its place in WorkingState::tests.
using TestPlaces = std::unordered_map<std::string, std::size_t>;

// Newest first, each as it was last run, whatever was shown of its output; what failed before something passed is told
// apart, for it may be the same in another spelling.
TestPlaces find_tests(const SessionPast& past, const std::unordered_map<std::int64_t, Run>& runs, WorkingState& out) {
  struct Latest {
    std::size_t age = 0;
    TestState state;
    std::string what;
  };
  std::map<std::string, Latest> latest;  // by what is run
  const PastEvent* result = nullptr;
  for (const PastEvent& e : past.events) {
    if (e.kind == EventKind::tool_result) result = &e;
    if (e.kind != EventKind::test_run || result == nullptr || !result->pair_seq) continue;
    const auto run = runs.find(*result->pair_seq);
    if (run == runs.end()) continue;
    std::string_view output = past.full_text(result->seq);
    if (output.empty()) output = result->summary;
    std::string what(without_pipe_end(run->second.line));
    Latest& entry = latest[what];
    entry = {e.age,
             {shortened(run->second.line, kLongestShown / 2), test_outcome(run->second.line, e.failed, output),
              id_of(past, e.exchange)},
             std::move(what)};
  }
  std::vector<Latest> list;
  for (auto& [what, entry] : latest)
    list.push_back(std::move(entry));
  std::stable_sort(list.begin(), list.end(), [](const Latest& a, const Latest& b) { return a.age < b.age; });
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

bool is_in_background(const SessionPast& past, const Run& run) {
  if (past.full_text(run.call->seq).find("run_in_background: true") != std::string_view::npos) return true;
  const PastEvent* result = run.call->pair_seq ? past.event(*run.call->pair_seq) : nullptr;
  return result != nullptr && result->summary.starts_with("[moved to the background]");
}

}  // namespace

void find_commands(const SessionPast& past, WorkingState& out) {
  std::unordered_map<std::int64_t, Run> runs;  // by the call
  std::map<std::string, CommandUse> commands;
  std::map<std::string, double> programs;
  for (const PastEvent& e : past.events) {
    if (e.kind != EventKind::tool_call || !runs_commands(e.tool)) continue;
    Run run{&e, {}, true};
    run.line = command_line(past, e, run.whole);
    if (run.line.empty()) continue;
    const double weight = decay(e.age, kWeights.command_half_life);
    for (std::string& head : command_heads(run.line))
      programs[std::move(head)] += weight;
    const PastEvent* result = e.pair_seq ? past.event(*e.pair_seq) : nullptr;
    if (is_in_background(past, run))
      out.running.push_back({shortened(run.line, kLongestShown / 2), id_of(past, e.exchange), weight});
    CommandUse& use = commands[run.line];
    use.line = run.line;
    use.whole = run.whole;
    ++use.runs;
    use.failed = result != nullptr && result->failed;
    use.exchange = id_of(past, e.exchange);
    use.score += weight;
    runs.emplace(e.seq, std::move(run));
  }
  const TestPlaces tests = find_tests(past, runs, out);
  for (auto& [line, use] : commands) {
    if (use.failed) use.score *= kWeights.command_failed;
    if (const auto test = tests.find(std::string(without_pipe_end(line))); test != tests.end()) {
      use.test = test->second;
      use.score *= kWeights.command_is_test;
    }
    if (use.line.size() > kLongestShown) {
      const std::string_view command = without_here_text(use.line);
      use.line = command.size() < use.line.size() ? std::string(command) : shortened(use.line, kLongestShown);
      use.whole = false;
    }
    out.commands.push_back(std::move(use));
  }
  for (auto& [head, score] : programs)
    out.programs.push_back({head, score});
  sort_by_score(out.commands, &CommandUse::line, kCommands);
  sort_by_score(out.programs, &Scored::text, kPrograms);
  std::reverse(out.running.begin(), out.running.end());
  if (out.running.size() > kRunning) out.running.resize(kRunning);
}

}  // namespace memd::continuity
