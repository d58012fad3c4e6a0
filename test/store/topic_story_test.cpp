#include "store/insight/topics/topic_story.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace memd::topics {
namespace {

const std::vector<StoryExchange> kCache{
    {0, "How does our cache decide what to evict?", "The cache evicts the oldest entry. It is a plain list."},
    {1, "Some preface. We decided to use an LRU cache with two generations.", "Done.\n\n```\nthe cache code\n```"},
    {2, "The cache is slow again.", "Found it. The root cause was a lock in the cache around every read."},
    {2, "ok", "Thanks."},
    {3, "Hm.", "I reverted the LRU cache, the plain list is back in the cache."},
    {4, "Write docs.", "I added a page about the cache to the handbook."},
};

TEST(TopicStory, SaysWhatEachSessionBrought) {
  const auto turns = story_of(kCache, "cache");
  ASSERT_EQ(turns.size(), 5U);
  EXPECT_EQ(turns[0].kind, TurnKind::question);
  EXPECT_EQ(turns[0].text, "How does our cache decide what to evict?");
  EXPECT_EQ(turns[1].kind, TurnKind::direction);
  EXPECT_EQ(turns[1].text, "We decided to use an LRU cache with two generations.");
  EXPECT_EQ(turns[2].kind, TurnKind::fix);
  EXPECT_EQ(turns[2].exchange, 2U);
  EXPECT_EQ(turns[3].kind, TurnKind::reversal);
  EXPECT_EQ(turns[4].kind, TurnKind::change);
  for (std::size_t i = 0; i < turns.size(); ++i)
    EXPECT_EQ(turns[i].session, i);
}

// A sentence repeated in every session is new only once.
TEST(TopicStory, PrefersWhatIsNew) {
  const std::string old = "The cache holds forty entries of the catalogue.";
  const std::string both = old + " The cache warms itself from yesterday's snapshot file.";
  const std::vector<StoryExchange> exchanges{{0, "Tell me.", old}, {1, "Tell me.", both}};
  const auto turns = story_of(exchanges, "cache");
  EXPECT_EQ(turns[0].text, old);
  EXPECT_EQ(turns[1].text, "The cache warms itself from yesterday's snapshot file.");
}

TEST(TopicStory, PrefersWhatIsAboutTheTopic) {
  const std::vector<StoryExchange> exchanges{
      {0, "Go.", "We decided to use tabs in the editor. We decided to use a ring buffer for the queue."}};
  EXPECT_EQ(story_of(exchanges, "ring buffer")[0].text, "We decided to use a ring buffer for the queue.");
  EXPECT_EQ(story_of(exchanges, "tabs")[0].text, "We decided to use tabs in the editor.");
  EXPECT_EQ(story_of(exchanges, "tabs")[0].kind, TurnKind::mention) << "an agent's word is no direction";
}

TEST(TopicStory, BadTextIsNoTrouble) {
  EXPECT_TRUE(story_of({}, "x").empty());
  const std::string huge(100'000, 'x');
  const std::string words = "We decided " + std::string(500, 'e') + " and " + std::string(90, 'f') + ".";
  const std::vector<StoryExchange> exchanges{{0, "", ""}, {1, huge, "\xff\xfe"}, {2, words, ""}};
  const auto turns = story_of(exchanges, "");
  ASSERT_EQ(turns.size(), 3U);
  EXPECT_EQ(turns[0].text, "");
  for (const StoryTurn& turn : turns)
    EXPECT_LE(turn.text.size(), kTurnBytes + 3);
}

}  // namespace
}  // namespace memd::topics
