#include "adapters/adapter.hpp"
#include "daemon/ingest/source_file.hpp"
#include "test/adapters/batch_json.hpp"
#include "test/adapters/cursor_home.hpp"
#include "test/adapters/decode_snapshot.hpp"
#include "test/adapters/decode_source.hpp"
#include "test/support/golden_file.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

// Decodes each golden home of Cursor. The test writes the databases first.
namespace memd {
namespace {

namespace fs = std::filesystem;

TEST(CursorGolden, EveryCaseDecodesAsWritten) {
  const Adapter& cursor = *find_adapter(Platform::cursor);
  const DiskView view;
  std::size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(test::source_dir() / "test" / "golden" / "cursor")) {
    SCOPED_TRACE(entry.path().filename());
    const auto description = boost::json::parse(test::bytes_of(entry.path() / "input.json"));
    const test::CursorHome home(description);
    const std::string source = home.path(description.at("source").as_string());
    const auto candidate = cursor.classify(home.root(), source);
    ASSERT_TRUE(candidate);
    const auto snapshot = test::decode_snapshot(cursor, *candidate, view);

    EventBatch all;
    std::uint64_t bytes = test::bytes_of(snapshot.plan.rest);
    for (const auto& line : snapshot.plan.rest)
      if (line.records > 0) all.coverage.push_back(line);
    for (const auto& [uid, session] : snapshot.sessions) {
      bytes += test::bytes_of(session.batch.coverage);
      all.sessions.insert(all.sessions.end(), session.batch.sessions.begin(), session.batch.sessions.end());
      all.events.insert(all.events.end(), session.batch.events.begin(), session.batch.events.end());
      all.coverage.insert(all.coverage.end(), session.batch.coverage.begin(), session.batch.coverage.end());
      all.diagnostics.insert(all.diagnostics.end(), session.batch.diagnostics.begin(), session.batch.diagnostics.end());
    }
    EXPECT_EQ(bytes, snapshot.plan.size);
    test::expect_golden(entry.path() / "events.json", test::batch_json(all));
    ++cases;
  }
  EXPECT_GE(cases, 12U);
}

}  // namespace
}  // namespace memd
