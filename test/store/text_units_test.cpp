#include "store/text/text_units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(std::string_view text) {
  std::vector<std::string> out;
  for (const TextUnit& u : split_units(text))
    out.emplace_back(u.text);
  return out;
}

TEST(SplitUnits, EndsSentencesAtTheirMarks) {
  EXPECT_THAT(texts("It works. Does it? Yes! And on"), ElementsAre("It works.", "Does it?", "Yes!", "And on"));
}

TEST(SplitUnits, DotsOfPathsVersionsAndAbbreviationsAreInside) {
  EXPECT_THAT(texts("See src/main.cpp and v1.2.3, e.g. the parser. Then run ./build.sh now."),
              ElementsAre("See src/main.cpp and v1.2.3, e.g. the parser.", "Then run ./build.sh now."));
  EXPECT_THAT(texts("Pi is 3.14 (approx. right). Python 3.11 vs. 3.12 differ."),
              ElementsAre("Pi is 3.14 (approx. right).", "Python 3.11 vs. 3.12 differ."));
}

TEST(SplitUnits, CjkNeedsNoBlank) {
  EXPECT_THAT(texts("数据库只有一个写线程。读取可以并发！真的吗？"),
              ElementsAre("数据库只有一个写线程。", "读取可以并发！", "真的吗？"));
}

TEST(SplitUnits, MarkdownPiecesStandAlone) {
  const std::string text =
      "# Heading. With dot\nText one\ngoes on. Text two.\n- first item. Still first\n  goes on\n- second\n1. "
      "numbered\n\n"
      "| a | b |\n|---|---|\n";
  const auto units = split_units(text);
  ASSERT_EQ(units.size(), 7U);
  EXPECT_EQ(units[0].kind, UnitKind::heading);
  EXPECT_EQ(units[1].text, "Text one\ngoes on.");
  EXPECT_EQ(units[2].text, "Text two.");
  EXPECT_EQ(units[3].kind, UnitKind::bullet);
  EXPECT_EQ(units[3].text, "- first item. Still first\n  goes on");
  EXPECT_EQ(units[4].text, "- second");
  EXPECT_EQ(units[5].text, "1. numbered");
  EXPECT_EQ(units[6].kind, UnitKind::table);
}

TEST(SplitUnits, CodeBlockIsOnePiece) {
  const auto units = split_units("Before.\n```sh\necho a. b\n\n# no heading\n```\nAfter. ");
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units[1].kind, UnitKind::code);
  EXPECT_EQ(units[1].text, "```sh\necho a. b\n\n# no heading\n```");
  EXPECT_EQ(units[2].text, "After.");
}

TEST(SplitUnits, OpenFenceTakesTheRest) {
  const auto units = split_units("```\na\nb");
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].text, "```\na\nb");
}

TEST(SplitUnits, NothingIsLost) {
  const std::string text = "a. b\n\n\n* c\nd\n```\ne\n```\n|f|\n# g\nh.i? j";
  std::string all;
  for (const TextUnit& u : split_units(text))
    all += std::string(u.text);
  const auto solid = [](std::string s) {
    std::erase_if(s, [](char c) { return c == ' ' || c == '\n'; });
    return s;
  };
  EXPECT_EQ(solid(all), solid(text));
}

TEST(CodeSnippets, FencesOfAnAnswer) {
  const auto s =
      code_snippets("text ``` inline\n```cpp title\nint x;\n~~~\n```\nmore\n~~~~\na\n~~~\n~~~~\r\n```py\nopen");
  ASSERT_EQ(s.size(), 3u);
  EXPECT_EQ(s[0].language, "cpp");
  EXPECT_EQ(s[0].code, "int x;\n~~~\n");
  EXPECT_EQ(s[1].code, "a\n~~~\n");
  EXPECT_TRUE(s[1].closed);
  EXPECT_EQ(s[2].language, "py");
  EXPECT_EQ(s[2].code, "open");
  EXPECT_FALSE(s[2].closed);
  EXPECT_THAT(code_snippets(""), IsEmpty());
}

}  // namespace
}  // namespace memd
