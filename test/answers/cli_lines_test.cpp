#include "daemon/cli/render/columns.hpp"
#include "daemon/cli/render/line.hpp"
#include "daemon/cli/render/look.hpp"
#include "daemon/cli/render/screen.hpp"
#include "daemon/cli/render/views.hpp"
#include "daemon/cli/render/words.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace memd::cli {
namespace {

using testing::ElementsAre;

std::string plain(const Line& line) {
  std::string out;
  for (const Line::Piece& piece : line.pieces())
    out += piece.text;
  return out;
}

std::vector<std::string> plain(const std::vector<Line>& lines) {
  std::vector<std::string> out;
  for (const Line& line : lines)
    out.push_back(plain(line));
  return out;
}

TEST(CliColumns, IdeographsAndEmojiTakeTwoAndMarksNone) {
  EXPECT_EQ(columns_of("memd"), 4U);
  EXPECT_EQ(columns_of("検索"), 4U);
  EXPECT_EQ(columns_of("한국어"), 6U);
  EXPECT_EQ(columns_of("e\u0301t\u00e9"), 3U);
  EXPECT_EQ(columns_of("🚀!"), 3U);
  EXPECT_EQ(columns_of("…«»"), 3U);
}

TEST(CliColumns, ABeginningEndsAtACharacter) {
  EXPECT_EQ(bytes_within("検索", 3), 3U);  // the second would need a fourth column
  EXPECT_EQ(bytes_within("検索", 4), 6U);
  EXPECT_EQ(bytes_within("e\u0301x", 1), 3U);  // a combining accent stays with its letter
  EXPECT_EQ(bytes_within("abc", 10), 3U);
}

TEST(CliLine, HoldsNothingThatATerminalObeys) {
  const Line line("a\x1b]0;title\a\x1b[2Jb\nc\u202Ed");
  for (const char c : plain(line))
    EXPECT_GE(static_cast<unsigned char>(c), 0x20U);
  EXPECT_EQ(plain(line).find("\u202E"), std::string::npos);
}

TEST(CliLine, IsCutWithAMark) {
  const Line line = Line("Upload test", Style::strong).add(" races", Style::faint);
  EXPECT_EQ(plain(line.cut(17)), "Upload test races");
  EXPECT_EQ(plain(line.cut(12)), "Upload test…");
  EXPECT_EQ(plain(line.cut(5)), "Uplo…");
  EXPECT_EQ(plain(line.cut(0)), "Upload test races");
  EXPECT_EQ(Line("検索検索").cut(6).columns(), 5U);
}

TEST(CliLine, WrapsAtBlanksAndBreaksWhatIsLonger) {
  EXPECT_THAT(plain(wrapped(Line("one two three"), 8)), ElementsAre("one two", "three"));
  EXPECT_THAT(plain(wrapped(Line("abcdefgh"), 3)), ElementsAre("abc", "def", "gh"));
  EXPECT_THAT(plain(wrapped(Line("検索検索"), 5)), ElementsAre("検索", "検索"));
  EXPECT_THAT(plain(wrapped(Line("one two three four"), 8, 2)), ElementsAre("one two", "three…"));
  EXPECT_THAT(plain(wrapped(Line("no limit at all"), 0)), ElementsAre("no limit at all"));
}

TEST(CliLine, StylesWithinAWordKeepItTogether) {
  const Line line = with_matches("it races the rename", {3, 4, 13, 6, 5, 1, 40, 2});
  EXPECT_EQ(plain(line), "it races the rename");
  EXPECT_EQ(line.pieces()[1].style, Style::match);
  EXPECT_THAT(plain(wrapped(line, 7)), ElementsAre("it", "races", "the", "rename"));
}

TEST(CliLine, WordsOfAQueryStandOut) {
  EXPECT_THAT(words_to_mark("Token  \"rate limiter\" a x? (Bucket)"),
              ElementsAre("token", "rate", "limiter", "bucket"));
  bool found = false;
  const Line line = with_words(Line("A Token").add("bucket", Style::faint), {"token", "buck"}, found);
  EXPECT_TRUE(found);
  EXPECT_EQ(plain(line), "A Tokenbucket");
  ASSERT_EQ(line.pieces().size(), 3U);
  EXPECT_EQ(line.pieces()[1].text, "Tokenbuck");
  EXPECT_EQ(line.pieces()[1].style, Style::match);
  EXPECT_EQ(line.pieces()[2].style, Style::faint);
  with_words(Line("nothing"), {"token"}, found);
  EXPECT_FALSE(found);
}

TEST(CliScreen, KeepsLinesInsteadOfPrinting) {
  Look look;
  look.columns = 8;
  KeptLines kept;
  Screen screen(look, kept);
  screen.line("one two three");
  screen.item();
  screen.text("four", 2).blank();
  EXPECT_TRUE(screen.finish());
  EXPECT_THAT(plain(kept.lines), ElementsAre("one two", "three", "  four", ""));
  EXPECT_THAT(kept.items, ElementsAre(2U));
}

TEST(CliLook, TellsHowLongAgo) {
  constexpr TimeMs kDay = kMsPerDay;
  constexpr TimeMs kTime = 1'770'616'800'000;  // 2026-02-09T06:00:00Z
  EXPECT_EQ(ago(kTime - 5000, kTime), "just now");
  EXPECT_EQ(ago(kTime - 12 * 60'000, kTime), "12 min ago");
  EXPECT_EQ(ago(kTime - 3 * 3'600'000, kTime), "3 h ago");
  EXPECT_EQ(ago(kTime - 2 * kDay, kTime), "2 d ago");
  EXPECT_EQ(ago(kTime - 20 * kDay, kTime), "2 w ago");
  EXPECT_EQ(ago(kTime - 60 * kDay, kTime), "2025-12-11");
  EXPECT_EQ(ago(kTime + kDay, kTime), "2026-02-10");
  EXPECT_EQ(ago(0, kTime), "");
}

TEST(CliWords, NumbersAreShort) {
  EXPECT_EQ(grouped_digits(1'234'567), "1,234,567");
  EXPECT_EQ(grouped_digits(-1234), "-1,234");
  EXPECT_EQ(with_noun(1, "hit"), "1 hit");
  EXPECT_EQ(short_number(12'345), "12.3k");
  EXPECT_EQ(short_bytes(999), "999 B");
  EXPECT_EQ(short_duration(3 * 3600 + 20 * 60), "3 h 20 min");
}

TEST(CliWords, ErrorsNameOptionsAndCommands) {
  EXPECT_EQ(for_people("since: \"soon\" is no time"), "--since: \"soon\" is no time");
  EXPECT_EQ(for_people("ids: there is no turn x9, take ids from semantic_search, topic_search or recent_turns"),
            "ID: there is no turn x9, take ids from memd search, memd topic or memd recent");
  EXPECT_EQ(for_people("all_projects=true gets it"), "--all-projects gets it");
  EXPECT_EQ(for_people("all projects, as your directory is not known (send cwd)."),
            "all projects, as your directory is not known.");
  EXPECT_EQ(for_people("your directory is not known: send cwd. Send project, or session_id=\"latest\""),
            "your directory is not known: change to that of a project. Say --project, or latest");
  EXPECT_EQ(for_people("it fits <history>two</history>"), "it fits two");
}

TEST(CliWords, SessionsAreNamedAsShortAsTellsThemApart) {
  Look look;
  look.is_terminal = true;
  SessionNames names(look);
  names.add("claude_code:8c3de0b4-42f3-4bb8");
  names.add("codex:8c3de0b4-42f3-9999");
  names.add("codex:short");
  EXPECT_EQ(names.name("claude_code:8c3de0b4-42f3-4bb8"), "8c3de0b4-42f3-4");
  EXPECT_EQ(names.name("codex:short"), "short");
  names.add("claude_code:8c3de0b4-42f3-4bb8/agent-a81c55");
  names.add("claude_code:8c3de0b4-42f3-4bb8/agent-a81d66");
  names.add("claude_code:8c3de0b4-42f3-4bb8/agent-ffff66");
  EXPECT_EQ(names.name("claude_code:8c3de0b4-42f3-4bb8"), "8c3de0b4-42f3-4") << "not longer for its subagents";
  EXPECT_EQ(names.name("claude_code:8c3de0b4-42f3-4bb8/agent-a81c55"), "8c3de0b4-42f3-4/a81c");
  EXPECT_EQ(names.name("claude_code:8c3de0b4-42f3-4bb8/agent-ffff66"), "8c3de0b4-42f3-4/ffff");
  EXPECT_EQ(SessionNames(Look()).name("codex:short"), "codex:short");
}

std::string shown(const std::function<void(Screen&)>& draw, std::size_t columns) {
  KeptLines kept;
  Look look;
  look.columns = columns;
  look.is_terminal = true;
  Screen screen(look, kept);
  draw(screen);
  std::string out;
  for (const std::string& line : plain(kept.lines)) {
    EXPECT_LE(columns_of(line), columns) << line;
    out += line + "\n";
  }
  return out;
}

TEST(CliStatus, PlacesThatNoEventTellsOfAreNamed) {
  admin::StatusReport report;
  report.role = "daemon";
  report.watcher = "inotify, 3 directories";
  const auto screen = [&] { return shown([&](Screen& s) { show(s, report); }, 100); };
  EXPECT_THAT(screen(), testing::Not(testing::HasSubstr("Watching")));
  report.watcher += "; looking at /mnt/logs every 5 s (nfs)";
  EXPECT_THAT(screen(),
              testing::ContainsRegex("Watching +inotify, 3 directories; looking at /mnt/logs every 5 s .nfs"));
}

TEST(CliHits, TheTurnsWithAllWordsAreCounted) {
  tools::SemanticSearchAnswer answer;
  answer.with_all_words = 1234;
  answer.next = "more";
  const auto text = [&] {
    return shown(
        [&](Screen& screen) {
          HitsView view(screen);
          view.page(answer);
          view.end(answer);
        },
        80);
  };
  EXPECT_THAT(text(), testing::HasSubstr("1,234 turns have all the words  ·  -n N for more"));
  answer.next.reset();
  answer.with_all_words = 1;
  EXPECT_THAT(text(), testing::HasSubstr("1 turn has all the words"));
  answer.with_all_words = 0;
  EXPECT_THAT(text(), testing::HasSubstr("no turn has all the words"));
}

TEST(CliScreen, TextAsItIsTakesThePagerToo) {
  const test::TempDir dir;
  const std::filesystem::path paged = dir / "paged";
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += "A line of a transcript\n";
  Screen screen({.is_terminal = true, .columns = 80, .rows = 10, .pager = "cat > " + paged.string()});
  screen.as_it_is(text);
  ASSERT_TRUE(screen.finish());
  std::ifstream in(paged);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text);
}

TEST(CliHits, TheAnswerIsShownInPlaceOfThePromptAgainOrOfArguments) {
  tools::SearchResultOut hit;
  hit.exchange_id = "x1";
  hit.session_name = "Queue";
  hit.timestamp = "2026-02-09T06:01:53Z";
  hit.user_message = "Why is the queue slow?";
  hit.assistant_response = "I looked.\nThe queue waits for a lock.";
  for (const char* snippet : {"Why is the queue slow?", "bench /home/u/queue.py queue 12"}) {
    hit.snippet = snippet;
    hit.matches = {static_cast<std::int64_t>(hit.snippet.rfind("queue")), 5};
    tools::SemanticSearchAnswer answer;
    answer.results = {hit};
    const std::string text = shown([&](Screen& screen) { HitsView(screen).page(answer); }, 80);
    EXPECT_NE(text.find("The queue waits for a lock."), std::string::npos) << text;
    EXPECT_EQ(text.find("bench"), std::string::npos) << text;
    EXPECT_EQ(text.find("Why is"), text.rfind("Why is")) << text;
  }
  hit.snippet = "Why is the queue slow? I looked.";  // both, found by meaning
  hit.matches = {};
  tools::SemanticSearchAnswer answer;
  answer.results = {hit};
  const std::string text = shown([&](Screen& screen) { HitsView(screen).page(answer); }, 80);
  EXPECT_EQ(text.find("Why is"), text.rfind("Why is")) << text;
}

TEST(CliSessions, TheTitleGetsTheColumns) {
  tools::SessionOut session;
  session.session_id = "claude_code:17b6b665-1111";
  session.platform = "claude_code";
  session.session_name = "Keep the queue in a file instead of Redis, and drop the worker";
  session.project = "parcel-service";
  session.last_event_at = "2026-02-09T06:01:53Z";
  session.state = "stopped";
  session.outcome = "success";
  session.exchanges = 12;
  session.cost_usd = 1.5;
  tools::SessionOut agent = session;
  agent.session_id = "claude_code:aaaabbbb-2222";
  agent.parent_session_id = session.session_id;
  agent.session_name = "Look for workers";
  tools::ListSessionsAnswer answer;
  answer.sessions = {agent, session};
  const auto list = [&](std::size_t columns) {
    return shown([&](Screen& screen) { SessionsView(screen).page(answer); }, columns);
  };
  const std::string wide = list(160);
  EXPECT_NE(wide.find("$1.50"), std::string::npos) << wide;
  EXPECT_LT(wide.find("17b6b665"), wide.find("aaaabbbb")) << "a subagent is below its parent\n" << wide;
  EXPECT_NE(wide.find("    Look for workers"), std::string::npos) << wide;
  EXPECT_NE(list(80).find("Keep the queue in a file"), std::string::npos) << list(80);
  const std::string narrow = list(40);
  EXPECT_NE(narrow.find("Keep the queue"), std::string::npos) << narrow;
  EXPECT_EQ(std::ranges::count(narrow, '\n'), 3) << "a line for each\n" << narrow;
}

}  // namespace
}  // namespace memd::cli
