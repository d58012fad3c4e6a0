#pragma once

#include "schemas/tool_facts.hpp"

#include <cstdint>
#include <string>
#include <vector>

// The list of tasks an agent keeps with a tool.
namespace memd::continuity {

struct Todo {
  std::string key;  // empty: the agent gives none
  std::string text;
  TodoState state = TodoState::pending;
  std::int64_t seq = 0;  // of the event that put it there
};

// Takes in what the event `seq` says of the list. Events come in their order. An update of an entry that is not in the
// list, and says no text, is left out.
void take_in(std::vector<Todo>& list, const TodoUpdate& update, std::int64_t seq);

inline bool is_open(const Todo& todo) { return todo.state != TodoState::done && todo.state != TodoState::dropped; }

}  // namespace memd::continuity
