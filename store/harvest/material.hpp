#pragma once

#include "schemas/base/result.hpp"
#include "schemas/exchange_name.hpp"
#include "schemas/exchange_row.hpp"
#include "schemas/file_history.hpp"
#include "schemas/ids.hpp"
#include "schemas/observation.hpp"
#include "store/db/database.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::harvest {

// The id of something that a memory can be made of: "x42" or "claude_code:…#3" an exchange, "o99" an observation, "d99"
// the same for a decision.
struct HistoryRef {
  ExchangeId exchange = 0;
  std::int64_t observation = 0;        // 0: the whole exchange
  std::optional<ExchangeName> name{};  // instead of `exchange`
};
std::optional<HistoryRef> parse_history_ref(std::string_view text);
std::string format_observation_id(std::int64_t id);  // "o99"

// An event in the provenance of a memory.
struct MaterialEvent {
  std::int64_t seq = 0;
  std::uint64_t id = 0;
  bool is_edit = false;
  // The event of its record: another one if memd concluded this event from that one.
  std::int64_t record_seq = 0;
  std::uint64_t record_id = 0;
  // The ids in the log of the program that wrote it; empty: memd's own ids are those of `memd export`.
  std::string log_id{};
  std::string log_patch_id{};
};

// An exchange with everything that a memory of it can contain.
struct Material {
  ExchangeRow exchange;
  std::vector<Observation> observations;  // in the order of their events
  std::optional<std::size_t> told;        // the requested one
  std::vector<std::string> files;         // changed files, as stored
  std::vector<CommitRow> commits;         // of the exchange, else the first commit of the next three exchanges
  bool tests_passed = false;              // in the exchange
  std::vector<MaterialEvent> events;      // in order: the first event, those of the observations, edits
};

// Returns not_found when there is no such id.
struct MaterialQuery {
  HistoryRef of;

  using Answer = Material;
  Answer run(sqlite::Database& db) const;
  static Error without_store();
};

// Returns each path relative to the first root that contains it, otherwise unchanged.
std::vector<std::string> relative_files(const std::vector<std::string>& files, const std::filesystem::path& project,
                                        const std::string& working_directory);

}  // namespace memd::harvest
