#include "store/search/words/query_parser.hpp"
#include "test/fuzz/fuzz_target.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// Any bytes are a valid query: its words are valid text without control characters, and its filters are valid.
MEMD_FUZZ_TARGET(query) {
  const auto query = memd::search::parse_query({reinterpret_cast<const char*>(data), size}, 1'770'000'000'000);
  for (const auto* pieces : {&query.wanted, &query.excluded})
    for (const auto& piece : *pieces) {
      if (piece.text.find_first_not_of(' ') == std::string::npos) std::abort();
      for (const char c : piece.text)
        if (static_cast<unsigned char>(c) < 0x20 || c == '"') std::abort();
    }
  if (query.preferred && query.preferred->start >= query.preferred->end) std::abort();
  return 0;
}
