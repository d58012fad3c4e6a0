#pragma once

#include "daemon/models/exchange_enricher.hpp"
#include "schemas/base/timestamp.hpp"
#include "store/enrich/session_analysis.hpp"
#include "store/reader.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace memd {

// Analyses sessions that have stopped. Makes digest and outcome of each and has the writer store them with the
// watermark, a few sessions in one transaction. A session that continues meanwhile waits again; a killed process leaves
// it waiting. One thread. Borrows the parts, the clock and the options.
class SessionAnalyzer {
 public:
  SessionAnalyzer(const EnrichmentParts& parts, const Clock& clock, const EnrichmentOptions& options);

  // Forgets which sessions wait: the next take_some() queries the store.
  void begin();
  // Analyses a few sessions. False: no stopped session is left.
  Result<bool> take_some();
  // Returns when the next session will have stopped if it does not continue; nullopt: none is active.
  std::optional<TimeMs> next_stop() const { return next_stop_; }

 private:
  struct Analyzed {
    SessionVersion version;
    std::optional<KeptDigest> digest;
  };
  Result<void> write(std::vector<Analyzed> sessions);

  const EnrichmentParts& parts_;
  const Clock& clock_;
  const EnrichmentOptions& options_;
  Reader store_;
  std::deque<SessionVersion> due_;
  std::optional<TimeMs> next_stop_;
};

}  // namespace memd
