#include "daemon/admin/store_rebuild_report.hpp"

#include "schemas/base/harmless.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace memd::admin {
namespace {

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

std::string names(const std::vector<SessionLoss>& sessions) {
  constexpr std::size_t kMostNamed = 5;
  std::string out;
  for (std::size_t i = 0; i < std::min(sessions.size(), kMostNamed); ++i)
    out += (i == 0 ? "" : ", ") + harmless_line(sessions[i].uid);
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
