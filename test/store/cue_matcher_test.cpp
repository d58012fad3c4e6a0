#include "store/text/cue_matcher.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace memd {
namespace {

CueMatcher matcher_of(std::string_view file) { return CueMatcher(std::array{file}, std::nullopt); }

TEST(CueMatcher, FindsWholeWords) {
  const CueMatcher m = matcher_of("# a comment\n[mended]\nnow works\nfixed\n");
  EXPECT_TRUE(m.has("It now works.", Cue::mended));
  EXPECT_TRUE(m.has("It Now\n  *works*", Cue::mended));
  EXPECT_TRUE(m.has("9\u2192fixed\u2014at last", Cue::mended));
  EXPECT_FALSE(m.has("It now workshops", Cue::mended));
  EXPECT_FALSE(m.has("prefixed", Cue::mended));
  EXPECT_FALSE(m.has("not_fixed", Cue::mended));
  EXPECT_FALSE(m.has("It now works.", Cue::trouble));
}

TEST(CueMatcher, ReadsWhatAPatternSays) {
  const CueMatcher m = matcher_of(
      "[trouble]\ncrash*\n*error*\n[warning ^]\nwarning:\n[refactor ^]\nsplit … (into|up)\n"
      "[telling]\nfound … = 0.5\n[choosing]\n(i|we)(| will) keep\n[settled]\nshould … , not\n");
  EXPECT_TRUE(m.has("it crashes", Cue::trouble));
  EXPECT_TRUE(m.has("a TypeError", Cue::trouble));
  EXPECT_TRUE(m.opening("**Warning**: slow", Cue::warning) == std::nullopt);
  EXPECT_TRUE(m.opening("Warning**: slow", Cue::warning).has_value());
  EXPECT_FALSE(m.opening("warnings: slow", Cue::warning).has_value());
  EXPECT_TRUE(m.has("- warning: slow", Cue::warning));
  EXPECT_FALSE(m.has("a warning: slow", Cue::warning));
  EXPECT_TRUE(m.has("Split it into two", Cue::refactor));
  EXPECT_TRUE(m.has("Split it up", Cue::refactor));
  EXPECT_FALSE(m.has("Split it in two", Cue::refactor));
  EXPECT_TRUE(m.has("It should take a cursor, not an offset", Cue::settled));
  EXPECT_FALSE(m.has("It should not take an offset", Cue::settled));
  EXPECT_FALSE(m.has("It should take a cursor, nothing else", Cue::settled));
  EXPECT_FALSE(m.has("It should take " + std::string(1000, '-') + ", not an offset", Cue::settled)) << "too far on";
  EXPECT_DOUBLE_EQ(m.next("we found it", Cue::telling)->weight, 0.5);
  EXPECT_FALSE(m.has("not found.", Cue::telling));
  for (const char* said : {"I keep", "we keep", "I will keep", "we will keep"})
    EXPECT_TRUE(m.has(said, Cue::choosing)) << said;
}

TEST(CueMatcher, TellsWhereAndHowOften) {
  const CueMatcher m = matcher_of("[solution]\nfixed by\n[bugfix]\nfixed\n");
  const auto hit = m.next("It was fixed by him", Cue::bugfix | Cue::solution);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->cue, Cue::solution);  // the longest match
  EXPECT_EQ(hit->begin, 7u);
  EXPECT_EQ(hit->end, 15u);
  EXPECT_EQ(m.all("fixed, fixed by, fixed", Cue::bugfix | Cue::solution).size(), 2u);
  EXPECT_EQ(m.find("fixed by", Cue::bugfix | Cue::solution), Cue::bugfix | Cue::solution);
  EXPECT_FALSE(m.next("fixed", Cue::bugfix, 1));
}

TEST(CueMatcher, KnowsScripts) {
  const CueMatcher m = matcher_of("[trouble]\n不正确\nне работает\nсломан*\n*지 말고\nещё\n");
  EXPECT_TRUE(m.has("结果不正确。", Cue::trouble));
  EXPECT_TRUE(m.has("Это НЕ РАБОТАЕТ", Cue::trouble));
  EXPECT_TRUE(m.has("сломано", Cue::trouble));
  EXPECT_TRUE(m.has("ЕЩЁ", Cue::trouble));
  EXPECT_TRUE(m.has("еще", Cue::trouble));
  EXPECT_FALSE(m.has("заработает", Cue::trouble));
  EXPECT_TRUE(m.has("하지 말고", Cue::trouble));
}

TEST(CueMatcher, RefusesWhatIsNotWellFormed) {
  EXPECT_THROW(matcher_of("no section\n"), std::logic_error);
  EXPECT_THROW(matcher_of("[nothing]\n"), std::logic_error);
  EXPECT_THROW(matcher_of("[trouble]\nx = y\n"), std::logic_error);
  EXPECT_THROW(matcher_of("[trouble]\n*\n"), std::logic_error);
}

// Reads the embedded cue files; each cue has patterns.
TEST(CueMatcher, KnowsItsOwnFiles) {
  EXPECT_TRUE(cues().has("We decided to use it", Cue::decided));
  EXPECT_TRUE(cues().has("決定使用", Cue::settled));
}

TEST(CueMatcher, SomeCuesAreFoundAsAmongAll) {
  const CueMatcher why = cues_of(Cue::asks_why);
  for (const std::string_view text :
       {"why did we choose SQLite", "warum SQLite", "the reason for the lock", "SQLite lock", ""})
    EXPECT_EQ(why.has(text, Cue::asks_why), cues().has(text, Cue::asks_why)) << text;
  EXPECT_TRUE(why.has("why did we choose SQLite", Cue::asks_why));
  EXPECT_FALSE(why.has("We decided to use it", Cue::settled));
}

}  // namespace
}  // namespace memd
