#include "store/text/run_report.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/run_counts.hpp"
#include "store/text/run_words.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace memd {
namespace {

constexpr std::size_t kLongestSummary = 400;  // bytes; a longer line is no summary
constexpr int kLastLines = 10;                // among which a message tells how the run ended

// Returns whether without_colours() would change nothing.
bool is_plain(std::string_view line) {
  char before = ' ';
  for (const char c : line) {
    if (c == '[' || static_cast<unsigned char>(c) < 0x20 || (c == ' ' && before == ' ')) return false;
    before = c;
  }
  return before != ' ' || line.empty();
}

// Removes colours, also without their escape character, and blanks beyond one.
std::string without_colours(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::size_t bracket = line[i] == '\x1b' ? i + 1 : i;
    if (bracket < line.size() && line[bracket] == '[') {
      const auto letter = line.find_first_not_of("0123456789;?", bracket + 1);
      const bool escaped = bracket > i;
      const bool colour = letter != std::string_view::npos && line[letter] == 'm' && letter > bracket + 1;
      if (letter != std::string_view::npos && (colour || (escaped && ascii::is_letter(line[letter])))) {
        i = letter;
        continue;
      }
    }
    const char c = line[i];
    if (!ascii::is_space(c) && static_cast<unsigned char>(c) >= 0x20)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (out.ends_with(' '))
    out.pop_back();
  return out;
}

std::string_view without_prefixes(std::string_view line) {
  // Maven's level.
  for (const std::string_view level : {"[INFO] ", "[ERROR] ", "[WARNING] "})
    if (line.starts_with(level)) line.remove_prefix(level.size());
  for (const std::string& prefix : run_words(RunWord::tool_prefix))
    if (line.starts_with(prefix)) line.remove_prefix(prefix.size());
  return line;
}

class ReportReader {
 public:
  explicit ReportReader(bool of_build) : of_build_(of_build) {}

  void read(std::string_view text, bool whole) {
    for (std::size_t at = 0; at < text.size();) {
      const auto end = std::min(text.find('\n', at), text.size());
      if (end == text.size() && !whole) break;  // may be cut inside a count
      std::string_view line = text.substr(at, end - at);
      at = end + 1;
      std::string cleaned;
      if (!is_plain(line)) line = cleaned = without_colours(line);
      line = without_prefixes(line);
      const RunMarks marks = run_marks(line);
      if (line.empty() || marks.has(RunWord::tool_line)) continue;
      if (error_age_) ++*error_age_;
      if (line.size() <= kLongestSummary) read_line(line, marks);
      last_ = marks;
      any_line_ = true;
    }
  }

  RunReport report() && {
    if (planned_ > 0 && planned_ == passed_points_ && !failed_point_) out_.passed = true;
    out_.end_is_cut = last_.has(RunWord::cut) || begins_cut_;
    out_.may_have_failed = (maybe_failed_ || unsure_fails_) && !out_.passed;
    out_.ends_in_error = error_age_ && *error_age_ < kLastLines && !out_.passed && !out_.end_is_cut;
    return out_;
  }

 private:
  void read_line(std::string_view line, RunMarks marks) {
    if (!any_line_) {
      out_.not_ended |= marks.has(RunWord::not_ended);
      begins_cut_ = line.starts_with("<persisted-output>");
    }
    read_point(line);
    const bool failed = marks.has(RunWord::failed_line);
    out_.failed |= failed;
    maybe_failed_ |= !failed && marks.has(RunWord::maybe_failed_line) && !is_excused_point(line);
    if (marks.has(RunWord::error_line)) error_age_ = 0;
    if (failed) return;
    out_.passed |= marks.has(RunWord::passed_line) || (of_build_ && marks.has(RunWord::built_line));
    out_.part_passed |= marks.has(RunWord::part_passed_line);
    read_counts(line, marks);
  }

  void read_counts(std::string_view line, RunMarks marks) {
    if (std::none_of(line.begin(), line.end(), ascii::is_digit)) return;
    const RunCounts found = read_run_counts(line);
    counted_ |= found.things && found.counts > 0;
    const bool summary = found.counts > 1 || (found.counts == 1 && found.foreign == 0);
    if (!summary) return;
    if (found.fails) {
      (found.foreign == 0 || marks.has(RunWord::part_counts) ? out_.failed : unsure_fails_) = true;
      return;
    }
    if (found.incomplete || found.foreign > found.counts) return;
    const bool all = found.counts > 1 || found.timed;
    if (!found.passes && !(found.says_none_failed && counted_)) return;
    const bool of_part = !all || marks.has(RunWord::part_counts) || last_.has(RunWord::doubt);
    if (last_.has(RunWord::doubt)) return;
    (of_part ? out_.part_passed : out_.passed) = true;
  }

  // The Test Anything Protocol: a plan "1..3", and a line for each point.
  void read_point(std::string_view line) {
    std::int64_t number = 0;
    const auto read_number = [&](std::string_view text) {
      return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
    };
    if (line.starts_with("1..") && read_number(line.substr(3))) planned_ = number;
    if (line.starts_with("ok ") && read_number(line.substr(3))) passed_points_ = std::max(passed_points_, number);
    if (!line.starts_with("not ok ")) return;
    if (!is_excused_point(line))
      failed_point_ = true;
    else if (read_number(line.substr(7)))
      passed_points_ = std::max(passed_points_, number);
  }

  static bool is_excused_point(std::string_view line) {
    const std::string low = ascii::lowered(line);
    return line.starts_with("not ok ") &&
           (low.find("# todo") != std::string::npos || low.find("# skip") != std::string::npos);
  }

  bool of_build_;
  RunReport out_;
  bool any_line_ = false;
  RunMarks last_;  // of the line before
  bool begins_cut_ = false;
  bool maybe_failed_ = false;
  bool unsure_fails_ = false;
  std::optional<int> error_age_;  // lines since the last message
  std::int64_t planned_ = 0;
  std::int64_t passed_points_ = 0;
  bool failed_point_ = false;
  bool counted_ = false;  // "Ran 3 tests" was said
};

}  // namespace

RunReport read_run_report(CommandPurpose purpose, std::string_view begin, std::string_view end) {
  ReportReader reader(purpose == CommandPurpose::build);
  reader.read(begin, end.empty());
  reader.read(end, true);
  return std::move(reader).report();
}

}  // namespace memd
