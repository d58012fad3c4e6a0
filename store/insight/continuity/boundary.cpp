// Where sessions were compacted.
#include "store/insight/continuity/session_past.hpp"

#include <algorithm>
#include <limits>

namespace memd::continuity {
namespace {

std::string_view behind_colon(std::string_view summary) {
  const auto at = summary.find(": ");
  return at == std::string_view::npos ? std::string_view{} : summary.substr(at + 2);
}

Boundary end_of(sqlite::Database& db, std::int64_t session_pk) {
  Boundary end;
  end.seq = std::numeric_limits<std::int64_t>::max();
  auto& q = db.prepare("SELECT ended_at FROM sessions WHERE session_pk = ?").bind(session_pk);
  if (q.step()) end.time = q.int64(0);
  q.reset();
  return end;
}

}  // namespace

std::string_view to_string(BoundaryKind kind) {
  switch (kind) {
    case BoundaryKind::end: return "end";
    case BoundaryKind::compaction: return "compaction";
    case BoundaryKind::microcompaction: return "microcompaction";
  }
  return "end";
}

std::vector<Boundary> find_boundaries(sqlite::Database& db, std::int64_t session_pk) {
  // The summary follows its marker at once; what was said in between would belong to neither.
  constexpr std::int64_t kSummaryWithin = 20;
  std::vector<Boundary> out;
  auto& q = db.prepare(
      "SELECT seq, time, summary FROM events WHERE session_pk = ? AND kind = 11 AND flags & 2 = 0 AND"
      " (summary GLOB 'compaction*' OR summary GLOB 'microcompaction*' OR summary GLOB 'compact_summary*')"
      " ORDER BY seq");
  q.bind(session_pk);
  while (q.step()) {
    const std::string_view summary = q.text(2);
    if (summary.starts_with("compact_summary")) {
      if (!out.empty() && !out.back().summary_seq && q.int64(0) - out.back().seq <= kSummaryWithin)
        out.back().summary_seq = q.int64(0);
      continue;
    }
    Boundary b;
    b.kind = summary.starts_with("micro") ? BoundaryKind::microcompaction : BoundaryKind::compaction;
    b.seq = q.int64(0);
    b.time = q.int64(1);
    b.detail = behind_colon(summary);
    b.number = static_cast<std::int64_t>(out.size()) + 1;
    out.push_back(std::move(b));
  }
  q.reset();
  for (Boundary& b : out)
    b.count = static_cast<std::int64_t>(out.size());
  return out;
}

Boundary choose_boundary(sqlite::Database& db, std::int64_t session_pk, const BoundaryChoice& choice) {
  const std::vector<Boundary> all = find_boundaries(db, session_pk);
  Boundary end = end_of(db, session_pk);
  end.count = static_cast<std::int64_t>(all.size());
  switch (choice.at) {
    case BoundaryChoice::At::end: return end;
    case BoundaryChoice::At::number: {
      if (choice.number >= 1 && choice.number <= end.count) return all[static_cast<std::size_t>(choice.number) - 1];
      throw ErrorException(
          Error(Errc::invalid_argument,
                "before: there is no compaction " + std::to_string(choice.number) + " in this session, send " +
                    (all.empty() ? "\"end\": it was never compacted"
                                 : "1 to " + std::to_string(all.size()) + ", \"compaction\" (the last) or \"end\"")));
    }
    case BoundaryChoice::At::latest_compaction: break;
  }
  for (const auto kind : {BoundaryKind::compaction, BoundaryKind::microcompaction}) {
    const auto it = std::find_if(all.rbegin(), all.rend(), [&](const Boundary& b) { return b.kind == kind; });
    if (it != all.rend()) return *it;
  }
  return end;
}

}  // namespace memd::continuity
