#include "daemon/models/session_analyzer.hpp"

#include "store/db/database.hpp"

#include <memory>
#include <utility>

namespace memd {
namespace {

// Sessions in a transaction, because each one rewrites pages of the same tables.
constexpr std::size_t kAtOnce = 8;
constexpr std::size_t kAtOnceInForeground = 64;

}  // namespace

SessionAnalyzer::SessionAnalyzer(const EnrichmentParts& parts, const Clock& clock, const EnrichmentOptions& options)
    : parts_(parts), clock_(clock), options_(options), store_(Reader::in_background(parts.database)) {}

void SessionAnalyzer::begin() {
  due_.clear();
  next_stop_.reset();
}

Result<bool> SessionAnalyzer::take_some() {
  if (due_.empty()) {
    const AnalysisBacklogQuery waiting{.now = clock_.now(), .stopped_after = options_.stopped_after};
    MEMD_TRY_ASSIGN(AnalysisBacklog backlog, store_.ask(waiting));
    due_.assign(backlog.due.begin(), backlog.due.end());
    next_stop_ = backlog.next;
    if (due_.empty()) return false;
  }
  std::vector<Analyzed> sessions;
  const std::size_t most = options_.in_background ? kAtOnce : kAtOnceInForeground;
  while (!due_.empty() && sessions.size() < most) {
    MEMD_TRY_ASSIGN(std::optional<KeptDigest> digest, store_.ask(MakeDigestQuery{due_.front().session_pk}));
    sessions.push_back({due_.front(), std::move(digest)});
    due_.pop_front();
  }
  MEMD_TRY(write(std::move(sessions)));
  if (parts_.on_analyzed) parts_.on_analyzed();
  return true;
}

Result<void> SessionAnalyzer::write(std::vector<Analyzed> sessions) {
  // Owned by the task: it may run after this call has given up.
  const auto made = std::make_shared<const std::vector<Analyzed>>(std::move(sessions));
  const TimeMs now = clock_.now();
  return parts_.perform([made, now](Writer& writer) -> Result<void> {
    return writer.transact([&](sqlite::Database& db) {
      for (const Analyzed& session : *made) {
        if (!analysis::mark_analyzed(db, session.version, now)) continue;
        if (session.digest) analysis::save_digest(db, session.version.session_pk, *session.digest);
        analysis::store_outcome(db, session.version.session_pk);
        analysis::store_outcomes_of_subagents(db, session.version.session_pk);
      }
    });
  });
}

}  // namespace memd
