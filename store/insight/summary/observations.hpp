#pragma once

#include "schemas/observation.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

struct FoundObservation {
  ObservationType type = ObservationType::discovery;
  std::string content;  // a sentence on one line, at most kObservationBytes
};
inline constexpr std::size_t kObservationBytes = 300;
inline constexpr std::size_t kObservationsPerText = 24;  // the first ones

// Sentences of an assistant's text that report something worth remembering, decisions apart (find_decisions): what was
// wrong, why, what was done about it, what was made. Told by how a sentence begins, in English. Prefers missing one to
// inventing one: questions, guesses, plans, announcements ("The fix is:") and code blocks are left out.
// Made for ingest: most text costs a look at the beginning of each sentence.
std::vector<FoundObservation> find_observations(std::string_view text);

// That something was made or repaired counts only where files were changed.
bool needs_changed_files(ObservationType type);

// What a person lays down for all work to come ("Always run the linter before you commit."): patterns. From short
// messages only; a long one is a paste.
std::vector<FoundObservation> find_rules(std::string_view user_message);

// Of the words alone: the same for texts that differ in punctuation, case or line breaks only.
std::uint64_t words_hash(std::string_view text);

}  // namespace memd
