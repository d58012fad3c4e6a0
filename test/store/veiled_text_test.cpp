#include "store/text/redaction/veiled_text.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>

namespace memd {
namespace {

using redaction::Unescaped;

TEST(VeiledText, IsWhatItsReaderSees) {
  const auto unveiled = [](std::string_view text) {
    Unescaped out;
    redaction::unveil(text, out);
    return out.text;
  };
  EXPECT_EQ(unveiled("DB%5FPASSWORD&#61;&quot;x"), "DB_PASSWORD=\"x");
  EXPECT_EQ(unveiled("a\xE2\x80\x8B"
                     "b\x1b[1mc"),
            "abc");
  EXPECT_EQ(unveiled("\"ab\" + \"cd\""), "\"abcd\"");
  EXPECT_EQ(unveiled("100% of a & b, \x1b["), "100% of a & b, \x1b[") << "as it is";
}

TEST(VeiledText, ArraysAreCommandLines) {
  const auto joined = [](std::string_view text) {
    Unescaped out;
    redaction::join_arguments(text, out);
    return out.text;
  };
  EXPECT_EQ(joined(R"({"command":["mysql","-u","root","-pX"]})"), R"({"command":[mysql -u root -pX]})");
  EXPECT_EQ(joined("run(['zip', '-P', 'a b'])"), "run([zip -P 'a b'])");
  EXPECT_EQ(joined(R"({"a":"b","c":1})"), R"({"a":"b","c":1})");
}

TEST(VeiledText, EveryByteHasItsOriginInOrder) {
  std::mt19937 engine(5);
  const std::string bits[] = {"\"",       "'",       ",", " ",   "[",      "](",    "\\",     "\n",
                              "-p",       "a7",      "+", "%5f", "&quot;", "&#95;", "&#x5F;", "\xE2\x80\x8B",
                              "\xC2\xA0", "\x1b[1m", "&", "%"};
  Unescaped out;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::size_t n = engine() % 24; n > 0; --n)
      text += bits[engine() % std::size(bits)];
    for (auto* read : {redaction::unveil, redaction::join_arguments}) {
      read(text, out);
      ASSERT_LE(out.text.size(), text.size()) << text;
      ASSERT_EQ(out.origin.size(), out.text.size() + 1) << text;
      ASSERT_EQ(out.origin.back(), text.size()) << text;
      for (std::size_t k = 1; k < out.origin.size(); ++k)
        ASSERT_LE(out.origin[k - 1], out.origin[k]) << text;
    }
  }
}

}  // namespace
}  // namespace memd
