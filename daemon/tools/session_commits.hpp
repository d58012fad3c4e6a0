#pragma once

#include "daemon/tools/session_summary.hpp"
#include "schemas/session_digest.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memd::tools {

// The commits that session_summary tells of, and what they were asked to be pulled as.
class SessionCommits {
 public:
  explicit SessionCommits(const SessionDigest& digest);

  void describe(SessionSummaryAnswer& out) const;  // how many there are
  // As far as `tokens` go: pull requests, then commits, the newest first. Gives the tokens taken.
  std::size_t add(SessionSummaryAnswer& out, std::size_t tokens) const;

 private:
  std::vector<SessionCommitOut> commits_;   // newest first
  std::vector<std::string> pull_requests_;  // newest first
};

}  // namespace memd::tools
