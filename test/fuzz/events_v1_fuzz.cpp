#include "adapters/adapter.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

// Any bytes as a file of events: no crash, and the ledger holds every byte.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace memd;
  static const Adapter& adapter = *find_adapter(Platform::imported);
  Source source;
  source.platform = Platform::imported;
  source.path = "/home/ada/handed-over.jsonl";
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string bytes(input);
  bytes.resize(input.size() + kRecordPadding, ' ');
  const std::string_view text(bytes.data(), input.size());
  const auto decoder = adapter.open(source);
  EventBatch batch;
  for (std::size_t at = 0; at < text.size();) {
    const auto newline = text.find('\n', at);
    const bool follows = newline != std::string_view::npos;
    const auto line = text.substr(at, follows ? newline - at : std::string_view::npos);
    (void)decoder->is_complete(line);
    decoder->decode({line, at, follows}, batch);
    at += line.size() + (follows ? 1 : 0);
  }
  std::uint64_t covered = 0;
  for (const auto& entry : batch.coverage)
    covered += entry.bytes;
  if (covered != text.size()) std::abort();
  for (const Event& e : batch.events) {
    if (e.raw.offset + e.raw.length > text.size()) std::abort();
    (void)adapter.event_text(text.substr(e.raw.offset, e.raw.length), e.kind, e.raw.block);
  }
  return 0;
}
