#include "test/adapters/batch_json.hpp"
#include "test/adapters/opencode_case.hpp"
#include "test/support/golden_file.hpp"

#include <gtest/gtest.h>

// Decodes each golden database and file tree of opencode and its forks. The test writes the databases first.
namespace memd {
namespace {

class OpencodeGolden : public testing::TestWithParam<Platform> {
 protected:
  const Adapter& adapter_ = *find_adapter(GetParam());
  const std::vector<test::OpencodeCase> cases_ = test::opencode_cases(to_string(GetParam()));
};

TEST_P(OpencodeGolden, EveryCaseDecodesAsWritten) {
  ASSERT_FALSE(cases_.empty());
  for (const auto& c : cases_) {
    SCOPED_TRACE(c.folder.filename());
    const test::TempDir data;
    test::lay_out(c, data.path());
    const DiskView files;
    const auto sources = test::opencode_sources(adapter_, data.path());
    ASSERT_EQ(sources.size(), 1u);
    const auto snapshot = test::decode_snapshot(adapter_, sources.front(), files);
    std::string got;
    std::uint64_t rest = 0;
    EventBatch others;
    for (const auto& line : snapshot.plan.rest) {
      if (line.records != 0) others.cover(line.record_type, line.disposition, line.reason, line.bytes, line.records);
      rest += line.bytes;
    }
    for (const auto& [uid, session] : snapshot.sessions)
      got.append(test::batch_json(session.batch));
    got.append(test::batch_json(others));
    EXPECT_EQ(snapshot.item_bytes + rest, snapshot.plan.size);
    EXPECT_EQ(got.find("secret-token"), std::string::npos);
    test::expect_golden(c.folder / "events.json", got);
  }
}

// The stored text of each event can be read again from its item.
TEST_P(OpencodeGolden, EventTextFindsEveryEventAgain) {
  std::size_t found = 0;
  for (const auto& c : cases_) {
    SCOPED_TRACE(c.folder.filename());
    const test::TempDir data;
    test::lay_out(c, data.path());
    const DiskView files;
    const auto candidate = test::opencode_sources(adapter_, data.path()).front();
    const auto snapshot = test::decode_snapshot(adapter_, candidate, files);
    Source source;
    source.path = candidate.path;
    const auto reader = adapter_.open_snapshot(source, files);
    for (const auto& [uid, session] : snapshot.sessions) {
      for (const Event& e : session.batch.events) {
        auto item = reader->item(uid.substr(uid.find(':') + 1), session.keys.at(e.raw.offset - 1));
        ASSERT_TRUE(item);
        EXPECT_EQ(item->size(), e.raw.length);
        const std::size_t size = item->size();
        item->resize(size + kRecordPadding, ' ');
        const auto text = adapter_.event_text(std::string_view(item->data(), size), e.kind, e.raw.block);
        ASSERT_TRUE(text.has_value());
        EXPECT_TRUE(text->starts_with(e.text) || e.kind == EventKind::lifecycle) << e.text;
        ++found;
      }
    }
  }
  EXPECT_GT(found, cases_.size() * 5);
}

INSTANTIATE_TEST_SUITE_P(Forks, OpencodeGolden, testing::Values(Platform::opencode, Platform::kilo),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace memd
