#include "test/adapters/events_v1_schema.hpp"
#include "test/adapters/golden_case.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <sstream>

// Checks that the decoder of events.v1 files, its schema and its documentation agree.
namespace memd {
namespace {

// The schema rejects every complete line that the decoder rejects, and allows every line that it accepts without a
// diagnostic.
TEST(EventsSchema, AgreesWithTheDecoder) {
  const auto schema = test::events_schema();
  int refused = 0;
  int clean = 0;
  std::vector<std::pair<const Adapter*, test::GoldenCase>> cases;
  for (const auto platform : {Platform::imported, Platform::thunderus})
    for (const auto& c : test::golden_cases(*find_adapter(platform)))
      if (c.name() != "damaged") cases.emplace_back(find_adapter(platform), c);
  for (const auto& [adapter, c] : cases) {
    std::istringstream lines(c.input());
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) continue;
      SCOPED_TRACE(line);
      const auto batch = test::decode_source(*adapter, c.source(), line).batch;
      const std::string problems = schema.problems(boost::json::parse(line));
      const bool control_bytes = line.find("\\u0000") != std::string::npos;  // a rule no schema can express
      const bool no_time = line.find("yesterday") != std::string::npos;
      if (batch.events.empty() && batch.sessions.empty() && batch.coverage.front().reason != "derived") {
        ++refused;
        EXPECT_FALSE(batch.diagnostics.empty());
        if (!control_bytes) {
          EXPECT_NE(problems, "");
        }
        if (no_time) {
          EXPECT_EQ(problems, "$.ts: does not match\n");
        }
      } else if (batch.diagnostics.empty()) {
        ++clean;
        EXPECT_EQ(problems, "");
      }
    }
  }
  EXPECT_GE(refused, 7);
  EXPECT_GE(clean, 20);
}

// The documented example, which other tools start from.
TEST(EventsSchema, TheExampleInTheDocumentationIsTakenWithoutAWord) {
  const std::string page = test::bytes_of(test::source_dir() / "docs" / "events-format.md");
  const auto begin = page.find("```jsonl\n") + 9;
  const std::string example = page.substr(begin, page.find("```", begin) - begin);
  const Adapter& adapter = *find_adapter(Platform::imported);
  const auto batch = test::decode_source(adapter, {Platform::imported, "/x.jsonl", SourceFormat::jsonl}, example).batch;
  ASSERT_EQ(batch.events.size(), 4u);
  EXPECT_TRUE(batch.diagnostics.empty());
  EXPECT_TRUE(batch.events[1].is_test);
  EXPECT_EQ(batch.events[1].call_id, batch.events[2].call_id);
  EXPECT_EQ(batch.events[3].session_uid, "imported:talk-7");
  std::istringstream lines(example);
  for (std::string line; std::getline(lines, line);)
    EXPECT_EQ(test::events_schema().problems(boost::json::parse(line)), "");
}

}  // namespace
}  // namespace memd
