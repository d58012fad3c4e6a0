#pragma once

#include "schemas/exchange_row.hpp"
#include "schemas/file_history.hpp"
#include "schemas/observation.hpp"
#include "schemas/session.hpp"

#include <optional>
#include <vector>

namespace memd {

// Input of a session summary.
struct SessionDigest {
  std::vector<ExchangeRow> exchanges;         // in order, without tool_text
  std::vector<ExchangeFile> files;            // modified files, by exchange, then path
  std::vector<Observation> observations;      // in order of time; without metadata
  std::vector<CommitRow> commits;             // in order of time
  std::vector<PullRequestRow> pull_requests;  // of the whole session, in order of time
  std::optional<KeptDigest> kept;             // of a session that is evicted as a whole and has not continued since
};

}  // namespace memd
