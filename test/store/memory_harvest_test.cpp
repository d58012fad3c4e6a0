#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "store/harvest/draft.hpp"
#include "store/harvest/known_memories.hpp"
#include "store/harvest/recap.hpp"
#include "store/harvest/suggestion_score.hpp"
#include "store/harvest/suggestions.hpp"
#include "store/memory/memory_text.hpp"
#include "store/reader.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

namespace memd::harvest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A generated project: a user's decision with its reason, a problem with its fix and a passing test, small talk.
class Harvest : public testing::Test {
 protected:
  Harvest() {
    const auto parsing = store.session({.native_id = "aaaa1111", .title = "Parser"});
    decided = store.exchange(parsing, {.user = "How do we read dates?", .files = {"/home/u/app/src/dates.cpp"}});
    observe(parsing, 0, "decision", "Always use `parse_rfc3339` instead of `strptime`, because locales differ.");
    store.db().exec(
        "INSERT INTO decisions (observation_pk, kind, decided_by, chosen, rejected, reason) VALUES"
        " (1, 0, 0, 'parse_rfc3339', 'strptime', 'locales differ between machines')");
    store.db().exec(
        "INSERT INTO commits (session_pk, event_seq, sha, exchange_number, subject, time)"
        " VALUES (1, 7, '0a1b2c3d4e', 0, 'dates: one parser', 1)");
    const auto flaky = store.session({.native_id = "bbbb2222", .title = "Flaky test"});
    store.exchange(flaky, {.user = "Why does the cache test fail?", .files = {"/home/u/app/src/cache.cpp"}});
    observe(flaky, 0, "problem", "The issue is that `CacheIndex` reuses a row id after the last row was deleted.");
    observe(flaky, 0, "solution", "The fix is to make the column AUTOINCREMENT in `CacheIndex`.");
    observe(flaky, 0, "success", "passed: ctest");
    talk = store.exchange(flaky, {.user = "go on"});
    observe(flaky, 1, "decision", "let's do it");
    observe(flaky, 1, "solution", "Bash: go build works after edits to cache.cpp", "Bash");
  }
  std::int64_t observe(std::int64_t session, int number, std::string_view type, std::string_view words,
                       std::string_view tool = {}) {
    store.db()
        .prepare(
            "INSERT INTO observations (session_pk, exchange_number, event_seq, time, type, summary, content, tool,"
            " content_hash) VALUES (?1, ?2, ?2, ?5, ?3, ?4, ?4, nullif(?7, ''), ?6)")
        .bind(session, number, type, words, TimeMs{1'770'000'000'000}, as_sql(hash64(words)), tool)
        .run();
    return store.db().last_insert_rowid();
  }
  Memory draft(std::string_view ref, DraftOptions options = {}) {
    options.project = "/home/u/app";
    return draft_of(reader.ask(MaterialQuery{parse_history_ref(ref).value()}).value(), options);
  }

  test::StoreFixture store;
  Reader reader{store.file()};
  ExchangeId decided = 0;
  ExchangeId talk = 0;
};

TEST_F(Harvest, ReferencesAreReadAsTheyAreShown) {
  EXPECT_EQ(parse_history_ref("x42")->exchange, 42);
  EXPECT_EQ(parse_history_ref("o9")->observation, 9);
  EXPECT_EQ(parse_history_ref("d9")->observation, 9);
  EXPECT_EQ(parse_history_ref("claude_code:a#3")->name->number, 3);
  EXPECT_EQ(parse_history_ref("claude:a#b#3")->name->session, "claude_code:a#b");
  for (const char* wrong : {"a#3", "claude_code:a#", "claude_code:a#-1", "claude_code:#3", "nobody:a#3", "", "o", "o0",
                            "o-1", "o9x", "42", "y3", "o99999999999999999999"})
    EXPECT_FALSE(parse_history_ref(wrong)) << wrong;
  const auto gone = reader.ask(MaterialQuery{{0, 99}});
  ASSERT_FALSE(gone);
  EXPECT_TRUE(gone.error().is(Errc::not_found));
}

