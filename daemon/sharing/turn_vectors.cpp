#include "daemon/sharing/turn_vectors.hpp"

#include "store/enrich/embedding/embedder.hpp"
#include "store/search/vectors/codes.hpp"
#include "store/text/text_chunks.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace memd::sharing {

TeamVectors vectors_of(const ExchangeRow& exchange) {
  constexpr std::size_t kMostVectors = 64;
  TeamVectors out;
  for (const auto& chunk : enrichment::chunks_of(exchange)) {
    if (out.size() == kMostVectors) break;
    std::vector<std::int8_t> vector;
    vectors::append_quantised(embedding::builtin_embedder().table().embed(chunk.text), vector);
    if (vectors::inverse_length(vector) > 0) out.push_back(std::move(vector));
  }
  return out;
}

}  // namespace memd::sharing
