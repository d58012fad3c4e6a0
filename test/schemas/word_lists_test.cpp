#include "schemas/base/word_lists.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace memd {
namespace {

constexpr std::array<std::string_view, 2> kNames{"stop", "verb"};

std::vector<WordList> lists_of(std::string_view text) {
  const std::array files{embedded::EmbeddedFile{"a.words", text}};
  return read_word_lists(files, kNames);
}

TEST(WordLists, AWordIsOfTheListsItStandsIn) {
  const auto lists =
      lists_of("# [verb] a comment\n[stop]\na about\nuv~run\n[stop verb]\nget\n[verb] \n\n  accept c++\n");
  for (const char* stop : {"a", "about", "uv run", "get"})
    EXPECT_TRUE(lists[0].has(stop)) << stop;
  for (const char* none : {"", "accept", "comment", "uv", "uv~run", "stop", "A"})
    EXPECT_FALSE(lists[0].has(none)) << none;
  EXPECT_TRUE(lists[1].has("get"));
  EXPECT_TRUE(lists[1].has("accept"));
  EXPECT_TRUE(lists[1].has("c++"));
  EXPECT_FALSE(lists[1].has("about"));
}

TEST(WordLists, AListIsOneInAllFiles) {
  const std::array files{embedded::EmbeddedFile{"a.words", "[stop]\na\n[verb]\nget"},
                         embedded::EmbeddedFile{"b.words", "[stop]\nder a\n"}};
  const auto lists = read_word_lists(files, kNames);
  EXPECT_TRUE(lists[0].has("a"));
  EXPECT_TRUE(lists[0].has("der"));
  EXPECT_EQ(std::vector<std::string>(lists[0].begin(), lists[0].end()), (std::vector<std::string>{"der", "a"}));
}

// Holds also when many words collide in the table.
TEST(WordLists, HasAllOfItsWordsAndNoOthers) {
  std::vector<std::string> numbers;
  for (int i = 0; i < 3000; ++i)
    numbers.push_back("w" + std::to_string(i));
  const WordList list(numbers);
  for (int i = 0; i < 6000; ++i)
    EXPECT_EQ(list.has("w" + std::to_string(i)), i < 3000) << i;
  EXPECT_FALSE(WordList({}).has("w"));
}

TEST(WordLists, RefusesWhatIsNotWellFormed) {
  EXPECT_THROW(lists_of("a\n[stop]\nb\n[verb]\nc"), std::logic_error);           // before the first list
  EXPECT_THROW(lists_of("[stop]\na\n[verb]\nb\n[nouns]\nc"), std::logic_error);  // an unknown list
  EXPECT_THROW(lists_of("[stop]\na\n[verb]\n"), std::logic_error);               // an empty list
  EXPECT_THROW(lists_of("[stop]\na\n[verb]\nb\n[stop\nc"), std::logic_error);    // an unclosed name
}

}  // namespace
}  // namespace memd
