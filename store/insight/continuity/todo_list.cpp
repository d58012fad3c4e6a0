#include "store/insight/continuity/todo_list.hpp"

#include "store/text/shell_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

namespace memd::continuity {
namespace {

constexpr std::array<std::string_view, 6> kWholeLists{"TodoWrite", "update_plan", "todo_write",
                                                      "todowrite", "write_todos", "manage_todo_list"};

// Objects of one array, as far as their own strings go: {"content": "…", "status": "…"}.
std::vector<Todo> read_list(std::string_view json, std::size_t exchange) {
  std::vector<Todo> out;
  Todo todo;
  std::string key;
  for (std::size_t at = json.find('['); at < json.size();) {
    const char c = json[at];
    if (c == '{') todo = {}, key.clear();
    if (c == '}') {
      todo.exchange = exchange;
      if (!todo.text.empty()) out.push_back(todo);
      todo = {};
    }
    if (c != '"') {
      ++at;
      continue;
    }
    std::string word = read_quoted(json, at);
    const auto next = json.find_first_not_of(" \t\r\n", at);
    if (next != std::string_view::npos && json[next] == ':') {
      key = std::move(word);
      continue;
    }
    if (key == "content" || key == "step" || key == "text" || key == "title" || key == "description") {
      if (todo.text.empty()) todo.text = std::move(word);
    } else if (key == "status") {
      todo.status = std::move(word);
    }
    key.clear();
  }
  return out;
}

// A line "key: value" of a call's readable input.
std::string_view value_of(std::string_view input, std::string_view key) {
  for (std::size_t at = 0; at < input.size();) {
    const std::string_view line = input.substr(at, input.find('\n', at) - at);
    if (line.starts_with(key) && line.substr(key.size()).starts_with(": ")) return line.substr(key.size() + 2);
    const auto end = input.find('\n', at);
    if (end == std::string_view::npos) break;
    at = end + 1;
  }
  return {};
}

}  // namespace

bool keeps_todos(std::string_view tool) {
  return tool == "TaskCreate" || tool == "TaskUpdate" ||
         std::find(kWholeLists.begin(), kWholeLists.end(), tool) != kWholeLists.end();
}

std::vector<Todo> todo_list(const SessionPast& past) {
  std::vector<Todo> list;
  std::int64_t created = 0;
  std::map<std::int64_t, std::size_t> places;  // number of a task → place in the list
  for (const PastEvent& e : past.events) {
    if (e.kind != EventKind::tool_call || !keeps_todos(e.tool)) continue;
    const std::string_view input = past.full_text(e.seq);
    if (e.tool == "TaskCreate") {
      ++created;
      std::string_view subject = value_of(input, "subject");
      if (subject.empty() && e.summary.find(": ") != std::string::npos)
        subject = std::string_view(e.summary).substr(e.summary.find(": ") + 2);
      if (subject.empty()) continue;
      places[created] = list.size();
      list.push_back({std::string(subject), "pending", e.exchange});
    } else if (e.tool == "TaskUpdate") {
      const std::string_view id = value_of(input, "taskId");
      std::int64_t number = 0;
      std::from_chars(id.data(), id.data() + id.size(), number);
      const std::string_view status = value_of(input, "status");
      if (const auto it = places.find(number); it != places.end() && !status.empty()) list[it->second].status = status;
    } else if (auto whole = read_list(input, e.exchange); !whole.empty()) {
      list = std::move(whole);
      places.clear();
    }
  }
  return list;
}

}  // namespace memd::continuity
