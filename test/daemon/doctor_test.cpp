#include "daemon/admin/admin_tools.hpp"
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/memories/indexer_thread.hpp"
#include "schemas/base/time.hpp"
#include "store/db/database.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <filesystem>
#include <fstream>

namespace memd {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class Doctor : public testing::Test {
 protected:
  Doctor() {
    std::filesystem::permissions(data_.path(), std::filesystem::perms::owner_all);
    admin::register_admin_tools(registry_, host_, {});
  }
  boost::json::object ask(std::string_view tool, std::string_view arguments = "{}") {
    mcp::ToolContext context;
    const auto out = registry_.call(tool, arguments, context);
    EXPECT_FALSE(out.is_error) << out.text;
    text_ = out.text + out.structured;
    structured_ = out.structured;
    return boost::json::parse(out.structured).as_object();
  }
  std::string status_of(const boost::json::object& report, std::string_view check) {
    for (const auto& c : report.at("checks").as_array())
      if (c.at("name").as_string() == check) return std::string(c.at("status").as_string());
    return "";
  }
  void ingest() {
    ASSERT_TRUE(host_.start_ingest());
    host_.ingest()->scan();
    ASSERT_TRUE(host_.ingest()->block_until_idle(10s));
  }

  test::TempDir home_;
  test::TempDir data_;
  test::FakeClock clock_;
  Settings settings_{StoreLayout(data_.path()), false, home_.path(), {}, "", {}};
  MemoryHost host_{settings_, clock_};
  mcp::ToolRegistry registry_;
  std::string text_;
  std::string structured_;
};

TEST_F(Doctor, FindsNothingWrongWithAnEmptyHome) {
  const auto report = ask("doctor");
  EXPECT_TRUE(report.at("ok").as_bool());
  EXPECT_TRUE(structured_.starts_with(R"({"ok":true)")) << "the command line's exit code";
  EXPECT_EQ(status_of(report, "sources"), "note") << "nothing to read is worth a word";
}

// Written by another program: memd maintains an index only where it has written a memory.
TEST_F(Doctor, NamesAnIndexOfMemoriesThatDoesNotFit) {
  const auto place = home_.path() / ".claude/memory";
  test::write_file(place / "rule.md",
                   "---\ntype: decision\ntags: [a]\ncreated: \"2026-01-10T10:00:00Z\"\nupdated: "
                   "\"2026-01-10T10:00:00Z\"\nlinks: []\n---\n\n# Rule\n\nUse the linter.\n");
  test::write_file(place / "index.json", "{}");
  ingest();
  ASSERT_TRUE(host_.memory_indexer()->settle(20s));
  const auto status = ask("status");
  EXPECT_EQ(status.at("memories").at("stale_indexes").at(0).as_string(), (place / "index.json").native());
  EXPECT_THAT(text_, HasSubstr((place / "index.json").native()));
  const auto report = ask("doctor");
  EXPECT_EQ(status_of(report, "memories"), "note");
  EXPECT_THAT(text_, HasSubstr("memd memory health"));
  EXPECT_TRUE(report.at("ok").as_bool());
}

TEST_F(Doctor, TellsHowMemoriesStand) {
  const auto place = home_.path() / ".claude/memory";
  test::write_file(place / "rule.md",
                   "---\ntype: decision\ntags: [a]\ncreated: \"2026-01-10T10:00:00Z\"\nupdated: "
                   "\"2026-01-10T10:00:00Z\"\nlinks: []\n---\n\n# Rule\n\nUse the linter.\n");
  test::write_file(place / "broken.md", "No front matter.\n");
  test::write_file(home_.path() / ".claude/CLAUDE.md", "Answer briefly.\n");
  ingest();
  ASSERT_TRUE(host_.memory_indexer()->settle(20s));
  const auto status = [&] { return ask("status").at("memories").as_object(); };
  auto memories = status();
  EXPECT_EQ(memories.at("state").as_string(), "valid");
  EXPECT_EQ(memories.at("memories").as_int64(), 1);
  EXPECT_EQ(memories.at("agent_files").as_int64(), 1);
  EXPECT_EQ(memories.at("invalid").as_int64(), 1);
  EXPECT_EQ(memories.at("invalid_files").at(0).as_string(), (place / "broken.md").native());
  EXPECT_EQ(memories.at("unread").as_array().size(), 0U);
  EXPECT_EQ(memories.at("looked_at").as_string(), format_rfc3339(clock_.now()));
  EXPECT_NE(memories.at("read_at").as_string(), "");
  EXPECT_THAT(text_, HasSubstr(R"("memories":1,"agent_files":1)"));
  auto report = ask("doctor");
  EXPECT_EQ(status_of(report, "memories"), "note");
  EXPECT_THAT(text_, HasSubstr("broken.md"));
  EXPECT_TRUE(report.at("ok").as_bool());

  // A file that is too large to be a memory.
  std::ofstream(place / "huge.md").put('-');
  std::filesystem::resize_file(place / "huge.md", std::uintmax_t{1} << 30);
  host_.memory_indexer()->hint(place / "huge.md");
  ASSERT_TRUE(host_.memory_indexer()->settle(20s));
  memories = status();
  ASSERT_EQ(memories.at("unread").as_array().size(), 1U);
  EXPECT_THAT(std::string(memories.at("unread").at(0).as_string()), HasSubstr("huge.md"));
  report = ask("doctor");
  EXPECT_EQ(status_of(report, "memories"), "note");
  EXPECT_THAT(text_, HasSubstr("huge.md"));
  std::filesystem::remove(place / "huge.md");
  host_.memory_indexer()->hint_everything();
  ASSERT_TRUE(host_.memory_indexer()->settle(20s));
  EXPECT_EQ(status().at("unread").as_array().size(), 0U);

  std::filesystem::remove(place / "broken.md");
  host_.memory_indexer()->hint(place / "broken.md");
  ASSERT_TRUE(host_.memory_indexer()->settle(20s));
  EXPECT_EQ(status_of(ask("doctor"), "memories"), "ok");

  {
    auto db = sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_write);
    db.exec("DROP TABLE doc_vectors");
  }
  EXPECT_EQ(status().at("state").as_string(), "corrupted");
  report = ask("doctor");
  EXPECT_EQ(status_of(report, "memories"), "problem");
  EXPECT_THAT(text_, HasSubstr("memd memory rebuild"));
  (void)ask("memory_catalog", R"({"rebuild":true})");
  memories = status();
  EXPECT_EQ(memories.at("state").as_string(), "valid");
  EXPECT_EQ(memories.at("reason").as_string(), "asked for");
  {
    auto db = sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_write);
    db.exec("UPDATE doc_catalog SET state = 2");
  }
  EXPECT_EQ(status().at("state").as_string(), "rebuilding");
  EXPECT_EQ(status_of(ask("doctor"), "memories"), "problem");
}

