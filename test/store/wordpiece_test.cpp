#include "store/enrich/embedding/wordpiece.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::embedding {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WordpieceTest : public testing::Test {
 protected:
  std::vector<std::string> pieces(std::string_view text) const {
    std::vector<std::uint32_t> ids;
    wordpiece_.tokenize(text, ids);
    std::vector<std::string> out;
    for (const auto id : ids)
      out.emplace_back(wordpiece_.token(id));
    return out;
  }

  const std::string vocabulary_ =
      "[UNK]\n[SEP]\nun\n##aff\n##able\n##a\naffable\nrun\n##ning\ncafe\nuber\n中\n文\nnaive\n_\n.\n-\n[\n]\n#\n"
      "sep\ni\n##i\nσ\nοδος\nᄀ\n##ᅡ\n##ᆨ\na\nb\n##b\n豈\n。\n;\nfi\nﬁ\n\xf0\x9f\x98\x80\n";
  const Wordpiece wordpiece_{vocabulary_};
};

TEST_F(WordpieceTest, CutsIntoTheLongestPieces) {
  EXPECT_EQ(wordpiece_.size(), 37U);
  EXPECT_THAT(pieces("unaffable running"), ElementsAre("un", "##aff", "##able", "run", "##ning"));
  EXPECT_THAT(pieces("affable"), ElementsAre("affable"));
}

TEST_F(WordpieceTest, OneMissingPieceMakesTheWholeWordUnknown) {
  EXPECT_THAT(pieces("unaffx run"), ElementsAre("[UNK]", "run"));
  EXPECT_THAT(pieces("xyz"), ElementsAre("[UNK]"));
}

TEST_F(WordpieceTest, CaseAndAccentsDoNotMatter) {
  EXPECT_THAT(pieces("CAFÉ Über cafe\xCC\x81 Na\xC3\xAFve"), ElementsAre("cafe", "uber", "cafe", "naive"));
  // No final sigma; the dot of a Turkish capital I is an accent.
  EXPECT_THAT(pieces("Σ \xC4\xB0"), ElementsAre("σ", "i"));
}

TEST_F(WordpieceTest, PunctuationAndIdeographsStandAlone) {
  EXPECT_THAT(pieces("un.run-un_run"), ElementsAre("un", ".", "run", "-", "un", "_", "run"));
  EXPECT_THAT(pieces("un中文run"), ElementsAre("un", "中", "文", "run"));
  // A compatibility ideograph, an ideographic full stop, a Greek question mark.
  EXPECT_THAT(pieces("\xEF\xA4\x80。\xCD\xBE"), ElementsAre("豈", "。", ";"));
  EXPECT_THAT(pieces("[SEP]#"), ElementsAre("[", "sep", "]", "#"));
}

TEST_F(WordpieceTest, HangulIsDecomposed) { EXPECT_THAT(pieces("\xEA\xB0\x81"), ElementsAre("ᄀ", "##ᅡ", "##ᆨ")); }

TEST_F(WordpieceTest, LigaturesAndEmojiAreKept) {
  EXPECT_THAT(pieces("ﬁ fi"), ElementsAre("ﬁ", "fi"));
  EXPECT_THAT(pieces("run\xf0\x9f\x98\x80"), ElementsAre("[UNK]"));  // an emoji does not end a word
  EXPECT_THAT(pieces("run \xf0\x9f\x98\x80"), ElementsAre("run", "\xf0\x9f\x98\x80"));
}

TEST_F(WordpieceTest, WhatIsNotTextIsNotThere) {
  EXPECT_THAT(pieces(std::string_view("ru\0n\x01 \x7f", 7)), ElementsAre("run"));
  EXPECT_THAT(pieces("ru\xEF\xBF\xBDn ru\xE2\x80\x8Bn ru\xC2\xADn"), ElementsAre("run", "run", "run"));
  EXPECT_THAT(pieces("ru\xFFn r\xC3un ru\xE4\xB8n \xF0\x9F ru\xED\xA0\x80n \xC0\xAFrun"),
              ElementsAre("run", "run", "run", "run", "run"));
  EXPECT_THAT(pieces("run\xE3"), ElementsAre("run"));
}

