#pragma once

#include "schemas/event.hpp"
#include "store/db/database.hpp"
#include "store/write/event_rows.hpp"
#include "store/write/session_state.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::assembly {

// "https://github.com/owner/name/pull/7", ".../-/merge_requests/7" and the like, and nothing behind the number.
bool is_pull_request(std::string_view address);

// The pull requests that a command which opens one says it opened: lines that are an address and nothing else.
std::vector<std::string> pull_requests_in(std::string_view output);

// The one that a tool of a server says it opened, in JSON: {"html_url": "https://…/pull/7", …}. Empty: none.
std::string pull_request_in_json(std::string_view json);

// Rows of `pull_requests` for what the result at `seq` tells of. `call`: what it answers. They go when the event goes.
// Writer thread only. Throws ErrorException, as the next one does.
void save_pull_requests(sqlite::Database& db, EventRows& events, const SessionWork& session, const OpenCall& call,
                        const Event& result, std::int64_t seq);
// For the event "pr_link": an agent's own record of a pull request of the session.
void save_linked_pull_request(sqlite::Database& db, EventRows& events, const SessionWork& session, const Event& link,
                              std::int64_t seq);

}  // namespace memd::assembly
