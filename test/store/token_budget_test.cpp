#include "store/text/token_budget.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace memd {
namespace {

struct Measured {
  const char* text;
  std::size_t cl100k;  // counted with the real tokenizer
};

const Measured kMeasured[] = {
    {"The quick brown fox jumps over the lazy dog.", 10},
    {"I changed the parser so that an empty line no longer ends the list, and added a test for it.", 22},
    {"std::vector<std::string> names = reader.list_sessions(query).value();", 16},
    {"{\"file_path\":\"/home/user/project/src/main.cpp\",\"limit\":200,\"offset\":0}", 19},
    {"我们今天讨论如何设计一个高效的存储系统。", 18},
    {"2026-02-09T06:01:53.253Z", 15},
    {"x835\nUser: don't — we'll see, it's   12345 items\r\n\r\n  done.", 23},
    {"전반적으로 코드 이름, 구성 등", 11},
    {"Мы меняем порядок слияния.", 13},
    {"aGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0", 25},
};

TEST(TokenEstimate, IsNeverUnderAndNotFarOverOnMeasuredTexts) {
  for (const Measured& m : kMeasured) {
    const std::size_t estimate = estimate_tokens(m.text);
    EXPECT_GE(estimate, m.cl100k) << m.text;
    EXPECT_LE(static_cast<double>(estimate), static_cast<double>(m.cl100k) * 1.65 + 1) << m.text;
  }
}

TEST(TokenEstimate, OfNothingIsNothing) {
  EXPECT_EQ(estimate_tokens(""), 0U);
  EXPECT_EQ(prefix_within_tokens("", 5).bytes, 0U);
  EXPECT_EQ(prefix_within_tokens("word", 0).bytes, 0U);
}

TEST(TokenEstimate, TakesDamagedBytes) { EXPECT_GT(estimate_tokens("\xff\xfe\xc3\x28\xe4\xbd"), 0U); }

TEST(TokenEstimate, PrefixFitsAndEndsAtACharacter) {
  std::string text;
  for (int i = 0; i < 50; ++i)
    text += "Zeile über Größe — 決定 " + std::to_string(i) + "\n";
  for (std::size_t tokens = 0; tokens < 200; tokens += 7) {
    const auto [n, counted] = prefix_within_tokens(text, tokens);
    EXPECT_LE(counted, tokens);
    EXPECT_EQ(estimate_tokens(std::string_view(text).substr(0, n)), counted);
    EXPECT_NE(static_cast<unsigned char>(text[n]) & 0xC0U, 0x80U);
  }
  EXPECT_EQ(prefix_within_tokens(text, 100000).bytes, text.size());
  EXPECT_EQ(prefix_within_tokens(text, 100000).tokens, estimate_tokens(text));
}

// Punctuation, spaces and invalid bytes in any order: the estimate of a prefix must equal the tokens counted up to the
// cut.
TEST(TokenEstimate, PrefixOfAnythingIsCountedAsItIs) {
  std::mt19937 random(7);
  const std::vector<std::string> parts{" ",  "  ", "\n",   "\r\n", "\t",   "a", "Word",   "'s", "'l",  "12345", "--",
                                       "。", "ü",  "決定", "\xC3", "\xA9", "𝔸", "\u00A0", ":",  "{\"", "é"};
  for (int round = 0; round < 400; ++round) {
    std::string text;
    for (int i = 0; i < 40; ++i)
      text += parts[random() % parts.size()];
    if (round % 8 == 0) text += std::string(300, ' ') + std::string(300, 'x') + "\xA9\xA9";
    for (std::size_t tokens = 0; tokens < 60; tokens += 3) {
      const auto [n, counted] = prefix_within_tokens(text, tokens);
      ASSERT_LE(counted, tokens);
      const std::size_t exact = estimate_tokens(std::string_view(text).substr(0, n));
      ASSERT_TRUE(exact == counted || (n < text.size() && exact + 1 == counted)) << text << " to " << n;
    }
  }
}

TEST(TokenEstimate, PrefixOfOneLongWordUsesTheBudget) {
  const std::string word(100000, 'a');
  const std::size_t n = prefix_within_tokens(word, 1000).bytes;
  EXPECT_LE(estimate_tokens(std::string_view(word).substr(0, n)), 1000U);
  EXPECT_GE(estimate_tokens(std::string_view(word).substr(0, n)), 900U);
}

TEST(CutToTokens, LeavesWhatFits) {
  const CutText cut = cut_to_tokens("One sentence.", 100);
  EXPECT_EQ(cut.text, "One sentence.");
  EXPECT_FALSE(cut.cut);
  EXPECT_EQ(cut.tokens, estimate_tokens("One sentence."));
}

TEST(CutToTokens, NeverCostsMoreThanAllowed) {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    text += "A sentence about topic number " + std::to_string(i) + ". Another one follows it!\n";
    if (i % 7 == 0) text += "\n```cpp\nint value = " + std::to_string(i) + ";\nreturn value;\n```\n\n";
  }
  const std::size_t full = estimate_tokens(text);
  for (std::size_t allowed = 0; allowed < full; allowed += 3) {
    const CutText cut = cut_to_tokens(text, allowed);
    EXPECT_TRUE(cut.cut);
    EXPECT_LE(estimate_tokens(cut.text), allowed);
    EXPECT_EQ(cut.tokens, estimate_tokens(cut.text));
    if (allowed > 60) {
      EXPECT_GE(cut.tokens * 3, allowed * 2 - 30) << allowed;
    }
    std::size_t fences = 0;
    for (std::size_t at = cut.text.find("```"); at != std::string::npos; at = cut.text.find("```", at + 3))
      ++fences;
    EXPECT_EQ(fences % 2, 0U) << cut.text;
    if (!cut.text.empty()) {
      EXPECT_NE(cut.text.find("…"), std::string::npos);
    }
  }
}

TEST(CutToTokens, PrefersTheEndOfASentence) {
  const std::string text =
      "The store opens one connection for each thread. Writers wait for their turn in a queue. After that the index is "
      "merged in the background while readers continue";
  const CutText cut = cut_to_tokens(text, 22);
  EXPECT_EQ(cut.text, "The store opens one connection for each thread. Writers wait for their turn in a queue.…");
}

TEST(CutToTokens, ClosesALongerFenceWithItsOwnMark) {
  std::string text = "Look:\n````md\n";
  for (int i = 0; i < 100; ++i)
    text += "line with ``` inside " + std::to_string(i) + "\n";
  text += "````\n";
  const CutText cut = cut_to_tokens(text, 60);
  EXPECT_TRUE(cut.text.ends_with("\n…\n````")) << cut.text;
}

TEST(FairShares, ModestOnesLeaveTheRestToOthers) {
  const std::size_t wanted[] = {10, 500, 30, 400};
  const auto shares = fair_shares(240, wanted);
  EXPECT_EQ(shares, (std::vector<std::size_t>{10, 100, 30, 100}));
  EXPECT_EQ(fair_shares(2000, wanted), (std::vector<std::size_t>{10, 500, 30, 400}));
  EXPECT_EQ(fair_shares(0, wanted), (std::vector<std::size_t>{0, 0, 0, 0}));
}

TEST(TokenBudget, CannotBeOverdrawn) {
  TokenBudget budget(20);
  EXPECT_TRUE(budget.take(15));
  EXPECT_FALSE(budget.take(6));
  EXPECT_EQ(budget.remaining(), 5U);
  EXPECT_FALSE(budget.take_text("and even more words than that"));
  EXPECT_EQ(budget.used(), 15U);
}

}  // namespace
}  // namespace memd
