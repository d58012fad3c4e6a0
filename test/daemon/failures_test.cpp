// Failures seen in comparable tools, numbered as in the list that collects them. Parts of 19 and 20 that need the
// databases of agents are in database_failures_test.cpp; the tests here cover ingest itself.
#include "daemon/ingest/ingest_service.hpp"
#include "schemas/search.hpp"
#include "store/read/ingestion.hpp"
#include "store/reader.hpp"
#include "store/search/words/query_parser.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/faulty_adapter.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

namespace memd {
namespace {

using namespace std::chrono_literals;
using test::append_file;
using test::write_file;
namespace fs = std::filesystem;

class Failures : public testing::Test {
 protected:
  void start(const Discovery& discovery) {
    service_.reset();
    auto writer = Writer::open(database(), clock_);
    ASSERT_TRUE(writer) << writer.error().message();
    service_ = std::make_unique<IngestService>(discovery, clock_, options_);
    ASSERT_TRUE(service_->start(std::move(*writer)));
    scan();
  }
  void scan() {
    service_->scan();
    ASSERT_TRUE(service_->block_until_idle(30s));
  }
  void hint(const fs::path& path) {
    service_->hint(path);
    ASSERT_TRUE(service_->block_until_idle(30s));
  }
  fs::path database() const { return store_ / "memd.db"; }
  std::string value(const std::string& sql) {
    auto db = sqlite::Database::open(database(), sqlite::OpenMode::read_only);
    auto& q = db.prepare(sql);
    q.bind();
    return q.step() ? q.str(0) : "(none)";
  }
  std::int64_t hits(std::string text) {
    Reader reader(database());
    const auto answer = reader.search({{.asked = search::parse_query(text)}});
    return answer ? static_cast<std::int64_t>(answer->hits.size()) : -1;
  }

  test::TempDir home_;
  test::TempDir store_;
  test::FakeClock clock_;
  test::FaultyAdapter lines_;
  std::array<const Adapter*, 1> adapters_{&lines_};
  Discovery discovery_{adapters_, home_.path(), {}, {}};
  Discovery agents_{all_adapters(), home_.path(), {}, {}};
  IngestOptions options_;
  std::unique_ptr<IngestService> service_;
};

std::string claude_line(int n, std::string_view text, std::string_view more = {}) {
  const std::string digits = std::to_string(n);
  return R"({"parentUuid":null,"isSidechain":)" + std::string(more.empty() ? "false" : "true") +
         R"(,"type":"user","message":{"role":"user","content":")" + std::string(text) +
         R"("},"uuid":"00000000-0000-4000-8000-)" + std::string(12 - digits.size(), '0') + digits +
         R"(","timestamp":"2026-02-09T06:01:53.253Z","cwd":"/w/p","sessionId":"11111111-1111-4111-8111-111111111111")" +
         std::string(more) + "}\n";
}
constexpr const char* kTranscript = ".claude/projects/-w-p/11111111-1111-4111-8111-111111111111.jsonl";

// The limit is in slices, not seconds. A source found together with a huge one waits for at most one slice of it. A
// source that appears while the huge one is read waits only for the slices in progress.
TEST_F(Failures, Failure16_OversizedSourceDoesNotBlockOthers) {
  options_.tailer = {64 << 10, 256 << 10};
  std::string huge = std::string(2 << 20, 'x') + "\n";  // one record that is too long to buffer, then many short ones
  while (huge.size() < (8u << 20))
    huge += std::to_string(huge.size()) + std::string(2000, 'y') + "\n";
  write_file(home_ / "lines/huge.jsonl", huge);
  fs::last_write_time(home_ / "lines/huge.jsonl", fs::file_time_type::clock::now() - 24h);  // makes it first in line
  for (const char* name : {"lines/a.jsonl", "lines/b.jsonl"})
    write_file(home_ / name, std::string(2000, 's') + "\n");
  start(discovery_);
  const auto opened = lines_.opened();
  for (const char* name : {"a.jsonl", "b.jsonl"}) {
    const auto at = std::find(opened.begin(), opened.end(), name);
    ASSERT_NE(at, opened.end());
    EXPECT_LE(std::count(opened.begin(), at, "huge.jsonl"), 1) << name;
  }
  EXPECT_GT(std::count(opened.begin(), opened.end(), "huge.jsonl"), 90);
  EXPECT_EQ(value("SELECT max(cursor) FROM sources"), std::to_string(huge.size()));
  EXPECT_EQ(value("SELECT count(*) FROM diagnostics WHERE error_type = 'oversized_record'"), "1");
}

