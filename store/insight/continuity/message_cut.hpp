#pragma once

#include "store/insight/continuity/session_past.hpp"

namespace memd::continuity {

// The columns of an exchange hold the texts of all its messages, also of those behind the boundary. Takes what came
// behind out of the last exchange, and cuts all into messages (SessionPast::texts). A message of the past may come out
// short where two begin alike, one of the future never comes in.
void cut_messages(sqlite::Database& db, std::int64_t session_pk, SessionPast& past);

}  // namespace memd::continuity
