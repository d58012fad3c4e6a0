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
inline constexpr std::size_t kObservationsPerText = 24;  // the first ones are kept

// Returns the sentences of an assistant's text that report an observation other than a decision (find_decisions): a
// problem, a cause, a fix, a feature. Detected by the start of the sentence, in English only. Prefers a miss to a false
// hit: skips questions, guesses, plans, announcements ("The fix is:") and code blocks. Made for ingest: for most text
// only the start of each sentence is examined.
std::vector<FoundObservation> find_observations(std::string_view text);

// Returns whether observations of this type (something was made or repaired) count only where files were changed.
bool needs_changed_files(ObservationType type);

// Returns the rules that a user sets for all later work ("Always run the linter before you commit."), as patterns.
// Ignores long messages, which are pastes.
std::vector<FoundObservation> find_rules(std::string_view user_message);

// Returns a hash of the words: equal for texts that differ only in punctuation, case or line breaks.
std::uint64_t words_hash(std::string_view text);

}  // namespace memd
