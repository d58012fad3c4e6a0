#include "store/text/pre_tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memd {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> out;
  for (PreTokens pieces(text); !pieces.at_end();)
    out.emplace_back(pieces.next());
  return out;
}

TEST(PreTokens, CutsAsTheTokenizerDoes) {
  EXPECT_THAT(pieces_of("Don't say \"we'll\"  now"),
              ElementsAre("Don", "'t", " say", " \"", "we", "'ll", "\"", " ", " now"));
  EXPECT_THAT(pieces_of("x = foo_bar(12345);\n\n  done"),
              ElementsAre("x", " =", " foo", "_bar", "(", "123", "45", ");\n\n", " ", " done"));
  EXPECT_THAT(pieces_of("\tlast\r\n"), ElementsAre("\tlast", "\r\n"));
  EXPECT_THAT(pieces_of(".git/.config"), ElementsAre(".git", "/.", "config"));
}

// Words are read eight bytes at a time: a word may end at any of them, and near the end of the text.
TEST(PreTokens, AWordEndsWhereItsLettersDo) {
  for (std::size_t length = 1; length <= 30; ++length) {
    const std::string word = std::string(length - 1, 'z') + 'A';
    for (const char* before : {"", " ", "(", "\t"}) {
      for (const char* behind : {"@", "[", "`", "{", "7", "\n", " ", "\xff", "—"}) {
        for (const char* tail : {"", "and much more behind it"}) {
          const auto pieces = pieces_of(before + word + behind + tail);
          EXPECT_EQ(pieces.front(), before + word) << before << word << behind << tail;
        }
      }
      EXPECT_THAT(pieces_of(before + word), ElementsAre(before + word));
      EXPECT_THAT(pieces_of(before + word + "é" + word), ElementsAre(before + word + "é" + word));
      EXPECT_THAT(pieces_of(before + word + "決定"), ElementsAre(before + word + "決定"));
    }
  }
}

TEST(PreTokens, GivesEveryByteOnce) {
  std::string text;
  for (int i = 0; i < 2000; ++i)
    text += static_cast<char>(i * 7919 % 251);
  std::string joined;
  for (const std::string& piece : pieces_of(text))
    joined += piece;
  EXPECT_EQ(joined, text);
}

}  // namespace
}  // namespace memd
