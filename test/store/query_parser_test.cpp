#include "store/search/words/query_parser.hpp"

#include "test/support/time_zone.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace memd::search {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts(const std::vector<QueryText>& pieces) {
  std::vector<std::string> out;
  for (const auto& p : pieces)
    out.push_back(p.quoted ? "'" + p.text + "'" : p.text);
  return out;
}

// The clocks went forward on 2026-03-29.
TEST(QueryParser, DaysAreThoseOfTheTimeZone) {
  const test::ScopedTimeZone zone("Europe/Berlin");
  if (!zone.known()) GTEST_SKIP() << "no such zone here";
  const auto q = parse_query("since:2026-03-29 until:2026-03-29 x");
  EXPECT_EQ(q.since, *parse_rfc3339("2026-03-28T23:00:00Z"));
  EXPECT_EQ(q.until, *parse_rfc3339("2026-03-29T22:00:00Z"));
}

TEST(QueryParser, WordsPhrasesAndExclusions) {
  const auto q = parse_query("fix \"broken pipe\" -windows -\"exit code\" foo_bar.cpp");
  EXPECT_THAT(texts(q.wanted), ElementsAre("fix", "'broken pipe'", "foo_bar.cpp"));
  EXPECT_THAT(texts(q.excluded), ElementsAre("windows", "'exit code'"));
}

TEST(QueryParser, Filters) {
  const auto q =
      parse_query("PATH:Src/Main tool:Bash platform:claude project:\"my app\" since:2026-02-09 until:2026-02-10 x");
  EXPECT_THAT(q.paths, ElementsAre("src/main"));
  EXPECT_THAT(q.tools, ElementsAre("bash"));
  EXPECT_THAT(q.platforms, ElementsAre(Platform::claude_code));
  EXPECT_EQ(q.project, "my app");
  EXPECT_EQ(q.since, *parse_rfc3339("2026-02-09"));
  EXPECT_EQ(q.until, *parse_rfc3339("2026-02-11")) << "a bare date includes its day";
  EXPECT_THAT(texts(q.wanted), ElementsAre("x"));
  EXPECT_EQ(parse_query("until:2026-02-10T12:00:00Z").until, *parse_rfc3339("2026-02-10T12:00:00Z"));
}

TEST(QueryParser, WhatIsNoFilterIsText) {
  for (const char* text : {"platform:independent", "since:yesterday", "std::vector", "path:", "https://x.y", "a:b:c"}) {
    const auto q = parse_query(text);
    EXPECT_THAT(texts(q.wanted), ElementsAre(text));
    EXPECT_FALSE(q.has_filters()) << text;
  }
}

TEST(QueryParser, MinusIsTextWhereItExcludesNothing) {
  EXPECT_THAT(texts(parse_query("--flag - a").wanted), ElementsAre("--flag", "-", "a"));
  EXPECT_THAT(texts(parse_query("-O2").wanted), ElementsAre("O2")) << "nothing else was asked for";
  EXPECT_THAT(texts(parse_query("path:x -O2").excluded), ElementsAre("O2"));
}

TEST(QueryParser, OpenQuotesAreNone) {
  EXPECT_THAT(texts(parse_query("say \"hello world").wanted), ElementsAre("say", "hello", "world"));
  EXPECT_TRUE(parse_query("\"\" \" \"").wanted.empty());
  EXPECT_THAT(texts(parse_query("“typeset quotes”").wanted), ElementsAre("'typeset quotes'"));
}

TEST(QueryParser, DamagedBytesAreSpace) {
  EXPECT_THAT(texts(parse_query(std::string_view("a\0b\xFF\xC0\xAF"
                                                 "c \xED\xA0\x80 d\xE2\x82",
                                                 16))
                        .wanted),
              ElementsAre("a", "b", "c", "d"));
}

TEST(QueryParser, LongTextIsCut) {
  std::string text;
  while (text.size() < 100'000)
    text += "word ";
  EXPECT_LE(parse_query(text).wanted.size(), kMaxQueryBytes / 5 + 1);
}

}  // namespace
}  // namespace memd::search
