// Tests what retention evicts and keeps, when it does so, and what it reports.
#include "store/write/retention.hpp"
#include "daemon/admin/admin_tools.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "daemon/models/enrichment_worker.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/time.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <filesystem>

namespace memd::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr TimeMs kHour = kMsPerDay / 24;

// A daemon over transcripts of several sessions, with a fake clock.
class RetentionTest : public testing::Test {
 protected:
  RetentionTest() {
    std::filesystem::permissions(data_.path(), std::filesystem::perms::owner_all);
    settings_.config.embedding.choice.provider = EmbeddingProvider::disabled;
  }
  void TearDown() override { host_.reset(); }

  static std::string id(int n) { return "00000000-0000-4000-8000-0000000000" + std::to_string(10 + n); }
  static std::string uid(int n) { return "claude_code:" + id(n); }
  std::filesystem::path transcript(int n) const { return home_ / (".claude/projects/-w-p/" + id(n) + ".jsonl"); }

  std::string record(int n, int line, TimeMs time, const std::string& type, const std::string& content,
                     const std::string& more = {}) {
    return "{" + more + R"("type":")" + type + R"(","uuid":"000000)" + std::to_string(10 + n) +
           "-0000-4000-8000-00000000" + std::to_string(1000 + line) + R"(","timestamp":")" + format_rfc3339(time) +
           R"(","sessionId":")" + id(n) + R"(","cwd":"/w/p","version":"2.1.7","message":{"role":")" + type + R"(",)" +
           content + "}}\n";
  }
  // Writes an exchange with a commit, a failed call, a decision, and a text longer than its stored first lines.
  void write_session(int n, TimeMs time) {
    const std::string number = std::to_string(n);
    const std::string filler(700, 'x');
    std::string text = record(n, 1, time, "user",
                              R"("content":"Why does upload )" + number +
                                  R"( fail?\nLet's use a rename instead of a copy because renames are atomic.\n)" +
                                  filler + R"( tailword)" + number + R"(")");
    text += record(n, 2, time + 1000, "assistant",
                   R"("id":"m1","model":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":)"
                   R"({"command":"git commit -m x"}}])");
    text +=
        record(n, 3, time + 2000, "user",
               R"("content":[{"type":"tool_result","tool_use_id":"t1","content":"[main abcdef)" +
                   std::to_string(10 + n) + "] Rename part " + number + R"x(\n 1 file changed, 2 insertions(+)"}])x",
               R"("toolUseResult":{"answers":{"How does upload )" + number + R"( end?":"with a rename"}},)");
    text += record(n, 4, time + 3000, "assistant",
                   R"("id":"m2","model":"m","content":[{"type":"tool_use","id":"t2","name":"Edit","input":)"
                   R"({"file_path":"/w/p/upload.cc","old_string":"a","new_string":"b"}}])");
    text += record(n, 5, time + 4000, "user",
                   R"("content":[{"type":"tool_result","tool_use_id":"t2","is_error":true,)"
                   R"("content":"error: no such file )" +
                       number + R"("}])");
    text += record(n, 6, time + 5000, "assistant",
                   R"("id":"m3","model":"m","content":[{"type":"text","text":"The part file of upload )" + number +
                       R"( is renamed first now.\n)" + filler + R"( answertail)" + number + R"("}])");
    write_file(transcript(n), text);
  }
  // Appends something for ingest to commit.
  void write_on() {
    ++live_;
    append_file(transcript(80), record(80, 100 + live_, clock_.now(), "user", R"("content":"And on")"));
    settle();
  }
  void start() {
    host_.reset();
    host_ = std::make_unique<MemoryHost>(settings_, clock_);
    registry_ = std::make_unique<mcp::ToolRegistry>();
    admin::register_admin_tools(*registry_, *host_, {});
    ASSERT_TRUE(host_->start_ingest());
    settle();
  }
  void settle() {
    host_->ingest()->scan();
    ASSERT_TRUE(host_->ingest()->block_until_idle(60s));
    host_->enrichment()->hint();
    ASSERT_TRUE(host_->enrichment()->block_until_idle(60s));
  }
  // Writes the sessions `first` … `last`, one per day, oldest first. All ended days ago.
  void live(int first, int last) {
    for (int n = first; n <= last; ++n)
      write_session(n, clock_.now() - (60 - n) * kMsPerDay);
    start();
  }
  void evict(int n) {
    const std::vector<std::string> uids{uid(n)};
    Retention::Dropped dropped;
    ASSERT_TRUE(host_->ingest()->perform([&](Writer& writer) -> Result<void> {
      MEMD_TRY_ASSIGN(dropped, Retention(writer).evict(uids));
      return {};
    }));
    ASSERT_EQ(dropped.sessions, 1u);
    settle();
  }
  boost::json::object call(const mcp::ToolRegistry& registry, std::string_view tool, std::string_view arguments) {
    mcp::ToolContext context;
    const auto out = registry.call(tool, arguments, context);
    EXPECT_FALSE(out.is_error) << out.text;
    text_ = out.text + out.structured;
    return boost::json::parse(out.structured).as_object();
  }
  boost::json::object ask(std::string_view tool, std::string_view arguments) {
    return call(host_->tools(), tool, arguments);
  }
  boost::json::object admin(std::string_view tool, std::string_view arguments = "{}") {
    return call(*registry_, tool, arguments);
  }
  std::vector<std::string> rows(const std::string& sql) {
    auto db = sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_only);
    sqlite::Statement q(db.handle(), sql);
    std::vector<std::string> out;
    while (q.step())
      out.push_back(q.str(0));
    return out;
  }
  std::int64_t number(const std::string& sql) { return std::stoll(rows(sql).at(0)); }
  std::int64_t evicted() { return number("SELECT count(*) FROM sessions WHERE evicted_at IS NOT NULL"); }

  TempDir home_;
  TempDir data_;
  FakeClock clock_;
  Settings settings_{StoreLayout(data_.path()), false, home_.path(), {}, "", {}};
  std::unique_ptr<MemoryHost> host_;
  std::unique_ptr<mcp::ToolRegistry> registry_;
  std::string text_;
  int live_ = 0;
};

