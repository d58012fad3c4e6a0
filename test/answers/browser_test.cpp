#include "daemon/cli/browse/browser.hpp"

#include "schemas/base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace memd::cli::browse {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using Kind = Key::Kind;

std::string text_of(const Line& line) {
  std::string out;
  for (const Line::Piece& piece : line.pieces())
    out += piece.text;
  return out;
}

tools::SessionOut a_session(const std::string& id, const std::string& title, const std::string& state = "stopped") {
  tools::SessionOut out;
  out.session_id = "claude_code:" + id;
  out.session_name = title;
  out.project = "parcel";
  out.state = state;
  out.last_event_at = "2026-03-10T14:00:00Z";
  return out;
}

tools::SearchResultOut a_hit(const std::string& exchange, const std::string& snippet) {
  tools::SearchResultOut out;
  out.exchange_id = exchange;
  out.session_id = "claude_code:aaaa";
  out.session_name = "Limiter";
  out.timestamp = "2026-03-10T14:00:00Z";
  out.snippet = snippet;
  return out;
}

tools::ExchangeOut an_exchange(std::int64_t number, const std::string& answer) {
  tools::ExchangeOut out;
  out.exchange_id = "x" + std::to_string(number + 100);
  out.session_id = "claude_code:aaaa";
  out.exchange_number = number;
  out.timestamp = "2026-03-10T14:00:00Z";
  out.user_message = "Question " + std::to_string(number);
  out.assistant_response = answer;
  return out;
}

SessionPart a_part(std::int64_t from, std::int64_t to, std::int64_t last) {
  SessionPart out;
  out.title = "Limiter";
  out.last_number = last;
  for (std::int64_t i = from; i <= to; ++i)
    out.exchanges.exchanges.push_back(an_exchange(i, "Answer " + std::to_string(i)));
  return out;
}

// A browser with scripted key presses and a store that gives the test's answers.
class BrowserTest : public testing::Test {
 protected:
  BrowserTest() { make({}); }
  void make(Browser::InitialQuery initial) {
    Look look;
    look.now = 1'773'396'000'000;  // 2026-03-13T10:00:00Z
    browser.emplace(std::move(initial), look);
    browser->resize(60, 12);
  }
  void keys(std::string_view typed) {
    for (const char c : typed)
      browser->press({Kind::text, std::string(1, c)}, now);
  }
  void key(Kind kind) { browser->press({kind}, now); }

  // Returns the question that the browser asks now; an empty ListQuestion with cursor "none" if it asks nothing.
  Question asked() {
    const auto next = browser->next_question(now);
    if (!next) return ListQuestion{"", {}, "none"};
    ticket = next->ticket;
    return next->question;
  }
  bool asks_nothing() { return asked() == Question(ListQuestion{"", {}, "none"}); }
  void reply(Result<Answer> answer, bool from_daemon = true) {
    browser->take({ticket, std::move(answer), from_daemon}, now);
  }

  // Shows the usual first page: three sessions, the second active.
  void list_sessions() {
    asked();
    tools::ListSessionsAnswer answer;
    answer.sessions = {a_session("aaaa", "Limiter"), a_session("bbbb", "Upload", "active"), a_session("cccc", "Queue")};
    answer.total = 3;
    reply(Answer(answer));
  }
  void list_hits(std::vector<tools::SearchResultOut> hits) {
    tools::SemanticSearchAnswer answer;
    answer.results = std::move(hits);
    reply(Answer(answer));
  }

  std::vector<std::string> shown() const {
    std::vector<std::string> out;
    for (const Row& row : browser->content().rows)
      out.push_back(text_of(row.line));
    return out;
  }
  std::string chosen() const {
    for (const Row& row : browser->content().rows)
      if (row.chosen) return text_of(row.line);
    return {};
  }

  std::optional<Browser> browser;
  std::int64_t now = 1000;
  std::uint64_t ticket = 0;
};

