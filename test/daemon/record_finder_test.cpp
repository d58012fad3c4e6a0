#include "daemon/ingest/record_finder.hpp"

#include "test/support/scripted_adapter.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace memd {
namespace {

// Counts how often its source is opened.
class OpenCountingAdapter final : public Adapter {
 public:
  const AdapterDescription& describe() const override { return scripted_.describe(); }
  std::vector<std::filesystem::path> roots(const HomeLayout& home) const override { return scripted_.roots(home); }
  std::optional<SourceCandidate> classify(const std::filesystem::path&, const std::filesystem::path&) const override {
    return std::nullopt;
  }
  std::string session_uid(const SourceCandidate&, std::string_view) const override { return {}; }
  std::unique_ptr<RecordDecoder> open(const Source& of) const override { return scripted_.open(of); }
  std::unique_ptr<SnapshotReader> open_snapshot(const Source&, const FileView&) const override {
    ++opened;
    return std::make_unique<test::ScriptedReader>(source, Platform::cline);
  }
  std::optional<std::string> event_text(std::string_view, EventKind, std::uint16_t) const override { return {}; }

  mutable test::ScriptedSource source;
  mutable int opened = 0;

 private:
  test::ScriptedAdapter scripted_{source, Platform::cline};
};

EventSource place(const std::string& path, SourceFormat format, const std::string& item) {
  return {{Platform::cline, path, format, "cline:s"}, SourceState::active, 1, {}, item};
}

TEST(ItemWalk, ReadsADocumentOnceAndADatabaseForEachItem) {
  OpenCountingAdapter adapter;
  for (int i = 0; i < 20; ++i)
    adapter.source.add("s", "k" + std::to_string(i), "user;text=" + std::to_string(i));
  ItemWalk documents;
  for (int i = 0; i < 20; ++i) {
    const auto bytes = documents.read(adapter, place("/a.json", SourceFormat::json, "k" + std::to_string(i)));
    ASSERT_TRUE(bytes) << bytes.error().message();
    EXPECT_TRUE(bytes->starts_with("user;text=" + std::to_string(i) + ";"));
    EXPECT_TRUE(bytes->ends_with(std::string(kRecordPadding, '\0')));
  }
  EXPECT_EQ(adapter.opened, 1);
  ASSERT_TRUE(documents.read(adapter, place("/b.json", SourceFormat::json, "k1")));
  EXPECT_EQ(adapter.opened, 2) << "another source";

  ItemWalk databases;
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(databases.read(adapter, place("/a.db", SourceFormat::sqlite, "k1")));
  EXPECT_EQ(adapter.opened, 7);
}

TEST(ItemWalk, OpensADocumentAnewAfterAnError) {
  OpenCountingAdapter adapter;
  adapter.source.add("s", "k", "user;text=x");
  ItemWalk walk;
  adapter.source.be_busy(1);
  EXPECT_TRUE(walk.read(adapter, place("/a.json", SourceFormat::json, "k")).error().is(Errc::busy));
  EXPECT_TRUE(walk.read(adapter, place("/a.json", SourceFormat::json, "k")));
  EXPECT_EQ(adapter.opened, 2);
}

}  // namespace
}  // namespace memd
