#pragma once

#include "adapters/adapter.hpp"
#include "schemas/ids.hpp"

#include <string>

namespace memd::test {

// A platform whose records are plain lines; each becomes one user message. A line starting with '!' is of unknown kind.
// A line is complete without its newline if it ends with '}'.
class LineAdapter final : public Adapter {
 public:
  explicit LineAdapter(Platform platform = Platform::thunderus) {
    description_.platform = platform;
    description_.adapter_version = "test-1";
  }
  const AdapterDescription& describe() const override { return description_; }
  std::vector<std::filesystem::path> roots(const HomeLayout& home) const override {
    return home.override_roots.empty() ? std::vector{home.home / "lines"} : home.override_roots;
  }
  std::optional<SourceCandidate> classify(const std::filesystem::path&,
                                          const std::filesystem::path& file) const override {
    if (file.extension() == ".jsonl") return SourceCandidate{description_.platform, file.string(), SourceFormat::jsonl};
    if (file.extension() == ".json") return SourceCandidate{description_.platform, file.string(), SourceFormat::json};
    return std::nullopt;
  }
  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    return make_session_uid(description_.platform, std::filesystem::path(source.path).stem().string());
  }
  std::unique_ptr<RecordDecoder> open(const Source& source) const override {
    return std::make_unique<Decoder>(source.session_uid, description_.platform);
  }
  std::optional<std::string> event_text(std::string_view record, EventKind, std::uint16_t) const override {
    return std::string(record);
  }

 private:
  class Decoder final : public RecordDecoder {
   public:
    Decoder(std::string uid, Platform platform) : uid_(std::move(uid)), platform_(platform) {}
    void decode(const RawRecord& r, EventBatch& out) override {
      const std::uint64_t bytes = r.bytes.size() + (r.newline_follows ? 1 : 0);
      if (r.bytes.empty()) return out.cover("(blank)", Disposition::skipped, "blank", bytes);
      if (r.bytes.front() == '!') return out.cover("strange", Disposition::unknown, "", bytes);
      out.cover("line", Disposition::indexed, "", bytes);
      Event e;
      e.session_uid = uid_;
      e.event_id = record_key(platform_, uid_ + "/" + std::string(r.bytes));
      e.time = 1'770'000'000'000;
      e.kind = EventKind::user_msg;
      e.role = Role::user;
      e.origin = Origin::typed;
      e.starts_exchange = true;
      e.text = r.bytes;
      e.raw = {r.offset, static_cast<std::uint32_t>(r.bytes.size()), 0};
      out.events.push_back(std::move(e));
    }
    bool is_complete(std::string_view bytes) const override { return !bytes.empty() && bytes.back() == '}'; }

   private:
    std::string uid_;
    Platform platform_;
  };
  AdapterDescription description_;
};

}  // namespace memd::test
