#pragma once

#include "daemon/config/garden_rules.hpp"
#include "daemon/memories/notebook.hpp"
#include "schemas/base/result.hpp"
#include "schemas/memory.hpp"
#include "store/memory/memory_places.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {
class Reader;
}

namespace memd::memories {

// Steps and proposals of the gardener. Their names are part of `memd memory garden --json`.
enum class GardenAction : std::uint8_t {
  rebuild,     // remakes index, manifest and graph from the files
  mark_stale,  // git has changed something that the memory names
  archive,     // moves a memory of low quality, without links and long unchanged, to the trash
  supersede,   // the newer of two duplicates supersedes the older
  drop_cache,  // drops the vectors of missing memories
  write_recap,
  // Proposals, left to a person:
  merge,
  split,
  change_kind,
  link,
  too_many,
};
std::string_view to_string(GardenAction a);

struct GardenStep {
  GardenAction action = GardenAction::rebuild;
  memory::MemoryPlace place;
  std::string slug;   // empty: the step concerns the whole place
  std::string other;  // the second memory, of two
  std::string why;    // reason in one sentence; for a proposal also what to do
  bool is_proposal = false;
  bool done = false;
  // Input of the step.
  std::string file_hash{};
  std::optional<MemoryVerification> verification{};
  std::optional<Memory> recap{};
};

struct GardenPlan {
  std::vector<GardenStep> steps;     // by place, then in the order of GardenAction
  std::vector<std::string> notices;  // what was not checked, and why
};

// Keeps the memories of a notebook tidy by rules: those of the configuration and, for a project, those of gardener.json
// beside its documents. plan() changes nothing; apply() carries out the steps that are not proposals, where memd may
// write. Nothing is deleted: archived memories are moved to the trash, and `undo` restores them. A memory whose file
// changed since plan() is neither archived nor marked. One thread; borrows all arguments.
class Gardener {
 public:
  // `reader`: for recaps; null: none are written. `with_git`: memories are compared with the project's repository.
  Gardener(const Notebook& notebook, Reader* reader, bool with_git)
      : notebook_(notebook), reader_(reader), with_git_(with_git) {}

  // Errc::bad_config: gardener.json is invalid.
  Result<GardenPlan> plan() const;
  // Sets GardenStep::done, or GardenStep::why to the reason if a step failed.
  void apply(GardenPlan& plan) const;

 private:
  Result<GardenRules> rules_of(const memory::MemoryPlace& place) const;
  Result<void> carry_out(const GardenStep& step) const;

  const Notebook& notebook_;
  Reader* const reader_;
  const bool with_git_;
};

}  // namespace memd::memories
