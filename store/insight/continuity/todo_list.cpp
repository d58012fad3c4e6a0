#include "store/insight/continuity/todo_list.hpp"

#include <algorithm>

namespace memd::continuity {

void take_in(std::vector<Todo>& list, const TodoUpdate& update, std::int64_t seq) {
  if (update.replaces) list.clear();
  for (const TodoItem& item : update.items) {
    const auto known = item.key.empty()
                           ? list.end()
                           : std::find_if(list.begin(), list.end(), [&](const Todo& t) { return t.key == item.key; });
    if (known != list.end()) {
      if (!item.text.empty()) known->text = item.text;
      if (item.state != TodoState::unstated) known->state = item.state;
    } else if (!item.text.empty()) {
      list.push_back({item.key, item.text, item.state == TodoState::unstated ? TodoState::pending : item.state, seq});
    }
  }
}

}  // namespace memd::continuity
