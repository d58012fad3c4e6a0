// Private, excluded and forgotten text, and text written while capture was paused, is in no file and no answer.
#include "store/write/forgetting.hpp"
#include "daemon/admin/admin_tools.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "daemon/interchange/session_walk.hpp"
#include "daemon/models/enrichment_worker.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/ascii.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "store/reader_pool.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/transcript_home.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <filesystem>
#include <memory>

namespace memd {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
namespace bj = boost::json;

constexpr TimeMs kMinuteMs = 60'000;

std::string uppered(std::string text) {
  for (char& c : text)
    c = ascii::upper(c);
  return text;
}

class ForgettingTest : public testing::Test {
 protected:
  ForgettingTest() {
    std::filesystem::permissions(data_.path(), std::filesystem::perms::owner_all);
    settings_.config.capture_tool = true;
  }
  void start() {
    registry_.reset();
    host_.reset();
    host_ = std::make_unique<MemoryHost>(settings_, clock_);
    registry_ = std::make_unique<mcp::ToolRegistry>();
    admin::register_admin_tools(*registry_, *host_, {});
    ASSERT_TRUE(host_->start_ingest());
    read();
  }
  void stop() {
    registry_.reset();
    host_.reset();
  }
  void read() {
    host_->ingest()->scan();
    ASSERT_TRUE(host_->ingest()->block_until_idle(60s));
    host_->enrichment()->hint();
    ASSERT_TRUE(host_->enrichment()->block_until_idle(60s));
  }
  void rebuild() {
    stop();
    const auto rebuilt = rebuild_store(settings_.layout, find_adapter);
    ASSERT_TRUE(rebuilt) << rebuilt.error().message();
    start();
  }
  // Starts with nothing but the agents' files and the list of withheld sessions.
  void start_anew() {
    stop();
    std::filesystem::remove_all(settings_.layout.raw_dir());
    for (const char* suffix : {"", "-wal", "-shm"})
      std::filesystem::remove(settings_.layout.database().string() + suffix);
    start();
  }
  bj::object admin(std::string_view tool, std::string_view arguments = "{}") {
    mcp::ToolContext context;
    const auto out = registry_->call(tool, arguments, context);
    EXPECT_FALSE(out.is_error) << tool << ": " << out.text;
    text_ = out.text + out.structured;
    return out.is_error ? bj::object() : bj::parse(out.structured).as_object();
  }
  // Returns the answers of all tools, with `words` in the queries.
  std::string answers(const std::vector<std::string>& words) {
    std::vector<std::pair<std::string, std::string>> calls{
        {"list_sessions", R"({"include_subagents":true})"},
        {"recent_turns", R"({"n_turns":50,"max_tokens":8000})"},
        {"session_summary", R"({"max_tokens":8000})"},
        {"resume_context", R"({"session_id":"latest","max_tokens":8000})"},
        {"list_observations", "{}"},
        {"temporal_query", R"({"since":"2026-01-01"})"},
        {"capabilities", "{}"}};
    for (const auto& word : words) {
      if (uppered(word) == word) continue;
      // In upper case, because answers repeat the query.
      const std::string quoted = bj::serialize(bj::value(uppered(word)));
      calls.emplace_back("semantic_search", R"({"max_tokens":8000,"query":)" + quoted + "}");
      calls.emplace_back("topic_search", R"({"max_tokens":8000,"topic":)" + quoted + "}");
      calls.emplace_back("file_history", R"({"path":)" + quoted + "}");
    }
    for (int x = 1; x < 40; ++x)
      calls.emplace_back("get_exchange",
                         R"({"include_tools":true,"max_tokens":8000,"ids":["x)" + std::to_string(x) + "\"]}");
    std::string out;
    for (const auto& [tool, arguments] : calls) {
      mcp::ToolContext context;
      const auto outcome = host_->tools().call(tool, arguments, context);
      const bool may_refuse = tool == "get_exchange" || tool == "file_history";  // there is no such exchange or file
      EXPECT_TRUE(may_refuse || !outcome.is_error) << tool << arguments << outcome.text;
      out += outcome.text + outcome.structured;
    }
    for (const char* tool : {"status", "log", "coverage", "doctor"}) {
      mcp::ToolContext context;
      const auto outcome =
          registry_->call(tool, tool == std::string_view("coverage") ? R"({"by_source":true})" : "{}", context);
      out += outcome.text + outcome.structured;
    }
    return out;
  }
  void expect_nothing_of(const std::vector<std::string>& words, const char* when) {
    const std::string files = test::everything_below(data_.path());
    const std::string said = answers(words);
    int found = 0;
    for (const auto& word : words) {
      EXPECT_EQ(files.find(word), std::string::npos)
          << when << ": " << word
          << " stands in a file: " << files.substr(files.find(word) < 80 ? 0 : files.find(word) - 80, 200);
      EXPECT_EQ(said.find(word), std::string::npos)
          << when << ": " << word << " is told: " << said.substr(said.find(word) < 80 ? 0 : said.find(word) - 80, 200);
      found += files.find(word) != std::string::npos || said.find(word) != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(found, 0) << when;
  }
  std::int64_t number(const std::string& sql) {
    auto db = sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_only);
    sqlite::Statement q(db.handle(), sql);
    return q.step() ? q.int64(0) : -1;
  }
  std::vector<std::string> exported(const std::string& reference) {
    std::vector<std::string> lines;
    auto reader = host_->readers().acquire(5s);
    const auto session = (*reader)->ask(SessionQuery{reference});
    EXPECT_TRUE(session) << reference;
    RecordFinder records(settings_.layout.database(), settings_.layout.raw_dir());
    const interchange::ExportSink sink{[&](std::string_view line) -> Result<void> {
                                         lines.emplace_back(line);
                                         return {};
                                       },
                                       {}};
    if (session) {
      EXPECT_TRUE(interchange::export_session(**reader, records, session->pk, {clock_.now()}, sink));
    }
    return lines;
  }

