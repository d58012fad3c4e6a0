#include "store/text/run_outcome.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/exit_status.hpp"
#include "store/text/run_report.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace memd {
namespace {

// Returns the status that a line prints; nullopt: it is another line.
std::optional<int> status_in(const PrintedStatus& printed, std::string_view line) {
  line = ascii::trimmed(line);
  const auto before = ascii::trimmed(printed.before);
  const auto behind = ascii::trimmed(printed.behind);
  if (!line.starts_with(before)) return std::nullopt;
  line = ascii::trimmed(line.substr(before.size()));
  int status = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), status);
  if (error != std::errc()) return std::nullopt;
  line = ascii::trimmed(line.substr(static_cast<std::size_t>(end - line.data())));
  // What follows may be another variable.
  const bool whole = behind.find('$') == std::string_view::npos ? line == behind : true;
  return whole ? std::optional(status) : std::nullopt;
}

// Returns what the printed statuses in an output say; unknown: there are none, or they say nothing.
RunOutcome printed_outcome(const std::vector<PrintedStatus>& printed, std::string_view output) {
  RunOutcome out = RunOutcome::unknown;
  if (printed.empty()) return out;
  for (const PrintedStatus& one : printed) {
    std::optional<int> status;
    for (std::size_t at = 0; at <= output.size();) {
      const auto end = std::min(output.find('\n', at), output.size());
      const auto line = output.substr(at, end - at);
      at = end + 1;
      if (one.when == PrintedStatus::When::always) {
        if (const auto told = status_in(one, line)) status = told;
      } else if (ascii::trimmed(line) == ascii::trimmed(one.before)) {
        status = one.when == PrintedStatus::When::zero ? 0 : 1;
      }
    }
    if (!status) continue;
    if (*status != 0 && one.bearing.nonzero_fails) return RunOutcome::failed;
    if (*status == 0 && one.bearing.zero_passes) out = RunOutcome::passed;
  }
  return out;
}

}  // namespace

RunOutcome run_outcome(std::string_view line, CommandPurpose purpose, const CommandEnd& end) {
  const LineStatus status = read_line_status(line, purpose);
  const bool line_is_cut = line.size() + 4 > kCommandLineLimit;  // its end may hide the exit code
  if (end.exit_code.value_or(0) != 0 && status.exit.nonzero_fails) return RunOutcome::failed;
  const RunReport report = read_run_report(purpose, end.output, end.output_end);
  if (!end.exit_code && end.reported_failed && status.exit.nonzero_fails)
    return report.not_ended ? RunOutcome::unknown : RunOutcome::failed;
  if (report.failed) return RunOutcome::failed;
  RunOutcome printed = printed_outcome(status.printed, end.output_end);
  if (printed == RunOutcome::unknown) printed = printed_outcome(status.printed, end.output);
  if (printed != RunOutcome::unknown) return printed;
  if (end.exit_code == 0 && !end.reported_failed && end.ended && status.exit.zero_passes && !line_is_cut)
    return RunOutcome::passed;
  const bool end_is_seen = end.ended && !status.end_is_cut && !report.end_is_cut;
  if (report.may_have_failed || (report.ends_in_error && end_is_seen)) return RunOutcome::failed;
  return report.passed || (report.part_passed && end_is_seen) ? RunOutcome::passed : RunOutcome::unknown;
}

}  // namespace memd
