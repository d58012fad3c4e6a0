// Full ingest of Grok sessions whose files appear one after another.
#include "daemon/ingest/ingest_service.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/mixed_store.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>
#include <utility>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Files of sessions by path below the home; no text means that the file is removed.
using Files = std::vector<std::pair<std::string, std::optional<std::string>>>;

class GrokIngest : public testing::Test {
 protected:
  static std::string path(char session, const std::string& file) {
    return ".grok/sessions/%2Fw%2Fshop/019f0000-0000-7000-8000-00000000000" + std::string(1, session) + "/" + file;
  }
  static std::string update(int second, const std::string& kind, const std::string& text) {
    return R"({"timestamp":)" + std::to_string(1'784'000'000 + second) +
           R"(,"method":"session/update","params":{"update":{"sessionUpdate":")" + kind +
           R"(","content":{"type":"text","text":")" + text + "\"}}}}\n";
  }
  static std::string turn(int second, const std::string& word) {
    return update(second, "user_message_chunk", "Why " + word + "?") +
           update(second + 5, "agent_message_chunk", "Because of " + word + ".");
  }
  static std::string chat(const std::string& word) {
    return R"({"type":"user","prompt_index":0,"content":"Why )" + word + "?\"}\n" +
           R"({"type":"assistant","content":"Because of )" + word + ".\"}\n";
  }
  // Times are of 2026-07-14. The first turn of the log is at 03:33:20.
  static std::string summary(const std::string& more, const std::string& created = "03:30:00",
                             const std::string& active = "03:50:00") {
    return R"({"created_at":"2026-07-14T)" + created + R"(Z","last_active_at":"2026-07-14T)" + active + "Z\"" + more +
           "}";
  }

  static constexpr const char* kOfA =
      R"(,"session_kind":"subagent","parent_session_id":"019f0000-0000-7000-8000-00000000000a")";

  // Returns the rows after all steps were ingested one by one.
  std::vector<std::string> rows_after(const std::vector<Files>& steps) {
    fs::remove_all(home_ / ".grok");
    const test::TempDir store;
    for (const Files& step : steps) {
      for (const auto& [name, text] : step) {
        if (text)
          test::write_file(home_ / name, *text);
        else
          fs::remove(home_ / name);
      }
      ingest(home_.path(), store / "memd.db");
    }
    return dump(store / "memd.db");
  }
  // Checks that the rows equal those of one read of the final state.
  void expect_alike(const std::vector<Files>& steps) {
    const auto have = rows_after(steps);
    const test::TempDir fresh;
    ingest(home_.path(), fresh / "memd.db");
    EXPECT_EQ(test::rows_of_one(have, dump(fresh / "memd.db")), std::vector<std::string>());
  }

 private:
  static void ingest(const fs::path& home, const fs::path& file) {
    const test::FakeClock clock;
    const std::array<const Adapter*, 1> adapters{find_adapter(Platform::grok)};
    const Discovery discovery(adapters, home, {}, {});
    auto writer = Writer::open(file, clock);
    ASSERT_TRUE(writer);
    IngestService service(discovery, clock, {});
    ASSERT_TRUE(service.start(std::move(*writer)));
    service.scan();
    ASSERT_TRUE(service.block_until_idle(60s));
    EXPECT_EQ(service.progress().snapshot().last_error, "");
  }
  static std::vector<std::string> dump(const fs::path& file) {
    auto db = sqlite::Database::open(file, sqlite::OpenMode::read_only);
    auto rows = test::dump_store(db);
    EXPECT_GT(rows.size(), 5U);
    return rows;
  }

  const test::TempDir home_;
};

TEST_F(GrokIngest, TheFilesOfASessionComeInAnyOrder) {
  const std::pair<std::string, std::optional<std::string>> log{path('a', "updates.jsonl"),
                                                               turn(0, "a") + turn(60, "b")};
  const std::pair<std::string, std::optional<std::string>> talk{path('a', "chat_history.jsonl"), chat("a")};
  const std::pair<std::string, std::optional<std::string>> head{path('a', "summary.json"), summary("")};
  expect_alike({{talk}, {log, head}});
  expect_alike({{talk}, {log}, {head}});
  expect_alike({{talk}, {head}, {log}});
  expect_alike({{talk, head}, {log}});
  expect_alike({{log}, {head}, {talk}});
  expect_alike({{log, head}, {talk}, {{talk.first, std::nullopt}}});
  expect_alike({{log, head}, {{log.first, *log.second + turn(100, "c")}}});
}

TEST_F(GrokIngest, ASummaryIsWrittenAgain) {
  const std::string log = turn(0, "a") + turn(60, "b");
  const auto head = path('a', "summary.json");
  expect_alike({{{path('a', "updates.jsonl"), log}, {head, summary("", "03:30:00", "03:35:00")}},
                {{head, summary("", "03:30:00", "04:00:00")}},
                {{path('a', "updates.jsonl"), log + turn(100, "c")}}});
}

TEST_F(GrokIngest, ALineIsWrittenInTwoParts) {
  const std::string log = turn(0, "a") + turn(60, "b");
  expect_alike({{{path('a', "updates.jsonl"), log.substr(0, log.size() - 20)}}, {{path('a', "updates.jsonl"), log}}});
}

// Prompts of a subagent are tasks, even if they were ingested before it was known to be one.
TEST_F(GrokIngest, ThatItIsASubagentIsSaidLate) {
  const Files log{{path('b', "updates.jsonl"), turn(30, "inner") + turn(90, "more")}};
  const Files head{{path('b', "summary.json"), summary(kOfA)}};
  expect_alike({log, head});
}

// The facts that a subagent gives about its parent session are valid until the parent's own files are read.
TEST_F(GrokIngest, ASubagentIsReadBeforeItsParent) {
  const Files agent{{path('b', "updates.jsonl"), turn(30, "inner")}, {path('b', "summary.json"), summary(kOfA)}};
  const Files log{{path('a', "updates.jsonl"), turn(20, "outer")}};
  EXPECT_EQ(test::rows_of_one(rows_after({agent, log}), rows_after({log, agent})), std::vector<std::string>());
  const auto head = std::pair(path('a', "summary.json"), summary("", "03:33:30", "03:33:50"));
  const Files both{log.front(), head};
  const auto want = rows_after({both, agent});
  EXPECT_EQ(test::rows_of_one(rows_after({agent, both}), want), std::vector<std::string>());
  EXPECT_EQ(test::rows_of_one(rows_after({agent, log, {head}}), want), std::vector<std::string>());
  EXPECT_EQ(test::rows_of_one(rows_after({both, agent, {{log.front().first, turn(20, "outer") + turn(70, "b")}}}),
                              rows_after({agent, {{log.front().first, turn(20, "outer") + turn(70, "b")}, head}})),
            std::vector<std::string>());
}

}  // namespace
}  // namespace memd