  test::TranscriptHome home_;
  test::TempDir data_;
  test::FakeClock clock_;
  Settings settings_{StoreLayout(data_.path()), false, home_.path(), {}, "", {}};
  std::unique_ptr<MemoryHost> host_;
  std::unique_ptr<mcp::ToolRegistry> registry_;
  std::string text_;
};

TEST_F(ForgettingTest, NothingPrivateExcludedOrForgottenIsFoundAnywhere) {
  const TimeMs t = clock_.now() - 3 * kMsPerDay;
  std::vector<std::string> gone;
  // 50 private blocks, in all places and forms.
  for (int i = 0; i < 50; ++i) {
    const std::string word = "privatecanary" + std::to_string(1000 + i);
    gone.push_back(word);
    // A text is private from its beginning, or within a block.
    const std::string marked = "#private\n" + word;
    const std::string block = i % 4 == 0   ? "<private>\"" + word + "\"\n</private> and kept"
                              : i % 4 == 1 ? "kept <PRIVATE>" + word
                              : i % 4 == 2 ? R"({"note":"<private>)" + word + R"(</private>"})"
                                           : "kept <private><private>" + word + "</private>" + word + "</private>";
    home_.turn("/w/open", 1, t + i * kMinuteMs, i % 2 == 0 ? block : "keptword", i % 3 == 0 ? marked : block,
               i % 3 == 1 ? marked : "It works. " + block);
    home_.typed("/w/open", 1, t + i * kMinuteMs, i % 3 == 0 ? marked : block);
  }
  home_.title("/w/open", 1, "keptword <private>privatecanary1000</private>");
  // An excluded project.
  settings_.config.exclude.projects = {"hushproject"};
  gone.emplace_back("excludedcanary");
  gone.emplace_back("hushproject");
  for (int i = 0; i < 3; ++i)
    home_.turn("/w/hushproject", 2, t + i, "excludedcanary", "excludedcanary?", "excludedcanary!");
  home_.title("/w/hushproject", 2, "excludedcanary");
  home_.subagent_says("/w/hushproject", 2, t + 9, "excludedcanary");
  home_.typed("/w/hushproject", 2, t, "excludedcanary");
  // A session to be forgotten, in a project of its own.
  for (int i = 0; i < 3; ++i)
    home_.turn("/w/exproject", 3, t + i, "forgottencanary", "Why does forgottencanary fail?",
               "Because forgottencanary.");
  home_.title("/w/exproject", 3, "the forgottencanary");
  home_.subagent_says("/w/exproject", 3, t + 9, "look at forgottencanary");
  home_.typed("/w/exproject", 3, t, "Why does forgottencanary fail?");
  home_.typed("/w/exproject", 4, t, "only a prompt: keptprompt");
  test::write_file(data_ / "memd.db.damaged", "forgottencanary");
  start();
  EXPECT_THAT(test::everything_below(data_.path()), HasSubstr("forgottencanary"));
  EXPECT_THAT(answers({}), HasSubstr("forgottencanary"));
  const auto before = exported(home_.session_id(3));
  EXPECT_THAT(before, testing::Contains(HasSubstr("forgottencanary")));

  // The first call only reports the plan.
  const auto rows = number(
      "SELECT count(*) FROM exchanges WHERE session_pk IN (SELECT session_pk FROM sessions WHERE"
      " uid LIKE '%00000003-%')");
  EXPECT_GT(rows, 3);
  const std::string session = R"({"session":")" + home_.session_id(3) + R"("})";
  const auto plan = admin("forget", session);
  EXPECT_EQ(plan.at("all_sessions").as_int64(), 2) << text_;
  EXPECT_EQ(plan.at("exchanges").as_int64(), rows) << text_;
  EXPECT_FALSE(plan.at("done").as_bool());
  EXPECT_EQ(number("SELECT count(*) FROM sessions WHERE uid LIKE '%00000003-%'"), 2);
  const auto done = admin("forget", session.substr(0, session.size() - 1) + R"(,"yes":true})");
  EXPECT_TRUE(done.at("done").as_bool());
  EXPECT_EQ(done.at("exchanges"), plan.at("exchanges"));
  gone.emplace_back("forgottencanary");
  gone.emplace_back("exproject/");
  gone.push_back(home_.session_id(3));
  expect_nothing_of(gone, "after forgetting");
  EXPECT_EQ(admin("doctor").at("ok").as_bool(), true) << text_;

  // The agent continues the session, and everything is read again.
  home_.turn("/w/exproject", 3, t + kMsPerDay, "forgottencanary", "forgottencanary once more", "forgottencanary");
  home_.turn("/w/hushproject", 2, t + kMsPerDay, "excludedcanary", "excludedcanary", "excludedcanary");
  read();
  expect_nothing_of(gone, "after another look");
  start();
  expect_nothing_of(gone, "after a restart");
  rebuild();
  expect_nothing_of(gone, "after a rebuild");
  const auto file = home_.path() / "export.jsonl";
  for (const auto& line : before)
    test::append_file(file, line + "\n");
  EXPECT_EQ(admin("import", R"({"path":)" + bj::serialize(bj::value(file.string())) + "}").at("events").as_int64(), 0);
  expect_nothing_of(gone, "after an import");
  start_anew();
  expect_nothing_of(gone, "in a store made anew from the agents' files");

  const std::string kept = answers({}) + test::everything_below(data_.path());
  EXPECT_THAT(kept, HasSubstr("keptword"));
  EXPECT_THAT(kept, HasSubstr("keptprompt"));
  EXPECT_THAT(kept, HasSubstr("and kept"));
  EXPECT_THAT(kept, HasSubstr("[redacted:private]"));
}

