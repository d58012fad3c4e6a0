#pragma once

#include "adapters/adapter.hpp"

namespace memd::events_v1 {

// Reads events.v1 files, whoever wrote them. Has no roots but configured ones.
class EventsAdapter : public Adapter {
 public:
  explicit EventsAdapter(AdapterDescription description) : description_(std::move(description)) {}

  const AdapterDescription& describe() const override { return description_; }
  std::vector<std::filesystem::path> roots(const HomeLayout& home) const override { return home.override_roots; }
  // Each line names its session.
  std::string session_uid(const SourceCandidate& source, std::string_view head) const override;
  std::unique_ptr<RecordDecoder> open(const Source& source) const override;
  std::optional<std::string> event_text(std::string_view record, EventKind kind, std::uint16_t block) const override;

 protected:
  // Where the events of a source happened if they do not say; empty: not known.
  virtual std::string directory_of(const std::filesystem::path& source) const;

 private:
  AdapterDescription description_;
};

}  // namespace memd::events_v1
