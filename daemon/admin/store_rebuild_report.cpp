#include "daemon/admin/store_rebuild_report.hpp"

#include "daemon/ingest/rebuild.hpp"
#include "schemas/base/harmless.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace memd::admin {
namespace {

std::vector<RebuiltSession> rebuilt(const std::vector<SessionLoss>& sessions) {
  std::vector<RebuiltSession> out;
  for (const SessionLoss& s : sessions)
    out.push_back({s.uid, static_cast<std::int64_t>(s.exchanges), static_cast<std::int64_t>(s.events), s.is_missing,
                   s.is_unreadable});
  return out;
}

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

std::string names(const std::vector<RebuiltSession>& sessions) {
  constexpr std::size_t kMostNamed = 5;
  std::string out;
  for (std::size_t i = 0; i < std::min(sessions.size(), kMostNamed); ++i)
    out += (i == 0 ? "" : ", ") + harmless_line(sessions[i].session_id);
  return out + (sessions.size() > kMostNamed ? ", …" : "");
}

std::string replaced(const RebuildAnswer& r) {
  std::string out = fmt::format("the store was rebuilt from {:.1f} MB of records, with {} events, in {:.1f} s",
                                megabytes(r.bytes), r.events, r.seconds);
  if (!r.from_old.empty())
    out +=
        fmt::format("; {} of its sessions are those of the store before, because the original records lack something",
                    r.from_old.size());
  if (!r.lost.empty()) out += fmt::format("; {} have less than before: {}", r.lost.size(), names(r.lost));
  if (!r.kept.empty()) out += "; the store before is " + harmless_line(r.kept);
  return out;
}

std::string refused(const RebuildAnswer& r) {
  std::string out = "the store stays as it was: ";
  if (!r.lost.empty())
    out += fmt::format("of {} of its sessions a new one would have less ({})", r.lost.size(), names(r.lost));
  else
    out += fmt::format("it cannot be read ({}), and {} bytes of original records are damaged",
                       harmless_line(r.old_damage), r.damaged_bytes);
  return out + "; a rebuild that accepts loss replaces it all the same, and keeps it";
}

}  // namespace

RebuildAnswer rebuild_answer(const RebuildReport& report, double seconds) {
  RebuildAnswer out;
  out.replaced = report.replaced;
  out.files = report.files;
  out.slices = report.slices;
  out.bytes = report.bytes;
  out.events = report.events;
  out.damaged_bytes = report.damaged_bytes;
  out.damages = report.damages;
  out.unsupported = report.unsupported;
  out.from_old = rebuilt(report.from_old);
  out.lost = rebuilt(report.lost);
  out.old_damage = report.old_damage;
  out.kept = report.kept.native();
  out.seconds = seconds;
  return out;
}

std::string rebuild_status_text(const StoreRebuildStatus& s) {
  if (s.state == "running") {
    std::string out = "the store is being rebuilt since " + s.started;
    if (s.bytes_total > 0)
      out += fmt::format(", {:.1f} of {:.1f} MB of records", megabytes(s.bytes_done), megabytes(s.bytes_total));
    return out;
  }
  if (!s.result) return "the store was not rebuilt: " + harmless_line(s.error);
  return s.result->replaced ? replaced(*s.result) : refused(*s.result);
}

}  // namespace memd::admin
