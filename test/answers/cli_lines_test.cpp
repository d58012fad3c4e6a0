#include "daemon/cli/render/columns.hpp"
#include "daemon/cli/render/line.hpp"
#include "daemon/cli/render/look.hpp"
#include "daemon/cli/render/screen.hpp"
#include "daemon/cli/render/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_EQ(SessionNames(Look()).name("codex:short"), "codex:short");
}

}  // namespace
}  // namespace memd::cli
