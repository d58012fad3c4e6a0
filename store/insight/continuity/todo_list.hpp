#pragma once

#include "schemas/tool_facts.hpp"

#include <cstdint>
#include <string>
#include <vector>

// The task list that an agent keeps with a tool.
namespace memd::continuity {

struct Todo {
  std::string key;  // empty: the agent assigns none
  std::string text;
  TodoState state = TodoState::pending;
  std::int64_t seq = 0;  // of the event that added it
};

// Applies the list update of event `seq`. Events must come in order. Ignores an update without text to an entry that is
// not in the list.
void take_in(std::vector<Todo>& list, const TodoUpdate& update, std::int64_t seq);

inline bool is_open(const Todo& todo) { return todo.state != TodoState::done && todo.state != TodoState::dropped; }

}  // namespace memd::continuity
