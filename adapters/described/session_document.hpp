#pragma once

#include "adapters/described/description.hpp"
#include "adapters/sqlite/query_sessions.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace memd::described {

// Sessions that one document holds: a file, or a row of a database.
struct TakenApart {
  enum class State : std::uint8_t { whole, unfinished, broken };
  std::vector<sqlite::SessionQueries::Parts> sessions;
  std::uint64_t unread = 0;   // bytes of members of sessions that the description does not name
  std::uint64_t damaged = 0;  // bytes behind a place that is no JSON
  State state = State::whole;
  bool is_other = false;  // it has not what the description says
};

// Takes a document apart as its description says. A record is one line of JSON with "@session", the members that tell
// when the session began and whose it is, and "@key" where the record has no id of its own. What is no object is in
// "@value". The head has the members that the description reads. `named`: the id of the session of a file; may be
// empty.
TakenApart take_apart(const SourceRule& source, std::string_view document, std::string_view named);

}  // namespace memd::described
