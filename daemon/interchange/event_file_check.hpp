#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace memd::interchange {

// A problem in a line of an events.v1 file. Names fields, never values.
struct LineProblem {
  std::int64_t line = 0;  // from 1
  bool refused = false;   // true: the whole line is rejected; false: its event is accepted without the field
  std::string reason;     // DiagnosticType, or "unknown_version"
  std::string field;      // "ts", "body.usage"; may be empty
};

struct EventFileCheck {
  std::string path;
  std::uint64_t bytes = 0;
  std::int64_t lines = 0;     // non-empty lines
  std::int64_t events = 0;    // acceptable events
  std::int64_t sessions = 0;  // lines with facts about a session
  std::int64_t derived = 0;   // lines that are skipped because memd derives them itself
  std::int64_t refused = 0;
  std::vector<LineProblem> problems;  // the first kMostProblems
  std::int64_t problems_total = 0;
};
inline constexpr std::size_t kMostProblems = 200;

// Reads the whole file line by line, as ingest would, and stores nothing. Returns an error only for the file, not for
// its lines. May be called on any thread, which also calls `progress` (bytes).
Result<EventFileCheck> check_event_file(const std::string& path,
                                        const std::function<void(double done, double total)>& progress = {});

}  // namespace memd::interchange

MEMD_DESCRIBE(memd::interchange::LineProblem, field<&T::line>("Line of the file, from 1."),
              field<&T::refused>("Nothing of it is taken."), field<&T::reason>(),
              field<&T::field>("Where; empty: the line as a whole."));
MEMD_DESCRIBE(memd::interchange::EventFileCheck, plain<&T::path, &T::bytes>(),
              field<&T::lines>("Lines that are not empty."), field<&T::events>(),
              field<&T::sessions>("Lines of facts about a session."),
              field<&T::derived>("Lines left out because memd concludes them itself."),
              field<&T::refused>("Lines that cannot be ingested."),
              field<&T::problems>("What is wrong, the first of it."), field<&T::problems_total>("How much is wrong."));