TEST_F(BrowserTest, BeginsWithAllSessionsTheRunningOnesMarked) {
  EXPECT_EQ(asked(), Question(ListQuestion{}));
  list_sessions();
  EXPECT_THAT(shown(), SizeIs(12));
  EXPECT_THAT(shown(), Contains(AllOf(HasSubstr("Upload"), HasSubstr("running"))));
  EXPECT_THAT(shown().front(), HasSubstr("3 sessions"));
  EXPECT_THAT(chosen(), StartsWith("> aaaa"));
  key(Kind::down);
  EXPECT_THAT(chosen(), StartsWith("> bbbb"));
  EXPECT_TRUE(asks_nothing());
}

TEST_F(BrowserTest, NewSessionsAppearWhereADaemonReads) {
  list_sessions();
  key(Kind::down);
  ASSERT_TRUE(browser->wakes_at());
  now = *browser->wakes_at();
  EXPECT_EQ(asked(), Question(ListQuestion{}));
  tools::ListSessionsAnswer answer;
  answer.sessions = {a_session("dddd", "New"), a_session("aaaa", "Limiter"), a_session("bbbb", "Upload", "active")};
  reply(Answer(answer), false);
  EXPECT_THAT(shown(), Contains(HasSubstr("New")));
  EXPECT_THAT(chosen(), StartsWith("> bbbb")) << "what was chosen stays so";
  EXPECT_FALSE(browser->wakes_at()) << "no daemon: the store stays as it is";
}

TEST_F(BrowserTest, WhatIsTypedIsAskedAfterAPause) {
  list_sessions();
  keys("tok");
  EXPECT_TRUE(asks_nothing()) << "more may be typed";
  ASSERT_TRUE(browser->wakes_at());
  now = *browser->wakes_at();
  EXPECT_EQ(asked(), Question(ListQuestion{"tok", {}, ""}));
  EXPECT_TRUE(asks_nothing()) << "once";
  EXPECT_FALSE(browser->wakes_at());
  list_hits({a_hit("x6", "a token bucket")});
  EXPECT_THAT(shown(), Contains(HasSubstr("a token bucket")));
  EXPECT_THAT(shown().front(), HasSubstr("1 hit"));
}

TEST_F(BrowserTest, AnAnswerToWhatWasTypedBeforeIsDropped) {
  list_sessions();
  keys("tok");
  now += 1000;
  EXPECT_EQ(asked(), Question(ListQuestion{"tok", {}, ""}));
  keys("en");
  list_hits({a_hit("x1", "stale")});
  EXPECT_THAT(shown(), Not(Contains(HasSubstr("stale"))));
  now += 1000;
  EXPECT_EQ(asked(), Question(ListQuestion{"token", {}, ""}));
  const auto before = ticket;
  list_hits({a_hit("x2", "fresh")});
  browser->take({before - 1, Answer(tools::SemanticSearchAnswer()), true}, now);  // the answer to the first query, late
  EXPECT_THAT(shown(), Contains(HasSubstr("fresh")));
}

TEST_F(BrowserTest, BackspaceTakesAWholeCharacter) {
  list_sessions();
  browser->press({Kind::text, "検"}, now);
  browser->press({Kind::text, "索"}, now);
  key(Kind::backspace);
  now += 1000;
  EXPECT_EQ(asked(), Question(ListQuestion{"検", {}, ""}));
  EXPECT_EQ(browser->content().cursor, 4U) << "it takes two columns";
}

TEST_F(BrowserTest, FiltersNarrowTheList) {
  list_sessions();
  key(Kind::escape);
  keys("p");
  keys("par");
  EXPECT_THAT(shown().back(), StartsWith("project: par"));
  key(Kind::enter);
  EXPECT_EQ(asked(), Question(ListQuestion{"", {"par", "", "", ""}, ""}));
  keys("t");
  now += 1000;
  EXPECT_EQ(asked(), Question(ListQuestion{"", {"par", "", "", "active"}, ""}));
  EXPECT_THAT(shown()[1], AllOf(HasSubstr("project par"), HasSubstr("state active")));
  keys("c");
  EXPECT_TRUE(asks_nothing()) << "all sessions are still there";
  list_hits({a_hit("x1", "stale")});
  EXPECT_THAT(shown().front(), HasSubstr("3 sessions")) << "the filtered list comes too late";
}

