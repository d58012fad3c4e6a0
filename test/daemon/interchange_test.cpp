// Exports sessions and imports them again; the import gives what was exported.
#include "daemon/ingest/event_record.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/log_ids.hpp"
#include "daemon/interchange/event_file_check.hpp"
#include "daemon/interchange/output_file.hpp"
#include "daemon/interchange/session_contract.hpp"
#include "daemon/interchange/session_walk.hpp"
#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "store/harvest/draft.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "test/support/analyze_all.hpp"
#include "test/support/corpus.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/json_schema.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <zstd.h>

#include <fstream>
#include <set>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

SourceCandidate handed_over(const fs::path& file) { return {Platform::imported, file.string(), SourceFormat::jsonl}; }

// Ingests everything under `home`, then `files`. Returns the progress of the last file.
SourceProgress ingest(const fs::path& home, const fs::path& database, const std::vector<fs::path>& files = {}) {
  const test::FakeClock clock;
  const Discovery discovery(all_adapters(), home, {}, {});
  auto writer = Writer::open(database, clock);
  EXPECT_TRUE(writer);
  IngestService service(discovery, clock);
  EXPECT_TRUE(service.start(std::move(*writer)));
  service.scan();
  EXPECT_TRUE(service.block_until_idle(300s));
  for (const auto& file : files) {
    service.take(handed_over(file));
    EXPECT_TRUE(service.block_until_idle(300s));
  }
  EXPECT_EQ(service.progress().snapshot().last_error, "");
  return files.empty() ? SourceProgress{} : service.progress().source(files.back().string()).value_or(SourceProgress{});
}

// Returns the rows that depend on a session's content only, not on where it was read from.
std::vector<std::string> content_rows(const fs::path& database) {
  auto db = sqlite::Database::open(database, sqlite::OpenMode::read_only);
  auto rows = test::dump_store(db);
  std::erase_if(rows, [](const std::string& row) {
    return row.starts_with("coverage|") || row.starts_with("source|") || row.starts_with("item|") ||
           row.starts_with("limit|");  // of the account, no part of a session
  });
  for (auto& row : rows)
    if (row.starts_with("event|"))
      for (int raw_column = 0; raw_column < 3; ++raw_column)
        row.resize(row.rfind('|'));
  return rows;
}

struct Exported {
  std::vector<std::string> lines;
  interchange::ExportReport report;
};

Exported export_one(Reader& reader, std::int64_t pk, const fs::path& database = {}, const fs::path& raw = {}) {
  Exported out;
  const interchange::ExportSink sink{[&](std::string_view line) -> Result<void> {
                                       out.lines.emplace_back(line);
                                       return {};
                                     },
                                     {}};
  RecordFinder records(database, raw);
  const auto report = interchange::export_session(reader, records, pk, {test::FakeClock().now()}, sink);
  EXPECT_TRUE(report) << report.error().message();
  if (report) out.report = *report;
  return out;
}

void write_lines(const fs::path& file, const std::vector<std::string>& lines) {
  std::ofstream out(file, std::ios::binary | std::ios::app);
  for (const auto& line : lines)
    out << line << '\n';
}

std::vector<SessionRow> all_sessions(Reader& reader) {
  SessionListQuery query;
  query.limit = 10'000;
  query.placeholders = true;
  const auto list = reader.ask(query);
  EXPECT_TRUE(list);
  return list ? list->sessions : std::vector<SessionRow>();
}

test::JsonSchema events_schema() {
  const auto& files = embedded::json_schema_files();
  const auto file = std::find_if(files.begin(), files.end(), [](auto& f) { return f.name == "events.v1.schema.json"; });
  return test::JsonSchema(boost::json::parse(file->text));
}

// Returns the fields of the session line that do not depend on where it was read from.
boost::json::object without_source(const std::string& line) {
  auto session = boost::json::parse(line).at("body").at("session").as_object();
  session.erase("source_path");
  session.erase("source_bytes");
  return session;
}

void analyze(const fs::path& database) {
  const test::FakeClock clock;
  auto writer = Writer::open(database, clock);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(test::analyze_all(**writer, clock.now()));
}

constexpr std::string_view kSecret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

