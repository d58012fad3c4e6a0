#pragma once

#include "daemon/host/memory_host.hpp"
#include "protocol/mcp/describe.hpp"
#include "schemas/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// `memd forget`: a preview of what is removed, and the removal.
namespace memd::admin {

struct ForgetParams {
  std::string session;
  std::string project;
  std::string query;
  std::string before;
  bool excluded = false;
  bool yes = false;
};

struct ForgetLine {
  std::string session_id;
  std::string title;
  std::string project;
  std::string ended;  // RFC 3339
  std::string reason;
  std::int64_t sessions = 0;  // including subagents
  std::int64_t exchanges = 0;
  std::int64_t events = 0;
  std::uint64_t raw_bytes = 0;
};

struct ForgetReport {
  std::vector<ForgetLine> sessions;
  std::int64_t all_sessions = 0;
  std::int64_t exchanges = 0;
  std::int64_t events = 0;
  std::uint64_t raw_bytes = 0;
  bool done = false;
};
std::string render_text(const ForgetReport& report);

// Removes what the parameters select; without `yes` only reports it. Errc::invalid_argument when nothing is selected.
Result<ForgetReport> forget(MemoryHost& host, const ForgetParams& params);

// Returns the uids of stored sessions that the configuration excludes.
Result<std::vector<std::string>> stored_though_excluded(MemoryHost& host);

}  // namespace memd::admin

namespace memd::mcp {

template <>
struct Describe<admin::ForgetParams> {
  using T = admin::ForgetParams;
  static constexpr auto fields =
      fields_of(field("session", &T::session, "This session: its id or the beginning of it."),
                field("project", &T::project, "Sessions of projects with this in their path or name."),
                field("query", &T::query, "Sessions in which this text stands."),
                field("before", &T::before, "Sessions that ended before this time."),
                field("excluded", &T::excluded, "Sessions that the configuration excludes."),
                field("yes", &T::yes, "Do it. Without, it is only told what would go."));
};
template <>
struct Describe<admin::ForgetLine> {
  using T = admin::ForgetLine;
  static constexpr auto fields = fields_of(
      field("session_id", &T::session_id, "Main session."), field("title", &T::title, "Its title."),
      field("project", &T::project, "Its project."), field("ended", &T::ended, "Last event, RFC 3339."),
      field("reason", &T::reason, "Why it goes, if it is not meant itself."),
      field("sessions", &T::sessions, "With subagents."), field("exchanges", &T::exchanges, "Of all of them."),
      field("events", &T::events, "Of all of them."), field("raw_bytes", &T::raw_bytes, "In the raw layer."));
};
template <>
struct Describe<admin::ForgetReport> {
  using T = admin::ForgetReport;
  static constexpr auto fields = fields_of(
      field("sessions", &T::sessions, "What goes, or went, the oldest first."),
      field("all_sessions", &T::all_sessions, "Subagents included."), field("exchanges", &T::exchanges, "All."),
      field("events", &T::events, "All."), field("raw_bytes", &T::raw_bytes, "All, in the raw layer."),
      field("done", &T::done, "They are forgotten; false: they would be."));
};

}  // namespace memd::mcp
