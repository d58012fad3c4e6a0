#pragma once

#include "schemas/ids.hpp"
#include "store/db/database.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Reads and writes the rows that an evicted session keeps in the store and in the raw layer. Writer thread only, inside
// its transaction. Functions throw ErrorException.
namespace memd::retention {

// Length in bytes to which a prompt or a final answer is cut. The cut is at the end of a line if one ends in the second
// half, and is marked with an ellipsis.
inline constexpr std::size_t kKeptBytes = 400;
std::string first_lines(std::string_view text);

struct Freed {
  std::int64_t exchanges = 0;  // exchanges whose texts were cut to their first lines
  std::int64_t events = 0;
};

// Deletes a session's events, texts and vectors. Its exchanges keep their first lines, figures, files and tools, and
// can be found by these lines (DataCompleteness::metadata_only). Observations, commits and pull requests stay
// unchanged. A title derived from the first prompt is stored in the row.
Freed keep_first_lines(sqlite::Database& db, std::int64_t session_pk);

// Serialises everything that is kept of an evicted session, for the raw layer, so that a rebuild can restore it.
std::string record_of(sqlite::Database& db, std::string_view session_uid);

// Inserts the rows of a record into a store that does not contain the session. Returns the keys of its exchanges;
// returns none if the record cannot be read.
std::vector<ExchangeId> restore_rows(sqlite::Database& db, std::string_view record);

}  // namespace memd::retention
