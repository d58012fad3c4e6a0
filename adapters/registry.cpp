#include "adapters/registry.hpp"

#include <array>
#include <utility>

namespace memd {

std::span<const Adapter* const> all_adapters() {
  static const auto table = std::to_array<const Adapter*>({
      &claude_code::adapter(),
      &cursor::adapter(),
      &cline::adapter(),
      &codex::adapter(),
      &grok::adapter(),
      &opencode::adapter(),
      &gemini::adapter(),
      &events_v1::thunderus_adapter(),
      &events_v1::imported_adapter(),
  });
  return table;
}

const Adapter* find_adapter(Platform platform) {
  for (const Adapter* a : all_adapters())
    if (a->describe().platform == platform) return a;
  return nullptr;
}

std::optional<std::string> take_text(EventBatch& batch, EventKind kind, std::uint16_t block) {
  for (Event& e : batch.events)
    if (e.kind == kind && e.raw.block == block) return std::move(e.text.empty() ? e.summary : e.text);
  return std::nullopt;
}

std::optional<std::string> decoded_text(RecordDecoder& decoder, std::string_view record, EventKind kind,
                                        std::uint16_t block) {
  EventBatch batch;
  decoder.decode({record, 1, false}, batch);  // not at offset 0: no session is introduced
  return take_text(batch, kind, block);
}

}  // namespace memd
