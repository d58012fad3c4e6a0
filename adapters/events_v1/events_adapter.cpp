#include "adapters/events_v1/events_adapter.hpp"

#include "adapters/events_v1/record_decoder.hpp"

namespace memd::events_v1 {

std::string EventsAdapter::session_uid(const SourceCandidate& source, std::string_view head) const {
  (void)source, (void)head;
  return {};
}

std::string EventsAdapter::directory_of(const std::filesystem::path& source) const {
  (void)source;
  return {};
}

std::unique_ptr<RecordDecoder> EventsAdapter::open(const Source& source) const {
  return std::make_unique<Decoder>(description_.platform, directory_of(source.path));
}

std::optional<std::string> EventsAdapter::event_text(std::string_view record, EventKind kind,
                                                     std::uint16_t block) const {
  Decoder decoder(description_.platform, {}, json::Detail::full);
  EventBatch batch;
  decoder.decode({record, 0, false}, batch);
  return take_text(batch, kind, block);
}

}  // namespace memd::events_v1
