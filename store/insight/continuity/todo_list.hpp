#pragma once

#include "store/insight/continuity/session_past.hpp"

#include <string>
#include <string_view>
#include <vector>

// The list of tasks an agent keeps with a tool.
namespace memd::continuity {

// Tools that keep such a list: a list written whole (TodoWrite, update_plan), or tasks one by one (TaskCreate,
// TaskUpdate).
bool keeps_todos(std::string_view tool);

struct Todo {
  std::string text;
  std::string status;  // as the platform names it: pending, in_progress, completed
  std::size_t exchange = 0;
};

// As last stated, in its order. From the full texts of the calls; empty where they were not fetched.
std::vector<Todo> todo_list(const SessionPast& past);

}  // namespace memd::continuity
