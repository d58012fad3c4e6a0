#pragma once

#include "adapters/adapter.hpp"
#include "schemas/ids.hpp"

#include <string>

namespace memd::test {

// A platform whose records are plain lines; each becomes one user message. A line starting with '!' is of an unknown
// kind. A line without its newline is complete if it ends with '}'. Directories named "private" are skipped.
// "x.jsonl-part" is a companion file of "x.jsonl". A root that ends with ".jsonl" is a single file.
class LineAdapter : public Adapter {
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
    if (file.extension() == ".jsonl-part") {
      const std::string path = file.string();
      return SourceCandidate{description_.platform, path.substr(0, path.size() - 5), SourceFormat::jsonl};
    }
    if (file.extension() == ".jsonl" || file.native().ends_with(".jsonl.zst"))
      return SourceCandidate{description_.platform, file.string(), SourceFormat::jsonl};
    if (file.extension() == ".json") return SourceCandidate{description_.platform, file.string(), SourceFormat::json};
    return std::nullopt;
  }
  bool looks_into(const std::filesystem::path&, const std::filesystem::path& directory) const override {
    return directory.filename() != "private";
  }
  std::string session_uid(const SourceCandidate& source, std::string_view) const override {
    const std::string name = std::filesystem::path(source.path).filename().string();
    return make_session_uid(description_.platform, name.substr(0, name.find('.')));
  }
  std::unique_ptr<RecordDecoder> open(const Source& source) const override {
    return std::make_unique<Decoder>(source.session_uid, description_.platform);
  }
  std::optional<std::string> event_text(std::string_view record, EventKind, std::uint16_t) const override {
    return std::string(record);
  }

 protected:
  AdapterDescription description_;

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
};

}  // namespace memd::test