constexpr std::string_view kDropped = "Retention dropped the texts of 1 turn shown here";

TEST_F(RetentionTest, AnEvictedSessionKeepsWhatItIsKnownByAndAnswersSaySo) {
  live(0, 3);
  const std::string of_session = R"({"session_id":")" + uid(0) + R"("})";
  const auto list_before = ask("list_sessions", "{}").at("sessions").as_array();
  const auto summary_before = ask("session_summary", of_session);
  ASSERT_FALSE(summary_before.at("key_decisions").as_array().empty());
  ASSERT_FALSE(summary_before.at("commits").as_array().empty());
  const auto exchange =
      rows("SELECT 'x' || exchange_pk FROM exchanges JOIN sessions USING (session_pk) WHERE uid = '" + uid(0) + "'")
          .at(0);
  const std::string whole_database = R"({"query":"tailword0","mode":"lexical"})";
  ASSERT_FALSE(ask("semantic_search", whole_database).at("results").as_array().empty());
  evict(0);

  // Figures count rows.
  const auto platform = admin("status").at("platforms").at(0).as_object();
  EXPECT_EQ(platform.at("exchanges").as_int64(), number("SELECT count(*) FROM exchanges"));
  EXPECT_EQ(platform.at("exchanges").as_int64(), 4) << "its first lines are there";
  EXPECT_EQ(platform.at("events").as_int64(), number("SELECT count(*) FROM events"));
  EXPECT_EQ(number("SELECT count(*) FROM events JOIN sessions USING (session_pk) WHERE uid = '" + uid(0) + "'"), 0);

  // Titles, outcomes with their reasons and all other fields of the list are kept.
  const auto list = ask("list_sessions", "{}").at("sessions").as_array();
  ASSERT_EQ(list.size(), list_before.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto session = list[i].as_object();
    EXPECT_EQ(session.contains("evicted_at"), session.at("session_id").as_string() == uid(0));
    session.erase("evicted_at");
    EXPECT_EQ(session, list_before[i].as_object());
  }
  EXPECT_THAT(text_, HasSubstr("its texts were dropped"));
  EXPECT_FALSE(list.back().at("outcome_reasons").as_array().empty());

  const auto summary = ask("session_summary", of_session);
  for (const char* kept : {"key_decisions", "commits", "files_modified", "total_exchanges", "outcome",
                           "outcome_reasons", "session_name", "time_range"})
    EXPECT_EQ(summary.at(kept), summary_before.at(kept)) << kept;
  EXPECT_EQ(summary.at("data_completeness").as_string(), "metadata_only");
  EXPECT_THAT(std::string(summary.at("notice").as_string()), HasSubstr(kDropped));
  EXPECT_THAT(std::string(summary.at("summary").as_string()), HasSubstr("error: no such file 0"));
  EXPECT_THAT(text_, Not(HasSubstr("answertail0")));

  const auto got = ask("get_exchange", R"({"include_tools":true,"ids":[")" + exchange + R"("]})");
  EXPECT_THAT(std::string(got.at("notice").as_string()), HasSubstr(kDropped));
  EXPECT_EQ(got.at("exchanges").at(0).at("data_completeness").as_string(), "metadata_only");
  EXPECT_THAT(text_, HasSubstr("Why does upload 0 fail?"));

  EXPECT_TRUE(ask("semantic_search", whole_database).at("results").as_array().empty());
  const auto found = ask("semantic_search", R"({"query":"why does upload 0 fail","mode":"lexical"})");
  ASSERT_FALSE(found.at("results").as_array().empty());
  EXPECT_EQ(found.at("results").at(0).at("exchange_id").as_string(), exchange);
  EXPECT_EQ(found.at("results").at(0).at("data_completeness").as_string(), "metadata_only");
  EXPECT_THAT(std::string(found.at("notice").as_string()), HasSubstr(kDropped));
  EXPECT_THAT(text_, HasSubstr("(first lines only)"));
  EXPECT_FALSE(found.at("results").at(1).as_object().contains("data_completeness"));
  EXPECT_THAT(std::string(ask("recent_turns", of_session).at("notice").as_string()), HasSubstr(kDropped));
  EXPECT_EQ(ask("list_observations", of_session).at("total").as_int64(),
            number("SELECT count(*) FROM observations JOIN sessions USING (session_pk) WHERE uid = '" + uid(0) + "'"));

  // Later records are ingested completely, and nothing else is.
  append_file(transcript(0), record(0, 7, clock_.now(), "user", R"("content":"Does it work on a network drive?")"));
  settle();
  EXPECT_EQ(rows("SELECT data_completeness FROM exchanges JOIN sessions USING (session_pk) WHERE uid = '" + uid(0) +
                 "' ORDER BY exchange_number"),
            (std::vector<std::string>{"2", "1"}));
  clock_.advance(kHour);
  settle();
  const auto later = ask("session_summary", of_session);
  EXPECT_EQ(later.at("data_completeness").as_string(), "metadata_only");
  EXPECT_EQ(later.at("total_exchanges").as_int64(), 2);
  EXPECT_EQ(rows("SELECT text FROM digest_errors JOIN sessions USING (session_pk) WHERE uid = '" + uid(0) + "'").size(),
            1u)
      << "errors from before stay in the digest";
}

