#include "store/insight/summary/decisions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> sentences(const std::vector<Decision>& decisions) {
  std::vector<std::string> out;
  for (const Decision& d : decisions)
    out.push_back(d.sentence);
  return out;
}

std::string told(const Decision& d) {
  return std::string(to_string(d.kind)) + " of the " + std::string(to_string(d.by)) + ": " + d.chosen;
}

TEST(Choices, OfADialog) {
  const auto found = read_choices(
      "Where: here or there?: there\nHow many?: as many\nas fit: three\nIs this right?: what about the tests?\nAnd "
      "this?: 为什么？");
  EXPECT_THAT(sentences(found), ElementsAre("Where: here or there?: there", "How many?: as many as fit: three"));
  EXPECT_EQ(told(found[0]), "answer of the user: there");
  EXPECT_THAT(sentences(read_choices("format: NPZ (Recommended)\nsplit: by motion")),
              ElementsAre("format: NPZ (Recommended)", "split: by motion"));
  EXPECT_THAT(sentences(read_choices("Which store?: SQLite\nWhich cache?: \nHow many?: \nthree\nor four")),
              ElementsAre("Which store?: SQLite", "How many?: three or four"));
  EXPECT_THAT(read_choices("Is it right?: what are the states? we need all of them"), IsEmpty()) << "asks back";
  EXPECT_THAT(read_choices(""), IsEmpty());
}

TEST(Choices, OfAPlanAreItsTitle) {
  const auto accepted = read_choices("Plan accepted: # Store tags in one table ## Context Tags are …");
  ASSERT_EQ(accepted.size(), 1U);
  EXPECT_EQ(told(accepted[0]), "plan of the user: Store tags in one table");
  EXPECT_THAT(read_choices("Plan accepted: "), IsEmpty());
  const std::string cut = std::string(1988, 'x') + ".\n\n# Одна таблица";  // 2000 bytes are read: splits a letter
  EXPECT_EQ(accepted_plan(cut).sentence, "Одн");
}

TEST(Choices, OfAPlanThatAMessageAccepts) {
  const auto handed_over =
      plan_accepted_by("Implement the following plan:\n\n# Store tags in one table\n\n## Context\nlet's see\n", "");
  ASSERT_TRUE(handed_over);
  EXPECT_EQ(told(*handed_over), "plan of the user: Store tags in one table");
  const auto offered = plan_accepted_by("Implement the plan.",
                                        "<proposed_plan>\n# Own the skeleton\n\n## Summary\n- …\n</proposed_plan>");
  ASSERT_TRUE(offered);
  EXPECT_EQ(told(*offered), "plan of the user: Own the skeleton");
  EXPECT_EQ(offered->sentence, "Own the skeleton: Implement the plan.");
  EXPECT_FALSE(plan_accepted_by("let's use a table instead of the map", "Want me to keep the map?"));
}

TEST(Choices, ReversalsFindWhatTheyTakeBack) {
  const auto chosen = [](std::string chosen) {
    Decision d;
    d.sentence = "I'll store " + chosen;
    d.chosen = std::move(chosen);
    return d;
  };
  const Decision npy = chosen("raw NPY files");
  const Decision pool = chosen("decoders in a thread pool");
  Decision archive = chosen("one archive");
  archive.rejected = "raw NPY files";
  EXPECT_TRUE(reverses(archive, npy));
  EXPECT_FALSE(reverses(archive, pool));
  Decision back = chosen("");
  back.kind = DecisionKind::reversal;
  back.sentence = "Let me revert to decoders without the thread pool.";
  EXPECT_TRUE(reverses(back, pool));
  EXPECT_FALSE(reverses(chosen("a ring buffer for the decoders"), pool)) << "says nothing against it";
}

}  // namespace
}  // namespace memd
