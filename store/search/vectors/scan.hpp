#pragma once

#include "schemas/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

// What a scan of vectors is asked for, and what it finds.
namespace memd::vectors {

// Fetches the current chunks of an exchange from the store: chunks × dimension signed bytes; empty when it has none.
using StoredCodes = std::function<void(ExchangeId, std::vector<std::int8_t>&)>;

struct Neighbour {
  ExchangeId exchange = 0;
  int chunk = 0;  // the nearest one of the exchange
  float cosine = 0;
};

struct ScanRequest {
  std::span<const float> query;                     // of unit length, of the model's dimension
  std::size_t count = 100;                          // exchanges; 0: scans nothing and looks up only `also`
  ExchangeId first = 0;                             // inclusive; exchanges outside first…last are skipped
  ExchangeId last = INT64_MAX;                      // inclusive
  const std::function<bool(ExchangeId)>* passes{};  // called before an exchange is kept; null: all pass
  std::span<const ExchangeId> also{};               // exchanges whose cosines are returned at any rank
  const StoredCodes* stored{};                      // for rows whose codes are not in memory; null: skips these rows
};

struct ScanResult {
  std::vector<Neighbour> nearest;  // best first, one per exchange
  std::vector<float> also;         // highest cosine of each of request.also; NaN: no vector
  std::vector<int> also_chunks;    // nearest chunk of each; meaningless without a vector
  double mean = 0;                 // of the cosines of the chunks scanned, or of a sample
  double deviation = 0;
  std::int64_t scanned = 0;  // number of chunks
};

}  // namespace memd::vectors
