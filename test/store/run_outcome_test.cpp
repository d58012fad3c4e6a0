#include "store/text/run_outcome.hpp"

#include "store/text/exit_status.hpp"
#include "test/support/run_labels.hpp"
#include "test/support/source_dir.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd {
namespace {

RunOutcome outcome(std::string_view line, int exit_code, std::string_view output = {}) {
  return run_outcome(line, CommandPurpose::test, {exit_code, exit_code != 0, true, output, {}});
}

// What a line's exit code says of `T`, which stands for a test run: "both", "zero", "nonzero" or "neither".
std::string says(std::string line) {
  for (auto at = line.find('T'); at != std::string::npos; at = line.find('T', at))
    line.replace(at, 1, "go test");
  const StatusBearing exit = read_line_status(line, CommandPurpose::test).exit;
  if (!exit.covers) return "nothing of it";
  if (exit.zero_passes) return exit.nonzero_fails ? "both" : "zero";
  return exit.nonzero_fails ? "nonzero" : "neither";
}

TEST(ExitStatus, OfTheLineIsThatOfTheTestsOrNot) {
  const std::vector<std::pair<std::string, std::string>> lines{
      {"T", "both"},
      {"cd x && T 2>&1", "both"},
      {"FOO=1 timeout 60 T", "both"},
      {"T | tail -5", "neither"},
      {"T 2>&1 | tee out.txt", "neither"},
      {"set -o pipefail; T | tee out.txt", "both"},
      {"set -o pipefail && T | grep -v skip", "zero"},
      {"set -euo pipefail\ngo vet ./...\nT | tail -3", "both"},
      {"set -e; T; git push", "zero"},
      {"T || true", "nonzero"},
      {"T || exit 1", "both"},
      {"T || { echo no; exit 1; }", "both"},
      {"T || echo failed", "neither"},
      {"T; echo done", "neither"},
      {"T\nls", "neither"},
      {"T; exit $?", "both"},
      {"T; rc=$?; tail -3 out.txt; exit $rc", "both"},
      {"T; rc=$?; tail -3 out.txt; [ $rc -eq 0 ]", "both"},
      {"T; exit 0", "neither"},
      {"ls; T", "both"},
      {"T && echo ok", "both"},
      {"T && git push", "zero"},
      {"grep -q x go.mod && T", "zero"},
      {"make && T", "both"},
      {"T & wait", "neither"},
      {"! T", "neither"},
      {"(cd x && T)", "both"},
      {"(cd x && T) 2>&1 | tee log", "neither"},
      {"out=$(T 2>&1)", "both"},
      {"out=$(T 2>&1); rc=$?; echo \"$out\" | tail -3; exit $rc", "both"},
      {"if T; then echo yes; fi", "neither"},
      {"for i in 1 2 3; do T; done", "neither"},
      {"bash -lc \"cd x && T\"", "both"},
      {"bash -c 'T | tail -1'", "neither"},
      {"bash -o pipefail -c 'T | tail -1'", "both"},
      {"docker run --rm img sh -c 'T'", "both"},
      {"ssh host 'cd x; T; true'", "neither"},
      {"T ./a && T ./b", "both"},
      {"T ./a; T ./b", "nonzero"},
      {"T -run 'A|B' ./...", "both"},
      {"cat <<'EOF' > notes\nT\nEOF\nT", "both"},
      {"cat <<'EOF' > notes\nT\nEOF", "nothing of it"},
      {"ls # T", "nothing of it"},
  };
  for (const auto& [line, expected] : lines)
    EXPECT_EQ(says(line), expected) << line;
}

TEST(RunOutcome, AFailureThatTheLineHidesIsToldByTheOutput) {
  for (const char* said : {"38 passed, 2 failed", "1 tests failed out of 6", "Tests run: 9, Failures: 1, Errors: 0",
                           "[INFO] BUILD FAILURE", "FAILED (failures=1)", "\x1b[31m1 failed\x1b[0m", "# fail 3",
                           "test result: FAILED. 1 passed; 1 failed; 0 ignored", "not ok 2 - rounds"}) {
    EXPECT_EQ(outcome("make test | tail -5", 0, said), RunOutcome::failed) << said;
    EXPECT_EQ(outcome("make test || true", 0, said), RunOutcome::failed) << said;
    EXPECT_EQ(outcome("make test; echo EXIT=$?", 0, said), RunOutcome::failed) << said;
    if (std::string_view(said) != "not ok 2 - rounds") {
      EXPECT_EQ(outcome("./scripts/run_tests.sh", 0, said), RunOutcome::failed) << said;
    }
  }
}

TEST(RunOutcome, WhatNothingTellsIsUnknown) {
  EXPECT_EQ(outcome("pytest | tail -1", 0), RunOutcome::unknown);
  EXPECT_EQ(outcome("pytest || true", 0), RunOutcome::unknown);
  EXPECT_EQ(outcome("pytest > out.txt; ls", 0, "out.txt"), RunOutcome::unknown);
  EXPECT_EQ(outcome("pytest | head -1", 0, "collected 3 items"), RunOutcome::unknown);
  EXPECT_EQ(outcome("pytest | grep panic", 1), RunOutcome::unknown) << "the exit code of grep";
  EXPECT_EQ(run_outcome("pytest", CommandPurpose::test, {{}, false, true, "Script completed\nOutput:\ndone", {}}),
            RunOutcome::unknown)
      << "no exit code is recorded";
  EXPECT_EQ(run_outcome("pytest", CommandPurpose::test, {0, false, false, "3 passed so far", {}}), RunOutcome::unknown)
      << "it runs on in the background";
  EXPECT_EQ(run_outcome(std::string(kCommandLineLimit, 'x'), CommandPurpose::test, {0, false, true, "", {}}),
            RunOutcome::unknown)
      << "the end of the line is not known";
}

TEST(RunOutcome, AnExitCodeThatNothingHidesDecides) {
  EXPECT_EQ(outcome("go test ./...", 0), RunOutcome::passed);
  EXPECT_EQ(outcome("go test ./...", 1), RunOutcome::failed);
  EXPECT_EQ(outcome("pytest --cov-fail-under=90", 1, "5 passed in 0.12s"), RunOutcome::failed);
  EXPECT_EQ(outcome("pytest", 0, "ERROR connection refused, as the test wants it\nAll fine"), RunOutcome::passed);
  EXPECT_EQ(outcome("go test ./... || true", 1), RunOutcome::failed) << "even so";
}

TEST(RunOutcome, APrintedStatusDecides) {
  EXPECT_EQ(outcome("pytest > log; echo \"EXIT=$?\"", 0, "EXIT=1"), RunOutcome::failed);
  EXPECT_EQ(outcome("pytest > log; echo \"EXIT=$?\"", 0, "EXIT=0"), RunOutcome::passed);
  EXPECT_EQ(outcome("pytest | tail -1; echo EXIT=$?", 0, "EXIT=0"), RunOutcome::unknown) << "of tail";
  EXPECT_EQ(outcome("pytest | tail -1; echo ${PIPESTATUS[0]}", 0, "2"), RunOutcome::failed);
  EXPECT_EQ(outcome("pytest > log; rc=$?; ls; echo \"rc=$rc\"", 0, "log\nrc=0"), RunOutcome::passed);
  EXPECT_EQ(outcome("pytest > log && echo GREEN || echo RED", 0, "RED"), RunOutcome::failed);
  EXPECT_EQ(outcome("pytest > log && echo GREEN || echo RED", 0, "GREEN"), RunOutcome::passed);
  EXPECT_EQ(outcome("if pytest > log; then echo GREEN; else echo RED; fi", 0, "RED"), RunOutcome::failed);
}

TEST(RunOutcome, AWordInTheOutputIsNoSummary) {
  for (const char* said : {"retrying after 3 failed attempts\n4 passed in 0.10s", "4 passed, 1 xfailed in 0.10s",
                           "Ran 3 tests in 0.001s\n\nOK (expected failures=1)", "not ok 1 - x # TODO later\n1..1"})
    EXPECT_EQ(outcome("make test | cat", 0, said), RunOutcome::passed) << said;
  for (const char* said : {"2 passed (1s) so far", "0 failed", "3 of 5 passed", "ok 1 - adds\n"})
    EXPECT_EQ(outcome("make test | cat", 0, said), RunOutcome::unknown) << said;
}

// Agents' tools write lines of their own around an output.
TEST(RunOutcome, WhatTheToolWritesIsNoOutput) {
  const std::string before = "Command: make test | tail -1\nDirectory: (root)\nOutput: ";
  const std::string behind = "\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: 4711\n";
  EXPECT_EQ(outcome("make test | tail -1", 0, before + "(empty)" + behind), RunOutcome::unknown);
  EXPECT_EQ(outcome("make test | tail -1", 0, before + "2 failed, 3 passed" + behind), RunOutcome::failed);
  EXPECT_EQ(outcome("make test | tail -1", 0, before + "FAIL" + behind), RunOutcome::failed);
  EXPECT_EQ(outcome("make test | tail -1", 0, before + "5 passed in 0.1s" + behind), RunOutcome::passed);
  const std::string codex = "Chunk ID: 1a2b3c\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n";
  EXPECT_EQ(outcome("make test | tail -1", 0, codex + "done\n"), RunOutcome::unknown);
  EXPECT_EQ(outcome("make test | tail -1", 0, codex + "1 failed\n"), RunOutcome::failed);
}

TEST(RunOutcome, TheLastLinesOfALongOutputCount) {
  const std::string begin = "ok  \tp/a\t0.1s\nok  \tp/b\t0.1s\n";
  const CommandEnd end{0, false, true, begin, "ok  \tp/y\t0.1s\nFAIL\tp/z\t0.2s\nFAIL\n"};
  EXPECT_EQ(run_outcome("go test ./... | cat", CommandPurpose::test, end), RunOutcome::failed);
}

struct Confusion {
  std::map<std::pair<RunOutcome, RunOutcome>, int> of;  // label, judged