// Codex stores the directory of a session only in its log, and prompts and titles of all sessions in two other files.
TEST_F(ForgettingTest, ListsThatDoNotTellAPlaceKeepNothingOfExcludedSessions) {
  const auto rollout = [&](const std::string& id, const std::string& cwd, const std::string& word) {
    test::append_file(
        home_.path() / (".codex/sessions/2026/02/01/rollout-2026-02-01T11-00-00-" + id + ".jsonl"),
        R"({"timestamp":"2026-02-01T10:00:00.000Z","type":"session_meta","payload":{"id":")" + id +
            R"(","timestamp":"2026-02-01T10:00:00.000Z","cwd":")" + cwd +
            R"(","originator":"codex_cli_rs","cli_version":"0.77.0"}})" + "\n" +
            R"({"timestamp":"2026-02-01T10:00:02.000Z","type":"event_msg","payload":{"type":"user_message","message":")" +
            word + R"(?","images":[]}})" + "\n");
    test::append_file(home_.path() / ".codex/history.jsonl",
                      R"({"session_id":")" + id + R"(","ts":1769940002,"text":")" + word + "?\"}\n");
    test::append_file(
        home_.path() / ".codex/session_index.jsonl",
        R"({"id":")" + id + R"(","thread_name":")" + word + R"( title","updated_at":"2026-02-01T10:00:00.5Z"})" + "\n");
  };
  const std::string hidden = "019c0000-0000-7000-8000-000000000001";
  rollout(hidden, "/w/hidden/deep", "codexcanary");
  rollout("019c0000-0000-7000-8000-000000000002", "/w/open", "keptword");
  rollout("019c0000-0000-7000-8000-000000000003", "/w/third", "thirdword");
  settings_.config.exclude.projects = {"/w/hidden"};
  start();
  expect_nothing_of({"codexcanary", hidden}, "after the first look");
  EXPECT_THAT(test::everything_below(data_.path()), HasSubstr("keptword title"));
  rollout(hidden, "/w/hidden", "codexcanary");
  start();
  expect_nothing_of({"codexcanary", hidden}, "after a restart");

  // In these files the records of forgotten sessions are found by their ids, and by the records that titles refer to.
  admin("forget", R"({"project":"open","yes":true})");
  expect_nothing_of({"codexcanary", "keptword"}, "after forgetting the other");
  start_anew();
  expect_nothing_of({"codexcanary", "keptword"}, "in a store made anew");
}