// SQLite reports such a store as sound.
TEST_F(Doctor, ReadsWhatSearchesReadAndMakesItAnew) {
  ingest();
  {
    auto db = sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_write);
    db.exec(
        "UPDATE exchanges_fts_data SET block = X'00000000' WHERE id = 10;"
        "UPDATE exchanges_fts_data SET block = X'01' WHERE id = 1");
  }
  auto report = ask("doctor");
  EXPECT_EQ(status_of(report, "store"), "ok");
  EXPECT_EQ(status_of(report, "searching"), "problem");
  EXPECT_THAT(text_, HasSubstr("memd doctor --fix"));
  report = ask("doctor", R"({"fix":true})");
  EXPECT_EQ(status_of(report, "searching"), "ok") << text_;
  EXPECT_THAT(text_, HasSubstr("rebuilt"));
  report = ask("doctor");
  EXPECT_EQ(status_of(report, "searching"), "ok");
}

TEST_F(Doctor, ADamagedStoreIsNotWell) {
  ingest();
  const auto file = settings_.layout.database();
  EXPECT_EQ(status_of(ask("doctor"), "store"), "ok");
  sqlite::Database::open(file, sqlite::OpenMode::read_write).exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const auto size = std::filesystem::file_size(file);
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  for (std::uintmax_t at = 4096 * 8; at + 64 < size; at += 4096) {  // the beginnings of most pages
    bytes.seekp(static_cast<std::streamoff>(at));
    bytes << std::string(64, '\x7F');
  }
  bytes.close();
  const auto report = ask("doctor");
  EXPECT_FALSE(report.at("ok").as_bool());
  EXPECT_EQ(status_of(report, "store"), "problem");
  EXPECT_THAT(text_, HasSubstr("memd rebuild"));
}

