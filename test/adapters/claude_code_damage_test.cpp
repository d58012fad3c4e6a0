#include "adapters/json/json_text.hpp"
#include "test/adapters/golden_case.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

// Checks for arbitrary damage: no crash, every byte in the ledger, and undamaged records kept.
namespace memd {
namespace {

const Adapter& claude_code_damage_claude() { return *find_adapter(Platform::claude_code); }

SourceCandidate transcript() {
  return *claude_code_damage_claude().classify(
      "/home/ada/.claude/projects",
      "/home/ada/.claude/projects/-home-ada-app/11111111-1111-4111-8111-111111111111.jsonl");
}

std::set<std::uint64_t> event_ids(const EventBatch& batch) {
  std::set<std::uint64_t> ids;
  for (const Event& e : batch.events)
    ids.insert(e.event_id);
  return ids;
}

// Returns the complete records of the golden inputs that give events.
std::vector<std::string> whole_records() {
  std::vector<std::string> records;
  for (const auto& c : test::golden_cases(claude_code_damage_claude())) {
    if (c.source().path != transcript().path) continue;
    for (std::size_t at = 0; at < c.input().size();) {
      const auto end = std::min(c.input().find('\n', at), c.input().size());
      const std::string line = c.input().substr(at, end - at);
      at = end + 1;
      const auto decoded = test::decode_source(claude_code_damage_claude(), transcript(), line);
      if (!decoded.batch.events.empty() && decoded.batch.diagnostics.empty()) records.push_back(line);
    }
  }
  return records;
}

std::string damage(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  for (std::size_t rounds = 1 + below(6); rounds > 0 && bytes.size() > 2; --rounds) {
    const std::size_t at = below(bytes.size());
    const std::size_t length = std::min(1 + below(40), bytes.size() - at);
    switch (below(7)) {
      case 0: bytes[at] = static_cast<char>(below(256)); break;
      case 1: bytes.erase(at, length); break;
      case 2: bytes.insert(at, length, '\0'); break;
      case 3: bytes.insert(at, bytes.substr(below(bytes.size()), length * 8)); break;
      case 4: bytes.resize(at); break;
      case 5: bytes.insert(at, 1, "{}[]\",:\\\n"[below(9)]); break;
      case 6: std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length, '\0'); break;
    }
  }
  return bytes;
}

TEST(ClaudeCodeDamage, LedgerCoversEveryByteWhateverTheDamage) {
  std::mt19937 random(20260305);
  for (const auto& c : test::golden_cases(claude_code_damage_claude())) {
    SCOPED_TRACE(c.name());
    for (int i = 0; i < 300; ++i) {
      const std::string bytes = damage(c.input(), random);
      const auto decoded = test::decode_source(claude_code_damage_claude(), c.source(), bytes);
      ASSERT_EQ(test::bytes_of(decoded.batch.coverage), bytes.size()) << "round " << i;
      for (const Event& e : decoded.batch.events)
        ASSERT_LE(e.raw.offset + e.raw.length, bytes.size());
    }
  }
}

// A write cut at any byte, followed directly by the next record: that record is never lost.
TEST(ClaudeCodeDamage, RecordBehindACutOneIsKept) {
  const auto records = whole_records();
  ASSERT_GT(records.size(), 40u);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::string& cut = records[i];
    const std::string& next = records[(i * 7 + 3) % records.size()];
    const auto expected = event_ids(test::decode_source(claude_code_damage_claude(), transcript(), next).batch);
    for (std::size_t length = 1; length < cut.size(); length += 1 + length / 64) {
      const std::string line = cut.substr(0, length) + next + "\n";
      const auto decoded = test::decode_source(claude_code_damage_claude(), transcript(), line);
      ASSERT_EQ(event_ids(decoded.batch), expected) << line;
      ASSERT_EQ(test::bytes_of(decoded.batch.coverage), line.size());
    }
  }
}