TEST_F(BrowserTest, AnErrorIsToldAndTheSameIsNotAskedAgain) {
  make({"", {"", "", "whenever", ""}});
  asked();
  reply(Error(Errc::invalid_argument, "since: \"whenever\" is no time"));
  EXPECT_THAT(shown(), Contains(HasSubstr("is no time"))) << "typing shows no message";
  EXPECT_TRUE(asks_nothing());
}

TEST_F(BrowserTest, FurtherPagesComeWhenTheEndIsNear) {
  asked();
  tools::ListSessionsAnswer answer;
  for (int i = 0; i < 100; ++i)
    answer.sessions.push_back(a_session(std::to_string(1000 + i), "Session"));
  answer.total = 150;
  answer.next = "more";
  reply(Answer(answer));
  EXPECT_TRUE(asks_nothing());
  key(Kind::end);
  EXPECT_THAT(chosen(), StartsWith("> 1099"));
  EXPECT_EQ(asked(), Question(ListQuestion{"", {}, "more"}));
  key(Kind::down);
  EXPECT_THAT(chosen(), StartsWith("> 1099"));
  answer.sessions.resize(50);
  answer.next.reset();
  reply(Answer(answer));
  EXPECT_TRUE(asks_nothing());
  EXPECT_THAT(chosen(), StartsWith("> 1099")) << "the choice stays";
  key(Kind::end);
  key(Kind::down);
  EXPECT_THAT(chosen(), StartsWith("> 1000")) << "a whole list goes around";
  key(Kind::up);
  EXPECT_THAT(chosen(), StartsWith("> 1049"));
}

TEST_F(BrowserTest, OpensAHitWithItsWordsMarkedAndGoesBack) {
  make({"token bucket", {}});
  asked();
  list_hits({a_hit("x6", "a token bucket"), a_hit("x7", "other")});
  key(Kind::enter);
  EXPECT_EQ(asked(), Question(ExchangeQuestion{"x6", false}));
  tools::GetExchangeAnswer answer;
  std::string text = "A Token first.\n";
  for (int i = 0; i < 30; ++i)
    text += "line\n";
  answer.exchanges = {an_exchange(0, text + "a bucket at last")};
  reply(Answer(answer));
  bool marked = false;
  for (const Row& row : browser->content().rows)
    for (const Line::Piece& piece : row.line.pieces())
      marked = marked || (piece.text == "Token" && piece.style == Style::match);
  EXPECT_TRUE(marked);
  keys("n");
  EXPECT_THAT(chosen(), HasSubstr("Token"));
  keys("n");
  EXPECT_THAT(chosen(), HasSubstr("bucket at last"));
  EXPECT_THAT(shown().back(), HasSubstr("match 2 of 2"));
  keys("n");
  EXPECT_THAT(chosen(), HasSubstr("Token")) << "behind the last is the first";
  keys("N");
  EXPECT_THAT(chosen(), HasSubstr("bucket at last"));
  keys("/first at");
  key(Kind::enter);
  EXPECT_THAT(shown().back(), HasSubstr("no match")) << "a phrase, not its words";
  keys("/At last");
  key(Kind::enter);
  EXPECT_THAT(chosen(), HasSubstr("bucket at last"));
  key(Kind::escape);
  EXPECT_THAT(chosen(), StartsWith("> x6"));
  EXPECT_TRUE(asks_nothing()) << "the list is still there";
}

