#include "store/search/words/query_parser.hpp"

#include "test/support/time_zone.hpp"

#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

namespace memd::search {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> texts(const std::vector<QueryText>& pieces) {
  std::vector<std::string> out;
  for (const auto& p : pieces)
    out.push_back(p.quoted ? "'" + p.text + "'" : p.text);
  return out;
}

// Daylight saving time began on 2026-03-29.
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
  EXPECT_THAT(texts(parse_query("-O2").wanted), ElementsAre("O2"));
  EXPECT_THAT(texts(parse_query("path:x -O2").wanted), ElementsAre("O2"));
  EXPECT_THAT(texts(parse_query("path:x -windows").excluded), ElementsAre("windows"));
}

TEST(QueryParser, OptionsOfProgramsAreWords) {
  for (const char* text :
       {"go test -race", "tar -xzf", "how do I run tar with -xzf", "gcc -Wall", "git log -p", "flaky with -race -v",
        "--release crash -verbose", "-windows build", "cargo test pkg -nocapture", "git commit -amend"}) {
    const auto q = parse_query(text);
    EXPECT_TRUE(q.excluded.empty()) << text;
    EXPECT_TRUE(q.operators.empty()) << text;
  }
  EXPECT_THAT(texts(parse_query("go test -race").wanted), ElementsAre("go", "test", "race"));
  const auto q = parse_query("how did we make the parser faster -windows -macos");
  EXPECT_THAT(texts(q.excluded), ElementsAre("windows", "macos")) << "\"make\" is far away";
  EXPECT_THAT(q.operators, ElementsAre("-windows", "-macos"));
}

TEST(QueryParser, NotExcludes) {
  auto q = parse_query("socket timeout NOT windows");
  EXPECT_THAT(texts(q.wanted), ElementsAre("socket", "timeout"));
  EXPECT_THAT(texts(q.excluded), ElementsAre("windows"));
  EXPECT_THAT(q.operators, ElementsAre("NOT windows"));
  EXPECT_THAT(texts(parse_query("timeout NOT \"exit code\"").excluded), ElementsAre("'exit code'"));
  for (const char* text : {"column x IS NOT NULL", "CREATE TABLE IF NOT EXISTS", "DO NOT edit", "NOT windows",
                           "why is it not found", "x NOT"})
    EXPECT_TRUE(parse_query(text).excluded.empty()) << text;
}

TEST(QueryParser, WhatWasPastedHasNoFilters) {
  for (const char* text :
       {"open file:///tmp/a.txt", "at file:main.go:12:5", R"({"tool:Bash", 1})", "see path:src/a.cpp,"})
    EXPECT_FALSE(parse_query(text).has_filters()) << text;
  const auto q = parse_query("tool:Bash says\nsomething -windows odd");
  EXPECT_FALSE(q.has_filters()) << "several lines";
  EXPECT_TRUE(q.excluded.empty());
  EXPECT_THAT(parse_query("path:C:\\src x").paths, ElementsAre("c:\\src"));
}

TEST(QueryParser, OperatorsCanBeReadAsWords) {
  const auto q = parse_query("pump path:wire.cpp -windows NOT linux", 0, Operators::as_words);
  EXPECT_THAT(texts(q.wanted), ElementsAre("pump", "path:wire.cpp", "windows", "NOT", "linux"));
  EXPECT_FALSE(q.has_filters());
  EXPECT_TRUE(q.operators.empty());
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

TEST(ErrorSignature, Python) {
  const auto s = error_signature(
      "Traceback (most recent call last):\n"
      "  File \"/home/me/app/main.py\", line 12, in <module>\n    run()\n"
      "  File \"/home/me/app/loader.py\", line 40, in load_config\n    return json.load(f)\n"
      "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n");
  ASSERT_TRUE(s);
  EXPECT_THAT(s->messages.front(), HasSubstr("JSONDecodeError: Expecting value"));
  EXPECT_THAT(s->frames, ElementsAre("loader.py load_config", "main.py <module>"));
}

TEST(ErrorSignature, JavaScriptJavaRustCompilerSanitizer) {
  auto s = error_signature(
      "TypeError: Cannot read properties of undefined (reading 'id')\n"
      "    at renderRow (/srv/web/src/Table.tsx:88:13)\n    at process (node:internal:95:5)\n");
  ASSERT_TRUE(s);
  EXPECT_THAT(s->messages, ElementsAre(HasSubstr("TypeError: Cannot read properties of undefined")));
  EXPECT_THAT(s->frames, Contains("renderRow Table.tsx"));

  s = error_signature(
      "Exception in thread \"main\" java.lang.IllegalStateException: no pool\n"
      "\tat com.acme.Pool.take(Pool.java:31)\nCaused by: java.io.IOException: closed\n");
  ASSERT_TRUE(s);
  EXPECT_THAT(s->messages, Contains(HasSubstr("IOException: closed")));
  EXPECT_THAT(s->frames, Contains("com.acme.Pool.take Pool.java"));

  s = error_signature("error[E0308]: mismatched types\n  --> src/wire.rs:17:9\n   |\n17 |     foo(bar)\n");
  ASSERT_TRUE(s);
  EXPECT_THAT(s->messages, ElementsAre("error[E0308]: mismatched types"));
  EXPECT_THAT(s->frames, ElementsAre("wire.rs"));

  s = error_signature(
      "==77==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010\n"
      "    #0 0x55d0c1 in drop_slice ingest/slice.cpp:40:3\n");
  ASSERT_TRUE(s);
  EXPECT_THAT(s->messages.front(), HasSubstr("heap-use-after-free"));
  EXPECT_THAT(s->messages.front(), Not(HasSubstr("0x602"))) << "an address is another one next time";
  EXPECT_THAT(s->frames, ElementsAre("drop_slice slice.cpp"));
}

TEST(ErrorSignature, ProseIsNone) {
  for (const char* text : {"", "why does it fail", "error: one line is a question like any other",
                           "first line\nsecond line\nthird line", "How did we fix this?\nIt was in the parser."})
    EXPECT_FALSE(error_signature(text)) << text;
}

TEST(ErrorSignature, IsWhatIsLookedFor) {
  const auto q = parse_query(
      "make: *** [all] Error 2\nfoo.cpp:12:5: error: use of undeclared identifier 'pump_' -Wall\n"
      "note: 0xdeadbeef\n");
  EXPECT_TRUE(q.excluded.empty()) << "a flag in it excludes nothing";
  ASSERT_FALSE(q.wanted.empty());
  EXPECT_THAT(q.wanted.front().text, HasSubstr("undeclared identifier"));
}

TEST(ErrorSignature, AnyTextHasAnEnd) {
  std::mt19937 random(3);
  constexpr std::string_view kPieces = "at (:#0x/\\\"'File line \n\n.cpp:12 Error[E1] ==>|\xC3\xFF";
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (auto n = random() % 4000; n > 0; --n)
      text += kPieces[random() % kPieces.size()];
    if (const auto s = error_signature(text)) {
      EXPECT_LE(s->messages.size(), 3u);
      EXPECT_LE(s->frames.size(), 6u);
    }
  }
}

}  // namespace
}  // namespace memd::search
