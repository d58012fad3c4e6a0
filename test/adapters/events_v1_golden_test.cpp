#include "test/adapters/batch_json.hpp"
#include "test/adapters/events_v1_cases.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

// What each events.v1 file decodes to. MEMD_UPDATE_GOLDEN=1 or --update-golden writes the answers anew.
namespace memd {
namespace {

bool events_v1_golden_update_golden() {
  if (std::getenv("MEMD_UPDATE_GOLDEN") != nullptr) return true;
  const auto& arguments = testing::internal::GetArgvs();
  return std::find(arguments.begin(), arguments.end(), "--update-golden") != arguments.end();
}

std::uint64_t ledger_bytes(const EventBatch& batch) {
  std::uint64_t bytes = 0;
  for (const auto& line : batch.coverage)
    bytes += line.bytes;
  return bytes;
}

TEST(EventsGolden, EveryCaseDecodesAsWritten) {
  const auto cases = test::events_cases();
  ASSERT_GE(cases.size(), 4u);
  for (const auto& c : cases) {
    SCOPED_TRACE(c.folder.filename());
    const auto decoded = test::decode_source(*c.adapter, c.candidate, c.input);
    EXPECT_EQ(ledger_bytes(decoded.batch), c.input.size());
    const std::string got = test::batch_json(decoded.batch);
    if (events_v1_golden_update_golden()) std::ofstream(c.folder / "events.json", std::ios::binary) << got;
    EXPECT_EQ(got, test::read_file(c.folder / "events.json"));
  }
}

TEST(EventsGolden, DecoderKeepsNothingBetweenRecords) {
  for (const auto& c : test::events_cases()) {
    SCOPED_TRACE(c.folder.filename());
    const auto whole = test::decode_source(*c.adapter, c.candidate, c.input);
    std::string padded = c.input;
    padded.resize(c.input.size() + kRecordPadding);
    EventBatch pieces;
    for (std::size_t at = 0; at < c.input.size();) {
      const auto newline = c.input.find('\n', at);
      const auto end = std::min(newline, c.input.size());
      c.adapter->open(whole.source)
          ->decode({std::string_view(padded).substr(at, end - at), at, newline != std::string::npos}, pieces);
      at = end + 1;
    }
    EXPECT_EQ(test::batch_json(pieces), test::batch_json(whole.batch));
  }
}

// Whatever a decoder refuses of whole lines, the schema refuses too; what it takes without a word, the schema allows.
TEST(EventsGolden, SchemaAndDecoderAgree) {
  const auto schema = test::events_schema();
  int refused = 0;
  int clean = 0;
  for (const auto& c : test::events_cases()) {
    if (c.folder.filename() == "damaged") continue;
    std::istringstream lines(c.input);
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) continue;
      SCOPED_TRACE(line);
      const auto batch = test::decode_source(*c.adapter, c.candidate, line).batch;
      const std::string problems = schema.problems(boost::json::parse(line));
      const bool control_bytes = line.find("\\u0000") != std::string::npos;  // the one rule the schema cannot say
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

// The example that other tools start from.
TEST(EventsGolden, TheExampleInTheDocumentationIsTakenWithoutAWord) {
  const std::string page = test::read_file(std::filesystem::path(MEMD_SOURCE_DIR) / "docs" / "events-format.md");
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

TEST(EventsGolden, WholeTextsComeFromTheSameLines) {
  for (const auto& c : test::events_cases()) {
    const auto decoded = test::decode_source(*c.adapter, c.candidate, c.input);
    std::string padded = c.input;
    padded.resize(c.input.size() + kRecordPadding, ' ');
    for (const Event& e : decoded.batch.events) {
      const auto record = std::string_view(padded).substr(e.raw.offset, e.raw.length);
      const auto text = c.adapter->event_text(record, e.kind, e.raw.block);
      ASSERT_TRUE(text) << record;
      EXPECT_GE(text->size(), e.text.size());
    }
  }
}

}  // namespace
}  // namespace memd