TEST_F(BrowserTest, ASessionIsReadAsFarAsOneScrolls) {
  list_sessions();
  key(Kind::enter);
  EXPECT_EQ(asked(), Question(SessionQuestion{SessionQuestion::Way::from, "claude_code:aaaa", 0, false}));
  reply(Answer(a_part(0, 10, 25)));
  EXPECT_TRUE(asks_nothing());
  for (int i = 0; i < 20; ++i)
    key(Kind::page_down);
  EXPECT_EQ(asked(), Question(SessionQuestion{SessionQuestion::Way::from, "claude_code:aaaa", 11, false}));
  reply(Answer(a_part(11, 21, 25)));
  key(Kind::end);
  EXPECT_EQ(asked(), Question(SessionQuestion{SessionQuestion::Way::last, "claude_code:aaaa", 0, false}));
  reply(Answer(a_part(15, 25, 25)));
  EXPECT_THAT(shown(), Contains(HasSubstr("Answer 25")));
  key(Kind::home);
  EXPECT_EQ(asked(), Question(SessionQuestion{SessionQuestion::Way::from, "claude_code:aaaa", 0, false}));
}

TEST_F(BrowserTest, BeforeTheBeginningOfWhatWasReadStandsMore) {
  make({"words", {}});
  asked();
  list_hits({a_hit("x120", "text")});
  key(Kind::enter);
  asked();
  tools::GetExchangeAnswer answer;
  answer.exchanges = {an_exchange(20, "Answer 20")};
  reply(Answer(answer));
  keys("s");
  EXPECT_EQ(asked(), Question(SessionQuestion{SessionQuestion::Way::from, "claude_code:aaaa", 20, false}));
  reply(Answer(a_part(20, 25, 25)));
  const auto before = shown();
  EXPECT_EQ(asked(), Question(SessionQuestion{SessionQuestion::Way::before, "claude_code:aaaa", 20, false}));
  reply(Answer(a_part(9, 19, 25)));
  EXPECT_EQ(shown()[1], before[1]) << "what stood at the top stays there";
  for (int i = 0; i < 3; ++i)
    key(Kind::page_up);
  EXPECT_THAT(shown(), Contains(HasSubstr("Answer 1")));
}

TEST_F(BrowserTest, AMatchFurtherDownIsLookedFor) {
  make({"Answer 17", {}});
  list_hits({});
  make({});
  list_sessions();
  key(Kind::enter);
  asked();
  reply(Answer(a_part(0, 10, 25)));
  keys("/17");
  key(Kind::enter);
  EXPECT_EQ(asked(), Question(SessionQuestion{SessionQuestion::Way::from, "claude_code:aaaa", 11, false}));
  reply(Answer(a_part(11, 21, 25)));
  EXPECT_THAT(chosen(), HasSubstr("17"));
}

TEST_F(BrowserTest, FollowsASession) {
  list_sessions();
  key(Kind::escape);
  keys("f");
  EXPECT_EQ(asked(), Question(SessionQuestion{SessionQuestion::Way::last, "claude_code:aaaa", 0, true}));
  reply(Answer(a_part(0, 2, 2)));
  EXPECT_THAT(shown(), Contains(HasSubstr("Answer 2")));
  EXPECT_THAT(shown().front(), HasSubstr("following"));
  EXPECT_TRUE(asks_nothing());
  ASSERT_TRUE(browser->wakes_at());
  now = *browser->wakes_at();
  EXPECT_EQ(asked(), Question(SessionQuestion{SessionQuestion::Way::from, "claude_code:aaaa", 2, true}));
  reply(Answer(a_part(2, 3, 3)));
  EXPECT_THAT(shown(), Contains(HasSubstr("Answer 3"))) << "it comes by itself";
  // The view does not follow new lines while the user has scrolled up.
  key(Kind::page_up);
  const auto before = shown();
  now = *browser->wakes_at();
  asked();
  reply(Answer(a_part(3, 4, 4)), false);
  EXPECT_EQ(shown()[1], before[1]);
  EXPECT_THAT(shown().front(), HasSubstr("no daemon runs"));
  keys("f");
  EXPECT_FALSE(browser->wakes_at());
}