TEST_F(ForgettingTest, ByProjectQueryTimeAndExclusion) {
  const TimeMs t = clock_.now() - 10 * kMsPerDay;
  home_.turn("/w/one", 1, t, "alpha", "What is alpha?", "alpha is a letter");
  home_.turn("/w/one", 2, t + 5 * kMsPerDay, "beta", "What is beta?", "beta is a letter");
  home_.turn("/w/two", 3, t + 6 * kMsPerDay, "gamma", "What is gamma?", "gamma is the third");
  start();
  EXPECT_EQ(admin("forget", R"({"project":"one"})").at("all_sessions").as_int64(), 2);
  EXPECT_EQ(admin("forget", R"({"project":"one","query":"BETA is"})").at("all_sessions").as_int64(), 1);
  EXPECT_EQ(admin("forget", R"({"query":"it says gamma"})").at("all_sessions").as_int64(), 1) << "in a result";
  EXPECT_EQ(admin("forget", R"({"before":"7d"})").at("all_sessions").as_int64(), 1);
  EXPECT_EQ(admin("forget", R"({"query":"delta"})").at("all_sessions").as_int64(), 0);
  mcp::ToolContext context;
  EXPECT_TRUE(registry_->call("forget", "{}", context).is_error);
  EXPECT_EQ(number("SELECT count(*) FROM sessions"), 3);

  // Stored sessions that the configuration now excludes are reported and can be forgotten.
  settings_.config.exclude.paths = {"/w/o*"};
  start();
  EXPECT_THAT((admin("doctor"), text_), HasSubstr("memd forget --excluded"));
  EXPECT_EQ(admin("forget", R"({"excluded":true,"yes":true})").at("all_sessions").as_int64(), 2);
  EXPECT_EQ(number("SELECT count(*) FROM sessions"), 1);
  EXPECT_THAT((admin("doctor"), text_), Not(HasSubstr("memd forget --excluded")));
}

