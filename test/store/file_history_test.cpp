#include "store/read/file_history.hpp"
#include "store/read/commits.hpp"
#include "store/reader.hpp"
#include "test/support/store_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

namespace memd {
namespace {

using test::ExchangeTexts;
using test::SessionSpec;
using test::StoreFixture;

class FileHistoryTest : public testing::Test {
 protected:
  FileHistoryTest() : reader(store.file()) {}

  std::vector<std::string> paths(std::string_view text) {
    const auto found = reader.ask(PathQuery{text});
    EXPECT_TRUE(found);
    fit = found->fit;
    similar = found->similar;
    std::vector<std::string> out;
    for (const auto& p : found->paths)
      out.push_back(p.path);
    return out;
  }
  FileHistory history(std::string_view text, FileHistoryQuery query = {}) {
    const auto found = reader.ask(PathQuery{text});
    for (const auto& p : found->paths)
      query.paths.push_back(p.pk);
    auto out = reader.ask(query);
    EXPECT_TRUE(out);
    return out ? *out : FileHistory();
  }
  // Adds an event about a file to the last exchange.
  std::int64_t touch(std::int64_t session, EventKind kind, std::string_view path, std::string_view summary) {
    const auto seq = store.event(session, kind, "Edit", summary);
    store.db()
        .prepare(
            "UPDATE events SET path_pk = (SELECT path_pk FROM paths WHERE path = ?) WHERE session_pk = ? AND seq = ?")
        .bind(path, session, seq)
        .run();
    return seq;
  }
  void commit(std::int64_t session, std::int64_t seq, std::string_view sha, std::int64_t number,
              std::string_view branch = "main") {
    store.db()
        .prepare(
            "INSERT INTO commits (session_pk, event_seq, sha, exchange_number, branch, subject, time)"
            " VALUES (?, ?, ?, ?, ?, 'subject', ?)")
        .bind(session, seq, sha, number, branch, 1'770'000'000'000 + seq)
        .run();
  }

