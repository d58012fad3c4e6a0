#pragma once

#include "schemas/tool_facts.hpp"
#include "store/db/database.hpp"
#include "store/insight/continuity/todo_list.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace memd {

// Loads an agent's task list as it was before an event, in the agent's order. Empty: the agent has none.
struct TodoListQuery {
  std::int64_t session_pk = 0;
  std::int64_t before_seq = std::numeric_limits<std::int64_t>::max();

  using Answer = std::vector<continuity::Todo>;
  Answer run(sqlite::Database& db) const;
};

namespace queries {

// Loads the tool facts of a session's events with first ≤ seq < end, keyed by seq. Throws ErrorException.
std::map<std::int64_t, ToolFacts> tool_facts(sqlite::Database& db, std::int64_t session_pk, std::int64_t first,
                                             std::int64_t end);

}  // namespace queries
}  // namespace memd
