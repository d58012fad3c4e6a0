#include "store/text/words.hpp"

#include "schemas/base/embedded.hpp"
#include "store/text/text_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

namespace memd {
namespace {

TEST(Words, StandOnceInAList) {
  for (const auto& file : embedded::word_files()) {
    std::set<std::string> seen;
    std::istringstream text{std::string(file.text)};
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with('[')) seen.clear();
      if (line.starts_with('#') || line.starts_with('[')) continue;
      std::istringstream words_of_line(line);
      for (std::string word; words_of_line >> word;)
        if (!seen.insert(word).second) ADD_FAILURE() << word << " stands twice in a list of " << file.name;
    }
    EXPECT_FALSE(seen.empty()) << file.name;
  }
}

TEST(Words, StopWordsOfEachLanguageCarryNoSubject) {
  for (const char* word : {"the", "get", "что", "ЧТО", "ещё", "什么", "です", "에서"})
    EXPECT_TRUE(is_stop_word(word)) << word;
  for (const char* word : {"", "parser", "need", "run", "die", "сервер", "数据", "사용"})
    EXPECT_FALSE(is_stop_word(word)) << word;
}

// If a shorter particle came first, only part of a longer one would be removed.
TEST(Words, LongParticlesComeFirst) {
  const WordList& particles = words(WordClass::particle);
  const auto at = [&](std::string_view word) { return std::find(particles.begin(), particles.end(), word); };
  ASSERT_NE(at("에서는"), particles.end());
  EXPECT_LT(at("에서는"), at("에서"));
  EXPECT_LT(at("에서는"), at("는"));
}

TEST(TextWords, AreThoseOfTheScript) {
  const auto words_of = [](std::string_view text) {
    std::string out;
    for_each_word(text, [&](const TextWord& word) {
      EXPECT_LT(word.at, text.size());
      out.append(out.empty() ? "" : " ").append(word.text).append(word.is_pair ? "*" : "");
    });
    return out;
  };
  EXPECT_EQ(words_of("Two_words, `Ring2` — «Дважды» … Größe→x 🎉"), "two_words ring2 дважды größe x");
  EXPECT_EQ(words_of("Ещё один"), "еще один");
  EXPECT_EQ(words_of("数据库。读 API版"), "数据* 据库* 读* api 版*");
  EXPECT_EQ(words_of("読んでいる"), "読ん*") << "pairs of Hiragana join words";
  EXPECT_EQ(words_of("행을 두"), "행을* 두*");
  EXPECT_EQ(words_of(""), "");
  EXPECT_EQ(words_of("a\xFF\xC3 b"), "a b") << "damaged text";
  EXPECT_EQ(content_words("Is the queue of a ring full?"), 3U);
  EXPECT_EQ(content_words("Очередь кольца полна, и что?"), 3U);
  EXPECT_EQ(content_words("数据库的行"), 2U);
}

}  // namespace
}  // namespace memd