TEST_F(ForgettingTest, WhatIsWrittenWhileCaptureIsPausedIsNeverStored) {
  home_.turn("/w/p", 1, clock_.now(), "beforeword", "beforeword?", "beforeword!");
  start();
  clock_.advance(kMinuteMs);
  EXPECT_TRUE(admin("capture", R"({"action":"pause","duration":"1h"})").at("paused").as_bool());
  EXPECT_TRUE(admin("status").at("capture").at("paused").as_bool());
  mcp::ToolContext context;
  EXPECT_THAT(host_->tools().call("list_sessions", "{}", context).structured, HasSubstr("capture_disabled"));
  clock_.advance(kMinuteMs);
  home_.turn("/w/p", 1, clock_.now(), "pausedword", "pausedword?", "pausedword!");
  home_.title("/w/p", 1, "pausedword");
  home_.typed("/w/p", 1, clock_.now(), "pausedword?");
  home_.turn("/w/p", 2, clock_.now(), "pausedword", "pausedword?", "pausedword!");
  read();
  expect_nothing_of({"pausedword"}, "in the pause");
  EXPECT_EQ(number("SELECT count(*) FROM sources WHERE cursor < size"), 0) << "cursors move on";

  clock_.advance(kMinuteMs);
  EXPECT_FALSE(admin("capture", R"({"action":"resume"})").at("paused").as_bool());
  clock_.advance(kMinuteMs);
  home_.turn("/w/p", 1, clock_.now(), "afterword", "afterword?", "afterword!");
  read();
  rebuild();
  expect_nothing_of({"pausedword"}, "after the pause");
  start_anew();
  expect_nothing_of({"pausedword"}, "in a store made anew");
  const std::string kept = test::everything_below(data_.path());
  EXPECT_THAT(kept, HasSubstr("beforeword"));
  EXPECT_THAT(kept, HasSubstr("afterword"));
}

TEST_F(ForgettingTest, ThePauseIsAToolOnlyIfTheUserAllowsIt) {
  start();
  mcp::ToolContext context;
  EXPECT_THAT(host_->tools().call("capture", R"({"action":"pause","duration":"10m"})", context).text,
              HasSubstr("Capture is paused"));
  EXPECT_TRUE(host_->tools().call("capture", R"({"action":"pause","duration":"soon"})", context).is_error);
  settings_.config.capture_tool = false;
  start();
  EXPECT_EQ(host_->tools().find("capture"), nullptr);
  EXPECT_TRUE(admin("capture").at("paused").as_bool()) << "it outlives a restart";
}

TEST_F(ForgettingTest, AForkGoesWithItsOriginAndALaterOneKeepsIt) {
  const TimeMs t = clock_.now() - 20 * kMsPerDay;
  home_.turn("/w/p", 1, t, "alpha", "alpha?", "alpha!");
  start();
  {
    auto db = sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_write);
    db.exec(("INSERT INTO sessions (uid, platform, native_id, forked_from, ended_at) SELECT 'claude_code:fork',"
             " 'claude_code', 'fork', uid, " +
             std::to_string(clock_.now()) + " FROM sessions")
                .c_str());
  }
  EXPECT_EQ(admin("forget", R"({"before":"7d"})").at("all_sessions").as_int64(), 0) << "its fork goes on";
  const auto plan = admin("forget", R"({"session":")" + home_.session_id(1) + R"("})");
  EXPECT_EQ(plan.at("all_sessions").as_int64(), 2);
  EXPECT_THAT(text_, HasSubstr("goes on from claude_code:00000001"));
}

// Returns the exchange with this word in its prompt.
std::string exchange_with(const StoreLayout& layout, const std::string& word) {
  auto db = sqlite::Database::open(layout.database(), sqlite::OpenMode::read_only);
  sqlite::Statement q(db.handle(), "SELECT exchange_pk FROM exchanges WHERE instr(user_message, ?)");
  q.bind(word);
  return q.step() ? format_exchange_id(q.int64(0)) : std::string();
}