  StoreFixture store;
  Reader reader;
  PathFit fit{};
  std::vector<std::string> similar;
};

TEST_F(FileHistoryTest, WhatAPathMeans) {
  const auto s = store.session({.native_id = "a"});
  store.exchange(s, {.files = {"/home/u/app/store/reader.cpp", "/home/u/app/protocol/reader.cpp",
                               "/home/u/app/store/reader.hpp", "/w/other/store/reader.cpp", "C:\\w\\app\\main.ts"}});
  EXPECT_EQ(paths("/home/u/app/store/reader.cpp").size(), 1U);
  EXPECT_EQ(fit, PathFit::exact);
  EXPECT_EQ(paths("store/reader.cpp").size(), 2U);
  EXPECT_EQ(fit, PathFit::suffix);
  EXPECT_EQ(paths("./store/reader.cpp").size(), 2U);
  EXPECT_EQ(paths("reader.cpp").size(), 3U);
  EXPECT_EQ(paths("app/main.ts"), std::vector<std::string>{"C:\\w\\app\\main.ts"});
  EXPECT_EQ(paths("C:/w/app/main.ts").size(), 1U);
  EXPECT_TRUE(paths("re/reader.cpp").empty());  // matches whole path components only
  EXPECT_EQ(paths("/home/u/app/store").size(), 2U);
  EXPECT_EQ(fit, PathFit::directory);
  EXPECT_EQ(paths("app/store/").size(), 2U);
  EXPECT_EQ(paths("store").size(), 3U);
  EXPECT_EQ(paths("*.hpp").size(), 1U);
  EXPECT_EQ(fit, PathFit::pattern);
  EXPECT_EQ(paths("app/*/reader.?pp").size(), 3U);
  EXPECT_EQ(paths("*").size(), 5U);
  EXPECT_EQ(paths("app/*").size(), 4U);
  EXPECT_EQ(paths("app/s*").size(), 2U);  // '*' also matches '/'
  EXPECT_EQ(paths("app/s*r.cpp").size(), 1U);
  EXPECT_EQ(paths("app/**/*.hpp").size(), 1U);
  EXPECT_EQ(paths("w/*/main.[tj]s"), std::vector<std::string>{"C:\\w\\app\\main.ts"});
  EXPECT_EQ(paths("main.[tj]s").size(), 1U);
  EXPECT_TRUE(paths("/home/u/app/store/readers.cpp").empty());
  EXPECT_EQ(fit, PathFit::none);
  EXPECT_TRUE(similar.empty());
  EXPECT_TRUE(paths("/elsewhere/reader.cc").empty());
  EXPECT_EQ(similar.size(), 4U);
  EXPECT_TRUE(paths("").empty());
}

TEST_F(FileHistoryTest, AFileNamedLikeAPatternIsFound) {
  const auto s = store.session({.native_id = "a"});
  store.exchange(s, {.files = {"/w/app/[id]/page.tsx", "/w/app/100%/x_y.c", "/w/app/100a/xzy.c"}});
  EXPECT_EQ(paths("app/[id]/page.tsx").size(), 1U);
  EXPECT_EQ(fit, PathFit::suffix);
  EXPECT_EQ(paths("/w/app/[id]/"), std::vector<std::string>{"/w/app/[id]/page.tsx"});
  EXPECT_EQ(fit, PathFit::directory);
  EXPECT_EQ(paths("app/[id]").size(), 1U);
  EXPECT_EQ(paths("100%/x_y.c"), std::vector<std::string>{"/w/app/100%/x_y.c"});
}

TEST_F(FileHistoryTest, NewestSessionFirstAndItsNewestExchangeFirst) {
  const auto a = store.session({.native_id = "a", .title = "Older"});
  const auto x0 = store.exchange(a, {.user = "one", .files = {"/w/a.c"}, .time = 1'770'000'100'000});
  const auto x1 = store.exchange(a, {.user = "two", .files = {"/w/a.c", "/w/b.c"}, .time = 1'770'000'200'000});
  const auto b = store.session({.native_id = "b", .title = "Newer", .platform = Platform::codex});
  const auto x2 = store.exchange(b, {.user = "three", .files = {"/w/a.c"}, .time = 1'770'000'150'000});
  const auto x3 =
      store.exchange(b, {.user = "four", .answer = "Done with four.", .files = {"/w/a.c"}, .time = 1'770'000'300'000});
  const auto h = history("/w/a.c");
  ASSERT_EQ(h.uses.size(), 4U);
  std::vector<ExchangeId> ids;
  for (const auto& use : h.uses)
    ids.push_back(use.exchange_id);
  EXPECT_EQ(ids, (std::vector<ExchangeId>{x3, x2, x1, x0}));
  EXPECT_EQ(h.total_exchanges, 4);
  EXPECT_EQ(h.total_sessions, 2);
  ASSERT_EQ(h.sessions.size(), 2U);
  EXPECT_EQ(h.sessions[0].title, "Newer");
  EXPECT_EQ(h.uses[0].user_message, "four");
  EXPECT_EQ(h.uses[0].said_before, "Done with four.");  // falls back to the answer: nothing was said before the use

  FileHistoryQuery page;
  page.limit = 2;
  page.offset = 1;
  EXPECT_EQ(history("/w/a.c", page).uses.front().exchange_id, x2);
  FileHistoryQuery since;
  since.filter.since = 1'770'000'180'000;
  EXPECT_EQ(history("/w/a.c", since).total_exchanges, 2);
  FileHistoryQuery codex;
  codex.filter.platforms = {Platform::codex};
  EXPECT_EQ(history("/w/a.c", codex).total_exchanges, 2);
  FileHistoryQuery some;
  some.exchanges = {x0};
  EXPECT_EQ(history("/w/a.c", some).total_exchanges, 1);
  FileHistoryQuery span;
  span.session_pk = a;
  span.first_exchange = span.last_exchange = 1;
  const auto of_span = reader.ask(span);
  ASSERT_TRUE(of_span);
  ASSERT_EQ(of_span->uses.size(), 1U);
  EXPECT_EQ(of_span->uses[0].files.size(), 2U);
  FileHistoryQuery read;
  read.access = FileAccess::read;
  EXPECT_EQ(history("/w/a.c", read).total_exchanges, 0);
}

// Only the sessions that a page may show are read, not all hundreds. The pages are the same as if all were read.
TEST_F(FileHistoryTest, PagesOverManySessionsAreInOrderOfTime) {
  std::mt19937 random(11);
  struct Use {
    TimeMs session_last;
    std::int64_t session;
    std::int64_t number;
    ExchangeId id;
  };
  std::vector<Use> all;
  const TimeMs start = 1'770'000'000'000;
  for (int i = 0; i < 160; ++i) {
    const auto s = store.session({.native_id = std::to_string(i)});
    TimeMs time = start + static_cast<TimeMs>(random() % 40) * 100'000;  // some have equal times
    std::vector<Use> uses;
    for (int n = 0; n < 4; ++n, time += 100'000) {
      const bool touched = n == 0 || random() % 2 == 0;
      const std::string file = touched ? "/w/f" + std::to_string(random() % 30) + ".go" : std::string("/w/other.md");
      const auto id = store.exchange(s, {.files = {file}, .time = time});
      if (!touched) continue;
      uses.push_back({time, s, n, id});
    }
    for (Use& use : uses)
      use.session_last = uses.back().session_last;
    all.insert(all.end(), uses.begin(), uses.end());
  }
  std::sort(all.begin(), all.end(), [](const Use& a, const Use& b) {
    return std::tie(a.session_last, a.session, a.number) > std::tie(b.session_last, b.session, b.number);
  });
  std::vector<ExchangeId> expected;
  for (const Use& use : all)
    expected.push_back(use.id);

  std::vector<ExchangeId> found;
  FileHistoryQuery page;
  page.limit = 24;
  for (page.offset = 0; page.offset < static_cast<int>(expected.size()) + 24; page.offset += 24) {
    const auto h = history("*.go", page);
    EXPECT_EQ(h.total_exchanges, static_cast<std::int64_t>(expected.size()));
    EXPECT_EQ(h.total_sessions, 160);
    EXPECT_EQ(h.total_paths, 30);
    EXPECT_EQ(h.paths.size(), 20U);
    EXPECT_TRUE(std::is_sorted(h.paths.begin(), h.paths.end(),
                               [](const PathTotal& a, const PathTotal& b) { return a.last > b.last; }));
    for (const FileUse& use : h.uses)
      found.push_back(use.exchange_id);
  }
  EXPECT_EQ(found, expected);

  // Few files in many sessions: all sessions of a listed file are read.
  const auto few = history("f1.go");
  ASSERT_EQ(few.paths.size(), 1U);
  EXPECT_EQ(few.paths[0].exchanges, few.total_exchanges);
}

TEST_F(FileHistoryTest, WordsOutcomeAndCommitOfAUse) {
  const auto s = store.session({.native_id = "a"});
  const auto x = store.exchange(s, {.user = "fix it", .answer = "Done.", .files = {"/w/a.c"}});
  store.event(s, EventKind::assistant_msg, "", "I will guard a.c against null.");
  store.event(s, EventKind::assistant_msg, "", "<thinking>");  // as older versions stored it
  touch(s, EventKind::tool_call, "/w/a.c", "Edit a.c");
  const auto result = store.event(s, EventKind::tool_result, "Edit", "ok");
  const auto edit = touch(s, EventKind::edit, "/w/a.c", "a.c +1 -0");
  store.db()
      .prepare("UPDATE events SET flags = 128, parent_seq = ? WHERE session_pk = ? AND seq = ?")
      .bind(result, s, edit)
      .run();
  store.db().prepare("UPDATE events SET pair_seq = ? WHERE seq = ?").bind(result - 1, result).run();
  store.event(s, EventKind::assistant_msg, "", "Now the tests.");
  store.event(s, EventKind::test_run, "Bash", "failed: make test");
  const auto told = store.event(s, EventKind::tool_result, "Bash", "[main abc1234] Guard");
  commit(s, told, "abc1234", 0);
  const auto h = history("a.c");
  ASSERT_EQ(h.uses.size(), 1U);
  const FileUse& use = h.uses[0];
  EXPECT_EQ(use.said_before, "I will guard a.c against null.");
  ASSERT_TRUE(use.test);
  EXPECT_EQ(use.test->outcome, RunOutcome::failed);
  EXPECT_TRUE(use.test->same_turn);
  ASSERT_TRUE(use.commit);
  EXPECT_EQ(use.commit->sha, "abc1234");
  EXPECT_EQ(use.commit->exchange_id, x);

  FileHistoryQuery query;
  query.paths = {h.uses[0].files[0].path_pk};
  const auto places = reader.ask(EditPlacesQuery{query, 10});
  ASSERT_TRUE(places);
  ASSERT_EQ(places->edits.size(), 1U);
  EXPECT_EQ(places->edits[0].records, (std::vector<std::int64_t>{result, result - 1}));
}

TEST_F(FileHistoryTest, TestsOfTheTurnAfterCountAndThoseOfLaterOnesDoNot) {
  const auto s = store.session({.native_id = "a"});
  store.exchange(s, {.files = {"/w/a.c"}});
  touch(s, EventKind::edit, "/w/a.c", "a.c +1 -0");
  store.exchange(s, {.files = {"/w/b.c"}});
  touch(s, EventKind::edit, "/w/b.c", "b.c +1 -0");
  store.event(s, EventKind::test_run, "Bash", "passed: make test");
  store.exchange(s, {.user = "again"});
  store.event(s, EventKind::test_run, "Bash", "failed: make test");
  const auto a = history("a.c");
  ASSERT_TRUE(a.uses.at(0).test);
  EXPECT_EQ(a.uses[0].test->outcome, RunOutcome::passed);
  EXPECT_FALSE(a.uses[0].test->same_turn);
  EXPECT_TRUE(history("b.c").uses.at(0).test->same_turn);
}

TEST_F(FileHistoryTest, CommitsByAnyLengthOfTheirId) {
  const auto s = store.session({.native_id = "a"});
  store.exchange(s, {.user = "commit"});
  for (int i = 0; i < 3; ++i)
    store.event(s, EventKind::tool_result, "Bash", "[main …");
  commit(s, 0, "abc1234", 0);
  commit(s, 2, "abc12345f", 0);
  const auto count = [&](std::string_view sha) {
    const auto found = reader.ask(CommitsQuery{sha});
    EXPECT_TRUE(found);
    return found->size();
  };
  EXPECT_EQ(count("abc1"), 2U);
  EXPECT_EQ(count("abc1234"), 2U);
  EXPECT_EQ(count("abc12345f0123456789012345678901234567890"), 2U);
  EXPECT_EQ(count("abc12346"), 1U);  // the shorter id may be the same commit
  EXPECT_EQ(count("abd"), 0U);
  const auto newest = reader.ask(CommitsQuery{"abc12345f"});
  ASSERT_EQ(newest->size(), 2U);
  EXPECT_EQ(newest->front().sha, "abc12345f");
  const auto before = reader.ask(CommitBeforeQuery{newest->front().session_pk, newest->front().event_seq});
  ASSERT_TRUE(before && *before);
  EXPECT_EQ((*before)->sha, "abc1234");
}

TEST_F(FileHistoryTest, ACommitOfAPersonIsJoinedByTimeBranchAndPaths) {
  constexpr TimeMs noon = 1'770'000'000'000;
  const auto a = store.session({.native_id = "a"});
  store.exchange(a, {.files = {"/w/a.c", "/w/b.c"}, .time = noon - 600'000});
  const auto b = store.session({.native_id = "b"});
  store.exchange(b, {.files = {"/w/a.c"}, .time = noon - 60'000});
  const auto late = store.session({.native_id = "late"});
  store.exchange(late, {.files = {"/w/a.c", "/w/b.c"}, .time = noon + 60'000});
  store.db().exec("UPDATE exchanges SET git_branch = 'main'");
  CommitCandidatesQuery clues;
  clues.time = noon;
  clues.branch = "main";
  clues.window = 3'600'000;
  for (const auto& [name, number] : {std::pair("/w/a.c", 0), std::pair("/w/b.c", 1)}) {
    clues.paths.push_back(reader.ask(PathQuery{name})->paths.at(0).pk);
    clues.name_of.push_back(number);
  }
  const auto found = reader.ask(clues);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ(found->at(0).session_pk, a);
  EXPECT_EQ(found->at(0).names, 2);
  EXPECT_EQ(found->at(1).session_pk, b);
  clues.branch = "feature";
  EXPECT_TRUE(reader.ask(clues)->empty());
}

TEST_F(FileHistoryTest, NothingInAStoreThatIsNotThere) {
  Reader nothing(store.file().parent_path() / "none.db");
  EXPECT_TRUE(nothing.ask(PathQuery{"a.c"})->paths.empty());
  EXPECT_TRUE(nothing.ask(FileHistoryQuery{})->uses.empty());
  EXPECT_TRUE(nothing.ask(CommitsQuery{"abc1234"})->empty());
}

}  // namespace
}  // namespace memd
