#pragma once

#include "schemas/ids.hpp"
#include "store/db/database.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The rows that an evicted session keeps, in the store and in the raw layer. Writer thread only, inside its
// transaction. Functions throw ErrorException.
namespace memd::retention {

// What is kept of a prompt, and of a final answer: whole lines up to this many bytes.
inline constexpr std::size_t kKeptBytes = 400;
std::string first_lines(std::string_view text);

struct Freed {
  std::int64_t exchanges = 0;  // whose texts were cut to their first lines
  std::int64_t events = 0;
};

// Takes a session's events, texts and vectors. Its exchanges stay with their first lines, figures, files and tools,
// found by these lines (DataCompleteness::metadata_only); observations, commits and pull requests stay as they are. A
// title that follows from the first prompt is written down.
Freed keep_first_lines(sqlite::Database& db, std::int64_t session_pk);

// All that is kept of an evicted session, for the raw layer, so that a rebuild has it too.
std::string record_of(sqlite::Database& db, std::string_view session_uid);

// Puts the rows of a record into a store that does not know the session. Returns the keys of its exchanges. A record
// that cannot be read gives nothing.
std::vector<ExchangeId> restore_rows(sqlite::Database& db, std::string_view record);

}  // namespace memd::retention
