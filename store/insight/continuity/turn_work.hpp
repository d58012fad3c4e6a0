#pragma once

#include "store/insight/continuity/session_past.hpp"

#include <cstddef>
#include <vector>

// What the agent did after each request. Pure functions.
namespace memd::continuity {

struct TurnWork {
  bool is_loaded = false;  // false: its events are too old, and nothing below is known
  bool works = false;      // calls a tool or edits
  bool edits = false;
  bool commits = false;
};

// One for each of SessionPast::exchanges.
std::vector<TurnWork> work_of_turns(const SessionPast& past);

// Returns the index of the exchange in which the session turned to another branch or merged a pull request, the last
// time that edits followed: earlier work is over. Of a branch that it came back to, the first exchange on it since a
// pull request was merged. 0 if there is none.
std::size_t begin_of_present_work(const SessionPast& past);

}  // namespace memd::continuity