// A Claude Code transcript with every kind of text that is longer than the store keeps, and a secret in each.
std::string transcript() {
  const auto line = [](int n, const std::string& role, const std::string& content) {
    const std::string id = "00000000-0000-4000-8000-00000000000" + std::to_string(n);
    return R"({"type":")" + role + R"(","uuid":")" + id + R"(","timestamp":"2026-03-03T09:12:0)" + std::to_string(n) +
           R"(.000Z","sessionId":"11111111-1111-4111-8111-111111111111","cwd":"/home/ada/app","gitBranch":"main",)" +
           R"("version":"2.1.40","message":{"role":")" + role + R"(","id":"msg_)" + std::to_string(n) + R"(",)" +
           (role == "assistant" ? R"("model":"m","usage":{"input_tokens":3,"output_tokens":5},)" : "") +
           R"("content":)" + content + "}}\n";
  };
  const std::string secret = std::string(kSecret);
  const std::string output = std::string(3000, 'o') + " tail " + secret;
  std::string text;
  text += line(1, "user", R"("Look into the flaky upload test.")");
  text += line(2, "assistant", R"([{"type":"text","text":"First the log."}])");
  text += line(3, "assistant",
               R"([{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"go test ./... -token )" +
                   secret + R"(","description":"Run"}}])");
  text += line(4, "user",
               R"([{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":")" + output + R"("}])");
  text += line(5, "assistant", R"([{"type":"text","text":"It races.\n\nTwo paragraphs."}])");
  text += line(6, "user", R"("And now fix it, with )" + secret + R"(")");
  text += line(7, "assistant",
               R"([{"type":"text","text":"Done."},{"type":"tool_use","id":"toolu_)" + secret + R"(","name":"mcp__)" +
                   secret + R"(","input":{}}])");
  return text;
}

class Interchange : public testing::Test {
 protected:
  Interchange() {
    const fs::path folder = home_ / ".claude/projects/-home-ada-app";
    fs::create_directories(folder);
    transcript_ = folder / "11111111-1111-4111-8111-111111111111.jsonl";
    std::ofstream(transcript_, std::ios::binary) << transcript();
    ingest(home_.path(), database_);
    reader_ = std::make_unique<Reader>(database_);
    session_ = reader_->ask(SessionQuery{"11111111-1111-4111-8111-111111111111"}).value();
  }

  test::TempDir home_;
  test::TempDir store_;
  fs::path database_ = store_ / "memd.db";
  fs::path transcript_;
  std::unique_ptr<Reader> reader_;
  SessionRow session_;
};

TEST_F(Interchange, EveryEventGoesOutWholeValidAndWithoutSecrets) {
  const Exported out = export_one(*reader_, session_.pk);
  const auto schema = events_schema();
  std::string all;
  for (const auto& line : out.lines) {
    EXPECT_EQ(schema.problems(boost::json::parse(line)), "") << line;
    all += line;
  }
  auto db = sqlite::Database::open(database_, sqlite::OpenMode::read_only);
  sqlite::Statement count(db.handle(), "SELECT count(*), sum((flags & 128) <> 0) FROM events");
  ASSERT_TRUE(count.step());
  EXPECT_EQ(out.report.events, count.int64(0));
  EXPECT_EQ(out.report.derived, count.int64(1));
  EXPECT_GT(out.report.derived, 0);
  EXPECT_EQ(out.report.partial, 0);
  EXPECT_EQ(out.lines.size(), static_cast<std::size_t>(out.report.events) + 1);
  EXPECT_EQ(all.find(kSecret), std::string::npos);
  EXPECT_NE(all.find(std::string(3000, 'o') + " tail [redacted:"), std::string::npos);  // beyond what the store keeps
  EXPECT_NE(all.find("command: go test ./..."), std::string::npos);
}

// The places that a memory names as its origin are in the export.
TEST_F(Interchange, ADraftOfAMemoryNamesLinesOfIt) {
  const std::int64_t told = [&] {
    auto db = sqlite::Database::open(database_, sqlite::OpenMode::read_write);
    db.exec(
        "INSERT INTO observations (session_pk, exchange_number, event_seq, time, type, summary, content, content_hash)"
        " SELECT session_pk, 0, max(seq), 1, 'problem', 's', 'The issue is that two uploads race for one file.', 1"
        " FROM events WHERE seq <= (SELECT min(last_seq) FROM exchanges)");
    return db.last_insert_rowid();
  }();
  const auto material = reader_->ask(harvest::MaterialQuery{{0, told}});
  ASSERT_TRUE(material) << material.error().message();
  const MemoryProvenance provenance = harvest::draft_of(*material, {}).provenance;
  EXPECT_EQ(provenance.events.size(), 2U) << "what was asked, and what was found";
  const auto lines = export_one(*reader_, session_.pk).lines;
  for (const std::string& name : provenance.events)
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                            [&](const auto& line) { return boost::json::parse(line).at("id").as_string() == name; }),
              1)
        << name;
}

