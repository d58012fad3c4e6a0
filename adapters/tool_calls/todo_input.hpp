#pragma once

#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "schemas/tool_facts.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::tool_calls {

// What the input of a call does to the agent's list of tasks. Knows the tools of all agents: the list written whole
// (TodoWrite, update_plan, todowrite, …), changes of it (todo_write with "merge", TaskUpdate), and Cline's checklist,
// which any call may carry in "task_progress". Takes the fields of one input as they come; one thread.
class TodoInput {
 public:
  explicit TodoInput(std::string_view tool);

  // Of other keys than those of lists nothing is read. False: broken JSON.
  bool read_field(json::TextReader& reader, std::string_view key, std::string_view token, json::od::value& value);
  // After the last field. nullopt: the call leaves the list as it is.
  std::optional<TodoUpdate> finish() &&;

 private:
  bool read_list(json::TextReader& reader, json::od::array& list);

  const bool writes_list_;
  const bool changes_task_;  // TaskUpdate
  TodoUpdate update_;
  bool empties_list_ = false;
  TodoItem task_;
};

// The lines "- [x] done", "- [ ] to do", "[-] under way" of a text.
std::vector<TodoItem> read_checklist(std::string_view text);

}  // namespace memd::tool_calls
