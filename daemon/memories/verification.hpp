#pragma once

#include "daemon/memories/git.hpp"
#include "schemas/base/result.hpp"
#include "schemas/memory.hpp"

#include <string>
#include <vector>

namespace memd::memories {

struct Verified {
  VerificationStatus status = VerificationStatus::unknown;
  std::string base;                   // commit with which the memory is compared; empty: unknown
  std::vector<std::string> named;     // files and words that existed at `base`
  std::vector<GitCommit> changed_by;  // newest first
  std::string why;                    // reason for `unknown`, one sentence
};

// Checks whether anything a memory names has changed since its commit: that of its last verification, else the last of
// its provenance that the repository has, else (in a project) the one current at its last update. A memory that names
// files is judged by them, and by words only if it names none that existed. The front matter is ignored.
Result<Verified> verify(const Memory& memory, const Git& git);

}  // namespace memd::memories
