#pragma once

#include "daemon/memories/git.hpp"
#include "schemas/error.hpp"
#include "schemas/memory.hpp"

#include <string>
#include <vector>

namespace memd::memories {

struct Verified {
  VerificationStatus status = VerificationStatus::unknown;
  std::string base;                   // the commit that the memory is compared with; empty: none is known
  std::vector<std::string> named;     // files and words that were there at `base`
  std::vector<GitCommit> changed_by;  // newest first
  std::string why;                    // of `unknown`: one sentence
};

// Whether what a memory names has changed since its commit: that of its last verification, else the last of its
// provenance that the repository has, else (in a project) the one that was current when it was last updated. A memory
// that names files is judged by these; only one that names none by its words. What the front matter says does not
// count.
Result<Verified> verify(const Memory& memory, const Git& git);

}  // namespace memd::memories
