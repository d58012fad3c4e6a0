#pragma once

#include "daemon/config/garden_rules.hpp"
#include "daemon/memories/notebook.hpp"
#include "schemas/error.hpp"
#include "schemas/memory.hpp"
#include "store/memory/memory_places.hpp"
#include "store/reader.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::memories {

// The gardener's steps and proposals. Names are part of `memd memory garden --json`.
enum class GardenAction : std::uint8_t {
  rebuild,     // index, manifest and graph are made anew from the files
  mark_stale,  // git has changed what the memory names
  archive,     // a poor memory that nobody links and nobody changed for long goes to the trash
  supersede,   // the newer of two that say the same supersedes the older
  drop_cache,  // vectors of memories that are not there
  write_recap,
  // Proposals: a person decides.
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
  std::string slug;   // empty: of the whole place
  std::string other;  // of two
  std::string why;    // one sentence, and for a proposal what to do
  bool is_proposal = false;
  bool done = false;
  // What the step is made from.
  std::string file_hash{};
  std::optional<MemoryVerification> verification{};
  std::optional<Memory> recap{};
};

struct GardenPlan {
  std::vector<GardenStep> steps;     // by place, then in the order of GardenAction
  std::vector<std::string> notices;  // what was not checked, and why
};

// Keeps the memories of a notebook tidy by rules: those of the configuration, and for a project those of gardener.json
// beside its documents. plan() changes nothing; apply() does what is not a proposal, where memd may write. Nothing is
// deleted: what goes lies in the trash, and `undo` brings it back. A file that was changed meanwhile stays. One thread;
// borrows all.
class Gardener {
 public:
  // `reader`: for recaps; null: none are written. `with_git`: memories are held against the repository of the project.
  Gardener(const Notebook& notebook, Reader* reader, bool with_git)
      : notebook_(notebook), reader_(reader), with_git_(with_git) {}

  // Errc::bad_config: gardener.json makes no sense.
  Result<GardenPlan> plan() const;
  // Sets GardenStep::done, and GardenStep::why where it could not.
  void apply(GardenPlan& plan) const;

 private:
  Result<GardenRules> rules_of(const memory::MemoryPlace& place) const;
  Result<void> carry_out(const GardenStep& step) const;

  const Notebook& notebook_;
  Reader* const reader_;
  const bool with_git_;
};

}  // namespace memd::memories