TEST(ClaudeCodeDamage, GluedRecordsAreAllKept) {
  const auto records = whole_records();
  std::string line;
  std::set<std::uint64_t> expected;
  for (const auto& record : records) {
    line += record;
    expected.merge(event_ids(test::decode_source(claude_code_damage_claude(), transcript(), record).batch));
  }
  const auto decoded = test::decode_source(claude_code_damage_claude(), transcript(), line);
  EXPECT_EQ(event_ids(decoded.batch), expected);
  EXPECT_EQ(test::bytes_of(decoded.batch.coverage), line.size());
}

// A line with as many false record starts as possible must not take quadratic time.
TEST(ClaudeCodeDamage, HostileLinesStayCheap) {
  for (const std::string_view unit : {R"({")", R"({"a":)", R"([{"a":[)", R"({"a":{}}")", "{\"\\"}) {
    std::string line;
    while (line.size() < 200'000)
      line += unit;
    const auto decoded = test::decode_source(claude_code_damage_claude(), transcript(), line);
    EXPECT_EQ(test::bytes_of(decoded.batch.coverage), line.size());
  }
}

TEST(ClaudeCodeDamage, DeepNestingIsSkippedNotFollowed) {
  std::string deep(100'000, '[');
  deep.append(100'000, ']');
  const std::string line = R"({"type":"user","uuid":"u","sessionId":"s","toolUseResult":)" + deep +
                           R"(,"message":{"role":"user","content":"still here"}})";
  const auto decoded = test::decode_source(claude_code_damage_claude(), transcript(), line);
  ASSERT_EQ(decoded.batch.events.size(), 1u);
  EXPECT_EQ(decoded.batch.events[0].text, "still here");
  const std::string input =
      R"({"type":"assistant","uuid":"u","message":{"content":[{"type":"tool_use","name":"X","id":"i","input":)" + deep +
      "}]}}";
  EXPECT_EQ(test::bytes_of(test::decode_source(claude_code_damage_claude(), transcript(), input).batch.coverage),
            input.size());
}

TEST(ClaudeCodeDamage, LastLineIsARecordOnlyWhenWhole) {
  Source source;
  source.path = transcript().path;
  const auto decoder = claude_code_damage_claude().open(source);
  auto records = whole_records();
  records.push_back("{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"content\":\"caf\xE9 \\ud83d\"}}");
  for (const auto& record : records) {
    std::string padded = record + std::string(kRecordPadding, ' ');
    EXPECT_TRUE(decoder->is_complete(std::string_view(padded).substr(0, record.size())));
    for (std::size_t n = 0; n < record.size(); n += 1 + n / 16)
      EXPECT_FALSE(decoder->is_complete(std::string_view(padded).substr(0, n)));
  }
}

TEST(JsonText, UnescapesWhatJsonMeans) {
  const auto text = [](std::string_view body, std::size_t limit = memd::json::kNoLimit) {
    std::string out;
    memd::json::append_unescaped(body, out, limit);
    return out;
  };
  EXPECT_EQ(text(R"(a\n\t\"\\\/\u00e9\ud83d\ude00)"), "a\n\t\"\\/é😀");
  EXPECT_EQ(text(R"(x\ud83d)"), "x\xEF\xBF\xBD");
  EXPECT_EQ(text(R"(x\ud83dy)"), "x\xEF\xBF\xBDy");
  EXPECT_EQ(text(R"(\ud83d\u0041)"),
            "\xEF\xBF\xBD"
            "A");
  EXPECT_EQ(text(R"(\u12)"), "u12");
  EXPECT_EQ(text("abc\\"), "abc");
  // Does not split a code point at the limit.
  EXPECT_EQ(text("aé", 2), "a");
  EXPECT_EQ(text("aé", 3), "aé");
  EXPECT_EQ(text(R"(a\ud83d\ude00b)", 4), "a");
  EXPECT_EQ(text(R"(a\ud83d\ude00b)", 5), "a😀");
}

}  // namespace
}  // namespace memd