// The same with the reader's own scheduler, where it can be counted exactly: 80,000 slices of a 5 GB source against
// one.
TEST_F(Failures, Failure16_RoundRobinIsFair) {
  DirtyQueue queue;
  std::map<std::string, int> left{{"huge", 80'000}, {"large", 500}, {"small", 1}};
  for (const auto& [name, slices] : left)
    queue.add(name);
  std::map<std::string, int> finished_at;
  int turns = 0;
  bool came_late = false;
  while (auto path = queue.take()) {
    ++turns;
    if (--left[*path] > 0)
      queue.add(*path);
    else
      finished_at[*path] = turns;
    if (turns == 1000 && !came_late) {
      came_late = true;
      left["late"] = 1;
      queue.add("late");
    }
  }
  EXPECT_LE(finished_at["small"], 3);
  EXPECT_LE(finished_at["large"], 3 * 500);
  EXPECT_LE(finished_at["late"], 1000 + 3);
}

TEST_F(Failures, Failure17_NoSilentStaleness) {
  write_file(home_ / "lines/a.jsonl", "one\n");
  write_file(home_ / "lines/bad.jsonl", "cannot be read\n");
  lines_.broken = true;
  start(discovery_);
  // The delay is reported, also by a process that only reads the store, with its reason.
  EXPECT_EQ(service_->progress().freshness().front().sources_behind, 1);
  Reader reader(database());
  EXPECT_EQ(reader.ask(PlatformFreshnessQuery{})->front().sources_behind, 1);
  const auto health = reader.ask(SourceHealthQuery{10});
  ASSERT_EQ(health->troubles.size(), 1u);
  EXPECT_THAT(health->troubles.front().reason, testing::HasSubstr("nobody thought of this"));
  // The next full scan makes up for a lost hint.
  append_file(home_ / "lines/a.jsonl", "two\n");
  scan();
  EXPECT_EQ(hits("two"), 1);
}

TEST_F(Failures, Failure18_TheWatermarkStandsWhereTheDataStands) {
  write_file(home_ / "lines/bad.jsonl", "first\n");
  start(discovery_);
  append_file(home_ / "lines/bad.jsonl", "second\nthi");
  lines_.broken = true;
  hint(home_ / "lines/bad.jsonl");
  EXPECT_EQ(value("SELECT cursor FROM sources"), "6") << "not past what was not read";
  lines_.broken = false;
  clock_.advance(1000);
  scan();
  EXPECT_EQ(value("SELECT cursor FROM sources"), "13") << "not past a line that is being written";
  EXPECT_EQ(value("SELECT sum(bytes) FROM coverage"), "13");
  append_file(home_ / "lines/bad.jsonl", "rd\n");
  scan();
  EXPECT_EQ(hits("third"), 1);
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "3");
}

// opencode renamed its tables, and readers went on to report success. When a platform begins to write unknown records,
// the ledger covers every byte of them, and the change is reported.
TEST_F(Failures, Failure19_AChangedFormatIsNoticed) {
  std::string old_format;
  for (int i = 0; i < 2500; ++i)
    old_format += "line " + std::to_string(i) + "\n";
  write_file(home_ / "lines/old.jsonl", old_format + "!one of unknown shape\n");
  start(discovery_);
  Reader reader(database());
  EXPECT_EQ(reader.ask(PlatformTotalsQuery{})->front().drift_at, 0);
  for (int day = 0; day < 2; ++day)
    for (int i = 0; i < 30; ++i) {
      append_file(home_ / "lines/new.jsonl", "!new kind of record " + std::to_string(i) + "\n");
      hint(home_ / "lines/new.jsonl");
    }
  const auto totals = reader.ask(PlatformTotalsQuery{})->front();
  EXPECT_EQ(totals.drift_at, clock_.now());
  EXPECT_EQ(totals.recent_unknown_records, 60);
  EXPECT_EQ(value("SELECT count(*) || ' ' || max(field_names) FROM diagnostics WHERE error_type = 'schema_drift'"),
            "1 ")
      << "once a day, and without a word of what was read";
  EXPECT_EQ(value("SELECT count(*) FROM ingestion_log WHERE what = 'drift' AND detail LIKE '%of unknown shape%'"), "1");
  EXPECT_EQ(value("SELECT sum(bytes) - (SELECT sum(cursor) FROM sources) FROM coverage"), "0");
}

// An incremental pass dropped unchanged chats, and read gigabytes again for one line.
TEST_F(Failures, Failure20_OneChangeReadsOneChangeAndLosesNothing) {
  for (int i = 0; i < 20; ++i)
    write_file(home_ / ("lines/chat" + std::to_string(i) + ".jsonl"),
               std::string(100'000, 'c') + std::to_string(i) + "\n");
  start(discovery_);
  const auto read_before = service_->progress().snapshot().bytes_read;
  append_file(home_ / "lines/chat7.jsonl", "the one that changed\n");
  hint(home_ / "lines/chat7.jsonl");
  EXPECT_EQ(service_->progress().snapshot().bytes_read - read_before, 21u);
  EXPECT_EQ(value("SELECT count(DISTINCT session_pk) FROM exchanges"), "20");
  // Nothing was created beside the agent's files.
  EXPECT_EQ(std::distance(fs::directory_iterator(home_ / "lines"), fs::directory_iterator()), 20);
}

TEST_F(Failures, Failure21_WhatTheAgentPurgesStays) {
  write_file(home_ / kTranscript, claude_line(1, "the purged question"));
  start(agents_);
  fs::remove(home_ / kTranscript);
  hint(home_ / kTranscript);
  EXPECT_EQ(hits("purged"), 1);
  EXPECT_EQ(value("SELECT state FROM sources"), std::to_string(static_cast<int>(SourceState::gone)));
  start(agents_);
  EXPECT_EQ(hits("purged"), 1) << "also after a restart with a look at everything";
  // A restored backup adds nothing.
  write_file(home_ / kTranscript, claude_line(1, "the purged question"));
  scan();
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "1");
  EXPECT_EQ(value("SELECT state FROM sources"), std::to_string(static_cast<int>(SourceState::active)));
}

TEST_F(Failures, Failure22_AnUnmountedDiskIsNoDeletion) {
  bool mounted = true;
  options_.stat_path = [&](const fs::path& path) {
    PathStat look = stat_path(path);
    if (!mounted) look.device = 4711;  // the mount point without its disk
    return look;
  };
  const auto file = home_ / "lines/a.jsonl";
  write_file(file, "on the disk\n");
  start(discovery_);
  mounted = false;
  fs::rename(file, home_ / "a.jsonl");
  scan();
  EXPECT_EQ(value("SELECT state FROM sources"), std::to_string(static_cast<int>(SourceState::unreachable)));
  EXPECT_EQ(hits("disk"), 1);
  mounted = true;
  fs::rename(home_ / "a.jsonl", file);
  append_file(file, "and on\n");
  clock_.advance(1000);
  hint(home_ / "nothing to do with it");  // the retry is due, so a hint for any other file is enough
  EXPECT_EQ(value("SELECT state FROM sources"), std::to_string(static_cast<int>(SourceState::active)));
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "2");
}

TEST_F(Failures, Failure23_SubagentsAreRead) {
  write_file(home_ / kTranscript, claude_line(1, "main question"));
  const fs::path sub = (home_ / kTranscript).replace_extension("") / "subagents/agent-a1.jsonl";
  write_file(sub, claude_line(2, "find the bug", R"(,"agentId":"a1")"));
  start(agents_);
  EXPECT_EQ(value("SELECT parent_uid FROM sessions WHERE kind = 1"),
            "claude_code:11111111-1111-4111-8111-111111111111");
  EXPECT_EQ(hits("find the bug"), 1);
}

// Reads continue while the store is written, and a store of another version is reported as such.
TEST_F(Failures, Failure24_WritingNeverBlocksReading) {
  write_file(home_ / "lines/a.jsonl", "there before\n");
  start(discovery_);
  service_.reset();
  auto db = sqlite::Database::open(database(), sqlite::OpenMode::read_write);
  db.exec("BEGIN IMMEDIATE");
  db.exec("ALTER TABLE sessions ADD COLUMN of_the_next_version TEXT");
  db.exec("UPDATE exchanges SET user_message = 'half way'");
  EXPECT_EQ(hits("there before"), 1) << "the old state, at once";
  db.exec("PRAGMA user_version = 9999");
  db.exec("COMMIT");
  Reader reader(database());
  const auto answer = reader.search({{.asked = search::parse_query("there")}});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message(), testing::HasSubstr("install the newer memd"));
}

}  // namespace
}  // namespace memd