TEST_F(Interchange, ImportedIntoAnEmptyStoreItIsTheSameSession) {
  write_lines(home_ / "out.jsonl", export_one(*reader_, session_.pk).lines);
  const auto progress = ingest(home_ / "nowhere", store_ / "second.db", {home_ / "out.jsonl"});
  EXPECT_EQ(progress.cursor, progress.size);
  EXPECT_EQ(progress.duplicates, 0u);
  EXPECT_EQ(content_rows(store_ / "second.db"), content_rows(database_));
}

TEST_F(Interchange, ImportedWhereItCameFromItAddsNothing) {
  write_lines(home_ / "out.jsonl", export_one(*reader_, session_.pk).lines);
  const auto before = content_rows(database_);
  const auto first = ingest(home_.path(), database_, {home_ / "out.jsonl"});
  EXPECT_EQ(first.events, 0u);
  EXPECT_GT(first.duplicates, 5u);
  EXPECT_EQ(content_rows(database_), before);
  const auto again = ingest(home_.path(), database_, {home_ / "out.jsonl"});  // not even read
  EXPECT_EQ(again.events + again.duplicates, 0u);
}

TEST_F(Interchange, AnExportOfAnImportIsTheExport) {
  const auto lines = export_one(*reader_, session_.pk).lines;
  write_lines(home_ / "out.jsonl", lines);
  ingest(home_ / "nowhere", store_ / "second.db", {home_ / "out.jsonl"});
  Reader second(store_ / "second.db");
  const auto session = second.ask(SessionQuery{session_.uid});
  ASSERT_TRUE(session);
  const auto again = export_one(second, session->pk).lines;
  ASSERT_EQ(again.size(), lines.size());
  EXPECT_TRUE(std::equal(again.begin() + 1, again.end(), lines.begin() + 1));
  EXPECT_EQ(without_source(again.front()), without_source(lines.front())) << "it was read from another file";
}

// The session's row and digest survive a round trip through another store. With its events the counts are computed
// again; without them the record is all there is.
TEST_F(Interchange, ASessionRecordComesBackAsItWentOut) {
  analyze(database_);
  const auto lines = export_one(*reader_, session_.pk).lines;
  const auto record = boost::json::parse(lines.front()).at("body").at("session").as_object();
  EXPECT_EQ(events_schema().problems(boost::json::parse(lines.front())), "") << lines.front();
  EXPECT_EQ(record.at("schema_version").to_number<int>(), 2);
  EXPECT_EQ(record.at("state"), "active");
  EXPECT_FALSE(record.contains("ended_at"));
  EXPECT_EQ(record.at("source_path"), boost::json::value(transcript_.string()));
  EXPECT_EQ(record.at("cwd"), "/home/ada/app");
  EXPECT_EQ(record.at("branch"), "main");
  EXPECT_EQ(record.at("model"), "m");
  EXPECT_EQ(record.at("source_bytes").to_number<std::uintmax_t>(), fs::file_size(transcript_));
  EXPECT_EQ(record.at("cost").at("turns").to_number<int>(), 2);
  EXPECT_EQ(record.at("cost").at("wall_clock_s").to_number<double>(), 5);  // 09:12:01 to :05, :06 to :07
  EXPECT_GT(record.at("cost").at("output_tokens").to_number<int>(), 0);
  EXPECT_TRUE(record.at("watermarks").as_object().contains("analyzed_at"));
  EXPECT_FALSE(record.at("watermarks").as_object().contains("evicted_at"));
  const auto& digest = record.at("digest").as_object();
  EXPECT_EQ(digest.at("request"), "Look into the flaky upload test.");
  ASSERT_EQ(digest.at("error_snippets").as_array().size(), 1u);
  EXPECT_EQ(lines.front().find(kSecret), std::string::npos);

  write_lines(home_ / "record.jsonl", {lines.front()});
  ingest(home_ / "nowhere", store_ / "second.db", {home_ / "record.jsonl"});
  Reader second(store_ / "second.db");
  const auto pk = second.ask(SessionQuery{session_.uid}).value().pk;
  // Its tokens, which events told before, are one response now.
  const std::string alone = export_one(second, pk).lines.front();
  auto told = boost::json::parse(alone);
  auto& session = told.at("body").at("session").as_object();
  ASSERT_EQ(session.at("responses").as_array().size(), 1u);
  EXPECT_EQ(session.at("responses").at(0).at("usage"), boost::json::parse(R"({"input": 12, "output": 20})"));
  session.erase("responses");
  EXPECT_EQ(told, boost::json::parse(lines.front()));
  EXPECT_EQ(second.ask(SessionQuery{session_.uid}).value().project_name, "app");
  // Mentioned again, the session is unchanged.
  ingest(home_ / "nowhere", store_ / "second.db");
  EXPECT_EQ(export_one(second, pk).lines, std::vector{alone});

  // Its events arrive later and are counted once.
  write_lines(home_ / "events.jsonl", {lines.begin() + 1, lines.end()});
  ingest(home_ / "nowhere", store_ / "second.db", {home_ / "events.jsonl"});
  EXPECT_EQ(content_rows(store_ / "second.db"), content_rows(database_));
}

