#pragma once

#include "store/insight/continuity/working_state.hpp"

// The steps of recover_state().
namespace memd::continuity {

// A problem counts as open if at most this many messages and calls follow it. An older one is assumed to be solved or
// forgotten.
inline constexpr std::size_t kOpenWithin = 60;

void find_goal(const SessionPast& past, WorkingState& out);
void find_constraints(const SessionPast& past, WorkingState& out);
// Finds decisions and what was said. Call after goal and constraints.
void find_statements(const SessionPast& past, WorkingState& out);
void find_problems(const SessionPast& past, WorkingState& out);  // call after commands and the last error
void find_next_steps(const SessionPast& past, WorkingState& out);
// Prepends earlier sentences to last words that are short. Call after all steps that extract sentences.
void prepend_context_to_last_words(const SessionPast& past, WorkingState& out);
void find_last_error(const SessionPast& past, WorkingState& out);
void find_files(const SessionPast& past, WorkingState& out);
// Also finds tests and running commands.
void find_commands(const SessionPast& past, WorkingState& out);
void find_names(const SessionPast& past, WorkingState& out);

// Functions that classify single sentences. binding_force() rates a user's sentence from 0 (not binding) to 1.
double binding_force(std::string_view sentence);
struct ProblemCues {
  int cues = 0;           // number of cues for a problem; 0: the sentence reports none
  bool resolved = false;  // the sentence says that all is well, and reports no problem
};
ProblemCues problem_cues_in(std::string_view sentence);
// Counts exact values with their unit: "48 MB", "187 ms", "18,442".
int values_in(std::string_view sentence);
// Returns whether the sentence names remaining or announced work.
bool states_next_step(std::string_view sentence);

ExchangeId id_of(const SessionPast& past, std::size_t exchange);
// Replaces runs of line breaks and blanks by one blank, and cuts a longer text at a word with a mark.
std::string shortened(std::string_view text, std::size_t bytes);
// Like shortened(), but without list numbers and bold markers.
std::string plain_sentence(std::string_view text, std::size_t bytes);
// Sorts by score and keeps the `most` best. Drops items contained in a better item, and those that contain one.
void keep_best(std::vector<ExtractedSentence>& list, std::size_t most);
// Removes items whose words all occur in `text`.
void drop_contained_in(std::vector<ExtractedSentence>& list, std::string_view text);

}  // namespace memd::continuity
