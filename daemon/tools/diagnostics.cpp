#include "daemon/tools/diagnostics.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/harmless.hpp"
#include "schemas/base/time.hpp"
#include "schemas/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace memd::tools {
namespace {

constexpr TimeMs kMinute = 60'000;

// Returns "40 s", "12 min", "3 h" or "5 d".
std::string age_of(TimeMs time, TimeMs now) {
  const TimeMs age = std::max<TimeMs>(now - time, 0);
  if (age < kMinute) return fmt::format("{} s", age / 1000);
  if (age < 60 * kMinute) return fmt::format("{} min", age / kMinute);
  if (age < kMsPerDay) return fmt::format("{} h", age / (60 * kMinute));
  return fmt::format("{} d", age / kMsPerDay);
}

// What to do about a time that the writer refused.
constexpr std::string_view kWrongTime =
    "The agent wrote a time in the future, or one from before there were agents. The record is kept without it: "
    "look at the clock of the machine that wrote it.";

}  // namespace

std::string_view action_for(DiagnosticType type) {
  switch (type) {
    case DiagnosticType::unknown_record_type:
    case DiagnosticType::unknown_field_value:
    case DiagnosticType::missing_field:
    case DiagnosticType::wrong_field_type:
    case DiagnosticType::schema_drift:
      return "The agent writes a form that this memd does not know: update memd, or report the type and the fields.";
    case DiagnosticType::damaged_record:
      return "The bytes are left out. Look at the file: a full disk or a crash damages the end of a log.";
    case DiagnosticType::oversized_record:
      return "The record is larger than memd reads, and is left out; the agent's file still has it.";
    case DiagnosticType::source_unreadable: return "Give this user access to the file.";
    case DiagnosticType::not_a_transcript:
      return "The file has the name of a transcript but is not one: a pointer of git-lfs needs `git lfs pull`.";
    case DiagnosticType::contract_mismatch: return "Install an adapter and a memd of the same major version.";
    case DiagnosticType::raw_layer_lost:
      return "Bytes of original records were lost, by a failing disk or a power cut: check the disk and its free "
             "space.";
    // Handled: memd has read what can be read.
    case DiagnosticType::recovered_record:
    case DiagnosticType::invalid_encoding:
    case DiagnosticType::source_truncated:
    case DiagnosticType::source_replaced: return {};
  }
  return {};
}

DiagnosticLine diagnostic_line(const DiagnosticRow& row, TimeMs now) {
  DiagnosticLine out;
  out.id = row.id;
  out.time = format_rfc3339(row.time);
  out.age = age_of(row.time, now);
  out.platform = to_string(row.platform);
  out.error_type = row.error_type;
  out.severity = to_string(row.severity);
  out.fields = ascii::split(row.field_names, ',');
  out.source = row.path;
  if (row.offset && !row.path.empty()) out.place = fmt::format("{} {}", row.is_item ? "item" : "byte", *row.offset);
  if (const auto type = parse_diagnostic_type(row.error_type)) out.action = action_for(*type);
  if (row.field_names == "time") out.action = kWrongTime;
  return out;
}

DiagnosticsReport diagnostics_report(const DiagnosticList& list, TimeMs now) {
  DiagnosticsReport out;
  out.total = list.total;
  for (const auto& row : list.diagnostics)
    out.diagnostics.push_back(diagnostic_line(row, now));
  return out;
}

std::string render_text(const DiagnosticsReport& r) {
  if (r.diagnostics.empty())
    return r.total == 0 ? "No diagnostics: nothing went wrong with input in the last 30 days.\n"
                        : fmt::format("No more: there are {}.\n", r.total);
  std::string out;
  std::set<std::string_view> said;
  for (const auto& d : r.diagnostics) {
    out += fmt::format("{}  {:>6} ago  {:<12} {:<7} {}", d.time, d.age, d.platform, d.severity, d.error_type);
    if (!d.fields.empty()) out += harmless_line(fmt::format(" ({})", fmt::join(d.fields, ", ")));
    if (!d.source.empty()) out += "  " + harmless_line(d.source);
    if (!d.place.empty()) out += ", " + d.place;
    out += '\n';
    // Prints each action once.
    if (!d.action.empty() && said.insert(d.action).second) out += fmt::format("{:<22}{}\n", "", d.action);
  }
  if (r.total > static_cast<std::int64_t>(r.diagnostics.size()))
    out += fmt::format("{} of {}.\n", r.diagnostics.size(), r.total);
  return out;
}

}  // namespace memd::tools
