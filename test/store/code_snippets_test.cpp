#include "store/reader.hpp"
#include "store/text/text_units.hpp"

#include <gmock/gmock.h>

namespace memd {
namespace {

using testing::IsEmpty;

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