TEST_F(Interchange, AfterThePurgeTheStoreStillHasTheWords) {
  const auto whole = export_one(*reader_, session_.pk).lines;
  fs::remove(transcript_);
  const Exported out = export_one(*reader_, session_.pk);
  EXPECT_EQ(out.report.partial, out.report.events - out.report.derived);
  ASSERT_EQ(out.lines.size(), whole.size());
  const auto schema = events_schema();
  int messages = 0;
  for (std::size_t i = 1; i < whole.size(); ++i) {
    const auto want = boost::json::parse(whole[i]).at("body").as_object();
    const auto line = boost::json::parse(out.lines[i]);
    EXPECT_EQ(schema.problems(line), "");
    const auto have = line.at("body").as_object();
    EXPECT_EQ(have.at("event_id"), want.at("event_id"));
    EXPECT_EQ(have.contains("partial"), !have.contains("derived_from"));
    if (want.at("event") != "user_msg" && want.at("event") != "assistant_msg") continue;
    ++messages;
    EXPECT_EQ(have.at("text"), want.at("text"));
  }
  EXPECT_EQ(messages, 5);
  write_lines(home_ / "partial.jsonl", out.lines);
  ingest(home_ / "nowhere", store_ / "third.db", {home_ / "partial.jsonl"});
  Reader third(store_ / "third.db");
  const auto session = third.ask(SessionQuery{session_.uid});
  ASSERT_TRUE(session);
  const auto want = reader_->ask(LastExchangesQuery{session_.pk, 10}).value();
  const auto have = third.ask(LastExchangesQuery{session->pk, 10}).value();
  ASSERT_EQ(have.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(have[i].user_message, want[i].user_message);
    EXPECT_EQ(have[i].assistant_response, want[i].assistant_response);
    EXPECT_EQ(have[i].tool_calls, want[i].tool_calls);
  }
}

TEST_F(Interchange, AnOverwrittenSourceIsNotTakenForTheRecord) {
  const std::string other(fs::file_size(transcript_), 'x');
  std::ofstream(transcript_, std::ios::binary | std::ios::trunc) << other;
  const Exported out = export_one(*reader_, session_.pk);
  EXPECT_EQ(out.report.partial, out.report.events - out.report.derived);
}

TEST_F(Interchange, AFileUnderARootIsReadAsWhatItIsThere) {
  const auto progress = ingest(home_.path(), store_ / "second.db", {transcript_});
  EXPECT_GT(progress.events, 0u);
  auto db = sqlite::Database::open(store_ / "second.db", sqlite::OpenMode::read_only);
  sqlite::Statement q(db.handle(), "SELECT group_concat(platform) FROM sources");
  ASSERT_TRUE(q.step());
  EXPECT_EQ(q.str(0), "claude_code");
}

TEST_F(Interchange, CheckingNamesLinesAndFields) {
  const fs::path file = home_ / "mixed.jsonl";
  std::ofstream(file, std::ios::binary)
      << R"({"v":1,"id":"a","ts":"2026-03-03T09:12:00Z","session_id":"s","actor":"user","kind":"message","body":{"text":"good"}})"
      << "\n\n"
      << R"({"v":1,"id":"b","session_id":"s","actor":"user","kind":"message","body":{"text":"no time"}})"
      << "\n"
      << "not json\n"
      << R"({"v":1,"id":"c","ts":"2026-03-03T09:12:02Z","session_id":"s","actor":"agent","kind":"message","body":{"text":"x","usage":7}})"
      << "\n"
      << R"({"v":1,"id":"d","ts":"2026)";
  const auto check = interchange::check_event_file(file.string());
  ASSERT_TRUE(check) << check.error().message();
  EXPECT_EQ(check->lines, 5);
  EXPECT_EQ(check->events, 2);
  EXPECT_EQ(check->refused, 3);
  std::string told;
  for (const auto& p : check->problems)
    told += std::to_string(p.line) + (p.refused ? "!" : " ") + p.reason + " " + p.field + "\n";
  EXPECT_EQ(told, "3!missing_field ts\n4!damaged_record \n5 wrong_field_type body.usage\n6!unfinished_line \n");
  EXPECT_TRUE(interchange::check_event_file((home_ / "absent.jsonl").string()).error().is(Errc::not_found));
}

