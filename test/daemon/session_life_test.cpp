// The life of a session, seen through the tools, and its analysis.
#include "daemon/admin/admin_tools.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/models/enrichment_worker.hpp"
#include "daemon/models/session_analyzer.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "store/read/session_contents.hpp"
#include "store/read/sessions.hpp"
#include "store/reader_pool.hpp"
#include "test/support/event_script.hpp"
#include "test/support/writer_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <filesystem>
#include <fstream>

namespace memd::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr TimeMs kMinute = 60'000;

// A daemon over an agent's transcript. Both use one fake clock.
class SessionLifeTest : public testing::Test {
 protected:
  SessionLifeTest() {
    std::filesystem::permissions(data_.path(), std::filesystem::perms::owner_all);
    std::filesystem::create_directories(transcript_.parent_path());
    settings_.config.embedding.choice.provider = EmbeddingProvider::disabled;
  }
  void start() {
    host_.reset();
    host_ = std::make_unique<MemoryHost>(settings_, clock_);
    ASSERT_TRUE(host_->start_ingest());
    settle();
  }
  // Ingests everything written and analyses every stopped session.
  void settle() {
    host_->ingest()->scan();
    ASSERT_TRUE(host_->ingest()->block_until_idle(60s));
    host_->enrichment()->hint();
    ASSERT_TRUE(host_->enrichment()->block_until_idle(60s));
  }
  void write(const std::string& type, const std::string& content) {
    ++lines_;
    std::ofstream(transcript_, std::ios::app)
        << R"({"type":")" << type << R"(","uuid":"00000000-0000-4000-8000-)" << std::string(9, '0') << 100 + lines_
        << R"(","timestamp":")" << format_rfc3339(clock_.now())
        << R"(","sessionId":"s","cwd":"/w/p","version":"2.1.7",)"
        << R"("message":{"role":")" << type << R"(","content":")" << content << "\"}}\n";
  }
  boost::json::object list(std::string_view arguments = "{}") {
    mcp::ToolContext context;
    const auto out = host_->tools().call("list_sessions", arguments, context);
    EXPECT_FALSE(out.is_error) << out.text;
    text_ = out.text;
    return boost::json::parse(out.structured).as_object();
  }
  std::string state() { return std::string(list().at("sessions").at(0).at("state").as_string()); }
  std::string ended_at() {
    const auto session = list().at("sessions").at(0).as_object();
    const auto* ended = session.if_contains("ended_at");
    return ended == nullptr ? "" : std::string(ended->as_string());
  }
  SessionRow row() {
    auto reader = host_->readers().acquire(5s);
    return (*reader)->ask(SessionQuery{"latest"}).value();
  }
  std::optional<KeptDigest> digest() {
    auto reader = host_->readers().acquire(5s);
    return (*reader)->ask(KeptDigestQuery{row().pk}).value();
  }

  TempDir home_;
  TempDir data_;
  FakeClock clock_;
  std::filesystem::path transcript_ = home_ / ".claude/projects/-w-p/11111111-1111-4111-8111-111111111111.jsonl";
  Settings settings_{StoreLayout(data_.path()), false, home_.path(), {}, "", {}};
  std::unique_ptr<MemoryHost> host_;
  std::string text_;
  int lines_ = 0;
};