TEST_F(Harvest, ADecisionSaysWhyAndWhereItComesFrom) {
  const Memory m = draft("o1");
  EXPECT_EQ(m.type, MemoryType::decision);
  EXPECT_EQ(m.title, "Always use `parse_rfc3339` instead of `strptime`, because locales differ");
  EXPECT_THAT(m.content, HasSubstr("**Why:** locales differ between machines\n"));
  EXPECT_THAT(m.content, HasSubstr("**Decided by:** a person\n"));
  EXPECT_THAT(m.content, HasSubstr("**Asked for:** How do we read dates?\n"));
  EXPECT_THAT(m.content, HasSubstr("**Files:** `src/dates.cpp`\n"));
  EXPECT_THAT(m.content, HasSubstr("**Commits:** `0a1b2c3d4e` dates: one parser\n"));
  EXPECT_THAT(m.provenance.files, ElementsAre("src/dates.cpp"));
  EXPECT_THAT(m.provenance.commits, ElementsAre("0a1b2c3d4e"));
  EXPECT_EQ(m.provenance.session, "claude_code:aaaa1111");
  EXPECT_EQ(m.provenance.exchange, "claude_code:aaaa1111#0") << "a name that holds on other machines";
  EXPECT_EQ(draft(m.provenance.exchange).content, m.content);
  EXPECT_THAT(m.content, Not(HasSubstr(format_exchange_id(decided) + " of")));
  EXPECT_EQ(draft("x" + std::to_string(decided)).content, m.content);
  EXPECT_EQ(draft("o1", {.dialect = MemoryDialect::repository}).type, MemoryType::adr);
}

TEST_F(Harvest, AProblemGoesWithItsFixFromEitherSide) {
  const Memory m = draft("o2");
  EXPECT_EQ(m.type, MemoryType::gotcha);
  EXPECT_EQ(m.title, "`CacheIndex` reuses a row id after the last row was deleted");
  EXPECT_THAT(m.content, HasSubstr("**Fix:** The fix is to make the column AUTOINCREMENT in `CacheIndex`."));
  EXPECT_THAT(m.content, HasSubstr("**Tests:** passed"));
  EXPECT_EQ(draft("o3").content, m.content);
}