TEST_F(Interchange, ACompressedFileIsCheckedAsTheLinesInIt) {
  const std::string lines =
      R"({"v":1,"id":"a","ts":"2026-03-03T09:12:00Z","session_id":"s","actor":"user","kind":"message","body":{"text":"good"}})"
      "\nnot json\n";
  std::string bytes(ZSTD_compressBound(lines.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), lines.data(), lines.size(), 3));
  const fs::path file = home_ / "lines.jsonl.zst";
  test::write_file(file, bytes);
  const auto check = interchange::check_event_file(file.string());
  ASSERT_TRUE(check) << check.error().message();
  EXPECT_EQ(check->lines, 2);
  EXPECT_EQ(check->events, 1);
  test::write_file(file, bytes.substr(0, bytes.size() - 3));
  const auto cut = interchange::check_event_file(file.string());
  ASSERT_FALSE(cut);
  EXPECT_TRUE(cut.error().is(Errc::invalid_argument)) << cut.error().message();
}

// Two whole records on one line are both taken, so neither is refused.
TEST_F(Interchange, CheckingDoesNotRefuseWhatItTakes) {
  const auto record = [](const std::string& id) {
    return R"({"v":1,"id":")" + id +
           R"(","ts":"2026-03-03T09:12:00Z","session_id":"s","actor":"user","kind":"message","body":{"text":"good"}})";
  };
  const fs::path file = home_ / "glued.jsonl";
  std::ofstream(file, std::ios::binary) << record("a") << record("b") << "\n" << record("c") << "broken\n";
  const auto check = interchange::check_event_file(file.string());
  ASSERT_TRUE(check) << check.error().message();
  EXPECT_EQ(check->events, 3);
  EXPECT_EQ(check->refused, 1) << "what stands behind the third";
  std::string told;
  for (const auto& p : check->problems)
    told += std::to_string(p.line) + (p.refused ? "!" : " ") + p.reason + "\n";
  EXPECT_EQ(told, "1 recovered_record\n1 recovered_record\n2 recovered_record\n2!damaged_record\n");
}

TEST_F(Interchange, AnOutputFileIsThereWhenItIsWholeAndNotBefore) {
  const fs::path file = home_ / "export.jsonl";
  std::ofstream(file) << "old";
  {
    auto out = interchange::OutputFile::open(file).value();
    ASSERT_TRUE(out.line("half"));
  }
  EXPECT_EQ(fs::file_size(file), 3u);
  {
    auto out = interchange::OutputFile::open(file).value();
    ASSERT_TRUE(out.line("whole"));
    ASSERT_TRUE(out.finish());
  }
  EXPECT_EQ(fs::file_size(file), 6u);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  for (const auto& entry : fs::directory_iterator(home_.path()))
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos);
}

// A transcript in which the user went back to an earlier prompt.
TEST(InterchangeOfBranches, WhatWasAbandonedIsSoInAnotherStore) {
  test::TempDir dir;
  const fs::path folder = dir / "home/.claude/projects/-home-ada-app";
  fs::create_directories(folder);
  fs::copy_file(test::source_dir() / "test/golden/claude_code/rewind/input.jsonl",
                folder / "11111111-1111-4111-8111-111111111111.jsonl");
  ingest(dir / "home", dir / "memd.db");
  Reader reader(dir / "memd.db");
  const auto session = reader.ask(SessionQuery{"11111111-1111-4111-8111-111111111111"}).value();
  const auto turns = reader.ask(LastExchangesQuery{session.pk, 10}).value();
  ASSERT_EQ(turns.size(), 3u);
  EXPECT_EQ(turns[0].abandoned_for, 0);
  EXPECT_EQ(turns[1].user_message, "Use a map for the options");
  EXPECT_EQ(turns[1].abandoned_for, turns[2].id);
  EXPECT_EQ(turns[2].abandoned_for, 0);

  write_lines(dir / "out.jsonl", export_one(reader, session.pk).lines);
  ingest(dir / "nowhere", dir / "second.db", {dir / "out.jsonl"});
  const auto rows = content_rows(dir / "second.db");
  EXPECT_EQ(rows, content_rows(dir / "memd.db"));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), "abandoned|" + session.uid + "|1|2"), 1);
}

