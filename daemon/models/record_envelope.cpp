#include "daemon/models/record_envelope.hpp"

#include "schemas/hash.hpp"

#include <fmt/format.h>

namespace memd::llm {

std::string enclosed(std::string_view text, std::uint64_t secret) {
  std::uint64_t hash = hash64(text, secret);
  std::string tag = fmt::format("{:016x}", hash);
  while (text.find(tag) != std::string_view::npos) {
    hash = hash_combine(hash, secret);
    tag = fmt::format("{:016x}", hash);
  }
  return fmt::format("{}{}>>>\n{}\n{}{}>>>\n", kRecordMark, tag, text, kEndMark, tag);
}

}  // namespace memd::llm