// Precision comes first: no fix is better than a wrong one.
TEST_F(Harvest, AProblemIsPairedOnlyWithTheFixThatAnswersIt) {
  struct Said {
    std::int64_t event;
    ObservationType type;
    const char* words;
  };
  using enum ObservationType;
  const auto pairs = [](const std::vector<Said>& all) {
    Material m;
    for (const Said& one : all) {
      Observation o;
      o.event_seq = one.event;
      o.type = one.type;
      o.content = one.words;
      m.observations.push_back(o);
    }
    std::vector<std::pair<std::size_t, std::size_t>> out;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (const auto fix = fix_of(m, i)) {
        out.emplace_back(i, *fix);
        EXPECT_EQ(problem_of(m, *fix), i);
      }
    return out;
  };
  const auto is = [](std::size_t problem, std::size_t fix) { return testing::Pair(problem, fix); };
  // Two problems one after the other, and a final report that mentions more code than any fix.
  EXPECT_THAT(
      pairs({{10, problem, "The issue is that `Queue::push` throws when the `Ring` is full."},
             {20, solution, "The fix is to wait until somebody has taken an element out of it."},
             {30, problem, "The issue is that we ask the OLD reader for `is_drained`, which never was drained."},
             {30, solution, "The fix is to ask the NEW reader, whose `is_drained` is set after the hand-over."},
             {90, bugfix, "Fixed `RingTest.PushWhenFull_ManyTimes`, which now expects `Queue::push` to wait"}}),
      ElementsAre(is(0, 1), is(2, 3)));
  // A single solution soon after a problem answers it even in other words. A later one, or one of several, must share
  // its words.
  const Said flag{1, problem, "The issue is that `open` throws a conflict when a second writer is there."};
  EXPECT_THAT(pairs({flag, {12, solution, "The fix is to ask whether somebody was warned already."}}),
              ElementsAre(is(0, 1)));
  EXPECT_THAT(pairs({flag, {40, solution, "The fix is to ask whether somebody was warned already."}}), IsEmpty());
  EXPECT_THAT(pairs({flag,
                     {12, solution, "The fix is to ask whether somebody was warned already."},
                     {12, solution, "The fix is to send the text as it stands."}}),
              IsEmpty());
  // Common words alone do not pair items of a list.
  EXPECT_THAT(pairs({{1, problem, "The issue is that the formatter writes the generated files at each run."},
                     {9, bugfix, "Fixed the formatter: what is generated is left out"},
                     {9, bugfix, "Fixed the hooks: generated files may be committed now"}}),
              ElementsAre(is(0, 1)));
  // A list of repairs with an unrelated problem beside it.
  EXPECT_THAT(
      pairs({{1, problem, "The real issue is that `Clock::now` returns a type that the checker takes for void."},
             {1, solution, "Fixed by reading the time zones from the configuration of the program."},
             {1, solution, "Fixed by writing the exporter's name in the flat form that its page shows."},
             {1, solution, "Fixed by turning `in_span` from a function into a macro with a block."}}),
      IsEmpty());
  EXPECT_THAT(pairs({{1, problem, "The problem is that the importer reads each row of the ledger twice."},
                     {9, bugfix, "Fixed the colours of the start page on small screens"},
                     {9, bugfix, "Fixed the importer: a row of the ledger is read once"}}),
              ElementsAre(is(0, 2)));
  // In a later message, a fix must share words with the problem.
  EXPECT_THAT(pairs({{1, problem, "The problem is duplicate interfaces in the generated files."},
                     {5, bugfix, "Fixed the compiler's complaints about duplicate interfaces"}}),
              ElementsAre(is(0, 1)));
  EXPECT_THAT(pairs({{1, problem, "The issue is in `choose()`, which walks a map without an order."},
                     {5, solution, "The fix is to make `choose()` walk the names in their order."}}),
              ElementsAre(is(0, 1)));
  EXPECT_THAT(pairs({{1, discovery, "This is because the lock is taken before the session is looked up."},
                     {9, bugfix, "I've successfully fixed the bug and added tests which show that it works."}}),
              IsEmpty());
  // Other scripts: Russian with its endings; bigrams where words are not separated by spaces.
  EXPECT_THAT(pairs({{1, problem, "Причина в том, что загрузчик читает каждую строку журнала дважды."},
                     {5, bugfix, "Исправил цвета начальной страницы на маленьких экранах"},
                     {5, bugfix, "Исправил загрузчика: строка журнала читается теперь один раз"}}),
              ElementsAre(is(0, 2)));
  EXPECT_THAT(pairs({{1, problem, "问题在于导入程序把账本的每一行都读取了两次。"},
                     {5, bugfix, "修正了小屏幕上起始页面的颜色和字体大小"},
                     {5, bugfix, "修正了导入程序,账本的每一行现在只读取一次"}}),
              ElementsAre(is(0, 2)));
  EXPECT_THAT(pairs({{1, problem, "원인은 가져오기가 장부의 행을 두 번 읽는 것입니다."},
                     {5, bugfix, "작은 화면에서 시작 페이지의 색과 글꼴을 수정했습니다"},
                     {5, bugfix, "이제 가져오기는 장부의 행을 한 번만 읽습니다"}}),
              ElementsAre(is(0, 2)));
  // The fix belongs to the problem found in between.
  EXPECT_THAT(pairs({{1, discovery, "This is because `Ledger::sum` skips the rows that were voided."},
                     {2, problem, "The issue is that `Ledger::sum` reads the flag of the row before."},
                     {3, solution, "The fix is that `Ledger::sum` reads the flag after it has moved on."}}),
              ElementsAre(is(1, 2)));
  // A proposal made before the problem was found is not its fix.
  EXPECT_THAT(pairs({{1, solution, "The fix is to give `Ledger::sum` another threshold."},
                     {2, problem, "The issue is that `Ledger::sum` reads the flag of the row before."}}),
              IsEmpty());
}

// The same ids are at the beginning of the lines of an export.
TEST_F(Harvest, ADraftNamesTheEventsThatItComesFrom) {
  const auto session = store.session({.native_id = "dddd4444", .title = "Rounding"});
  store.exchange(session, {.user = "Why are totals off by a cent?"});
  store.event(session, EventKind::user_msg, "", "Why are totals off by a cent?");
  store.event(session, EventKind::tool_call, "Read", "totals.cpp");
  const auto cause = store.event(session, EventKind::assistant_msg, "", "cause");
  store.event(session, EventKind::edit, "Edit", "totals.cpp");
  const auto fix = store.event(session, EventKind::assistant_msg, "", "fix");
  const auto told_at = [&](std::int64_t observation, std::int64_t seq) {
    store.db().prepare("UPDATE observations SET event_seq = ?2 WHERE observation_pk = ?1").bind(observation, seq).run();
    return observation;
  };
  const auto problem = told_at(
      observe(session, 0, "problem", "The issue is that `Totals::add` rounds each line before it adds."), cause);
  told_at(observe(session, 0, "solution", "The fix is that `Totals::add` rounds the sum alone, at the end."), fix);
  const auto name = [&](std::string_view kind, std::int64_t seq) {
    std::array<char, 40> out{};
    std::snprintf(out.data(), out.size(), "%016llx", static_cast<unsigned long long>(session * 1'000'000 + seq));
    return std::string(kind) + out.data();
  };
  const Memory m = draft(format_observation_id(problem), {.dialect = MemoryDialect::repository});
  EXPECT_THAT(m.provenance.events, ElementsAre(name("evt_", 0), name("evt_", cause), name("evt_", fix)));
  EXPECT_THAT(m.provenance.patches, ElementsAre(name("patch_", 3)));
  EXPECT_THAT(memory::new_memory_text(m), HasSubstr("  events:\n    - " + name("evt_", 0)));
}