TEST_F(RetentionTest, ARebuildGivesTheSameAfterAnEviction) {
  live(0, 4);
  evict(1);
  evict(3);
  append_file(transcript(3), record(3, 7, clock_.now(), "user", R"("content":"And then?")"));
  settle();
  host_.reset();
  const auto dump = [&] {
    auto db = sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_write);
    EXPECT_NO_THROW(check_full_text_index(db));
    auto out = dump_store(db);
    for (const char* sql :
         {"SELECT exchange_pk || ' ' || uid || ' ' || exchange_number FROM exchanges JOIN sessions USING (session_pk)",
          "SELECT uid || evicted_at || evicted_through || analyzed_at || outcome || outcome_signs FROM sessions"
          " WHERE evicted_at IS NOT NULL",
          "SELECT uid || request || result || abstract FROM session_digests JOIN sessions USING (session_pk)"
          " WHERE evicted_at IS NOT NULL",
          "SELECT p.name || s.uid FROM sessions s JOIN projects p USING (project_pk)",
          "SELECT t.uid || o.path FROM sessions t JOIN sources o USING (source_pk)"}) {
      auto more = rows(sql);
      std::sort(more.begin(), more.end());
      out.insert(out.end(), more.begin(), more.end());
    }
    return out;
  };
  const auto want = dump();
  std::filesystem::remove_all(home_ / ".claude");
  for (const char* suffix : {"", "-wal", "-shm"})
    std::filesystem::remove(settings_.layout.database().string() + suffix);
  const auto report = rebuild_store(settings_.layout, find_adapter);
  ASSERT_TRUE(report) << report.error().message();
  const auto have = dump();
  ASSERT_EQ(have.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_EQ(have[i], want[i]);
}