// A mode is written without a time, often before the first prompt.
TEST(InterchangeOfTimes, WhatHasNoTimeTakesThatOfItsNeighbours) {
  test::TempDir dir;
  const fs::path folder = dir / "home/.claude/projects/-home-ada-app";
  fs::create_directories(folder);
  fs::copy_file(test::source_dir() / "test/golden/claude_code/client_records/input.jsonl",
                folder / "11111111-1111-4111-8111-111111111111.jsonl");
  write_lines(folder / "22222222-2222-4222-8222-222222222222.jsonl",
              {R"({"type":"mode","mode":"plan","sessionId":"22222222-2222-4222-8222-222222222222"})"});
  ingest(dir / "home", dir / "memd.db");
  Reader reader(dir / "memd.db");
  for (const char* id : {"11111111", "22222222"}) {
    const auto lines = export_one(reader, reader.ask(SessionQuery{id}).value().pk).lines;
    EXPECT_GE(lines.size(), 2u);
    for (const std::string& line : lines)
      EXPECT_EQ(line.find("\"ts\":\"1970"), std::string::npos) << line;
  }
  const auto lines = export_one(reader, reader.ask(SessionQuery{"11111111"}).value().pk).lines;
  EXPECT_NE(lines[1].find("\"ts\":\"2026-11-05T10:00:01.000Z\""), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find("\"time_estimated\":true"), std::string::npos) << lines[1];

  write_lines(dir / "out.jsonl", lines);
  ingest(dir / "nowhere", dir / "second.db", {dir / "out.jsonl"});
  auto rows = content_rows(dir / "memd.db");
  std::erase_if(rows, [](const std::string& row) { return row.find("22222222") != std::string::npos; });
  EXPECT_EQ(content_rows(dir / "second.db"), rows);
}

// Continue writes its document anew after each turn; its messages have no times.
TEST(InterchangeOfTimes, WhatHasTheTimeAtWhichItWasSeenKeepsIt) {
  test::TempDir dir;
  const fs::path file = dir / "home/.continue/sessions/s-1.json";
  fs::create_directories(file.parent_path());
  const std::string first = R"({"message":{"role":"user","content":"Move the ferry"}},)"
                            R"({"message":{"role":"assistant","content":"Moved."}})";
  const std::string second = R"(,{"message":{"role":"user","content":"And the other"}})";
  const fs::file_time_type seen = fs::file_time_type::clock::now() - 24h;
  const auto write = [&](const std::string& messages, fs::file_time_type changed) {
    test::write_file(file, R"({"sessionId":"s-1","workspaceDirectory":"/home/ada/app","history":[)" + messages + "]}");
    fs::last_write_time(file, changed);
    ingest(dir / "home", dir / "memd.db");
    Reader reader(dir / "memd.db");
    return export_one(reader, reader.ask(SessionQuery{"s-1"}).value().pk).lines;
  };
  const std::vector<std::string> before = write(first, seen);
  const std::vector<std::string> after = write(first + second, seen + 1h);
  ASSERT_EQ(before.size(), 3u);
  ASSERT_EQ(after.size(), 4u);
  const auto time_of = [](const std::string& line) { return boost::json::parse(line).at("ts").as_string(); };
  EXPECT_EQ(time_of(after[1]), time_of(before[1]));
  EXPECT_EQ(time_of(after[2]), time_of(before[2]));
  EXPECT_GT(time_of(after[3]), time_of(before[2]));
}

// A log of another tool: every kind of event, every reference, its own ids.
TEST(InterchangeOfOthers, ALogGoesOutAsItCameIn) {
  const fs::path log = test::source_dir() / "test/golden/imported/all_kinds/input.jsonl";
  test::TempDir dir;
  fs::copy_file(log, dir / "log.jsonl");
  ingest(dir / "nowhere", dir / "memd.db", {dir / "log.jsonl"});
  Reader reader(dir / "memd.db");
  const auto session = reader.ask(SessionQuery{"imported:talk-7"}).value();
  EXPECT_EQ(session.title, "Flaky upload test");
  const Exported out = export_one(reader, session.pk);
  std::string text;
  const auto schema = events_schema();
  for (const auto& line : out.lines) {
    EXPECT_EQ(schema.problems(boost::json::parse(line)), "") << line;
    text += line + "\n";
  }
  EXPECT_EQ(text, test::bytes_of(log));
  EXPECT_GT(out.report.derived, 0) << "the failed test run, the edit: an import concludes them again";

  write_lines(dir / "second.jsonl", out.lines);
  ingest(dir / "nowhere", dir / "second.db", {dir / "second.jsonl"});
  EXPECT_EQ(content_rows(dir / "second.db"), content_rows(dir / "memd.db"));

  // Without the log, the store exports what it kept, in its own lines.
  fs::remove(dir / "log.jsonl");
  const auto kept = export_one(reader, session.pk);
  EXPECT_EQ(kept.report.partial, kept.report.events - kept.report.derived);
  EXPECT_EQ(kept.lines.size(), static_cast<std::size_t>(kept.report.events) + 1);
}