TEST_F(Harvest, WhatIsKnownIsFoundInOtherWords) {
  Memory known = draft("o2");
  known.slug = "row-ids";
  const KnownMemories memories({known});
  EXPECT_EQ(memories.similar_to(draft("o3")).at(0).slug, "row-ids");
  EXPECT_THAT(memories.similar_to(draft("o1")), IsEmpty());
  Memory other = known;
  other.title = "After the last row was deleted, `CacheIndex` uses its row id again";
  other.content.clear();
  EXPECT_THAT(memories.similar_to(other), testing::SizeIs(1));
}

TEST_F(Harvest, SuggestsWhatIsWorthItOnceAndNothingElse) {
  const auto all = reader.ask(SuggestionsQuery{{}, "/home/u/app"}).value();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].id, "o1");
  EXPECT_THAT(all[0].reasons, testing::Contains("a person decided"));
  EXPECT_THAT(all[0].reasons, testing::Contains("the reason was given"));
  EXPECT_EQ(all[1].exchange, decided + 1);
  EXPECT_THAT(not_known(all, KnownMemories({all[0].draft}), 5), testing::SizeIs(1));
  EXPECT_THAT(not_known(all, KnownMemories({}), 1), testing::SizeIs(1));
}

TEST_F(Harvest, ATitleStandsByItself) {
  const auto title = [&](const char* words) {
    const auto session = store.session({.native_id = words, .title = "Titles"});
    store.exchange(session, {.user = "What now?"});
    const auto id = observe(session, 0, "decision", words);
    return draft(format_observation_id(id)).title;
  };
  EXPECT_EQ(title("Sure, but the program should ignore its own lock files."),
            "The program should ignore its own lock files");
  EXPECT_EQ(title("\xF0\x9F\x98\x85 if a session starts again, it goes to idle"),
            "If a session starts again, it goes to idle");
  EXPECT_EQ(title("- `Store::open` takes the lock first"), "`Store::open` takes the lock first");
  EXPECT_EQ(title("So that it is known: the lock is taken first"), "So that it is known: the lock is taken first");
  EXPECT_EQ(title("Так и решили: ключ лежит в конфигурации"), "Так и решили: ключ лежит в конфигурации");
}

TEST_F(Harvest, ManyOfOneSessionGoDownInTheList) {
  const auto session = store.session({.native_id = "many", .title = "Many"});
  int number = 0;
  for (const char* one :
       {"Ledger rows are always written with `Ledger::put` and never with `raw_write`, because it syncs each page.",
        "Tests must never replace `Clock::now` by `system_time` while threads run, since faked hours jump between "
        "cases.",
        "Release branches should be named by `release_name` instead of `branch_date`, which nobody finds after months.",
        "Packets are always split by `Cutter::next` instead of `string_tok`, because several threads share that "
        "buffer."}) {
    store.exchange(session, {.user = "How?"});
    observe(session, number++, "decision", one);
  }
  std::vector<double> off;
  for (const auto& one : reader.ask(SuggestionsQuery{}).value()) {
    const auto material = reader.ask(MaterialQuery{parse_history_ref(one.id).value()}).value();
    if (one.session_uid == "claude_code:many")
      off.push_back(score_suggestion(material, *material.told).score - one.score);
  }
  EXPECT_THAT(off, testing::UnorderedElementsAre(testing::DoubleNear(0, 1e-9), testing::DoubleNear(0, 1e-9),
                                                 testing::DoubleNear(0.25, 1e-9), testing::DoubleNear(0.5, 1e-9)));
}

