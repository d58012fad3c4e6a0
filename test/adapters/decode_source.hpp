#pragma once

#include "adapters/adapter.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memd::test {

inline std::uint64_t bytes_of(const std::vector<CoverageEntry>& ledger) {
  std::uint64_t sum = 0;
  for (const auto& line : ledger)
    sum += line.bytes;
  return sum;
}

struct Decoded {
  Source source;
  std::uint64_t bytes = 0;
  EventBatch batch;
};

// Decodes all of `content` as the file at `path`, line by line as ingest does. The last line needs no newline.
inline Decoded decode_source(const Adapter& adapter, const SourceCandidate& candidate, const std::string& content) {
  Decoded result;
  result.bytes = content.size();
  result.source.platform = candidate.platform;
  result.source.path = candidate.path;
  result.source.format = candidate.format;
  result.source.session_uid = adapter.session_uid(candidate, std::string_view(content).substr(0, kHeadBytes));
  const auto decoder = adapter.open(result.source);
  std::string padded = content;
  padded.resize(content.size() + kRecordPadding, ' ');
  const std::string_view text(padded.data(), content.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto newline = candidate.format == SourceFormat::json ? std::string_view::npos : text.find('\n', at);
    const bool follows = newline != std::string_view::npos;
    const auto end = follows ? newline : text.size();
    decoder->decode({text.substr(at, end - at), at, follows}, result.batch);
    at = end + (follows ? 1 : 0);
  }
  return result;
}

}  // namespace memd::test
