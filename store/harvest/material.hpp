#pragma once

#include "schemas/file_history.hpp"
#include "schemas/ids.hpp"
#include "schemas/observation.hpp"
#include "schemas/query.hpp"
#include "store/db/database.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::harvest {

// What a memory may be made of, as people name it: "x42" an exchange, "o99" an observation, "d99" the same of a
// decision.
struct HistoryRef {
  ExchangeId exchange = 0;
  std::int64_t observation = 0;  // 0: none in particular
};
std::optional<HistoryRef> parse_history_ref(std::string_view text);
std::string format_observation_id(std::int64_t id);  // "o99"

// An event that a memory can be traced back to.
struct MaterialEvent {
  std::int64_t seq = 0;
  std::uint64_t id = 0;
  bool is_edit = false;
};

// An exchange with all that a memory of it can tell.
struct Material {
  ExchangeRow exchange;
  std::vector<Observation> observations;  // in the order of their events
  std::optional<std::size_t> told;        // the one that was asked for
  std::vector<std::string> files;         // that were changed, as they are stored
  std::vector<CommitRow> commits;         // of the exchange, else the first one of the next three
  bool tests_passed = false;              // in the exchange
  std::vector<MaterialEvent> events;      // in order: the first, those of the observations, edits
};

// not_found when there is none of this id.
struct MaterialQuery {
  HistoryRef of;

  using Answer = Material;
  Answer run(sqlite::Database& db) const;
  static Error without_store() { return Error(Errc::not_found, "nothing has been read yet"); }
};

// The paths as they stand below one of the roots: relative to the first that holds them, else whole.
std::vector<std::string> relative_files(const std::vector<std::string>& files, const std::filesystem::path& project,
                                        const std::string& working_directory);

}  // namespace memd::harvest
