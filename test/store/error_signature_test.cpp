#include "store/search/words/query_parser.hpp"

#include <gmock/gmock.h>

#include <random>

namespace memd::search {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

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
  EXPECT_TRUE(q.is_error_output);
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