TEST_F(Doctor, AStoreThatWasTakenAwayIsToldFirst) {
  ingest();
  EXPECT_EQ(status_of(ask("doctor"), "writing"), "ok");
  std::filesystem::rename(settings_.layout.database(), data_ / "elsewhere");
  ask("status");
  EXPECT_THAT(text_, HasSubstr(R"("last_error":")" + settings_.layout.database().string() + " was removed"));
  const auto report = ask("doctor");
  EXPECT_FALSE(report.at("ok").as_bool());
  EXPECT_EQ(status_of(report, "writing"), "problem");
  mcp::ToolContext context;
  const auto answer = host_.tools().call("list_sessions", "{}", context);
  EXPECT_THAT(answer.text, testing::StartsWith("NOTHING NEW IS STORED: "));
  EXPECT_THAT(answer.structured, HasSubstr("NOTHING NEW IS STORED: "));
}

// `memd status` and `memd doctor` when no daemon runs.
TEST_F(Doctor, WhatAnotherProcessReadIsRead) {
  test::write_file(home_ / ".claude/projects/-w-p/11111111-1111-4111-8111-111111111111.jsonl",
                   R"({"type":"user","uuid":"u1","sessionId":"11111111-1111-4111-8111-111111111111",)"
                   R"("timestamp":"2026-01-02T10:00:00.000Z","cwd":"/w/p","message":{"role":"user","content":"hello"}})"
                   "\n");
  mcp::ToolContext context;
  {
    MemoryHost unread(settings_, clock_);
    EXPECT_EQ(unread.platforms_unread(), std::vector{Platform::claude_code});
  }
  ingest();
  MemoryHost answers(settings_, clock_);
  mcp::ToolRegistry registry;
  admin::register_admin_tools(registry, answers, {});
  EXPECT_THAT(registry.call("status", "{}", context).structured, HasSubstr(R"("unread":[])"));
  EXPECT_THAT(registry.call("doctor", "{}", context).structured, testing::Not(HasSubstr("nothing has been read yet")));
}

TEST_F(Doctor, TellsOfEachAgentWhatItsRowsSay) {
  test::write_file(
      home_ / ".claude/projects/-w-p/11111111-1111-4111-8111-111111111111.jsonl",
      R"({"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-01-10T10:00:00Z","version":"2.1.9",)"
      R"("sessionId":"11111111-1111-4111-8111-111111111111","cwd":"/w/p","message":{"role":"user",)"
      R"("content":"Bake."}})"
      "\n");
  const auto unread = ask("doctor").at("agents").as_array();
  ASSERT_EQ(unread.size(), 1U);
  EXPECT_EQ(unread[0].at("missing").at(0).as_string(), "history");
  ingest();
  const auto agents = ask("doctor").at("agents").as_array();
  ASSERT_EQ(agents.size(), 1U);
  const auto& claude = agents[0].as_object();
  EXPECT_EQ(claude.at("agent").as_string(), "claude_code");
  EXPECT_EQ(claude.at("name").as_string(), "Claude Code");
  EXPECT_EQ(claude.at("version").as_string(), "2.1.9");
  EXPECT_EQ(claude.at("sessions").as_int64(), 1);
  EXPECT_EQ(claude.at("turns").as_int64(), 1);
  EXPECT_EQ(claude.at("last_turn").as_string(), "2026-01-10T10:00:00.000Z");
  EXPECT_NE(claude.at("read_since").as_string(), "");
  EXPECT_EQ(claude.at("missing").as_array().size(), 0U);
  EXPECT_FALSE(claude.contains("is_registered")) << "the command line adds it";
}

TEST_F(Doctor, ReadsTheRawLayer) {
  test::write_file(home_ / ".claude/projects/-w-p/11111111-1111-4111-8111-111111111111.jsonl",
                   R"({"type":"user","uuid":"u1","sessionId":"11111111-1111-4111-8111-111111111111",)"
                   R"("timestamp":"2026-02-09T05:00:00Z","message":{"role":"user","content":"a needle"}})"
                   "\n");
  ingest();
  EXPECT_EQ(status_of(ask("doctor"), "original records"), "ok");
  const auto file = settings_.layout.raw_dir() / "platform=claude_code/11111111-1111-4111-8111-111111111111.jsonl.zst";
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(-2, std::ios::end);
  bytes.put('\x55');
  bytes.close();
  EXPECT_EQ(status_of(ask("doctor", R"({"full":true})"), "original records"), "problem");
  EXPECT_THAT(text_, HasSubstr("raw/platform=claude_code/11111111-1111-4111-8111-111111111111.jsonl.zst at byte 0"));
  test::write_file(settings_.layout.rebuild(), "texts");
  EXPECT_EQ(status_of(ask("doctor"), "rebuild"), "note");
}

// SQLite finds nothing wrong with such a file.
TEST_F(Doctor, FindsEntriesOfAnIndexWithoutTheirRows) {
  test::write_file(home_ / ".claude/projects/-w-p/11111111-1111-4111-8111-111111111111.jsonl",
                   R"({"type":"user","uuid":"u1","sessionId":"11111111-1111-4111-8111-111111111111",)"
                   R"("timestamp":"2026-02-09T05:00:00Z","message":{"role":"user","content":"a needle"}})"
                   "\n");
  ingest();
  auto db = sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_write);
  EXPECT_EQ(status_of(ask("doctor"), "store"), "ok");
  db.exec("INSERT INTO exchanges_fts (rowid, user_message) VALUES (999, 'stray')");
  EXPECT_EQ(status_of(ask("doctor"), "store"), "problem");
  EXPECT_THAT(text_, HasSubstr("1 entry of the full-text index without its turn"));
  db.exec("INSERT INTO exchanges_fts (exchanges_fts, rowid, user_message) VALUES ('delete', 999, 'stray')");
  EXPECT_EQ(status_of(ask("doctor"), "store"), "ok");
  db.exec("PRAGMA foreign_keys = OFF");
  db.exec("DELETE FROM sessions");
  EXPECT_EQ(status_of(ask("doctor"), "store"), "problem");
  EXPECT_THAT(text_, HasSubstr("1 turn without its session"));
  EXPECT_THAT(text_, HasSubstr("memd rebuild"));
}

