#pragma once

#include "schemas/ids.hpp"
#include "schemas/query.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {
struct SearchHit;
}

namespace memd::search {

// A file that a question names, and the exchanges that changed it.
struct AskedFile {
  std::string name;                 // as in the question
  std::vector<ExchangeId> changed;  // the newest 200 exchanges that changed it
  std::int64_t exchanges = 0;       // all that changed it
};

// Returns the first file that a question names and an agent has changed.
struct AskedFileQuery {
  std::string_view question;
  QueryFilter filter{};
  using Answer = std::optional<AskedFile>;
  Answer run(sqlite::Database& db) const;
};

// Raises the score of hits that changed the file, and sorts the hits again.
void rank_up(std::vector<SearchHit>& hits, const AskedFile& file);

}  // namespace memd::search