TEST_F(ForgettingTest, OneExchangeIsForgottenAndItsSessionGoesOn) {
  const TimeMs t = clock_.now() - kMsPerDay;
  const auto turn = [&](int session, int i, const std::string& word) {
    home_.turn("/w/p", session, t + i * 10 * kMinuteMs, word, "Why does " + word + " fail?", word + " is too old.");
    home_.typed("/w/p", session, t + i * 10 * kMinuteMs, "Why does " + word + " fail?");
  };
  turn(1, 0, "firstword");
  turn(1, 1, "turncanary");
  home_.subagent_says("/w/p", 1, t + 11 * kMinuteMs, "subagentcanary");
  turn(1, 2, "thirdword");
  turn(1, 3, "lastcanary");
  turn(2, 1, "otherword");
  home_.typed("/w/p", 3, t, "typedword once");
  home_.typed("/w/p", 3, t + kMinuteMs, "typedcanary twice");
  home_.typed("/w/p", 3, t + 2 * kMinuteMs, "typedlast");
  start();
  const std::string second = exchange_with(settings_.layout, "turncanary");
  const std::string last = exchange_with(settings_.layout, "lastcanary");
  const std::string third = exchange_with(settings_.layout, "thirdword");
  const std::string typed = exchange_with(settings_.layout, "typedcanary");
  const std::string after = exchange_with(settings_.layout, "otherword");

  const auto plan = admin("forget", R"({"exchanges":[")" + second + "\"]}");
  EXPECT_EQ(plan.at("exchanges").as_int64(), 1);
  EXPECT_EQ(plan.at("all_sessions").as_int64(), 1) << "the subagent";
  EXPECT_FALSE(plan.at("done").as_bool());
  EXPECT_THAT(text_, HasSubstr("Why does turncanary fail?"));
  EXPECT_THAT(answers({}), HasSubstr("turncanary"));
  mcp::ToolContext context;
  for (const char* wrong :
       {R"({"exchanges":["x4000"]})", R"({"exchanges":["y"]})", R"({"exchanges":["x1"],"project":"p"})"})
    EXPECT_TRUE(registry_->call("forget", wrong, context).is_error) << wrong;

  // By its name, and the newest one with it.
  const auto done = admin("forget", R"({"yes":true,"exchanges":[")" + last + "\",\"" + typed +
                                        "\",\"claude_code:" + home_.session_id(1) + "#1\"]}");
  EXPECT_TRUE(done.at("done").as_bool());
  EXPECT_EQ(done.at("exchanges").as_int64(), 3);
  const std::vector<std::string> gone{"turncanary", "lastcanary", "subagentcanary", "typedcanary"};
  expect_nothing_of(gone, "after forgetting");
  EXPECT_TRUE(admin("doctor").at("ok").as_bool()) << text_;
  EXPECT_TRUE(registry_->call("forget", R"({"exchanges":[")" + second + "\"]}", context).is_error);

  // The agent finishes the forgotten turn, and goes on.
  test::append_file(home_.transcript("/w/p", 1),
                    R"({"type":"assistant","uuid":"00000000-0000-4000-8000-00000000f00d","timestamp":")" +
                        format_rfc3339(t + 31 * kMinuteMs) + R"(","cwd":"/w/p","sessionId":")" + home_.session_id(1) +
                        R"(","message":{"id":"mf","role":"assistant","model":"m","content":[{"type":"text","text":)" +
                        R"("and another lastcanary"}]}})" + "\n");
  read();
  expect_nothing_of(gone, "while the forgotten turn goes on");
  start();
  turn(1, 4, "fifthword");
  read();
  const auto expect_kept = [&](const char* when) {
    expect_nothing_of(gone, when);
    EXPECT_EQ(exchange_with(settings_.layout, "thirdword"), third) << when;
    EXPECT_EQ(exchange_with(settings_.layout, "otherword"), after) << when;
    EXPECT_EQ(number("SELECT group_concat(exchange_number, '') FROM (SELECT exchange_number FROM exchanges x JOIN"
                     " sessions s USING (session_pk) WHERE s.uid LIKE '%00000001-%' ORDER BY 1)"),
              24)
        << when << ": exchanges 0, 2 and 4";
    EXPECT_EQ(number("SELECT turns FROM sessions WHERE uid LIKE '%00000001-%'"), 3) << when;
    EXPECT_EQ(number("SELECT tool_calls FROM sessions WHERE uid LIKE '%00000001-%'"), 3) << when;
    EXPECT_EQ(number("SELECT count(*) FROM sessions WHERE uid LIKE '%00000001-%'"), 1) << when;
    EXPECT_EQ(number("SELECT count(*) FROM exchanges x JOIN sessions s USING (session_pk) WHERE s.uid LIKE"
                     " '%00000003-%'"),
              2)
        << when;
    EXPECT_EQ(number("SELECT count(*) FROM sources WHERE cursor < size"), 0) << when;
    const std::string kept = answers({});
    for (const char* word : {"firstword", "thirdword", "fifthword", "otherword", "typedword", "typedlast"})
      EXPECT_THAT(kept, HasSubstr(word)) << when;
  };
  expect_kept("when the session has gone on");
  rebuild();
  expect_kept("after a rebuild");
  start_anew();
  expect_nothing_of(gone, "in a store made anew");
  EXPECT_THAT(answers({}), HasSubstr("fifthword"));
  EXPECT_EQ(number("SELECT max(exchange_number) FROM exchanges"), 4);
}

