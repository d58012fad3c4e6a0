// Command lines that were run, what came of them, and what is still running.
#include "store/continuity/evidence.hpp"
#include "store/continuity/shell_line.hpp"

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

// Newest first; what failed before something passed is told apart, for it may be the same in another spelling.
void find_tests(const SessionPast& past, const std::unordered_map<std::int64_t, Run>& runs, WorkingState& out) {
  std::map<std::string, std::pair<std::size_t, TestState>> latest;  // by line, with its age
  const PastEvent* result = nullptr;
  for (const PastEvent& e : past.events) {
    if (e.kind == EventKind::tool_result) result = &e;
    if (e.kind != EventKind::test_run || result == nullptr || !result->pair_seq) continue;
    const auto run = runs.find(*result->pair_seq);
    if (run == runs.end()) continue;
    std::string_view output = past.full_text(result->seq);
    if (output.empty()) output = result->summary;
    latest[run->second.line] = {e.age,
                                {shortened(run->second.line, kLongestShown / 2),
                                 test_outcome(run->second.line, e.failed, output), id_of(past, e.exchange)}};
  }
  std::vector<std::pair<std::size_t, TestState>> list;
  for (auto& [line, state] : latest)
    list.push_back(std::move(state));
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (list.size() > kTests) list.resize(kTests);
  bool passed = false;
  for (auto& [age, state] : list) {
    passed = passed || state.outcome == TestOutcome::passed;
    if (passed && state.outcome == TestOutcome::failed) state.outcome = TestOutcome::failed_before;
  }
  std::stable_partition(list.begin(), list.end(),
                        [](const auto& t) { return t.second.outcome == TestOutcome::failed; });
  for (auto& [age, state] : list)
    out.tests.push_back(std::move(state));
}

bool is_in_background(const SessionPast& past, const Run& run) {
  if (past.full_text(run.call->seq).find("run_in_background: true") != std::string_view::npos) return true;
  const PastEvent* result = run.call->pair_seq ? past.event(*run.call->pair_seq) : nullptr;
  return result != nullptr && result->summary.starts_with("[moved to the background]");
}

}  // namespace

void find_commands(const SessionPast& past, const Weights& weights, WorkingState& out) {
  std::unordered_map<std::int64_t, Run> runs;  // by the call
  std::map<std::string, CommandUse> commands;
  std::map<std::string, double> programs;
  for (const PastEvent& e : past.events) {
    if (e.kind != EventKind::tool_call || !runs_commands(e.tool)) continue;
    Run run{&e, {}, true};
    run.line = command_line(past, e, run.whole);
    if (run.line.empty()) continue;
    const double weight = decay(e.age, weights.command_half_life);
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
  find_tests(past, runs, out);
  for (auto& [line, use] : commands) {
    if (use.failed) use.score *= weights.command_failed;
    const bool test =
        std::any_of(out.tests.begin(), out.tests.end(), [&](const TestState& t) { return t.line == line; });
    if (test) use.score *= weights.command_is_test;
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
