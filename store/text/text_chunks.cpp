#include "store/text/text_chunks.hpp"

#include "schemas/hash.hpp"
#include "store/text/text_cutter.hpp"

#include <algorithm>

namespace memd::enrichment {
namespace {

// A question and the beginning of its answer say more together than apart.
constexpr std::size_t kShortPrompt = kChunkBytes * 2 / 3;

void append(std::vector<TextChunk>& out, std::string_view text) {
  for (const std::string_view stretch : cut(text, kChunkBytes))
    out.push_back({std::string(stretch), hash64(stretch)});
}

}  // namespace

std::vector<TextChunk> chunks_of(const ExchangeRow& exchange) {
  const std::string_view response = exchange.assistant_response;
  const auto offset = static_cast<std::size_t>(
      std::clamp<std::int64_t>(exchange.answer_offset, 0, static_cast<std::int64_t>(response.size())));
  std::vector<TextChunk> out;
  if (exchange.user_message.size() <= kShortPrompt) {
    append(out, exchange.user_message + "\n\n" + std::string(response.substr(offset)));
  } else {
    append(out, exchange.user_message);
    append(out, response.substr(offset));
  }
  append(out, exchange.interventions);
  append(out, response.substr(0, offset));
  return out;
}

}  // namespace memd::enrichment
