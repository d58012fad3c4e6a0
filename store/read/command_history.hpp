#pragma once

#include "schemas/ids.hpp"
#include "schemas/query.hpp"
#include "store/db/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memd {

// All but the counts is of the last run.
struct CommandRuns {
  std::string directory;  // empty: unknown
  std::int64_t times = 0;
  std::int64_t failures = 0;
  bool failed = false;
  std::optional<std::int32_t> exit_code;  // nullopt: the agent does not say
};

// A command line that agents ran, once or repeatedly.
struct PastCommand : CommandRuns {
  std::string line;
  TimeMs last = 0;
  std::string result;  // one line; empty: none is stored
  std::int64_t session_pk = 0;
  std::int64_t seq = 0;         // of the call
  std::int64_t result_seq = 0;  // 0: none is stored
  ExchangeId exchange = 0;
  std::string session_uid;
  Platform platform{};
};

// Lists commands that contain all the words, whatever their case: those that begin with them or have a part that does
// ("cd src && go test") before others, and of each the one that ran last first. `failed`: only runs that failed, of
// which the words may also be in the result.
struct CommandHistoryQuery {
  QueryFilter filter;
  std::vector<std::string> words;
  bool failed = false;
  std::int64_t limit = 20;

  struct Found {
    std::vector<PastCommand> commands;
    std::int64_t total = 0;  // with those beyond the limit
  };
  using Answer = Found;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd
