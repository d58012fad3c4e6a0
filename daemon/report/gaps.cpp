#include "daemon/report/gaps.hpp"

#include "schemas/query.hpp"
#include "schemas/store_health.hpp"
#include "store/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace memd::report {
namespace {

class GapList {
 public:
  template <class... Args>
  void warn(std::optional<Platform> platform, fmt::format_string<Args...> text, Args&&... args) {
    gaps_.push_back({Gap::Weight::warning, platform, fmt::format(text, std::forward<Args>(args)...)});
  }
  template <class... Args>
  void note(std::optional<Platform> platform, fmt::format_string<Args...> text, Args&&... args) {
    gaps_.push_back({Gap::Weight::note, platform, fmt::format(text, std::forward<Args>(args)...)});
  }
  std::vector<Gap> take() {
    std::stable_sort(gaps_.begin(), gaps_.end(), [](const Gap& a, const Gap& b) { return a.weight > b.weight; });
    return std::move(gaps_);
  }

 private:
  std::vector<Gap> gaps_;
};

void add_sources(const Report& report, GapList& out) {
  for (const PlatformTotals& t : report.totals) {
    if (t.bytes_unknown > 0)
      out.warn(t.platform, "{} records of unknown shape ({} bytes) were counted and not read.", t.unknown_records,
               t.bytes_unknown);
    if (t.drift_at > 0)
      out.warn(t.platform, "The share of records of unknown shape grew: the agent may have changed its format.");
  }
  for (const PlatformFreshness& f : report.freshness)
    if (f.sources_behind > 0)
      out.note(f.platform, "{} of {} sources held {} bytes more than was read when they were last looked at.",
               f.sources_behind, f.sources, f.bytes_behind);
  for (const SourceTrouble& t : report.health.troubles)
    out.warn(t.platform, "{} is {}{}{}.", t.path, to_string(t.state), t.reason.empty() ? "" : ": ", t.reason);
  if (report.health.gone > 0)
    out.note({}, "{} sources were deleted by their agents; what was read of them before is in this report.",
             report.health.gone);
  std::map<Platform, std::int64_t> diagnostics;
  for (const DiagnosticCount& d : report.diagnostics)
    diagnostics[d.platform] += d.count;
  for (const auto& [platform, count] : diagnostics)
    out.warn(platform, "{} diagnostics of the last 30 days: `memd diagnostics` lists them.", count);
}

void add_platforms(const Report& report, std::span<const AdapterDescription> adapters, GapList& out) {
  std::map<Platform, std::int64_t> sessions;
  for (const PlatformTotals& t : report.totals)
    sessions[t.platform] = t.sessions + t.subagent_sessions;
  for (const AdapterDescription& a : adapters) {
    if (a.status != AdapterStatus::active) {
      out.note(a.platform, "Left out: it is {} in the configuration.", to_string(a.status));
      continue;
    }
    const auto it = sessions.find(a.platform);
    if (it == sessions.end() || it->second == 0) continue;
    const auto can = [&](Capability c) {
      return std::find(a.capabilities.begin(), a.capabilities.end(), c) != a.capabilities.end();
    };
    if (!can(Capability::token_metrics)) out.note(a.platform, "It does not record tokens.");
    for (const std::string& limit : a.limitations)
      out.note(a.platform, "{}", limit);
  }
}

void add_sessions(const Report& report, const ReportQuery& query, GapList& out) {
  const auto all = report.sessions + report.subagent_sessions;
  const auto listed = static_cast<std::int64_t>(report.newest.size());
  if (all > listed)
    out.note({}, "The {} newest sessions are listed one by one; {} older ones are in the figures only.", listed,
             all - listed);
  if (report.evicted_sessions > 0)
    out.note({},
             "Of {} sessions the texts and events were dropped by the retention policy: their turns, tokens and "
             "files are in the figures, their tools and test runs are not.",
             report.evicted_sessions);
  if (report.undated_exchanges > 0)
    out.note({}, "{} turns have no known time: they are in the sums and on no day.", report.undated_exchanges);
  if (report.without_terms > 0) out.note({}, "{} turns still wait for their topics to be made.", report.without_terms);
  if (report.files_total > static_cast<std::int64_t>(report.files.size()))
    out.note({}, "{} files were touched; the {} touched most are listed.", report.files_total, report.files.size());
  if (all > report.sessions_with_cost)
    out.note({},
             "Cost: {} of {} sessions have the cost their agent calculates. What stands beside it is computed: tokens "
             "by the prices of their models, without those that have none.",
             report.sessions_with_cost, all);
  if (all > report.sessions_with_tokens)
    out.note({}, "Tokens: {} of {} sessions say how many they used.", report.sessions_with_tokens, all);
  const QueryFilter& f = query.filter;
  if (!f.project.empty() || f.since > 0 || f.until > 0)
    out.note({}, "Coverage is that of all sources of an agent, regardless of the project and time of the report.");
}

}  // namespace

std::vector<Gap> gaps_of(const Report& report, const ReportQuery& query, std::span<const AdapterDescription> adapters) {
  GapList out;
  add_sources(report, out);
  add_sessions(report, query, out);
  add_platforms(report, adapters, out);
  return out.take();
}

}  // namespace memd::report
