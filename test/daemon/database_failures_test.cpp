// The cases of failures_test.cpp that need the databases of agents. The tests write them as the agents do.
#include "daemon/ingest/ingest_service.hpp"
#include "schemas/search.hpp"
#include "store/reader.hpp"
#include "store/search/words/query_parser.hpp"
#include "test/adapters/opencode_case.hpp"
#include "test/support/cursor_state.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class DatabaseFailures : public testing::Test {
 protected:
  void start() {
    auto writer = Writer::open(database(), clock_);
    ASSERT_TRUE(writer) << writer.error().message();
    ASSERT_TRUE(service_.start(std::move(*writer)));
    service_.scan();
    ASSERT_TRUE(service_.block_until_idle(30s));
  }
  void hint(const fs::path& path) {
    service_.hint(path);
    ASSERT_TRUE(service_.block_until_idle(30s));
  }
  fs::path database() const { return store_ / "memd.db"; }
  std::int64_t number(const std::string& sql) {
    auto db = sqlite::Database::open(database(), sqlite::OpenMode::read_only);
    auto& q = db.prepare(sql);
    q.bind();
    return q.step() ? q.int64(0) : -1;
  }
  std::int64_t hits(std::string text) {
    Reader reader(database());
    const auto answer = reader.search({{.asked = search::parse_query(text)}});
    return answer ? static_cast<std::int64_t>(answer->hits.size()) : -1;
  }

  test::TempDir home_;
  test::TempDir store_;
  test::FakeClock clock_;
  Discovery discovery_{all_adapters(), home_.path(), {}, {}};
  IngestService service_{discovery_, clock_};
};

