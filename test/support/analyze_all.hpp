#pragma once

#include "store/enrich/session_analysis.hpp"
#include "store/write/writer.hpp"

namespace memd::test {

// Analyses all stored sessions as the daemon analyses stopped ones. Every session counts as stopped.
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
