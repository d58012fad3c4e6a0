#include "test/adapters/batch_json.hpp"
#include "test/adapters/gemini_case.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

// What each golden chat decodes to. MEMD_UPDATE_GOLDEN=1 or --update-golden writes the answers anew; read the
// difference before committing it.
namespace memd {
namespace {

bool update_golden() {
  if (std::getenv("MEMD_UPDATE_GOLDEN") != nullptr) return true;
  for (const auto& arg : testing::internal::GetArgvs())
    if (arg == "--update-golden") return true;
  return false;
}

const Adapter& gemini_golden_gemini() { return *find_adapter(Platform::gemini); }

TEST(GeminiGolden, EveryCaseDecodesAsWritten) {
  const auto cases = test::gemini_cases(gemini_golden_gemini());
  ASSERT_GE(cases.size(), 10u);
  for (const auto& c : cases) {
    SCOPED_TRACE(c.folder.filename());
    auto snapshot = test::decode_snapshot(gemini_golden_gemini(), c.candidate, c.files);
    ASSERT_EQ(snapshot.sessions.size(), 1u);
    EventBatch batch = std::move(snapshot.sessions.begin()->second.batch);
    for (const auto& line : snapshot.plan.rest)
      if (line.records != 0) batch.cover(line.record_type, line.disposition, line.reason, line.bytes, line.records);
    std::uint64_t bytes = 0;
    for (const auto& line : batch.coverage)
      bytes += line.bytes;
    EXPECT_EQ(bytes, c.input.size());
    EXPECT_EQ(snapshot.plan.size, c.input.size());
    const std::string got = test::batch_json(batch);
    if (update_golden()) std::ofstream(c.folder / "events.json", std::ios::binary) << got;
    EXPECT_EQ(got, test::read_file(c.folder / "events.json"));
  }
}

// What the store keeps of each event can be read again from its item.
TEST(GeminiGolden, EventTextFindsEveryEventAgain) {
  std::size_t found = 0;
  for (const auto& c : test::gemini_cases(gemini_golden_gemini())) {
    SCOPED_TRACE(c.folder.filename());
    const auto snapshot = test::decode_snapshot(gemini_golden_gemini(), c.candidate, c.files);
    Source source;
    source.path = c.candidate.path;
    const auto reader = gemini_golden_gemini().open_snapshot(source, c.files);
    const auto& session = snapshot.sessions.begin()->second;
    for (const Event& e : session.batch.events) {
      auto item = reader->item(session.uid.substr(session.uid.find(':') + 1), session.keys.at(e.raw.offset - 1));
      ASSERT_TRUE(item);
      EXPECT_EQ(item->size(), e.raw.length);
      const std::size_t size = item->size();
      item->resize(size + kRecordPadding, ' ');
      const auto text = gemini_golden_gemini().event_text(std::string_view(item->data(), size), e.kind, e.raw.block);
      ASSERT_TRUE(text.has_value());
      EXPECT_TRUE(text->starts_with(e.text) || e.lifecycle == "compact_summary" || e.lifecycle == "compaction");
      ++found;
    }
  }
  EXPECT_GT(found, 40u);
}

}  // namespace
}  // namespace memd
