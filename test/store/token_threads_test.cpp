#include "store/text/token_budget.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace memd {
namespace {

// Cached counts of pieces, from any thread, do not change an estimate.
TEST(TokenEstimate, IsTheSameWhateverIsCountedBesides) {
  const std::string sentence = "I changed the parser so that an empty line no longer ends the list, and added a test.";
  const std::size_t of_sentence = estimate_tokens(sentence);
  std::string words;  // more than the cache can hold
  for (int i = 0; i < 80000; ++i)
    words += " w" + std::to_string(i * 48271L % 99991) + "ord" + static_cast<char>('a' + i % 26);
  const std::size_t of_words = estimate_tokens(words);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        if (estimate_tokens(words) != of_words) ++wrong;
        if (estimate_tokens(sentence) != of_sentence) ++wrong;
      });
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace memd