// opencode 2 renamed its tables, and a reader of the old ones found no new session for months.
TEST_F(DatabaseFailures, Failure19_SessionsInRenamedTablesAreRead) {
  const auto data = home_ / ".local/share/opencode";
  test::lay_out({test::opencode_golden() / "turn_with_tools", false}, data);
  start();
  const auto sessions = number("SELECT count(*) FROM sessions WHERE platform = 'opencode'");
  const auto exchanges = number("SELECT count(*) FROM exchanges");
  ASSERT_GT(sessions, 0);
  {
    test::WrittenDatabase opencode((data / "opencode.db").string());
    opencode.run("DROP TABLE IF EXISTS session_v2");
    opencode.run("CREATE TABLE session_v2 AS SELECT * FROM session");
    opencode.run("UPDATE session_v2 SET id = 'ses_00new', title = 'After the upgrade'");
    opencode.run("DROP TABLE IF EXISTS session_message");
    opencode.run(
        "CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL,"
        " time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL, seq integer NOT NULL)");
    opencode.run(
        "INSERT INTO session_message VALUES ('msg_n1', 'ses_00new', 'user', 1790000000000, 1790000000000,"
        " '{\"text\":\"is the zebrafish visible\"}', 1)");
  }
  hint(data / "opencode.db");
  EXPECT_EQ(hits("zebrafish"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM sessions WHERE platform = 'opencode'"), sessions + 1);
  EXPECT_EQ(number("SELECT count(*) FROM exchanges"), exchanges + 1) << "and what the old tables hold is still there";
}

// A fork is a full copy under new ids, and its origin may go on afterwards. Its subagents stay the origin's.
TEST_F(DatabaseFailures, AForkOfOpencodeIsReadAfterItsOriginWhateverChangedLast) {
  const auto data = home_ / ".local/share/opencode";
  fs::create_directories(data);
  {
    test::WrittenDatabase opencode((data / "opencode.db").string());
    opencode.run(test::bytes_of(test::opencode_golden() / "schema_1x.sql"));
    const auto add_session = [&](const std::string& id, std::int64_t created, std::int64_t updated) {
      opencode.run(
          "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated)"
          " VALUES ('" +
          id + "', 'global', '', '/w/p', 'Shelves " + id + "', '1.18.33', " + std::to_string(created) + ", " +
          std::to_string(updated) + ")");
    };
    const auto add = [&](const std::string& id, const std::string& session, std::int64_t time, bool user,
                         const std::string& parts) {
      const std::string at = std::to_string(time);
      opencode.run("INSERT INTO message VALUES ('" + id + "', '" + session + "', " + at + ", " + at +
                   ", '{\"role\":\"" + (user ? "user" : "assistant") + "\",\"time\":{\"created\":" + at +
                   "},\"modelID\":\"m\",\"providerID\":\"p\",\"tokens\":{\"input\":" + (user ? "0" : "1000") +
                   ",\"output\":" + (user ? "0" : "10") + "}}')");
      opencode.run("INSERT INTO part VALUES ('prt_" + id + "', '" + id + "', '" + session + "', " + at + ", " + at +
                   ", '" + parts + "')");
    };
    const auto text = [](const std::string& words, std::int64_t end) {
      return R"({"type":"text","text":")" + words + R"(","time":{"end":)" + std::to_string(end) + "}}";
    };
    const std::string task =
        R"({"type":"tool","tool":"task","callID":"c1","state":{"status":"completed","input":{"subagent_type":"general"},)"
        R"("output":"three","metadata":{"sessionId":"ses_c"},"time":{"start":1790000002000,"end":1790000002500}}})";
    add_session("ses_a", 1'790'000'000'000, 1'790'000'900'000);
    add_session("ses_b", 1'790'000'500'000, 1'790'000'600'000);
    add_session("ses_c", 1'790'000'002'100, 1'790'000'002'400);
    opencode.run("UPDATE session SET parent_id = 'ses_a' WHERE id = 'ses_c'");
    for (const std::string session : {"ses_b", "ses_a"}) {  // the copies have the lesser row ids
      const std::string n = session == "ses_a" ? "a" : "b";
      add("msg_" + n + "1", session, 1'790'000'001'000, true, text("count the wombat shelves", 0));
      add("msg_" + n + "2", session, 1'790'000'002'000, false, task);
      add("msg_" + n + "3", session, 1'790'000'003'000, false, text("There are three.", 1'790'000'003'500));
    }
    add("msg_b4", "ses_b", 1'790'000'550'000, true, text("by colour", 0));
    add("msg_a4", "ses_a", 1'790'000'890'000, true, text("by height", 0));
  }
  start();
  EXPECT_EQ(hits("wombat"), 1);
  EXPECT_EQ(number("SELECT turns FROM sessions WHERE native_id = 'ses_a'"), 2);
  EXPECT_EQ(number("SELECT turns FROM sessions WHERE native_id = 'ses_b'"), 1);
  EXPECT_EQ(number("SELECT sum(input) FROM responses"), 2000);
  EXPECT_EQ(number("SELECT count(*) FROM sessions WHERE native_id = 'ses_b' AND forked_from = 'opencode:ses_a'"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM sessions WHERE native_id = 'ses_c' AND parent_uid = 'opencode:ses_a'"), 1);
}

// An incremental pass dropped all unchanged chats, and read gigabytes again for one message.
TEST_F(DatabaseFailures, Failure20_OneBubbleIsReadAndNoChatIsDropped) {
  const auto file = home_ / ".config/Cursor/User/globalStorage/state.vscdb";
  test::CursorState cursor(file);
  const int conversations = cursor.fill(12'000'000);
  start();
  ASSERT_EQ(number("SELECT count(*) FROM sessions"), conversations);
  const auto exchanges = number("SELECT count(*) FROM exchanges");
  const auto read_before = service_.progress().snapshot().bytes_read;
  const auto text = cursor.add_bubble(1, test::CursorState::kBubbles);  // every tenth bubble is a prompt
  hint(file.string() + "-wal");
  EXPECT_EQ(hits(text.substr(0, text.find(' '))), 1);
  EXPECT_EQ(number("SELECT count(*) FROM sessions"), conversations);
  EXPECT_EQ(number("SELECT count(*) FROM exchanges"), exchanges + 1);
  EXPECT_LT(service_.progress().snapshot().bytes_read - read_before, 100'000u);
  EXPECT_EQ(number("SELECT count(*) FROM diagnostics"), 0);
}

}  // namespace
}  // namespace memd