TEST_F(Harvest, ADecisionThatWasTakenBackIsNotSuggested) {
  const auto later = observe(2, 1, "decision", "We go back to `strptime`, the old parser was faster.");
  store.db().prepare("UPDATE decisions SET reversed_by = ? WHERE observation_pk = 1").bind(later).run();
  for (const auto& one : reader.ask(SuggestionsQuery{}).value())
    EXPECT_NE(one.id, "o1");
}

TEST_F(Harvest, WhatIsToldAgainInAnotherSessionCountsMore) {
  const double alone = reader.ask(SuggestionsQuery{}).value().at(0).score;
  const auto third = store.session({.native_id = "cccc3333", .title = "Again"});
  store.exchange(third, {.user = "Dates again"});
  const auto again = observe(third, 0, "decision", "Always use `parse_rfc3339` instead of `strptime`, locales differ!");
  store.db()
      .prepare("INSERT INTO decisions (observation_pk, kind, decided_by, chosen) VALUES (?, 0, 0, 'parse_rfc3339')")
      .bind(again)
      .run();
  const auto all = reader.ask(SuggestionsQuery{}).value();
  EXPECT_EQ(all.at(0).told_again, 1);
  EXPECT_GT(all.at(0).score, alone);
  EXPECT_THAT(all.at(0).reasons, testing::Contains("said in 2 sessions"));
}

TEST_F(Harvest, LinksAreSuggestedForSharedFilesAndSessionsUntilTheyAreThere) {
  Memory a = draft("o1");
  Memory b = draft("o2");
  a.slug = "a";
  b.slug = "b";
  EXPECT_THAT(suggest_links({a, b}, 9), IsEmpty());
  b.provenance.files = a.provenance.files;
  auto links = suggest_links({b, a}, 9);
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0].id, "a+b");
  EXPECT_THAT(links[0].reasons, ElementsAre("both name src/dates.cpp"));
  b.scope = MemoryScope::project;
  EXPECT_THAT(suggest_links({a, b}, 9), IsEmpty());
  b.scope = a.scope;
  a.links = {"b"};
  EXPECT_THAT(suggest_links({a, b}, 9), IsEmpty());
}

TEST_F(Harvest, ARecapTellsADayAndWhereItComesFrom) {
  RecapQuery query;
  query.day = local_day(1'770'000'000'000);
  query.project = "/home/u/app";
  const auto recap = reader.ask(query).value();
  ASSERT_TRUE(recap);
  EXPECT_EQ(recap->slug, "recap." + recap->title.substr(9));
  EXPECT_EQ(recap->type, MemoryType::recap);
  EXPECT_THAT(recap->content, HasSubstr("## Sessions\n\n- Parser (claude_code)"));
  EXPECT_THAT(recap->content, HasSubstr("## Decided\n\n"));
  EXPECT_THAT(recap->content, HasSubstr("AUTOINCREMENT in `CacheIndex`. (`claude_code:bbbb2222#0`)\n"));
  EXPECT_THAT(recap->content, HasSubstr("## Commits\n\n- `0a1b2c3d4e` dates: one parser\n"));
  EXPECT_THAT(recap->content, HasSubstr("## Files changed\n\n- `src/dates.cpp`\n- `src/cache.cpp`\n"));
  EXPECT_THAT(recap->content,
              testing::EndsWith("## Provenance\n\n- `claude_code:aaaa1111#0` to `claude_code:aaaa1111#0`\n"
                                "- `claude_code:bbbb2222#0` to `claude_code:bbbb2222#1`\n"));
  EXPECT_THAT(recap->content, Not(HasSubstr("go build")));
  query.sections = {RecapSection::commits};
  EXPECT_THAT(reader.ask(query).value()->content, Not(HasSubstr("## Sessions")));
  EXPECT_THAT(reader.ask(query).value()->content, HasSubstr("## Provenance"));
  query.day += 1;
  EXPECT_FALSE(reader.ask(query).value());
  EXPECT_EQ(parse_recap_section("commits"), RecapSection::commits);
  EXPECT_FALSE(parse_recap_section("nothing"));
}

TEST(HarvestPaths, AreRelativeToTheFirstRootThatHoldsThem) {
  EXPECT_THAT(relative_files({"/p/a.cpp", "/w/b.cpp", "/p/a.cpp", "/px/c.cpp", "d.cpp"}, "/p", "/w"),
              ElementsAre("a.cpp", "b.cpp", "/px/c.cpp", "d.cpp"));
}

}  // namespace
}  // namespace memd::harvest