TEST_F(WordpieceTest, WhitespaceOfAllKindsEndsWords) {
  EXPECT_THAT(pieces("run\trun\nrun\r\nrun\xC2\xA0run\xE3\x80\x80run"),
              ElementsAre("run", "run", "run", "run", "run", "run"));
  EXPECT_THAT(pieces(""), IsEmpty());
  EXPECT_THAT(pieces(" \n\t "), IsEmpty());
}

TEST_F(WordpieceTest, WordsOfMoreThanAHundredCharactersAreUnknown) {
  const std::string hundred = "a" + std::string(99, 'b');
  EXPECT_EQ(pieces(hundred).size(), 100U);
  EXPECT_THAT(pieces(hundred + "b"), ElementsAre("[UNK]"));
  EXPECT_THAT(pieces(hundred + std::string(100'000, 'b') + " run"), ElementsAre("[UNK]", "run"));
  std::string accents;  // the limit counts characters, not bytes
  for (int i = 0; i < 101; ++i)
    accents += "\xEA\xB0\x81";
  EXPECT_THAT(pieces(accents), ElementsAre("[UNK]"));
}

// Cuts by brute force: tries the longest piece first.
std::vector<std::string> cut_plainly(const std::set<std::string>& pieces, const std::string& word) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from < word.size();) {
    std::string piece;
    std::size_t to = word.size();
    for (; to > from; --to)
      if (piece = (from > 0 ? "##" : "") + word.substr(from, to - from); pieces.contains(piece)) break;
    if (to == from) return {"[UNK]"};
    out.push_back(std::move(piece));
    from = to;
  }
  return out;
}

// With few letters, many pieces share prefixes, and words contain all but one letter of a piece.
TEST(Wordpiece, CutsAnyWordAsLookingForEachPieceDoes) {
  std::mt19937 random(7);
  const auto letters = [&](std::size_t least, std::size_t most) {
    std::string out(least + random() % (most - least + 1), ' ');
    for (char& c : out)
      c = static_cast<char>('a' + random() % 3);
    return out;
  };
  std::set<std::string> pieces{"[UNK]", "a", "b", "##a", "##b", "##c"};
  while (pieces.size() < 900)
    pieces.insert((random() % 2 == 0 ? "##" : "") + letters(2, random() % 4 == 0 ? 40 : 7));
  std::string vocabulary;
  for (const std::string& piece : pieces)
    vocabulary += piece + "\n";
  const Wordpiece wordpiece(vocabulary);
  for (int i = 0; i < 3000; ++i) {
    std::string word = letters(1, 30);
    if (i % 3 == 0) {
      word = *std::next(pieces.begin(), static_cast<std::ptrdiff_t>(random() % pieces.size()));
      std::erase_if(word, [](char c) { return c < 'a' || c > 'c'; });
      word += letters(1, 5);
    }
    std::vector<std::uint32_t> ids;
    wordpiece.tokenize(word, ids);
    std::vector<std::string> found;
    for (const std::uint32_t id : ids)
      found.emplace_back(wordpiece.token(id));
    ASSERT_EQ(found, cut_plainly(pieces, word)) << word;
  }
}

TEST(Wordpiece, WithoutUnknownTokenThereIsNone) {
  const Wordpiece wordpiece("a\nb\n");
  std::vector<std::uint32_t> ids;
  wordpiece.tokenize("a xx b", ids);
  EXPECT_THAT(ids, ElementsAre(0U, 1U));
}

TEST(Wordpiece, EmptyVocabulary) {
  const Wordpiece wordpiece("");
  std::vector<std::uint32_t> ids;
  wordpiece.tokenize("a b", ids);
  EXPECT_THAT(ids, IsEmpty());
}

}  // namespace
}  // namespace memd::embedding
