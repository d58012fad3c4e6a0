#pragma once

#include "store/enrich/session_analysis.hpp"
#include "store/write/writer.hpp"

namespace memd::test {

// Analyses what is stored, as the daemon does with sessions that have stopped; here they count as stopped.
inline Result<void> analyze_all(Writer& writer, TimeMs now) {
  return writer.transact([&](sqlite::Database& db) {
    for (const SessionVersion& version : AnalysisBacklogQuery{now, 0, 10'000}.run(db).due) {
      if (const auto digest = MakeDigestQuery{version.session_pk}.run(db))
        analysis::save_digest(db, version.session_pk, *digest);
      analysis::mark_analyzed(db, version, now);
    }
  });
}

}  // namespace memd::test