// A log of another program: a memory of it names the log's own ids.
TEST(InterchangeOfOthers, ADraftOfAMemoryNamesLinesOfTheLog) {
  test::TempDir dir;
  const auto line = [](int n, const std::string& actor, const std::string& kind, const std::string& refs,
                       const std::string& body) {
    return R"({"v":1,"id":"evt_a)" + std::to_string(n) + R"(","ts":"2026-03-03T09:12:0)" + std::to_string(n) +
           R"(Z","session_id":"sess_1","actor":")" + actor + R"(","kind":")" + kind + R"(","refs":)" + refs +
           R"(,"body":)" + body + "}";
  };
  const std::vector<std::string> log{
      line(1, "user", "message", "{}", R"({"text":"Make the upload atomic."})"),
      line(2, "agent", "message", "{}", R"({"text":"We decided to rename the file, because two uploads race."})"),
      line(3, "agent", "patch", R"({"paths":["store.py"],"patch_id":"patch_9"})",
           R"({"diff":"+rename","status":"applied"})")};
  write_lines(dir / "log.jsonl", log);
  ingest(dir / "nowhere", dir / "memd.db", {dir / "log.jsonl"});
  Reader reader(dir / "memd.db");
  RecordFinder records(dir / "memd.db", {});
  const auto provenance = [&](harvest::HistoryRef of) {
    auto material = reader.ask(harvest::MaterialQuery{std::move(of)});
    EXPECT_TRUE(material) << material.error().message();
    name_as_in_log(reader, records, *material);
    return harvest::draft_of(*material, {}).provenance;
  };
  const MemoryProvenance of_log = provenance({1});
  const std::set<std::string> ids{"evt_a1", "evt_a2", "evt_a3"};
  ASSERT_FALSE(of_log.events.empty());
  EXPECT_EQ(of_log.events.front(), "evt_a1");
  for (const std::string& id : of_log.events)
    EXPECT_TRUE(ids.contains(id)) << id;
  EXPECT_EQ(of_log.patches, std::vector<std::string>{"patch_9"});
  EXPECT_EQ(of_log.exchange, "imported:sess_1#0");
  EXPECT_EQ(provenance({0, 0, parse_exchange_name(of_log.exchange)}), of_log) << "the name finds it again";

  write_lines(dir / "other.jsonl", {log[0]});  // another record stands where the log was: its ids are not taken
  fs::rename(dir / "other.jsonl", dir / "log.jsonl");
  EXPECT_NE(provenance({1}).events.back(), "evt_a3");
}

// The names of the contract, read back as the documents' own classes read them.
TEST_F(Interchange, ASessionGoesOutUnderTheNamesOfItsContract) {
  std::vector<boost::json::object> lines;
  const auto report = interchange::export_session_contract(*reader_, session_.pk,
                                                           [&](std::string_view line) -> Result<void> {
                                                             lines.push_back(boost::json::parse(line).as_object());
                                                             return {};
                                                           },
                                                           {test::FakeClock().now()});
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_GT(lines.size(), 2U);
  EXPECT_EQ(lines.size(), static_cast<std::size_t>(report->events) + 1);
  const auto names = [](const boost::json::object& object) {
    std::string out;
    for (const auto& member : object)
      out += std::string(member.key()) + " ";
    return out;
  };
  EXPECT_EQ(names(lines[0]),
            "session_uid flavor native_session_id repo domain cwd git_branch model started_at ended_at outcome cost "
            "task_ref source_path source_bytes schema_version discovered_at ingested_at analyzed_at evicted_at ");
  EXPECT_EQ(names(lines[0].at("cost").as_object()),
            "input_tokens output_tokens cache_tokens wall_clock_s turns retries ");
  EXPECT_EQ(lines[0].at("session_uid"), "claude:11111111-1111-4111-8111-111111111111");
  EXPECT_EQ(lines[0].at("flavor"), "claude");
  EXPECT_EQ(lines[0].at("cwd"), "/home/ada/app");
  EXPECT_EQ(lines[0].at("schema_version"), 2);
  EXPECT_TRUE(lines[0].at("domain").is_null());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(names(lines[i]), "session_uid seq ts kind parent_seq role tool summary payload_ref tokens is_sidechain ");
    EXPECT_EQ(lines[i].at("session_uid"), lines[0].at("session_uid"));
    EXPECT_EQ(lines[i].at("seq"), static_cast<std::int64_t>(i - 1));
    EXPECT_EQ(boost::json::serialize(lines[i]).find(kSecret), std::string::npos);
    // What payload_ref names can be fetched, secrets masked.
    if (lines[i].at("payload_ref").is_null()) continue;
    const std::string ref(lines[i].at("payload_ref").as_string());
    const auto place = reader_->ask(EventByIdQuery{parse_key(std::string_view(ref).substr(4)).value()});
    ASSERT_TRUE(place) << place.error().message();
    EXPECT_EQ(place->seq, static_cast<std::int64_t>(i - 1));
  }
}