TEST_F(ForgettingTest, OneTextIsForgottenWhereverItStands) {
  const TimeMs t = clock_.now() - kMsPerDay;
  const std::string secret = "textcanary \"one\"\n  two of lin\xC3\xA9 secretcanary\nthreecanary and its end";
  const auto turn = [&](int session, int i, const std::string& prompt, const std::string& answer) {
    home_.turn("/w/p", session, t + i * 10 * kMinuteMs, "keptword" + std::to_string(i), prompt, answer);
    home_.typed("/w/p", session, t + i * 10 * kMinuteMs, prompt);
  };
  turn(1, 0, "Use this: " + secret + " please", "I use " + secret + ".");
  turn(1, 1, secret, "Here it stands in JSON: " + bj::serialize(bj::value(secret)));
  turn(2, 2, "Decision: we use " + secret, "done, keptanswer");
  home_.title("/w/p", 1, secret);
  start();
  const std::vector<std::string> gone{"textcanary", "secretcanary", "threecanary"};
  EXPECT_THAT(test::everything_below(data_.path()), HasSubstr("secretcanary"));
  const std::string arguments = R"({"text":)" + bj::serialize(bj::value(secret));
  const auto plan = admin("forget", arguments + "}");
  EXPECT_EQ(plan.at("exchanges").as_int64(), 3) << text_;
  EXPECT_GE(plan.at("records").as_int64(), 6) << text_;
  EXPECT_EQ(plan.at("all_sessions").as_int64(), 2) << text_;
  EXPECT_FALSE(plan.at("done").as_bool());
  EXPECT_THAT(test::everything_below(data_.path()), HasSubstr("secretcanary"));
  mcp::ToolContext context;
  for (const char* wrong : {R"({"text":"short"})", R"({"text":"long enough","project":"p"})"})
    EXPECT_TRUE(registry_->call("forget", wrong, context).is_error) << wrong;

  EXPECT_TRUE(admin("forget", arguments + R"(,"yes":true})").at("done").as_bool());
  host_->enrichment()->hint();
  ASSERT_TRUE(host_->enrichment()->block_until_idle(60s));
  expect_nothing_of(gone, "after forgetting");
  EXPECT_TRUE(admin("doctor").at("ok").as_bool()) << text_;
  for (const auto& line : exported(home_.session_id(1)))
    for (const auto& word : gone)
      EXPECT_THAT(line, Not(HasSubstr(word))) << "the agent's own file still has it";
  EXPECT_EQ(number("SELECT count(*) FROM exchanges"), 3);
  EXPECT_THAT(answers({}), HasSubstr("Use this: [redacted:forgotten] please"));

  turn(1, 3, "Once more: " + secret, secret);
  read();
  expect_nothing_of(gone, "when it is written again");
  rebuild();
  expect_nothing_of(gone, "after a rebuild");
  start_anew();
  expect_nothing_of(gone, "in a store made anew");
  settings_.config.raw_layer = RawMode::off;
  start_anew();
  expect_nothing_of(gone, "without a raw layer");
  const std::string kept = answers({});
  for (const char* word : {"keptword0", "keptword3", "keptanswer", "Once more: [redacted:forgotten]"})
    EXPECT_THAT(kept, HasSubstr(word));
  EXPECT_EQ(number("SELECT count(*) FROM exchanges"), 4);
}

}  // namespace
}  // namespace memd
