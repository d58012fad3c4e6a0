#include "adapters/adapter.hpp"
#include "test/adapters/batch_json.hpp"
#include "test/adapters/decode_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

// What each golden rollout decodes to. MEMD_UPDATE_GOLDEN=1 or --update-golden writes the answers anew; read the
// difference before committing it.
namespace memd {
namespace {

namespace fs = std::filesystem;

bool codex_golden_update_golden() {
  if (std::getenv("MEMD_UPDATE_GOLDEN") != nullptr) return true;
  for (const auto& arg : testing::internal::GetArgvs())
    if (arg == "--update-golden") return true;
  return false;
}

const Adapter& codex() { return *find_adapter(Platform::codex); }

struct Case {
  fs::path folder;
  std::string input;
  SourceCandidate candidate;
};

// test/golden/codex/<case>/{input.jsonl, events.json} and, where the file's place matters, source.txt.
std::vector<Case> golden_cases() {
  std::vector<Case> cases;
  for (const auto& entry : fs::directory_iterator(fs::path(MEMD_SOURCE_DIR) / "test/golden/codex")) {
    Case c;
    c.folder = entry.path();
    c.input = test::read_file(c.folder / "input.jsonl");
    std::string path = test::read_file(c.folder / "source.txt");
    path = path.substr(0, path.find('\n'));
    if (path.empty())
      path =
          "/home/ada/.codex/sessions/2026/03/04/rollout-2026-03-04T11-00-00-019c0000-0000-7000-8000-000000000001.jsonl";
    c.candidate = codex().classify("/home/ada/.codex", path).value();
    cases.push_back(std::move(c));
  }
  std::sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.folder < b.folder; });
  return cases;
}

TEST(CodexGolden, EveryCaseDecodesAsWritten) {
  const auto cases = golden_cases();
  ASSERT_GE(cases.size(), 18u);
  for (const auto& c : cases) {
    SCOPED_TRACE(c.folder.filename());
    const auto decoded = test::decode_source(codex(), c.candidate, c.input);
    std::uint64_t covered = 0;
    for (const auto& entry : decoded.batch.coverage)
      covered += entry.bytes;
    EXPECT_EQ(covered, c.input.size());
    const std::string got = test::batch_json(decoded.batch);
    if (codex_golden_update_golden()) std::ofstream(c.folder / "events.json", std::ios::binary) << got;
    EXPECT_EQ(got, test::read_file(c.folder / "events.json"));
  }
}

// What a record gives depends on nothing before it: a fresh decoder for each line gives the same.
TEST(CodexGolden, DecoderKeepsNothingBetweenRecords) {
  for (const auto& c : golden_cases()) {
    SCOPED_TRACE(c.folder.filename());
    const auto whole = test::decode_source(codex(), c.candidate, c.input);
    std::string padded = c.input;
    padded.resize(c.input.size() + kRecordPadding);
    EventBatch pieces;
    for (std::size_t at = 0; at < c.input.size();) {
      const auto newline = c.input.find('\n', at);
      const auto end = std::min(newline, c.input.size());
      codex()
          .open(whole.source)
          ->decode({std::string_view(padded).substr(at, end - at), at, newline != std::string::npos}, pieces);
      at = end + 1;
    }
    EXPECT_EQ(test::batch_json(pieces), test::batch_json(whole.batch));
  }
}

}  // namespace
}  // namespace memd
