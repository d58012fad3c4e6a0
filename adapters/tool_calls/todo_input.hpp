#pragma once

#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "schemas/tool_facts.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace memd::tool_calls {

// Extracts the change that a tool call makes to the agent's task list. Supports the tools of all agents: the list
// written whole (TodoWrite, update_plan, todowrite, …), changes of it (todo_write with "merge", TaskUpdate), and
// Cline's checklist, which any call may carry in "task_progress". Receives the fields of one input in any order; one
// thread.
class TodoInput {
 public:
  explicit TodoInput(std::string_view tool);

  // Reads a field if its key may contain a list; ignores other keys. Returns false for broken JSON.
  bool read_field(json::TextReader& reader, std::string_view key, std::string_view token, json::od::value& value);
  // Returns the change after the last field; nullopt: the call does not change the list.
  std::optional<TodoUpdate> finish() &&;

 private:
  bool read_list(json::TextReader& reader, json::od::array& list);

  const bool writes_list_;
  const bool changes_task_;  // TaskUpdate
  TodoUpdate update_;
  bool empties_list_ = false;
  TodoItem task_;
};

// Parses the lines "- [x] done", "- [ ] to do", "[-] under way" of a text.
std::vector<TodoItem> read_checklist(std::string_view text);

}  // namespace memd::tool_calls