TEST_F(BrowserTest, NothingOfASessionIsAskedForForEver) {
  list_sessions();
  key(Kind::enter);
  asked();
  reply(Answer(a_part(0, -1, 0)));
  EXPECT_TRUE(asks_nothing());
}

TEST_F(BrowserTest, OpensTheSessionInItsAgentOrShowsHow) {
  list_sessions();
  key(Kind::escape);
  keys("O");
  EXPECT_EQ(asked(), Question(ReopenQuestion{"claude_code:aaaa"}));
  reply(Answer(Reopening{{{"claude", "--resume", "aaaa"}}, "/"}));
  EXPECT_EQ(shown().back(), "cd / && claude --resume aaaa");
  EXPECT_FALSE(browser->is_over());
  keys("o");
  asked();
  reply(Error(Errc::unsupported, "it cannot"));
  EXPECT_THAT(shown().back(), HasSubstr("it cannot"));
  EXPECT_FALSE(browser->is_over());
  keys("o");
  asked();
  reply(Answer(Reopening{{{"claude", "--resume", "aaaa"}}, "/"}));
  EXPECT_TRUE(browser->is_over());
  ASSERT_TRUE(browser->session_to_open());
  EXPECT_EQ(browser->session_to_open()->command.words.front(), "claude");
}

TEST_F(BrowserTest, KeysForIdHelpAndQuitting) {
  list_sessions();
  keys("q");
  EXPECT_FALSE(browser->is_over()) << "it is typed";
  key(Kind::erase_line);
  key(Kind::escape);
  keys("y");
  EXPECT_EQ(shown().back(), "copied claude_code:aaaa");
  EXPECT_EQ(browser->take_copied(), "claude_code:aaaa");
  EXPECT_EQ(browser->take_copied(), "");
  keys("?");
  EXPECT_THAT(shown(), Contains(HasSubstr("follow the session")));
  keys("x");
  EXPECT_THAT(chosen(), StartsWith("> aaaa"));
  keys("q");
  EXPECT_TRUE(browser->is_over());
  EXPECT_FALSE(browser->session_to_open());
}

TEST_F(BrowserTest, AClickChoosesAndASecondOneOpens) {
  list_sessions();
  const auto row_of = [&](std::string_view words) {
    const auto rows = shown();
    return static_cast<std::size_t>(
        std::ranges::find_if(rows, [&](const std::string& row) { return row.find(words) != std::string::npos; }) -
        rows.begin());
  };
  const Key click{Kind::click, {}, row_of("Upload")};
  browser->press(click, now);
  EXPECT_THAT(chosen(), HasSubstr("Upload"));
  EXPECT_TRUE(asks_nothing());
  browser->press(click, now);
  EXPECT_EQ(asked(), Question(SessionQuestion{SessionQuestion::Way::from, "claude_code:bbbb", 0, false}));
  browser->press({Kind::click, {}, 99}, now);
}

TEST_F(BrowserTest, EveryPictureFitsAndHoldsNothingThatATerminalObeys) {
  make({"token", {"a project with a very long name, for it is filtered by it", "", "", ""}});
  asked();
  list_hits(
      {a_hit("x6", "evil \x1b]0;owned\a\x1b[2J 検索 検索検索検索検索検索検索検索検索検索検索検索検索検索 token")});
  for (const auto& [columns, rows] : std::vector<std::pair<std::size_t, std::size_t>>{{30, 6}, {33, 9}, {80, 24}}) {
    browser->resize(columns, rows);
    for (const Row& row : browser->content().rows) {
      EXPECT_LE(row.line.columns(), columns) << text_of(row.line);
      EXPECT_TRUE(std::ranges::all_of(text_of(row.line), [](char c) { return static_cast<unsigned char>(c) >= 0x20; }));
    }
    EXPECT_THAT(browser->content().rows, SizeIs(rows));
  }
  browser->resize(10, 2);
  EXPECT_THAT(shown(), Each(Not(HasSubstr("token"))));
  EXPECT_THAT(shown().front(), HasSubstr("too small"));
}

}  // namespace
}  // namespace memd::cli::browse