TEST_F(Interchange, TheOriginalRecordOfAnEvent) {
  const auto events = reader_->ask(EventsQuery{session_.pk, 0, 100});
  ASSERT_TRUE(events);
  std::vector<std::int64_t> seqs;
  for (const EventRow& event : *events)
    seqs.push_back(event.seq);
  const auto places = reader_->ask(EventSourcesQuery{session_.pk, seqs});
  ASSERT_TRUE(places);
  RecordFinder records(database_, {});
  int found = 0;
  for (const EventRow& event : *events) {
    if ((event.flags & kFlagDerived) != 0 || !places->contains(event.seq)) continue;
    const auto record = record_of_event(records, places->at(event.seq), event.event_id);
    ASSERT_TRUE(record) << record.error().message();
    EXPECT_EQ(record->find(kSecret), std::string::npos);
    const auto json = boost::json::parse(std::string_view(*record).substr(0, record->size() - kRecordPadding));
    EXPECT_TRUE(json.as_object().contains("uuid"));
    ++found;
    EXPECT_FALSE(record_of_event(records, places->at(event.seq), event.event_id + 1)) << "it is not that event's";
  }
  EXPECT_GT(found, 3);
}

TEST(InterchangeOfOthers, ASecretInALogDoesNotGoOut) {
  test::TempDir dir;
  const std::string line =
      R"({"v":1,"id":"a","ts":"2026-03-03T09:12:00Z","session_id":"s","actor":"user","kind":"message","body":{"text":"use )" +
      std::string(kSecret) + R"( here"}})";
  write_lines(dir / "log.jsonl", {line});
  ingest(dir / "nowhere", dir / "memd.db", {dir / "log.jsonl"});
  Reader reader(dir / "memd.db");
  const Exported out = export_one(reader, reader.ask(SessionQuery{"imported:s"}).value().pk);
  ASSERT_EQ(out.lines.size(), 1u);
  EXPECT_EQ(out.lines.front().find(kSecret), std::string::npos);
  EXPECT_EQ(boost::json::parse(out.lines.front()).at("id"), "a");
}

// Exports every session of real transcripts, subagents included, through one file of events.
TEST(InterchangeCorpus, AllSessionsComeBackTheSame) {
  const fs::path home = test::corpus_home();
  if (!fs::exists(home / ".claude")) GTEST_SKIP() << "no corpus at " << home << " (set MEMD_CORPUS)";
  test::TempDir dir;
  fs::create_directories(dir / "home");
  test::link_corpus_excerpt(dir / "home");
  ingest(dir / "home", dir / "first.db");
  Reader reader(dir / "first.db");
  std::int64_t events = 0;
  std::int64_t partial = 0;
  auto sessions = all_sessions(reader);
  std::sort(sessions.begin(), sessions.end(), [](const auto& a, const auto& b) { return a.pk < b.pk; });
  for (const SessionRow& session : sessions) {
    const Exported out = export_one(reader, session.pk);
    events += out.report.events;
    partial += out.report.partial;
    write_lines(dir / "all.jsonl", out.lines);
  }
  EXPECT_GT(events, 5'000);
  EXPECT_EQ(partial, 0);
  const auto progress = ingest(dir / "nowhere", dir / "second.db", {dir / "all.jsonl"});
  EXPECT_EQ(progress.cursor, progress.size);
  const auto want = content_rows(dir / "first.db");
  const auto have = content_rows(dir / "second.db");
  ASSERT_EQ(have.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(have[i], want[i]);
  EXPECT_EQ(ingest(dir / "home", dir / "first.db", {dir / "all.jsonl"}).events, 0u);
  EXPECT_EQ(content_rows(dir / "first.db"), want);
}

}  // namespace
}  // namespace memd
