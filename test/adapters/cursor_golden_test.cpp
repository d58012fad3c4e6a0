#include "adapters/adapter.hpp"
#include "daemon/ingest/source_file.hpp"
#include "test/adapters/batch_json.hpp"
#include "test/adapters/cursor_home.hpp"
#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/decode_source.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

// What each golden home of Cursor's decodes to. MEMD_UPDATE_GOLDEN=1 or --update-golden writes the answers anew; read
// the difference before committing it.
namespace memd {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

bool cursor_golden_update_golden() {
  if (std::getenv("MEMD_UPDATE_GOLDEN") != nullptr) return true;
  for (const auto& arg : testing::internal::GetArgvs())
    if (arg == "--update-golden") return true;
  return false;
}

std::uint64_t bytes_of(const std::vector<CoverageEntry>& lines) {
  std::uint64_t bytes = 0;
  for (const auto& line : lines)
    bytes += line.bytes;
  return bytes;
}

TEST(CursorGolden, EveryCaseDecodesAsWritten) {
  const Adapter& cursor = *find_adapter(Platform::cursor);
  const DiskView view;
  std::size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(MEMD_SOURCE_DIR) / "test" / "golden" / "cursor")) {
    SCOPED_TRACE(entry.path().filename());
    const auto description = json::parse(test::read_file(entry.path() / "input.json"));
    const test::CursorHome home(description);
    const std::string source = home.path(description.at("source").as_string());
    const auto candidate = cursor.classify(home.root(), source);
    ASSERT_TRUE(candidate);
    const auto snapshot = test::decode_snapshot(cursor, *candidate, view);

    EventBatch all;
    std::uint64_t bytes = bytes_of(snapshot.plan.rest);
    for (const auto& line : snapshot.plan.rest)
      if (line.records > 0) all.coverage.push_back(line);
    for (const auto& [uid, session] : snapshot.sessions) {
      bytes += bytes_of(session.batch.coverage);
      all.sessions.insert(all.sessions.end(), session.batch.sessions.begin(), session.batch.sessions.end());
      all.events.insert(all.events.end(), session.batch.events.begin(), session.batch.events.end());
      all.coverage.insert(all.coverage.end(), session.batch.coverage.begin(), session.batch.coverage.end());
      all.diagnostics.insert(all.diagnostics.end(), session.batch.diagnostics.begin(), session.batch.diagnostics.end());
    }
    EXPECT_EQ(bytes, snapshot.plan.size);
    const std::string got = test::batch_json(all);
    if (cursor_golden_update_golden()) std::ofstream(entry.path() / "events.json", std::ios::binary) << got;
    EXPECT_EQ(got, test::read_file(entry.path() / "events.json"));
    ++cases;
  }
  EXPECT_GE(cases, 12U);
}

}  // namespace
}  // namespace memd
