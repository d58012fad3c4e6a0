#include "store/text/plain_text.hpp"
#include "store/write/session_state.hpp"

#include <gtest/gtest.h>

namespace memd::assembly {
namespace {

TEST(ExchangeText, ParagraphsAreSeparatedAndBounded) {
  std::string column;
  EXPECT_EQ(append_paragraph(column, "one"), 0u);
  EXPECT_EQ(append_paragraph(column, "two"), 5u);
  EXPECT_EQ(column, "one\n\ntwo");
  append_paragraph(column, std::string(2 * kMaxColumnBytes, 'x'));
  EXPECT_LT(column.size(), kMaxColumnBytes + 100);
  EXPECT_NE(column.find("[cut:"), std::string::npos);
  const auto size = column.size();
  append_paragraph(column, "more");
  EXPECT_EQ(column.size(), size);
}

TEST(ExchangeText, RemovesWholeParagraphsOnly) {
  std::string column = "a\n\nab\n\nb";
  EXPECT_TRUE(remove_paragraph(column, "ab"));
  EXPECT_EQ(column, "a\n\nb");
  EXPECT_TRUE(remove_paragraph(column, "b"));
  EXPECT_EQ(column, "a");
  EXPECT_FALSE(remove_paragraph(column, "b"));
  EXPECT_TRUE(remove_paragraph(column, "a"));
  EXPECT_EQ(column, "");
}

TEST(ExchangeText, OneLineIsCutAtACharacter) {
  EXPECT_EQ(first_line("  a \t b\nc", 20), "a b");
  EXPECT_EQ(first_line("\n\nfirst", 20), "first");
  const std::string cut = first_line("ääääääääää", 10);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_LE(cut.size(), 10u);
}

TEST(ExchangeText, ToolLinesOnce) {
  ExchangeDraft d;
  add_tool_line(d, "go test");
  add_tool_line(d, "go build");
  add_tool_line(d, "go test");
  EXPECT_EQ(d.text.tool_text, "go test\x1ego build");
  ExchangeDraft loaded;
  loaded.text = d.text;
  remember_tool_lines(loaded);
  add_tool_line(loaded, "go build");
  EXPECT_EQ(loaded.text.tool_text, d.text.tool_text);
}

}  // namespace
}  // namespace memd::assembly