TEST_F(RetentionTest, TheDryRunShowsWhatGoesAndTheRealRunDoesExactlyThat) {
  settings_.config.retention.max_age_days = 55;
  live(0, 9);
  const auto shown = admin("retention", R"({"within_days":3})");
  EXPECT_EQ(evicted(), 0);
  const auto& due = shown.at("due").as_object();
  EXPECT_EQ(due.at("sessions").as_int64(), 5) << "60 to 56 days old; the sixth has hours left";
  EXPECT_THAT(text_, HasSubstr(R"("due":{"sessions":5,"exchanges":5,)"));
  EXPECT_EQ(shown.at("drops").at(0).at("title").as_string(), "Why does upload 0 fail?");
  EXPECT_EQ(shown.at("drops").as_array().size(), 8u) << "three more within three days";
  std::set<std::string> listed;
  for (const auto& drop : shown.at("drops").as_array())
    if (drop.at("due").as_string() <= std::string_view(format_rfc3339(clock_.now())))
      listed.insert(std::string(drop.at("session_id").as_string()));
  const auto raw_before = number("SELECT sum(file_length) FROM raw_frames");
  const auto events_before = number("SELECT count(*) FROM events");

  const auto done = admin("retention", R"({"within_days":3,"apply":true})");
  EXPECT_EQ(done.at("dropped").as_object(), due);
  EXPECT_EQ(done.at("due").at("sessions").as_int64(), 0);
  const auto gone = rows("SELECT uid FROM sessions WHERE evicted_at IS NOT NULL");
  EXPECT_EQ(std::set<std::string>(gone.begin(), gone.end()), listed);
  EXPECT_EQ(raw_before - number("SELECT sum(file_length) FROM raw_frames"), due.at("raw_bytes").as_int64());
  EXPECT_EQ(events_before - number("SELECT count(*) FROM events"), due.at("events").as_int64());
}

TEST_F(RetentionTest, NoLimitDropsBeforeItsNoticeStoodForAWeekAndNoRestartDropsAnything) {
  for (const bool by_age : {true, false}) {
    SCOPED_TRACE(by_age ? "age" : "size");
    settings_.config.retention = {};
    start();
    const auto before = evicted();
    (by_age ? live(0, 9) : live(10, 19));
    if (by_age)
      settings_.config.retention.max_age_days = 30;
    else
      settings_.config.retention.max_raw_bytes = 1;
    start();
    write_on();
    EXPECT_EQ(evicted(), before) << "set just now";
    clock_.advance(2 * kHour);
    write_on();  // the first pass
    EXPECT_EQ(evicted(), before);
    EXPECT_THAT(std::string(admin("retention").at("large_notice").as_string()), HasSubstr("More than a tenth"));
    admin("doctor");
    EXPECT_THAT(text_, HasSubstr("More than a tenth of the history is due at once"));
    const std::string goes(admin("status").at("next_drop").at("goes").as_string());
    EXPECT_GT(goes, format_rfc3339(clock_.now() + 6 * kMsPerDay));
    clock_.advance(6 * kMsPerDay);
    write_on();
    EXPECT_EQ(evicted(), before) << "announced, but not for a week";
    clock_.advance(3 * kMsPerDay);
    start();
    write_on();
    EXPECT_EQ(evicted(), before) << "a restart is no reason";
    clock_.advance(2 * kHour);
    write_on();
    EXPECT_GE(evicted(), before + 9);
  }
}

TEST_F(RetentionTest, WhatComesDueDayByDayGoesUnlessItIsTooMuchAtOnce) {
  settings_.config.retention.max_age_days = 70;
  for (int n = 20; n < 60; ++n)
    write_session(n, clock_.now() - (62 - n) * kMsPerDay);
  start();
  write_on();
  for (int day = 0; day < 30 && evicted() == 0; ++day) {
    clock_.advance(kMsPerDay);
    write_on();
  }
  EXPECT_EQ(evicted(), 1) << "one of forty is announced by the limit itself";
  // After ten days without the daemon, a quarter is due.
  clock_.advance(10 * kMsPerDay);
  write_on();
  EXPECT_EQ(evicted(), 1);
  clock_.advance(8 * kMsPerDay);
  write_on();
  EXPECT_GT(evicted(), 10);
}

}  // namespace
}  // namespace memd::test