  int count(RunOutcome label, RunOutcome judged) const {
    const auto found = of.find({label, judged});
    return found == of.end() ? 0 : found->second;
  }
  double precision(RunOutcome judged) const {
    int all = 0;
    for (const auto& [pair, number] : of)
      all += pair.second == judged ? number : 0;
    return all == 0 ? 1 : static_cast<double>(count(judged, judged)) / all;
  }
  double recall(RunOutcome label) const {
    int all = 0;
    for (const auto& [pair, number] : of)
      all += pair.first == label ? number : 0;
    return all == 0 ? 1 : static_cast<double>(count(label, label)) / all;
  }
};

// The figures of docs/benchmarks.md, "Test runs".
TEST(RunOutcome, IsRightForTheLabelledRuns) {
  const auto runs = test::read_run_labels(test::source_dir() / "test/labels/runs");
  ASSERT_GE(runs.size(), 300U);
  Confusion choose;
  Confusion held;
  for (const auto& run : runs) {
    const RunOutcome judged = run.judged();
    ++(run.held ? held : choose).of[{run.label, judged}];
    if (!run.held && judged != run.label)
      std::printf("%s: %s is judged %s: %s\n", run.file.c_str(), std::string(to_string(run.label)).c_str(),
                  std::string(to_string(judged)).c_str(), run.command.c_str());
  }
  for (const auto& [name, part] : {std::pair{"choose", &choose}, {"held", &held}}) {
    for (const auto label : {RunOutcome::passed, RunOutcome::failed, RunOutcome::unknown})
      std::printf("%s: %s: precision %.3f, recall %.3f, as passed %d, failed %d, unknown %d\n", name,
                  std::string(to_string(label)).c_str(), part->precision(label), part->recall(label),
                  part->count(label, RunOutcome::passed), part->count(label, RunOutcome::failed),
                  part->count(label, RunOutcome::unknown));
    EXPECT_GE(part->precision(RunOutcome::passed), 0.99) << name;
    EXPECT_GE(part->precision(RunOutcome::failed), 0.97) << name;
    EXPECT_GE(part->recall(RunOutcome::passed), 0.9) << name;
    EXPECT_GE(part->recall(RunOutcome::failed), 0.9) << name;
  }
}

}  // namespace
}  // namespace memd
