#pragma once

#include "schemas/memory.hpp"
#include "schemas/query.hpp"
#include "store/db/database.hpp"
#include "store/harvest/recap_sections.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace memd::harvest {

// Returns the recap of a local day in the repository dialect, id "recap.2026-02-09": the stored data of that day for
// each section, then the provenance. nullopt if nothing happened.
struct RecapQuery {
  std::int64_t day = 0;  // local_day()
  QueryFilter filter;    // its times are ignored
  std::filesystem::path project{};
  std::vector<RecapSection> sections{kAllRecapSections.begin(), kAllRecapSections.end()};

  using Answer = std::optional<Memory>;
  Answer run(sqlite::Database& db) const;
};

}  // namespace memd::harvest
