#include "store/insight/summary/directions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Directions, AreUnderstoodByALaterReader) {
  for (const char* sentence :
       {"let's use apple containers instead of docker", "kimodo에서 제공되는 파일 이름은 바꾸지 말자.",
        "We should not keep the session index in a server of its own", "I don't want to rely on forceexit",
        "I want the formula to be called homebrew-tab", "We want to store the duration in the row of the turn",
        "and get rid of the stub mode entirely please"})
    EXPECT_TRUE(is_direction(sentence)) << sentence;
  for (const char* sentence :
       {"actually the tests read well, let's keep it", "let's use something simple instead",
        "let's not make this change here", "This should not be available in the payment dialog.",
        "Let's use a different strategy instead of mine.", "let's not keep the rest of the old one as the default",
        "⏺ review(the index) should not use the map ⎿ Done, 9 tool uses of the agent"})
    EXPECT_FALSE(is_direction(sentence)) << "speaks of what stands above it: " << sentence;
  for (const char* sentence : {"Don't write code yet, show the tables first.",
                               "I don't want to commit before the parser of dates is done yet.",
                               "We want to make a plan for the git integration of the editor",
                               "Let's use option B instead of A for the store"})
    EXPECT_FALSE(is_direction(sentence)) << "is about the next work only: " << sentence;
  for (const char* sentence : {"keep the color changes in the header", "The upload should be faster for large files.",
                               "Let's put the parser of dates into a file.", "For now show all bookings of the year."})
    EXPECT_FALSE(is_direction(sentence)) << "more often an order than a choice: " << sentence;
  for (const char* sentence : {"Should we use a table instead of the map?", "ok, let's go", "",
                               "log a bug and let's move on", "> let's use a table instead of the map"})
    EXPECT_FALSE(is_direction(sentence)) << sentence;
  EXPECT_FALSE(is_direction("let's use the index of the store instead of the map, " + std::string(140, 'x') + ' ' +
                            std::string(140, 'y') + " and the table"))
      << "it is too long for a line";
}

TEST(Directions, OfAMessageStandEachOnALine) {
  const std::string message =
      "Fine.\n- **let's use apple containers\n  instead of docker**\n```\nlet's use a map instead of a table\n```\n";
  EXPECT_THAT(find_directions(message), ElementsAre("let's use apple containers instead of docker"));
  EXPECT_THAT(find_directions("let's use a table instead of the map " + std::string(3000, 'x')), IsEmpty())
      << "a paste";
  EXPECT_THAT(find_directions("Implement the following plan:\n\nlet's use a table instead of the map\n"), IsEmpty());
}

}  // namespace
}  // namespace memd