TEST_F(Doctor, NamesWhatIsOutOfReachAndOpenToOthers) {
  test::write_file(home_ / ".claude/projects/-w-p/11111111-1111-4111-8111-111111111111.jsonl", "{\"type\":\"x\"}\n");
  ingest();
  EXPECT_EQ(ask("status").at("sources").at("active").as_int64(), 1);
  std::filesystem::rename(home_ / ".claude", home_ / "away");
  std::filesystem::permissions(data_.path(), std::filesystem::perms::all);
  host_.ingest()->scan();
  ASSERT_TRUE(host_.ingest()->block_until_idle(10s));
  const auto report = ask("doctor");
  EXPECT_FALSE(report.at("ok").as_bool());
  EXPECT_EQ(status_of(report, "unreachable"), "problem");
  EXPECT_EQ(status_of(report, "data"), "problem");
  EXPECT_THAT(text_, HasSubstr("chmod 700"));
  const auto status = ask("status");
  EXPECT_EQ(status.at("sources").at("unreachable").as_int64(), 1);
  EXPECT_THAT(text_, HasSubstr("unreachable"));
}

// Whatever the reason, and from the first look on: what the agent wrote is missing from every answer.
TEST_F(Doctor, ASourceThatCannotBeReadIsAProblem) {
  test::write_file(home_ / ".local/share/opencode/opencode.db", "this is no database, but it has its name");
  ingest();
  const auto report = ask("doctor");
  EXPECT_FALSE(report.at("ok").as_bool());
  EXPECT_EQ(status_of(report, "failing"), "problem");
  EXPECT_THAT(text_, HasSubstr("opencode.db: not an SQLite database"));
  EXPECT_EQ(ask("status").at("sources").at("failing").as_int64(), 1);
  EXPECT_THAT(text_, HasSubstr(R"("failing":1)"));
  EXPECT_THAT(text_, HasSubstr("opencode.db: not an SQLite database"));
}

TEST_F(Doctor, LogTellsWhatHappenedNewestFirst) {
  test::write_file(home_ / ".claude/projects/-w-p/11111111-1111-4111-8111-111111111111.jsonl", "{\"type\":\"x\"}\n");
  ingest();
  const auto entries = ask("log").at("entries").as_array();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].at("what").as_string(), "read");
  EXPECT_EQ(entries[1].at("what").as_string(), "found");
  EXPECT_EQ(ask("log", R"({"limit":1})").at("entries").as_array().size(), 1u);
  EXPECT_EQ(ask("log", R"({"platform":"cursor"})").at("entries").as_array().size(), 0u);
  EXPECT_THAT(text_, HasSubstr(R"("entries":[])"));
  mcp::ToolContext context;
  EXPECT_TRUE(registry_.call("log", R"({"platform":"nope"})", context).is_error);
  EXPECT_TRUE(registry_.call("log", R"({"since":"whenever"})", context).is_error);
}

