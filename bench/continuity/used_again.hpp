#pragma once

#include "bench/continuity/code_terms.hpp"
#include "bench/continuity/constraints.hpp"
#include "bench/continuity/file_names.hpp"
#include "bench/continuity/transcript.hpp"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memd::bench {

// What an agent can use again.
enum class ItemKind { file, identifier, edited_identifier, command_head, command, constraint };
inline constexpr std::array<std::string_view, 6> kItemKinds{"files",         "identifiers",    "identifiers+edits",
                                                            "command heads", "exact commands", "constraints"};
inline constexpr std::size_t kItemKindCount = kItemKinds.size();

// How often something was used before, and when last.
struct Use {
  std::size_t count = 0;
  std::size_t last = 0;  // record
};

// What a session had spoken of and touched before a compaction.
struct Known {
  FileNames files;    // touched by tools, or named in a command
  Terms identifiers;  // in all that was said, done and given back
  Terms heads;
  Terms commands;  // normal_command
  std::vector<Constraint> constraints;
  std::map<std::string, Use> uses;  // files, commands, identifiers, as the agent used them
};
Known read_known(const Transcript& transcript, std::size_t before);

// Items that the agent used in the records `next` and that were known before.
using Items = std::array<std::vector<std::string>, kItemKindCount>;
Items used_again(const Transcript& transcript, const std::vector<std::size_t>& next, const Known& known);

// Identifiers of the records `next` that stand nowhere in `before`: a pack that names one has seen the future.
Terms unknown_before(const Transcript& transcript, const std::vector<std::size_t>& next, std::string_view before);

}  // namespace memd::bench
