#include "test/adapters/batch_json.hpp"
#include "test/adapters/golden_case.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

// What each golden transcript decodes to. MEMD_UPDATE_GOLDEN=1 or --update-golden writes the answers anew; read the
// difference before committing it.
namespace memd {
namespace {

bool update_golden() {
  if (std::getenv("MEMD_UPDATE_GOLDEN") != nullptr) return true;
  for (const auto& arg : testing::internal::GetArgvs())
    if (arg == "--update-golden") return true;
  return false;
}

const Adapter& claude_code_golden_claude() { return *find_adapter(Platform::claude_code); }

TEST(ClaudeCodeGolden, EveryCaseDecodesAsWritten) {
  const auto cases = test::golden_cases(claude_code_golden_claude());
  ASSERT_GE(cases.size(), 20u);
  for (const auto& c : cases) {
    SCOPED_TRACE(c.folder.filename());
    const auto decoded = test::decode_source(claude_code_golden_claude(), c.candidate, c.input);
    EXPECT_EQ(test::ledger_bytes(decoded.batch), c.input.size());
    const std::string got = test::batch_json(decoded.batch);
    if (update_golden()) std::ofstream(c.folder / "events.json", std::ios::binary) << got;
    EXPECT_EQ(got, test::read_file(c.folder / "events.json"));
  }
}

// What a record gives depends on nothing before it: a fresh decoder for each line gives the same.
TEST(ClaudeCodeGolden, DecoderKeepsNothingBetweenRecords) {
  for (const auto& c : test::golden_cases(claude_code_golden_claude())) {
    if (c.candidate.format == SourceFormat::json) continue;
    SCOPED_TRACE(c.folder.filename());
    const auto whole = test::decode_source(claude_code_golden_claude(), c.candidate, c.input);
    std::string padded = c.input;
    padded.resize(c.input.size() + kRecordPadding);
    EventBatch pieces;
    for (std::size_t at = 0; at < c.input.size();) {
      const auto newline = c.input.find('\n', at);
      const auto end = std::min(newline, c.input.size());
      claude_code_golden_claude()
          .open(whole.source)
          ->decode({std::string_view(padded).substr(at, end - at), at, newline != std::string::npos}, pieces);
      at = end + 1;
    }
    EXPECT_EQ(test::batch_json(pieces), test::batch_json(whole.batch));
  }
}

}  // namespace
}  // namespace memd
