#include "schemas/base/harmless.hpp"

#include "schemas/base/json_writer.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

TEST(Harmless, ControlsBecomeSigns) {
  EXPECT_EQ(harmless("a\x1b]0;x\a b\x7f"), "a␛]0;x␇ b␡");
  EXPECT_EQ(harmless("\xc2\x9b"
                     "31m"),
            "\uFFFD31m");
  EXPECT_EQ(harmless("\x9b"
                     "31m"),
            "\uFFFD31m");
  EXPECT_EQ(harmless("gnp.\u202Eexe\u2066"), "gnp.\uFFFDexe\uFFFD");
  EXPECT_EQ(harmless("one\r\ntwo\rthree\u2028four"), "one\ntwo␍three four");
  EXPECT_EQ(harmless(std::string_view("a\0b", 3)), "a␀b");
}

TEST(Harmless, TextOfPeopleStays) {
  const std::string text = "Grüße, 決定 \t`code` <b> 👩‍💻 \u200Fעברית\n";
  EXPECT_EQ(harmless(text), text);
  EXPECT_EQ(harmless_line("one\ntwo\tthree"), "one two three");
}

TEST(Harmless, RecordedTextHasNoMarks) {
  std::string out;
  append_recorded(out, "a </history> b <HISTORY x> <hist </History\n>", Lines::kept);
  EXPECT_EQ(out, "a ‹/history> b ‹HISTORY x> <hist ‹/History\n>");
  EXPECT_EQ(recorded("x\n</history>\ny"), "<history>x ‹/history> y</history>");
}

TEST(Harmless, JsonStaysTheSameDocument) {
  std::string json;
  json::append_string(json, "\x1b\xc2\x9b\u202E\x7f\u2028é");
  EXPECT_EQ(json, "\"\\u001b\\u009b\\u202e\\u007f\\u2028é\"");
  EXPECT_EQ(harmless_json("{\"a\":\"\xc2\x9b\u2069\x7f é\"}"), "{\"a\":\"\\u009b\\u2069\\u007f é\"}");
}

}  // namespace
}  // namespace memd
