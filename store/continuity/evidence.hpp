#pragma once

#include "store/continuity/working_state.hpp"

// The parts of recover_state().
namespace memd::continuity {

void find_goal(const SessionPast& past, WorkingState& out);
void find_constraints(const SessionPast& past, WorkingState& out);
void find_choices(const SessionPast& past, WorkingState& out);  // decisions
void find_problems(const SessionPast& past, WorkingState& out);
void find_next_steps(const SessionPast& past, WorkingState& out);
void find_last_error(const SessionPast& past, WorkingState& out);
void find_files(const SessionPast& past, WorkingState& out);
void find_commands(const SessionPast& past, WorkingState& out);  // with programs, tests and what is running
void find_names(const SessionPast& past, WorkingState& out);

ExchangeId id_of(const SessionPast& past, std::size_t exchange);
// The command line of a call, whole where its full text was fetched.
std::string command_line(const SessionPast& past, const PastEvent& call, bool& whole);
// Lines and blanks become one blank, and what is longer than `bytes` is cut at a word and marked.
std::string shortened(std::string_view text, std::size_t bytes);

}  // namespace memd::continuity
