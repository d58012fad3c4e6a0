#include "daemon/models/session_analyzer.hpp"

#include "store/db/database.hpp"

#include <memory>
#include <utility>

namespace memd {

SessionAnalyzer::SessionAnalyzer(const EnrichmentParts& parts, const Clock& clock, const EnrichmentOptions& options)
    : parts_(parts), clock_(clock), options_(options), store_(parts.database) {}

void SessionAnalyzer::begin() {
  due_.clear();
  next_stop_.reset();
}

Result<bool> SessionAnalyzer::take_one() {
  if (due_.empty()) {
    const AnalysisBacklogQuery waiting{.now = clock_.now(), .stopped_after = options_.stopped_after};
    MEMD_TRY_ASSIGN(AnalysisBacklog backlog, store_.ask(waiting));
    due_.assign(backlog.due.begin(), backlog.due.end());
    next_stop_ = backlog.next;
    if (due_.empty()) return false;
  }
  const SessionVersion version = due_.front();
  due_.pop_front();
  MEMD_TRY_ASSIGN(std::optional<KeptDigest> digest, store_.ask(MakeDigestQuery{version.session_pk}));
  MEMD_TRY(write(version, std::move(digest)));
  return true;
}

Result<void> SessionAnalyzer::write(const SessionVersion& version, std::optional<KeptDigest> digest) {
  // Owned by the task: it may run after this call has given up.
  const auto made = std::make_shared<const std::optional<KeptDigest>>(std::move(digest));
  const TimeMs now = clock_.now();
  return parts_.perform([version, made, now](Writer& writer) -> Result<void> {
    return writer.transact([&](sqlite::Database& db) {
      if (!analysis::mark_analyzed(db, version, now)) return;
      if (*made) analysis::save_digest(db, version.session_pk, **made);
      analysis::store_outcome(db, version.session_pk);
      analysis::store_outcomes_of_subagents(db, version.session_pk);
    });
  });
}

}  // namespace memd
