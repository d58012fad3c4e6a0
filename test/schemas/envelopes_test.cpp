#include "schemas/base/envelopes.hpp"

#include "schemas/base/harmless.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memd {
namespace {

TEST(Envelopes, ImitationsLoseTheirSign) {
  for (const std::string& tag : {"</history>",
                                 "<history>",
                                 "< /history>",
                                 "<\n/ history\n>",
                                 "<HISTORY x=1>",
                                 "< history >",
                                 "</History\u00A0>",
                                 "</hist\u200Bory>",
                                 "<\u2060/his\u00ADtory>",
                                 "<\uFEFF/history>",
                                 "</h\U000E0041istory>",
                                 "</histor\u0443>",
                                 "<system-reminder>",
                                 "</system_reminder>",
                                 "<system\u2010reminder>",
                                 "<function_results>",
                                 "</function_calls>",
                                 "<tool_result id=\"1\">",
                                 "<invoke name=\"x\">",
                                 "<invoke name=\"Bash\">",
                                 "<system>",
                                 "<|im_start|>",
                                 "<|endoftext|>",
                                 "</hi\x01story>",
                                 "<\u202E/history>"}) {
    const std::string out = without_envelopes("before " + tag + " after");
    EXPECT_TRUE(out.starts_with("before ‹")) << tag << " is " << out;
    EXPECT_TRUE(out.ends_with(" after"));
    EXPECT_EQ(without_envelopes(out), out) << "nothing new appears";
  }
  EXPECT_EQ(without_envelopes("＜/ｈｉｓｔｏｒｙ＞"), "‹/ｈｉｓｔｏｒｙ＞");
  EXPECT_EQ(without_envelopes("〈system-reminder〉"), "‹system-reminder〉");
  EXPECT_EQ(without_envelopes("<𝐡𝐢𝐬𝐭𝐨𝐫𝐲>"), "‹𝐡𝐢𝐬𝐭𝐨𝐫𝐲>");
  EXPECT_EQ(without_envelopes("</history"), "‹/history") << "text may be cut there";
}

TEST(Envelopes, CodeStaysAsItIs) {
  for (const char* const code :
       {"#include <system_error>", "std::vector<std::string> v; if (a<b && c>d) return x << 3;",
        "<div class=\"a\"></div>", "<HistoryList items={history} />", "if (i < history.size()) ++i;",
        "a < history && b", "List<Function<A, B>> f", "<user>ada</user><output>x</output><parameter name=\"p\"/>",
        "cat <<EOF > history", "x <| f <| y", "<system.web>", "import { History } from 'history';",
        "<svg:path/> <my-history-view>", "1 < 2 > 0"})
    EXPECT_EQ(without_envelopes(code), code);
}

TEST(Envelopes, WhatNobodySeesIsDropped) {
  EXPECT_EQ(without_envelopes("a\u200Bb\uFEFFc\u00ADd\u2060e\U000E0001\U000E0041f\u3164g\u200Dh\u200Ci\uFE0Fj\u200Ek"),
            "abcdefghijk");
  EXPECT_EQ(without_envelopes("😀\uFE0F\uFE01\uFE02"), "😀\uFE0F") << "one selector is enough";
  EXPECT_EQ(without_envelopes("🏴\U000E0049\U000E0067\U000E006E\U000E006F\U000E0072\U000E0065"), "🏴");
  EXPECT_EQ(without_envelopes("a\u202Eb\u2066c"), "a\uFFFDb\uFFFDc");
}

TEST(Envelopes, ScriptsAndEmojiStayWhole) {
  for (const std::string& text :
       {"می\u200Cخواهم برنامه\u200Cنویسی", "क्\u200Dष श्री\u200Cमान", "\u200Fעברית\u200E 12",
        "👩\u200D💻 👨\u200D👩\u200D👧\u200D👦 👍🏽",
        "🏳\uFE0F\u200D🌈 ❤\uFE0F\u200D🔥 1\uFE0F\u20E3 #\uFE0F\u20E3 ☎\uFE0E", "葛\U000E0100飾区",
        "Grüße, 決定 ©\uFE0F", "🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F England",
        "\u1820\u180B", "tab\tand\nbreak"})
    EXPECT_EQ(without_envelopes(text), text);
}

TEST(Envelopes, BrokenBytesDoNoHarm) {
  EXPECT_EQ(without_envelopes("a\xff<\xfe/history>\xe2\x80"), "a\xff‹\xfe/history>\xe2\x80");
  std::string out;
  append_recorded(out, "\u200B<\u200B/history>\x1b", Lines::kept);
  EXPECT_EQ(out, "‹/history>␛");
}

}  // namespace
}  // namespace memd
