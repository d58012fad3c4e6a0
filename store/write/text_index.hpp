#pragma once

#include "store/db/database.hpp"

#include <string>
#include <string_view>

namespace memd::assembly {

// Takes the texts of exchanges out of exchanges_fts before their rows go. It has its content outside: it must be told
// the old text exactly to forget it. `which` is a condition with `values` for its ?1, ?2, …
template <class... Values>
void forget_texts(sqlite::Database& db, std::string_view which, const Values&... values) {
  db.prepare(
        "INSERT INTO exchanges_fts (exchanges_fts, rowid, user_message, interventions, assistant_response, tool_text)"
        " SELECT 'delete', exchange_pk, coalesce(user_message, ''), coalesce(interventions, ''),"
        " coalesce(assistant_response, ''), coalesce(tool_text, '') FROM exchanges WHERE " +
        std::string(which))
      .bind(values...)
      .run();
}

}  // namespace memd::assembly
