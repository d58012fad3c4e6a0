#include "daemon/admin/forget_tool.hpp"

#include "daemon/host/memory_host.hpp"
#include "daemon/ingest/exclusion.hpp"
#include "daemon/tools/scope.hpp"
#include "schemas/harmless.hpp"
#include "store/read/forget_plan.hpp"
#include "store/write/forgetting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace memd::admin {
namespace {

using namespace std::chrono_literals;

Result<ForgetSelection> selection_of(MemoryHost& host, const ForgetParams& params) {
  ForgetSelection out;
  out.session = params.session;
  out.project = params.project;
  out.text = params.query;
  if (!params.before.empty()) {
    MEMD_TRY_ASSIGN(out.before,
                    tools::parse_time_argument("before", params.before, search::RangeEnd::since, host.clock()));
  }
  if (params.excluded) {
    MEMD_TRY_ASSIGN(out.uids, stored_though_excluded(host));
  } else if (out.is_empty()) {
    return Error(Errc::invalid_argument,
                 "say what to forget: a session, --project, --query, --before or --excluded; memd forget --help");
  }
  return out;
}

ForgetReport report_of(const std::vector<PlannedForgetting>& plan) {
  ForgetReport out;
  for (const auto& p : plan) {
    out.sessions.push_back({p.session_uid, p.title, p.project, format_rfc3339(p.ended_at), p.reason,
                            static_cast<std::int64_t>(p.members.size()), p.exchanges, p.events, p.raw_bytes});
    out.all_sessions += static_cast<std::int64_t>(p.members.size());
    out.exchanges += p.exchanges;
    out.events += p.events;
    out.raw_bytes += p.raw_bytes;
  }
  return out;
}

}  // namespace

std::string render_text(const ForgetReport& r) {
  if (r.sessions.empty()) return "Nothing in the store matches that.\n";
  std::string out = fmt::format("{:<10} {:>8} {:>9} {:>8} {:>11}  {}\n", "ended", "sessions", "exchanges", "events",
                                "raw bytes", "session");
  for (const auto& s : r.sessions)
    out += fmt::format("{:<10} {:>8} {:>9} {:>8} {:>11}  {}  {}  {}{}\n", s.ended.substr(0, 10), s.sessions,
                       s.exchanges, s.events, s.raw_bytes, harmless_line(s.session_id), harmless_line(s.project),
                       harmless_line(s.title), s.reason.empty() ? "" : "  (" + harmless_line(s.reason) + ")");
  const std::string total = fmt::format("{} sessions, {} exchanges, {} events, {} bytes of the raw layer",
                                        r.all_sessions, r.exchanges, r.events, r.raw_bytes);
  if (r.done) return out + "Forgotten: " + total + ".\n";
  return out + "Would be forgotten: " + total +
         ". Nothing was done: add --yes. It cannot be undone; the agents' own files stay.\n";
}

Result<std::vector<std::string>> stored_though_excluded(MemoryHost& host) {
  const ExcludeConfig& config = host.settings().config.exclude;
  const Exclusion exclusion(config.projects, config.paths);
  std::vector<std::string> out;
  if (exclusion.is_empty() && config.agents.empty()) return out;
  MEMD_TRY_ASSIGN(auto reader, host.readers().acquire(5s));
  MEMD_TRY_ASSIGN(const auto places, reader->ask(SessionPlacesQuery{}));
  for (const auto& place : places)
    if (exclusion.has_directory(place.directory) ||
        (!place.source_path.empty() && exclusion.has_file(place.source_path)) ||
        std::find(config.agents.begin(), config.agents.end(), place.platform) != config.agents.end())
      out.push_back(place.session_uid);
  return out;
}

Result<ForgetReport> forget(MemoryHost& host, const ForgetParams& params) {
  MEMD_TRY_ASSIGN(auto selection, selection_of(host, params));
  const bool is_empty = selection.is_empty();
  std::vector<PlannedForgetting> plan;
  if (!is_empty) {
    MEMD_TRY_ASSIGN(auto reader, host.readers().acquire(5s));
    const ForgetPlanQuery query{std::move(selection), host.settings().layout.raw_dir(),
                                raw::FrameSeal(host.settings().cipher)};
    MEMD_TRY_ASSIGN(plan, reader->ask(query));
  }
  ForgetReport report = report_of(plan);
  if (!params.yes || plan.empty()) return report;
  if (host.ingest() == nullptr) return host.does_not_write();
  // Forgets exactly the sessions that were reported.
  std::vector<std::string> uids;
  for (const auto& p : plan)
    uids.insert(uids.end(), p.members.begin(), p.members.end());
  const auto done = host.ingest()->perform([&](Writer& writer) -> Result<void> {
    const auto forgotten = Forgetting(writer, is_forgotten_record).forget(uids);
    return forgotten ? Result<void>() : forgotten.error();
  });
  if (!done) return done.error();
  report.done = true;
  return report;
}

}  // namespace memd::admin