TEST_F(SessionLifeTest, WrittenLeftResumedEndedLeft) {
  write("user", "Why is the login page slow?");
  start();
  EXPECT_EQ(state(), "active");
  EXPECT_EQ(ended_at(), "");
  EXPECT_GT(row().watermarks.discovered_at, 0);
  EXPECT_GT(row().watermarks.ingested_at, 0);
  EXPECT_EQ(row().watermarks.analyzed_at, 0);
  clock_.advance(kMinute);
  write("assistant", "It asks the database for each user.");
  settle();
  const TimeMs last_word = clock_.now();
  EXPECT_EQ(state(), "active");

  // The session is left: nothing is written any more.
  clock_.advance(kStoppedAfter - 1);
  EXPECT_EQ(state(), "active");
  clock_.advance(1);
  EXPECT_EQ(state(), "stopped");
  EXPECT_EQ(ended_at(), format_rfc3339(last_word));
  EXPECT_EQ(row().watermarks.analyzed_at, 0) << "analysis follows the end";
  EXPECT_EQ(row().outcome, Outcome::unknown) << "nobody has judged it";
  settle();
  EXPECT_EQ(row().watermarks.analyzed_at, clock_.now());
  EXPECT_EQ(row().outcome, Outcome::success) << "its question has an answer";
  EXPECT_FALSE(row().outcome_reasons.empty());
  ASSERT_TRUE(digest());
  EXPECT_EQ(digest()->request, "Why is the login page slow?");
  EXPECT_EQ(digest()->wall_clock, kMinute);

  // Resumed.
  clock_.advance(10 * kMinute);
  write("user", "How many queries does it take for all of them?");
  settle();
  EXPECT_EQ(state(), "active");
  EXPECT_EQ(ended_at(), "");
  EXPECT_EQ(row().watermarks.analyzed_at, 0) << "what goes on is not analysed as it stands";
  EXPECT_EQ(row().outcome, Outcome::unknown) << "nor judged";
  EXPECT_TRUE(row().outcome_reasons.empty());
  EXPECT_EQ(list(R"({"state":"stopped"})").at("total"), 0);
  EXPECT_EQ(list(R"({"state":"active"})").at("total"), 1);

  // Ended by the user with /exit.
  clock_.advance(2 * kMinute);
  write("assistant", "It takes one query for all users.");
  clock_.advance(kMinute);
  write("user", "<command-name>/exit</command-name>\\n<command-message>exit</command-message>");
  write("user", "<local-command-stdout>Goodbye!</local-command-stdout>");
  settle();
  const TimeMs end = clock_.now();
  EXPECT_EQ(state(), "stopped") << "at once";
  EXPECT_EQ(ended_at(), format_rfc3339(end));
  EXPECT_EQ(row().watermarks.analyzed_at, end);
  EXPECT_EQ(row().outcome, Outcome::success);
  EXPECT_THAT(digest()->result, HasSubstr("one query for all users"));
  EXPECT_THAT(text_, HasSubstr("stopped " + format_rfc3339(end).substr(0, 10)));

  // Left. The next daemon finds the same state and analyses nothing again.
  host_.reset();
  clock_.advance(3 * kMsPerDay);
  start();
  EXPECT_EQ(state(), "stopped");
  EXPECT_EQ(ended_at(), format_rfc3339(end));
  EXPECT_EQ(row().watermarks.analyzed_at, end);
}

TEST_F(SessionLifeTest, WithoutADaemonTheStateIsStillTrue) {
  write("user", "Why is the login page slow?");
  start();
  host_.reset();
  clock_.advance(kStoppedAfter);
  host_ = std::make_unique<MemoryHost>(settings_, clock_);  // without ingest
  EXPECT_EQ(state(), "stopped");
  EXPECT_EQ(row().watermarks.analyzed_at, 0) << "honest: nobody was there to analyse it";
}

TEST_F(SessionLifeTest, TheConfigurationSaysHowLongASilenceIs) {
  settings_.config.sessions.stopped_after = 2 * kMinute;
  write("user", "Why is the login page slow?");
  start();
  clock_.advance(2 * kMinute);
  EXPECT_EQ(state(), "stopped");
  settle();
  EXPECT_EQ(row().watermarks.analyzed_at, clock_.now());
}

// The analyzer alone, with a writer of the test.
class SessionAnalyzerTest : public WriterFixture {
 protected:
  SessionAnalyzerTest() {
    open();
    clock_.set(kLater);
    parts_.database = file_;
    parts_.perform = [this](std::function<Result<void>(Writer&)> task) -> Result<void> {
      if (before_write_) std::exchange(before_write_, {})();
      if (killed_) return Error(Errc::cancelled, "killed");
      return task(*writer_);
    };
  }
  void take_in(const EventScript& script) { apply(script.batch()); }
  // Returns how many calls of take_some() found sessions. All sessions fit into one batch.
  int analyze() {
    SessionAnalyzer analyzer(parts_, clock_, options_);
    analyzer.begin();
    int taken = 0;
    for (auto more = analyzer.take_some(); more && *more; more = analyzer.take_some())
      ++taken;
    next_stop_ = analyzer.next_stop();
    return taken;
  }
  std::vector<std::string> versions() const { return rows("SELECT analysis_version FROM sessions ORDER BY uid"); }
  std::optional<KeptDigest> digest() {
    Reader reader(file_);
    return reader.ask(KeptDigestQuery{1}).value();
  }

  static constexpr TimeMs kLater = 1'770'000'000'000 + kMsPerDay;
  EnrichmentParts parts_;
  EnrichmentOptions options_;
  std::function<void()> before_write_;
  bool killed_ = false;
  std::optional<TimeMs> next_stop_;
};

TEST_F(SessionAnalyzerTest, TellsWhenTheNextSessionStops) {
  EXPECT_EQ(analyze(), 0);
  EXPECT_FALSE(next_stop_) << "nothing is due, nothing is waited for";
  EventBatch batch = EventScript("claude_code:a").user("One").batch();
  batch.events[0].time = kLater - 5 * kMinute;
  EventBatch second = EventScript("claude_code:b").user("Two").batch();
  second.events[0].time = kLater - 3 * kMinute;
  apply(std::move(batch));
  apply(std::move(second));
  EXPECT_EQ(analyze(), 0);
  EXPECT_EQ(next_stop_, kLater - 5 * kMinute + kStoppedAfter);
  clock_.set(*next_stop_);
  EXPECT_EQ(analyze(), 1);
  EXPECT_EQ(next_stop_, kLater - 3 * kMinute + kStoppedAfter);
}

