#pragma once

#include "store/insight/continuity/working_state.hpp"

// The parts of recover_state().
namespace memd::continuity {

// Messages and calls within which a problem is taken to be open; one told of earlier is solved or forgotten.
inline constexpr std::size_t kOpenWithin = 60;

void find_goal(const SessionPast& past, WorkingState& out);
void find_constraints(const SessionPast& past, WorkingState& out);
void find_choices(const SessionPast& past, WorkingState& out);   // decisions
void find_values(const SessionPast& past, WorkingState& out);    // after goal, constraints and decisions
void find_problems(const SessionPast& past, WorkingState& out);  // after commands
void find_next_steps(const SessionPast& past, WorkingState& out);
// Few last words are told with those before them. After all that is told in sentences.
void lead_up_to_last_words(const SessionPast& past, WorkingState& out);
void find_last_error(const SessionPast& past, WorkingState& out);
void find_files(const SessionPast& past, WorkingState& out);
// With programs, tests and what is running.
void find_commands(const SessionPast& past, WorkingState& out);
void find_names(const SessionPast& past, WorkingState& out);

// What single sentences tell. A person's: how much it binds, from 0 (not at all) to 1.
double binding_force(std::string_view sentence);
struct Trouble {
  int cues = 0;         // of something wrong; 0: it tells of no trouble
  bool mended = false;  // it tells that all is well, and of nothing that is not
};
Trouble trouble_in(std::string_view sentence);
// Exact values with what they count: "48 MB", "187 ms", "18,442".
int values_in(std::string_view sentence);
// Work that is left. What was only announced counts in the last message of an agent.
bool tells_next_step(std::string_view sentence, bool in_last_message);

ExchangeId id_of(const SessionPast& past, std::size_t exchange);
// Lines and blanks become one blank, and what is longer than `bytes` is cut at a word and marked.
std::string shortened(std::string_view text, std::size_t bytes);
// shortened() without the number of a list item and the marks of bold words.
std::string plain_sentence(std::string_view text, std::size_t bytes);
// Sorts by score and keeps the `most` best. Drops items contained in a better item, and those that contain one.
void keep_best(std::vector<Told>& list, std::size_t most);
// Removes items whose words stand in `text`.
void drop_said(std::vector<Told>& list, std::string_view text);

}  // namespace memd::continuity