TEST_F(Doctor, DiagnosticsTellTypeFieldsPlaceAndAge) {
  const auto file = home_ / ".claude/projects/-w-p/11111111-1111-4111-8111-111111111111.jsonl";
  const std::string first = "{\"type\":\"a-new-thing\",\"text\":\"zebra\"}\n";
  test::write_file(file, first + "\xff\xfe no record\n");
  ingest();
  clock_.advance(3 * kMsPerDay / 24);
  const auto report = ask("diagnostics");
  ASSERT_EQ(report.at("total").as_int64(), 2);
  const auto& damaged = report.at("diagnostics").at(0).as_object();  // equal times: the later one is first
  EXPECT_EQ(damaged.at("error_type").as_string(), "damaged_record");
  EXPECT_EQ(damaged.at("place").as_string(), "byte " + std::to_string(first.size()));
  const auto& unknown = report.at("diagnostics").at(1).as_object();
  EXPECT_EQ(unknown.at("error_type").as_string(), "unknown_record_type");
  EXPECT_EQ(unknown.at("fields").as_array(), (boost::json::array{"type"}));
  EXPECT_EQ(unknown.at("platform").as_string(), "claude_code");
  EXPECT_EQ(unknown.at("source").as_string(), file.string());
  EXPECT_EQ(unknown.at("age").as_string(), "3 h");
  EXPECT_THAT(text_, HasSubstr("unknown_record_type (type)  " + file.string() + ", byte 0"));
  EXPECT_THAT(text_, testing::Not(HasSubstr("zebra")));
  EXPECT_THAT(text_, testing::Not(HasSubstr("a-new-thing")));

  const auto page = ask("diagnostics", R"({"limit":1,"offset":1})");
  EXPECT_EQ(page.at("diagnostics").as_array().size(), 1u);
  EXPECT_THAT(text_, HasSubstr("1 of 2."));
  EXPECT_EQ(ask("diagnostics", R"({"platform":"cursor"})").at("total").as_int64(), 0);

  EXPECT_TRUE(ask("doctor").at("ok").as_bool());
  EXPECT_THAT(text_, HasSubstr("claude_code: 1 × unknown_record_type, the newest 3 h ago in " + file.string()));
  EXPECT_THAT(text_, HasSubstr("2 in the last 30 days, 2 with something to do: `memd diagnostics`"));
}

// A source that was read again from the start gives a diagnostic that needs no action.
TEST_F(Doctor, DiagnosticsWithoutAnythingToDoAreCountedOnly) {
  ingest();
  auto db = sqlite::Database::open(data_ / "memd.db", sqlite::OpenMode::read_write);
  db.prepare(
        "INSERT INTO diagnostics (time, platform, error_type, severity, redacted, expires_at) VALUES (?1,"
        " 'claude_code', 'source_replaced', 0, 1, ?1 + 2592000000)")
      .bind(clock_.now())
      .run();
  EXPECT_EQ(status_of(ask("doctor"), "diagnostics"), "ok");
  EXPECT_THAT(text_, HasSubstr("1 in the last 30 days, 0 with something to do"));
}

TEST_F(Doctor, SaysWhenAPlatformHasChangedItsFormat) {
  ingest();
  auto db = sqlite::Database::open(data_ / "memd.db", sqlite::OpenMode::read_write);
  db.exec("INSERT INTO sources (platform, path, format) VALUES ('claude_code', '/x', 0)");
  db.prepare(
        "INSERT INTO diagnostics (time, platform, error_type, severity, redacted, expires_at) VALUES (?1,"
        " 'claude_code', 'schema_drift', 0, 1, ?1 + 2592000000)")
      .bind(clock_.now())
      .run();
  EXPECT_EQ(status_of(ask("doctor"), "drift"), "problem");
  ask("status");
  EXPECT_THAT(text_, HasSubstr(R"("schema_drift":"20)"));
  clock_.advance(8 * kMsPerDay);
  EXPECT_EQ(status_of(ask("doctor"), "drift"), "");
}

}  // namespace
}  // namespace memd
