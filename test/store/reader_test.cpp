#include "store/reader.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "schemas/search.hpp"
#include "store/read/exchanges.hpp"
#include "store/read/ingestion.hpp"
#include "store/read/sessions.hpp"
#include "store/read/timeline.hpp"
#include "store/search/words/query_parser.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>

namespace memd {
namespace {

using test::StoreFixture;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> uids(const SessionList& list) {
  std::vector<std::string> out;
  for (const auto& s : list.sessions)
    out.push_back(s.uid);
  return out;
}

TEST(Reader, StoreThatDoesNotExistIsEmptyUntilItAppears) {
  test::TempDir dir;
  Reader reader(dir.path() / "later" / "memd.db");
  EXPECT_EQ(reader.ask(SessionListQuery{})->total, 0);
  EXPECT_THAT(reader.search({{.asked = search::parse_query("x")}})->hits, IsEmpty());
  EXPECT_THAT(*reader.ask(PlatformTotalsQuery{}), IsEmpty());
  EXPECT_THAT(reader.ask(TimelineQuery{})->slices, IsEmpty());
  EXPECT_TRUE(reader.ask(ExchangeQuery{1}).error().is(Errc::not_found));
  EXPECT_TRUE(reader.ask(SessionQuery{"latest"}).error().is(Errc::not_found));

  std::filesystem::create_directories(dir.path() / "later");
  auto db = sqlite::Database::open(dir.path() / "later" / "memd.db", sqlite::OpenMode::read_write);
  EXPECT_EQ(reader.ask(SessionListQuery{})->total, 0) << "a file without tables";
  sqlite::migrate(db);
  db.exec("INSERT INTO sessions (uid, platform, native_id, turns) VALUES ('cursor:a', 'cursor', 'a', 1)");
  EXPECT_EQ(reader.ask(SessionListQuery{})->total, 1);
}

TEST(Reader, StoreReplacedUnderItIsNoticed) {
  StoreFixture one;
  StoreFixture two;
  one.session({.native_id = "first"});
  two.session({.native_id = "second"});
  two.db().exec("PRAGMA journal_mode = DELETE");  // everything in one file
  Reader reader(one.file());
  EXPECT_THAT(uids(*reader.ask(SessionListQuery{})), ElementsAre("claude_code:first"));
  for (const char* suffix : {"-wal", "-shm"})
    std::filesystem::remove(one.file().string() + suffix);
  std::filesystem::rename(two.file(), one.file());
  EXPECT_THAT(uids(*reader.ask(SessionListQuery{})), ElementsAre("claude_code:second"));
}

TEST(Reader, NewerStoreIsRefused) {
  StoreFixture store;
  store.db().exec("PRAGMA user_version = 9999");
  EXPECT_TRUE(Reader(store.file()).ask(SessionListQuery{}).error().is(Errc::store_version));
}

TEST(Reader, SessionsNewestFirstAndFiltered) {
  StoreFixture store;
  const TimeMs day = *parse_rfc3339("2026-02-09");
  const auto old = store.session({.native_id = "old", .project = "/home/u/Alpha", .start = day});
  store.exchange(old, {.user = "hello"});
  store.session(
      {.native_id = "new", .platform = Platform::cursor, .project = "/home/u/beta", .start = day + 9 * kMsPerDay});
  store.session({.native_id = "agent",
                 .project = "/home/u/Alpha",
                 .kind = SessionKind::subagent,
                 .parent_uid = "claude_code:old",
                 .start = day + 1});
  Reader reader(store.file());
  const auto all = *reader.ask(SessionListQuery{});
  EXPECT_THAT(uids(all), ElementsAre("cursor:new", "claude_code:old", "claude_code:agent"));
  EXPECT_EQ(all.total, 3);
  EXPECT_EQ(all.sessions[1].subagents, 1);
  EXPECT_EQ(all.sessions[1].exchanges, 1);
  EXPECT_EQ(all.sessions[1].project_name, "Alpha");

  EXPECT_THAT(uids(*reader.ask(SessionListQuery{.filter = {.include_subagents = false}})),
              ElementsAre("cursor:new", "claude_code:old"));
  EXPECT_THAT(uids(*reader.ask(SessionListQuery{.filter = {.platforms = {Platform::cursor}}})),
              ElementsAre("cursor:new"));
  EXPECT_THAT(uids(*reader.ask(SessionListQuery{.filter = {.project = "ALPH", .include_subagents = false}})),
              ElementsAre("claude_code:old"));
  EXPECT_THAT(uids(*reader.ask(SessionListQuery{.filter = {.since = day + 2 * kMsPerDay}})), ElementsAre("cursor:new"));
  EXPECT_THAT(uids(*reader.ask(SessionListQuery{.filter = {.until = day + 1}})), ElementsAre("claude_code:old"));
  EXPECT_THAT(uids(*reader.ask(SessionListQuery{.filter = {.since = day + 30'000, .until = day + kMsPerDay}})),
              ElementsAre("claude_code:old"))
      << "overlap, not containment";
  const auto second = *reader.ask(SessionListQuery{.limit = 1, .offset = 1});
  EXPECT_THAT(uids(second), ElementsAre("claude_code:old"));
  EXPECT_EQ(second.total, 3);
  EXPECT_EQ(reader.ask(SubagentsQuery{"claude_code:old"})->size(), 1u);
}

TEST(Reader, TitleFallsBackToTheFirstPrompt) {
  StoreFixture store;
  Reader reader(store.file());
  auto title = [&, n = 0](const std::string& prompt) mutable {
    const auto id = "session" + std::to_string(n++);
    store.exchange(store.session({.native_id = id}), {.user = prompt});
    return reader.ask(SessionQuery{id})->title;
  };
  EXPECT_EQ(title("\n  Fix the build  \nplease"), "Fix the build");
  EXPECT_EQ(title("/compact keep the API\nand the tests"), "/compact keep the API");
  EXPECT_EQ(title("/init"), "/init");
  EXPECT_EQ(title("Implement the following plan:\n\n# Faster builds\n\n## Context\n"), "Faster builds");
  EXPECT_EQ(title("## User Input\n\n```text\nReview milestone 2.\n```\n"), "Review milestone 2.");
  EXPECT_EQ(title("# Plan\n\n## Context\nLong ago"), "Plan");
  EXPECT_EQ(title("# A plan for status notifications\nIn the terminal."), "A plan for status notifications");
  EXPECT_EQ(title("#42 is open again:"), "#42 is open again:");
  EXPECT_EQ(title("<loaded_context>\nFiles that were open.\n</loaded_context>\n\nCount the parcels"),
            "Count the parcels");
  EXPECT_EQ(title("<a-note>x</a-note>\n<ide_state>\ny</ide_state> Count"), "Count");
  EXPECT_EQ(title("<task_description>\nWeigh the parcels\n</task_description>"), "Weigh the parcels");
  EXPECT_EQ(title("<task>\nWeigh them\n</task>\nSoon"), "Weigh them");
  EXPECT_EQ(title("<b>x</b> is not shown bold"), "<b>x</b> is not shown bold");
  EXPECT_EQ(title("<div> has no end"), "<div> has no end");
  EXPECT_EQ(title("< 3 parcels"), "< 3 parcels");
  const std::string exactly(80, 'x');
  EXPECT_EQ(title(exactly), exactly);
  EXPECT_EQ(title(exactly + "y"), std::string(79, 'x') + "…");
  std::string wide;
  for (int i = 0; i < 100; ++i)
    wide += "é";
  EXPECT_EQ(title(wide), wide.substr(0, 79 * 2) + "…") << "characters, not bytes";
}

TEST(Reader, ATitleIsOfTheFirstPromptThatTellsWhatIsDone) {
  StoreFixture store;
  Reader reader(store.file());
  auto title = [&, n = 0](const std::vector<std::string>& prompts) mutable {
    const auto id = "session" + std::to_string(n++);
    const auto session = store.session({.native_id = id});
    for (const std::string& prompt : prompts)
      store.exchange(session, {.user = prompt});
    return reader.ask(SessionQuery{id})->title;
  };
  EXPECT_EQ(title({"do both please", "Weigh the parcels"}), "Weigh the parcels");
  EXPECT_EQ(title({"Can we continue from where we left off?", "ok", "Weigh the parcels"}), "Weigh the parcels");
  EXPECT_EQ(title({"Fix the build", "Weigh the parcels"}), "Fix the build");
  EXPECT_EQ(title({"计算包裹的重量", "Weigh the parcels"}), "计算包裹的重量");
  EXPECT_EQ(title({"do both please", "thanks"}), "do both please") << "there is no better one";
}

TEST(Reader, AStoredTitleIsCutLikeOneFromAPrompt) {
  StoreFixture store;
  Reader reader(store.file());
  auto shown = [&, n = 0](const std::string& stored) mutable {
    const auto id = "stored" + std::to_string(n++);
    store.session({.native_id = id, .title = stored});
    return reader.ask(SessionQuery{id})->title;
  };
  const std::string exactly(80, 'x');
  EXPECT_EQ(shown(exactly), exactly);
  EXPECT_EQ(shown(exactly + "y"), std::string(79, 'x') + "…") << "one word: cut at a character";
  const std::string words = "Rename the upload before the answer is sent, so that a test that reads it at once";
  ASSERT_EQ(words.size(), 81U);
  EXPECT_EQ(shown(words), "Rename the upload before the answer is sent, so that a test that reads it at…");
  const std::string boundary = std::string(78, 'x') + "  and more";
  EXPECT_EQ(shown(boundary), std::string(78, 'x') + "…") << "no blank before the mark";
  std::string wide;
  for (int i = 0; i < 81; ++i)
    wide += "界";
  EXPECT_EQ(shown(wide), wide.substr(0, std::size_t{79} * 3) + "…");
  EXPECT_EQ(shown("/" + std::string(100, 'x')), "/" + std::string(78, 'x') + "…") << "a bare command, for want of more";
}

TEST(Reader, SessionsOfWhatIsTyped) {
  StoreFixture store;
  Reader reader(store.file());
  const TimeMs start = 1'770'000'000'000;
  store.session({.native_id = "abcd-1", .title = "Parser work", .start = start});
  store.session({.native_id = "abcd-2", .title = "Release " + std::string(100, 'x') + " tail", .start = start + 1});
  const auto untitled = store.session({.native_id = "wxyz-1", .start = start + 2});
  store.exchange(untitled, {.user = "Why does the Parser stop?"});
  store.session({.native_id = "abcd-3", .kind = SessionKind::subagent, .start = start + 3});
  const auto found = [&](std::string_view typed, int limit = 20) {
    TypedSessionsQuery query{{}, typed, limit};
    query.filter.include_subagents = false;
    return *reader.ask(query);
  };
  const auto all = found("");
  EXPECT_THAT(all.uids, ElementsAre("claude_code:wxyz-1", "claude_code:abcd-2", "claude_code:abcd-1"));
  EXPECT_EQ(all.total, 3);
  EXPECT_THAT(found("abcd").uids, ElementsAre("claude_code:abcd-2", "claude_code:abcd-1"));
  EXPECT_THAT(found("claude_code:w").uids, ElementsAre("claude_code:wxyz-1"));
  EXPECT_THAT(found("bcd").uids, IsEmpty()) << "an id is matched from its beginning";
  EXPECT_THAT(found("pARSER").uids, ElementsAre("claude_code:wxyz-1", "claude_code:abcd-1"));
  EXPECT_THAT(found("tail").uids, ElementsAre("claude_code:abcd-2")) << "what is cut from the title counts";
  EXPECT_THAT(found("100%").uids, IsEmpty());
  const auto first = found("a", 1);
  EXPECT_THAT(first.uids, ElementsAre("claude_code:wxyz-1")) << "by its title";
  EXPECT_EQ(first.total, 3);
}

TEST(Reader, SessionReferences) {
  StoreFixture store;
  const TimeMs start = 1'770'000'000'000;
  store.session({.native_id = "abcd-1111", .title = "one", .start = start});
  store.session({.native_id = "abcd-2222", .title = "two", .project = "/p/other", .start = start + 5});
  store.session({.native_id = "wxyz-1", .title = "parent", .start = start - 5});
  store.session({.native_id = "wxyz-1/agent", .kind = SessionKind::subagent, .start = start + 9});
  store.session({.native_id = "wxyz-1/agent-a81c55", .kind = SessionKind::subagent, .start = start + 9});
  Reader reader(store.file());
  const auto uid = [&](std::string_view ref, std::string_view project = {}) {
    auto r = reader.ask(SessionQuery{ref, project});
    return r ? r->uid : r.error().message();
  };
  EXPECT_EQ(uid("claude_code:abcd-1111"), "claude_code:abcd-1111");
  EXPECT_EQ(uid("claude:abcd-1111"), "claude_code:abcd-1111");
  EXPECT_EQ(uid("abcd-2222"), "claude_code:abcd-2222");
  EXPECT_EQ(uid("abcd-2"), "claude_code:abcd-2222");
  EXPECT_EQ(uid("claude_code:abcd-2"), "claude_code:abcd-2222");
  EXPECT_EQ(uid("wxyz"), "claude_code:wxyz-1") << "a main session before its agents";
  EXPECT_EQ(uid("latest"), "claude_code:abcd-2222") << "main sessions only";
  EXPECT_EQ(uid("latest", "APP"), "claude_code:abcd-1111");
  EXPECT_EQ(uid("wxyz-1"), "claude_code:wxyz-1") << "exact before prefix";
  EXPECT_EQ(uid("wxyz/a81c"), "claude_code:wxyz-1/agent-a81c55") << "as lists name subagents";
  EXPECT_EQ(uid("wxyz-1/agent-a81"), "claude_code:wxyz-1/agent-a81c55");

  const auto ambiguous = reader.ask(SessionQuery{"abcd"});
  ASSERT_FALSE(ambiguous);
  EXPECT_TRUE(ambiguous.error().is(Errc::invalid_argument));
  EXPECT_THAT(ambiguous.error().message(), HasSubstr("abcd-1111"));
  EXPECT_THAT(ambiguous.error().message(), HasSubstr("abcd-2222"));
  EXPECT_TRUE(reader.ask(SessionQuery{"abc"}).error().is(Errc::invalid_argument));
  const auto missing = reader.ask(SessionQuery{"nothing-like-it"});
  EXPECT_TRUE(missing.error().is(Errc::not_found));
  EXPECT_THAT(missing.error().message(), HasSubstr("abcd-2222"));
  EXPECT_TRUE(reader.ask(SessionQuery{"latest", "nowhere"}).error().is(Errc::not_found));
  EXPECT_THAT(reader.ask(SessionQuery{"latest", "nowhere"}).error().message(), HasSubstr("no project has \"nowhere\""));
}

TEST(Reader, ExchangesAndTheirParts) {
  StoreFixture store;
  const auto source = store.source(Platform::claude_code, "/h/a.jsonl", 1000, 1000);
  const auto s = store.session({.native_id = "aaaa"});
  std::vector<ExchangeId> made;
  for (int i = 0; i < 6; ++i) {
    made.push_back(store.exchange(s, {.user = "u" + std::to_string(i), .files = {"/b", "/a"}}));
    store.event(s, EventKind::user_msg, "", "asked", source);
    store.event(s, EventKind::tool_call, "Bash", "ls");
  }
  Reader reader(store.file());
  const auto numbers = [](const Result<std::vector<ExchangeRow>>& rows) {
    std::vector<std::int64_t> out;
    for (const auto& r : *rows)
      out.push_back(r.number);
    return out;
  };
  EXPECT_THAT(numbers(reader.ask(LastExchangesQuery{s, 2})), ElementsAre(4, 5));
  EXPECT_THAT(numbers(reader.ask(ExchangeRangeQuery{s, 1, 3})), ElementsAre(1, 2, 3));
  EXPECT_THAT(numbers(reader.ask(ExchangeRangeQuery::around(s, 5, 1, 9))), ElementsAre(4, 5));
  EXPECT_THAT(numbers(reader.ask(ExchangesQuery{std::vector<ExchangeId>{made[3], 999, made[0]}})), ElementsAre(3, 0));
  EXPECT_TRUE(reader.ask(ExchangeQuery{999}).error().is(Errc::not_found));

  const auto third = *reader.ask(ExchangeQuery{made[2]});
  EXPECT_EQ(third.user_message, "u2");
  EXPECT_EQ(third.session_uid, "claude_code:aaaa");
  const auto events = *reader.ask(EventsQuery{s, third.first_seq, third.last_seq});
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].tool, "Bash");
  const auto files = *reader.ask(ExchangeFilesQuery{s, third.number});
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].path, "/a");

  const auto place = *reader.ask(EventSourceQuery{s, third.first_seq});
  EXPECT_EQ(place.path, "/h/a.jsonl");
  EXPECT_EQ(place.raw.offset, static_cast<std::uint64_t>(third.first_seq) * 100);
  EXPECT_TRUE(reader.ask(EventSourceQuery{s, third.last_seq}).error().is(Errc::not_found))
      << "without a place in a source";
}

TEST(Reader, TimelineByDayAndSession) {
  StoreFixture store;
  const TimeMs day = *parse_rfc3339("2026-02-09");
  const auto a = store.session({.native_id = "aaaa", .start = day});
  const auto b = store.session({.native_id = "bbbb", .platform = Platform::cursor, .start = day});
  const auto first = store.exchange(a, {.user = "1", .time = day + 1000});
  store.exchange(b, {.user = "2", .time = day + 2000});
  store.exchange(a, {.user = "3", .time = day + 3000});
  store.exchange(a, {.user = "4", .time = day + kMsPerDay});
  store.exchange(a, {.user = "outside", .time = day + 2 * kMsPerDay});
  Reader reader(store.file());
  TimelineQuery q{.filter = {.since = day, .until = day + 2 * kMsPerDay}};
  const auto t = *reader.ask(q);
  ASSERT_EQ(t.slices.size(), 3u);
  EXPECT_EQ(t.slices[0].first, "2026-02-09");
  EXPECT_EQ(t.slices[0].second.session_uid, "claude_code:aaaa");
  EXPECT_EQ(t.slices[0].second.exchange_count, 2);
  EXPECT_EQ(t.slices[0].second.first_exchange, first);
  EXPECT_EQ(t.slices[0].second.range.start, day + 1000);
  EXPECT_EQ(t.slices[0].second.range.end, day + 4000);
  EXPECT_EQ(t.slices[1].second.session_uid, "cursor:bbbb");
  EXPECT_EQ(t.slices[2].first, "2026-02-10");
  EXPECT_EQ(t.total_exchanges, 4);
  EXPECT_EQ(t.total_sessions, 2);
  EXPECT_THAT(t.platform_breakdown, ElementsAre(std::pair(Platform::claude_code, 3), std::pair(Platform::cursor, 1)));
  EXPECT_FALSE(t.more);

  q.limit = 2;
  EXPECT_TRUE(reader.ask(q)->more);
  q.offset = 2;
  EXPECT_EQ(reader.ask(q)->slices.size(), 1u);
  EXPECT_EQ(reader.ask(q)->total_exchanges, 4) << "of the whole span, not of the page";
}

TEST(Reader, TimelineOfADamagedStoreIsAnError) {
  StoreFixture store;
  const auto session = store.session({.native_id = "aaaa"});
  const auto id = store.exchange(session, {.user = "once", .time = 1000});
  store.db().exec("PRAGMA foreign_keys = OFF");
  store.db().exec(("UPDATE exchanges SET session_pk = -1 WHERE exchange_pk = " + std::to_string(id)).c_str());
  Reader reader(store.file());
  EXPECT_FALSE(reader.ask(TimelineQuery{}));
}

TEST(Reader, TimelineOfAllTimeLeavesOutWhatHasNone) {
  StoreFixture store;
  const TimeMs day = *parse_rfc3339("2026-02-09");
  const auto a = store.session({.native_id = "aaaa", .start = day});
  const auto b = store.session({.native_id = "bbbb", .start = day});
  const auto some_day = store.exchange(a, {.user = "some day"});
  store.db().exec(("UPDATE exchanges SET started_at = 0 WHERE exchange_pk = " + std::to_string(some_day)).c_str());
  const auto first = store.exchange(a, {.user = "at once", .time = day + 1});
  const auto last = store.exchange(a, {.user = "at once too", .time = day + 1});
  const auto other = store.exchange(b, {.user = "and there", .time = day + 1});
  const auto night = store.exchange(b, {.user = "to the last moment", .time = day + kMsPerDay - 1});
  Reader reader(store.file());
  const auto t = *reader.ask(TimelineQuery{});
  ASSERT_EQ(t.slices.size(), 2u);
  EXPECT_EQ(t.total_exchanges, 4);
  EXPECT_EQ(t.total_sessions, 2);
  EXPECT_EQ(t.slices[0].second.first_exchange, first);
  EXPECT_EQ(t.slices[0].second.last_exchange, last);
  EXPECT_EQ(t.slices[0].second.last_request, "at once too");
  EXPECT_EQ(t.slices[1].second.first_exchange, other);
  EXPECT_EQ(t.slices[1].second.last_exchange, night);
  EXPECT_EQ(t.slices[1].second.exchange_count, 2);

  // A cached count is not used after the rows have changed.
  store.exchange(b, {.user = "the next day", .time = day + kMsPerDay});
  EXPECT_EQ(reader.ask(TimelineQuery{})->total_exchanges, 5);
  EXPECT_EQ(reader.ask(TimelineQuery{})->slices.size(), 3u);
  EXPECT_EQ(reader.ask(TimelineQuery{.filter = {.since = day + 2}})->total_exchanges, 2);
  EXPECT_EQ(reader.ask(TimelineQuery{.filter = {.until = day + kMsPerDay}})->total_exchanges, 4);
  store.db().exec("DELETE FROM exchanges WHERE user_message = 'the next day'");
  EXPECT_EQ(reader.ask(TimelineQuery{.filter = {.until = day + kMsPerDay}})->total_exchanges, 4);
  EXPECT_EQ(reader.ask(TimelineQuery{})->total_exchanges, 4);
}

TEST(Reader, TotalsAddUp) {
  StoreFixture store;
  const auto done = store.source(Platform::claude_code, "/a", 1000, 1000);
  store.ledger(done, "user", Disposition::indexed, 600);
  store.ledger(done, "snapshot", Disposition::skipped, 300);
  store.ledger(done, "odd", Disposition::unknown, 100);
  const auto behind = store.source(Platform::claude_code, "/b", 500, 350);
  store.ledger(behind, "user", Disposition::indexed, 350);
  const auto gone = store.source(Platform::claude_code, "/c", 80, 50);
  store.ledger(gone, "user", Disposition::indexed, 50);
  store.db().exec("UPDATE sources SET state = 1 WHERE path = '/c'");
  store.source(Platform::cursor, "/d", 0, 0);
  const auto main = store.session({.native_id = "aaaa"});
  store.exchange(main, {.user = "x"});
  store.event(main, EventKind::user_msg, "", "x");
  store.exchange(store.session({.native_id = "bbbb", .kind = SessionKind::subagent}), {.user = "y"});
  store.db().exec(
      "INSERT INTO diagnostics (time, platform, error_type, severity, source_pk, raw_offset, redacted, expires_at)"
      " VALUES (5, 'claude_code', 'damaged_record', 1, 1, 77, 1, 2592000005),"
      " (9, 'cursor', 'schema_drift', 0, NULL, NULL, 1, 2592000009)");
  Reader reader(store.file());

  const auto totals = *reader.ask(PlatformTotalsQuery{});
  ASSERT_EQ(totals.size(), 2u);
  const auto& t = totals[0];
  EXPECT_EQ(t.bytes_total, 1580u);
  EXPECT_EQ(t.bytes_pending, 180u);
  EXPECT_EQ(t.bytes_indexed + t.bytes_skipped + t.bytes_unknown + t.bytes_pending, t.bytes_total);
  EXPECT_EQ(t.bytes_skipped, 300u) << "what waits for its end is not skipped";
  EXPECT_EQ(t.sources, 3);
  EXPECT_EQ(t.sessions, 1);
  EXPECT_EQ(t.subagent_sessions, 1);
  EXPECT_EQ(t.exchanges, 1);
  EXPECT_EQ(t.subagent_exchanges, 1);
  EXPECT_EQ(t.events, 1);
  EXPECT_EQ(t.diagnostics, 1);

  const auto fresh = *reader.ask(PlatformFreshnessQuery{});
  EXPECT_EQ(fresh[0].sources_behind, 1) << "what is gone is lost, not late";
  EXPECT_EQ(fresh[0].bytes_behind, 150);
  EXPECT_EQ(fresh[0].last_event, t.span.end);

  EXPECT_EQ(reader.ask(CoverageQuery{{}, true})->size(), 5u);
  const auto ledger = *reader.ask(CoverageQuery{});
  ASSERT_EQ(ledger.size(), 3u);
  EXPECT_EQ(ledger[0].entry.bytes, 1000u);
  EXPECT_EQ(ledger[0].entry.records, 3u);
  EXPECT_THAT(*reader.ask(CoverageQuery{{Platform::cursor}}), IsEmpty());

  const auto diagnostics = *reader.ask(DiagnosticQuery{});
  EXPECT_EQ(diagnostics.total, 2);
  EXPECT_EQ(diagnostics.diagnostics[0].error_type, "schema_drift");
  EXPECT_EQ(diagnostics.diagnostics[1].path, "/a");
  EXPECT_EQ(diagnostics.diagnostics[1].offset, 77);
  EXPECT_EQ(reader.ask(DiagnosticQuery{.platforms = {Platform::cursor}})->total, 1);
}

}  // namespace
}  // namespace memd