TEST_F(SessionAnalyzerTest, KeepsWhatASessionWasAbout) {
  EventScript script("claude_code:a");
  script.user("Please mend the upload test.").call("c1", "Bash", "go test ./...");
  for (int i = 0; i < 20; ++i)
    script.call("e" + std::to_string(i), "Bash", "step " + std::to_string(i))
        .result("e" + std::to_string(i), "error " + std::to_string(i / 2) + ": no such file", true);
  script.answer("The upload test passes now: the part file is renamed first.");
  take_in(script);
  ASSERT_EQ(analyze(), 1);
  ASSERT_TRUE(digest());
  EXPECT_EQ(digest()->request, "Please mend the upload test.");
  EXPECT_THAT(digest()->result, HasSubstr("passes now"));
  EXPECT_THAT(digest()->abstract, HasSubstr("upload test"));
  ASSERT_EQ(digest()->errors.size(), kMostErrorSnippets);
  EXPECT_EQ(digest()->errors.front().text, "error 2: no such file") << "the last ones, each once";
  EXPECT_EQ(digest()->errors.back().text, "error 9: no such file");
  EXPECT_EQ(digest()->errors.back().tool, "Bash");
  EXPECT_EQ(digest()->wall_clock, script.events().back().time - script.events().front().time);
}

TEST_F(SessionAnalyzerTest, ASessionThatGoesOnMeanwhileWaitsAgain) {
  EventScript script("claude_code:a");
  script.user("One").answer("First.");
  take_in(script);
  before_write_ = [&] {
    clock_.advance(1);
    take_in(script.user("Two").answer("Second."));
  };
  EXPECT_EQ(analyze(), 2) << "the first of them in vain";
  EXPECT_THAT(digest()->result, HasSubstr("Second"));
  EXPECT_THAT(versions(), ElementsAre(std::to_string(analysis::kVersion)));
}

// Its main session is evicted together with it, once both are analysed.
TEST_F(SessionAnalyzerTest, ASubagentThatWasNeverReadWaitsForNothing) {
  EventBatch batch = EventScript("claude_code:a").user("One").answer("First.").batch();
  SessionUpdate& agent = batch.sessions.emplace_back();
  agent.session_uid = "claude_code:a/agent-b";
  agent.native_id = "a/agent-b";
  agent.kind = SessionKind::subagent;
  agent.parent_uid = "claude_code:a";
  apply(std::move(batch));
  EXPECT_EQ(analyze(), 1);
  const std::string now = std::to_string(analysis::kVersion);
  EXPECT_THAT(versions(), ElementsAre(now, now));
  EXPECT_FALSE(next_stop_);
}

TEST_F(SessionAnalyzerTest, KilledBeforeTheCommitItIsDoneByTheNextProcess) {
  take_in(EventScript("claude_code:a").user("One").answer("First."));
  killed_ = true;
  EXPECT_EQ(analyze(), 0);
  EXPECT_FALSE(digest());
  EXPECT_THAT(versions(), ElementsAre("0"));
  killed_ = false;
  open();
  EXPECT_EQ(analyze(), 1);
  EXPECT_EQ(analyze(), 0) << "once";
  EXPECT_TRUE(digest());
}

TEST_F(SessionAnalyzerTest, ANewerAnalysisIsMadeOfAllThatStillHaveEvents) {
  take_in(EventScript("claude_code:a").user("One").answer("First."));
  EXPECT_EQ(analyze(), 1);
  {
    auto older = sqlite::Database::open(file_, sqlite::OpenMode::read_write);
    older.exec("UPDATE sessions SET analysis_version = 0; DELETE FROM session_digests");
  }
  EXPECT_EQ(analyze(), 1);
  EXPECT_TRUE(digest());
  {
    auto older = sqlite::Database::open(file_, sqlite::OpenMode::read_write);
    older.exec("UPDATE sessions SET analysis_version = 0, evicted_at = ingested_at + 1");
  }
  EXPECT_EQ(analyze(), 0) << "nothing is left to analyse";
  {
    auto other = sqlite::Database::open(file_, sqlite::OpenMode::read_write);
    other.exec("DELETE FROM events");
    other.prepare("UPDATE sessions SET evicted_at = NULL, next_seq = 0, outcome = 1, analysis_version = ?")
        .bind(analysis::kVersion - 1)
        .run();
  }
  EXPECT_EQ(analyze(), 0) << "a record of another memd";
  EXPECT_THAT(rows("SELECT outcome FROM sessions"), ElementsAre("1"));
}

}  // namespace
}  // namespace memd::test
