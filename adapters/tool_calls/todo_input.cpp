#include "adapters/tool_calls/todo_input.hpp"

#include "adapters/names.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"

#include <utility>
#include <vector>

namespace memd::tool_calls {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

namespace {

constexpr Names kListTools(
    "TodoWrite update_plan todo_write todowrite write_todos manage_todo_list update_todo_list update_todo SetTodoList "
    "TodoList");
constexpr Names kListKeys("todos plan todoList");

// Synonymous names are adjacent, the most specific first.
MEMD_KEYS(ItemKeys, content, step, text, title, description, status, id);

TodoState state_of(std::string_view status, TodoState unsaid) {
  if (status.empty()) return unsaid;
  if (status == "completed" || status == "complete" || status == "done") return TodoState::done;
  if (status == "in_progress" || status == "in-progress") return TodoState::in_progress;
  if (status == "cancelled" || status == "canceled" || status == "deleted") return TodoState::dropped;
  return TodoState::pending;
}

// Returns a string, or a number as written.
std::string name_of(TextReader& r, std::string_view token) {
  return is_string(token) ? r.text(token, kTodoTextLimit) : std::string(token.starts_with('{') ? "" : token);
}

}  // namespace

TodoInput::TodoInput(std::string_view tool) : writes_list_(kListTools.has(tool)), changes_task_(tool == "TaskUpdate") {
  task_.state = TodoState::unstated;
}

bool TodoInput::read_field(TextReader& r, std::string_view key, std::string_view token, od::value& value) {
  if (key == "task_progress" || (writes_list_ && is_string(token) && key == "todos")) {
    if (is_string(token)) update_.items = read_checklist(r.text(token));
  } else if (writes_list_ && kListKeys.has(key)) {
    od::array list;
    return !token.starts_with('[') || (!value.get_array().get(list) && read_list(r, list));
  } else if (writes_list_ && key == "merge") {
    update_.replaces = !is_true(token);
  } else if (changes_task_) {
    if (key == "taskId") task_.key = name_of(r, token);
    if (key == "subject") task_.text = r.text(token, kTodoTextLimit);
    if (key == "status") task_.state = state_of(string_body(token), TodoState::unstated);
  }
  return true;
}

bool TodoInput::read_list(TextReader& r, od::array& list) {
  empties_list_ = true;
  return for_each_element(list, [&](od::value& element, std::size_t) {
    empties_list_ = false;
    od::object object;
    ItemKeys keys;
    if (element.get_object().get(object)) return true;
    if (!collect(object, keys)) return false;
    TodoItem item;
    for (const auto token : {keys.content, keys.step, keys.text, keys.title, keys.description})
      if (item.text.empty()) item.text = r.text(token, kTodoTextLimit);
    item.key = name_of(r, keys.id);
    item.state = state_of(string_body(keys.status), TodoState::unstated);
    if (item.text.empty() && item.key.empty()) return true;
    if (update_.items.size() < kMostTodoItems) update_.items.push_back(std::move(item));
    return true;
  });
}

std::optional<TodoUpdate> TodoInput::finish() && {
  if (changes_task_) {
    const bool changed = !task_.text.empty() || task_.state != TodoState::unstated;
    if (task_.key.empty() || !changed) return std::nullopt;
    return TodoUpdate{false, {std::move(task_)}};
  }
  if (update_.replaces)
    std::erase_if(update_.items, [](TodoItem& item) {
      if (item.state == TodoState::unstated) item.state = TodoState::pending;
      return item.text.empty();
    });
  const bool changes = !update_.items.empty() || (update_.replaces && empties_list_);
  return changes ? std::optional(std::move(update_)) : std::nullopt;
}

std::vector<TodoItem> read_checklist(std::string_view text) {
  std::vector<TodoItem> items;
  while (!text.empty() && items.size() < kMostTodoItems) {
    std::string_view line = trimmed(ascii::take_until(text, '\n'));
    if (line.starts_with("- ") || line.starts_with("* ")) line = trimmed(line.substr(2));
    if (line.size() < 4 || line[0] != '[' || line[2] != ']') continue;
    const char mark = ascii::lower(line[1]);
    const std::string_view words = utf8_prefix(trimmed(line.substr(3)), kTodoTextLimit);
    if (words.empty() || std::string_view(" x-~").find(mark) == std::string_view::npos) continue;
    const TodoState state = mark == 'x' ? TodoState::done : mark == ' ' ? TodoState::pending : TodoState::in_progress;
    items.push_back({{}, std::string(words), state});
  }
  return items;
}

}  // namespace memd::tool_calls
