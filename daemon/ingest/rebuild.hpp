#pragma once

#include "adapters/adapter.hpp"
#include "schemas/error.hpp"
#include "store/db/store_layout.hpp"
#include "store/seal/cipher.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

using FindAdapter = std::function<const Adapter*(Platform)>;

struct RebuildReport {
  std::uint64_t files = 0;
  std::uint64_t slices = 0;
  std::uint64_t bytes = 0;  // of records
  std::uint64_t events = 0;
  std::uint64_t damaged_bytes = 0;   // of raw files that could not be read
  std::vector<std::string> damages;  // the first of them, by file and offset
  std::uint64_t unsupported = 0;     // slices of platforms that this memd does not read
};
using OnRebuildProgress = std::function<void(double done, double total, std::string_view what)>;

// Makes the whole store anew from the raw layer alone. The new file is written beside the old one and takes its place
// in one step once it is complete. For the holder of the instance lock. Errc::not_found when there is no raw layer,
// Errc::bad_config when a part of it is sealed with a key that `cipher` is not.
Result<RebuildReport> rebuild_store(const StoreLayout& layout, const FindAdapter& find,
                                    const OnRebuildProgress& on_progress = {},
                                    const std::shared_ptr<seal::LazyCipher>& cipher = {});

}  // namespace memd
