#pragma once

#include "schemas/tool_facts.hpp"
#include "store/text/run_outcome.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Labelled test runs (test/labels/runs): a command line, what the agent recorded of its end, its output, and how the
// run ended as far as a reader can know it. A file begins with comments; a run begins with
//
//   @@ LABEL PART END $ COMMAND
//
// LABEL: passed, failed or unknown. PART: choose or held; only "choose" may guide a choice. END: "exit=N", "error" (the
// tool reports an error and no exit code), "ok" (neither). In the command `\n` is a line break; in the output `\e` is
// an escape character.
namespace memd::test {

struct LabelledRun {
  std::string file;
  bool held = false;
  RunOutcome label = RunOutcome::unknown;
  std::string command;
  std::optional<std::int32_t> exit_code;
  bool reported_failed = false;
  std::string output;

  // As rows are made of it: the beginning and the last lines of a long output.
  RunOutcome judged() const {
    constexpr std::size_t kBegin = 2000;
    CommandEnd end{exit_code, reported_failed, true, output, {}};
    std::string last;
    if (output.size() > kBegin) {
      const auto from = output.find('\n', output.size() - std::min<std::size_t>(output.size(), kBegin));
      last = from == std::string::npos ? std::string() : output.substr(from + 1);
      end.output = std::string_view(output).substr(0, kBegin);
      end.output_end = last;
    }
    return run_outcome(command, CommandPurpose::test, end);
  }
};

inline std::string with_breaks(std::string text, std::string_view from, char to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
    text.replace(at, from.size(), 1, to);
  return text;
}

// Throws std::runtime_error for a malformed line.
inline void read_runs_of(const std::filesystem::path& path, std::vector<LabelledRun>& out) {
  std::ifstream file(path);
  const std::size_t first = out.size();
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("@@ ")) {
      if (out.size() == first) continue;  // the comments
      out.back().output += with_breaks(line, "\\e", '\x1b') + '\n';
      continue;
    }
    LabelledRun run;
    run.file = path.stem().string();
    std::string label;
    std::string part;
    std::string end;
    std::istringstream(line.substr(3)) >> label >> part >> end;
    const auto command = line.find(" $ ");
    if (command == std::string::npos || (part != "choose" && part != "held"))
      throw std::runtime_error(path.string() + ": " + line);
    run.command = with_breaks(line.substr(command + 3), "\\n", '\n');
    run.held = part == "held";
    run.label = label == "passed" ? RunOutcome::passed : label == "failed" ? RunOutcome::failed : RunOutcome::unknown;
    run.reported_failed = end == "error";
    if (end.starts_with("exit=")) run.exit_code = std::stoi(end.substr(5));
    if (run.exit_code) run.reported_failed = run.exit_code != 0;
    out.push_back(std::move(run));
  }
}

inline std::vector<LabelledRun> read_run_labels(const std::filesystem::path& folder) {
  std::vector<LabelledRun> out;
  std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(folder), {});
  std::sort(files.begin(), files.end());
  for (const auto& file : files)
    read_runs_of(file, out);
  return out;
}

}  // namespace memd::test
