#include "adapters/adapter.hpp"

#include "adapters/snapshot_reader.hpp"

#include <utility>

namespace memd {

std::vector<std::filesystem::path> HomeLayout::places(const char* variable,
                                                      const std::filesystem::path& otherwise) const {
  std::vector<std::filesystem::path> out{otherwise};
  if (auto named = directory_of ? directory_of(variable) : std::filesystem::path();
      !named.empty() && named != otherwise)
    out.insert(out.begin(), std::move(named));
  return out;
}

std::vector<std::filesystem::path> HomeLayout::roots_in(const char* variable, std::string_view otherwise,
                                                        std::string_view directory) const {
  if (!override_roots.empty()) return override_roots;
  std::vector<std::filesystem::path> roots = places(variable, home / otherwise);
  for (auto& root : roots)
    root /= directory;
  return roots;
}

std::unique_ptr<SnapshotReader> Adapter::open_snapshot(const Source& /*source*/, const FileView& /*files*/) const {
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
  decoder.decode({record, 1, false}, batch);  // offset other than 0: no session is introduced
  return take_text(batch, kind, block);
}

}  // namespace memd
