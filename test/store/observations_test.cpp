#include "store/insight/summary/observations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace memd {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using Type = ObservationType;

std::string types(const std::vector<FoundObservation>& found) {
  std::string out;
  for (const FoundObservation& o : found)
    out += (out.empty() ? "" : " ") + std::string(to_string(o.type));
  return out;
}

TEST(Observations, AreToldByHowASentenceBegins) {
  const std::pair<Type, const char*> kCases[] = {
      {Type::bugfix, "Fixed the off-by-one in `cut_line()` that dropped the last row."},
      {Type::bugfix, "- **Fixed `open_socket`**: it leaked the descriptor when connect failed."},
      {Type::solution, "Fixed by holding the lock while the list is copied."},
      {Type::solution, "The fix is to compare inodes instead of names."},
      {Type::feature, "I've added a `--json` option to the list command."},
      {Type::feature, "Implemented paging for the timeline view."},
      {Type::refactor, "Extracted the retry loop into `Backoff`."},
      {Type::refactor, "2. Replaced the hand-made queue with a deque."},
      {Type::discovery, "**Root cause**: the watcher holds a stale descriptor after a rename."},
      {Type::discovery, "It turns out the cache is keyed by path only."},
      {Type::problem, "The real problem is that both writers share one cursor."},
      {Type::problem, "There's a race condition between flush and close in the writer."},
      {Type::warning, "Be careful when deleting the lock file, a second daemon may hold it."},
      {Type::success, "All 49 tests pass."},
      {Type::success, "✅ All checks passed."},
      {Type::pattern, "This project uses table-driven tests for every parser."},
  };
  for (const auto& [type, text] : kCases) {
    const auto found = find_observations(text);
    ASSERT_THAT(found, SizeIs(1)) << text;
    EXPECT_EQ(found[0].type, type) << text << " as " << to_string(found[0].type);
  }
}

TEST(Observations, LeaveOutWhatIsNotSettled) {
  for (const char* text :
       {"Fixed it.", "Should I have fixed the parser in the reader too?", "The fix is complete.",
        "The issue is likely a stale cache somewhere in the client.", "The problem is clear to everybody who looks.",
        "Let me look at the root cause of this failure first.", "Once all tests pass we can merge the branch.",
        "All tests pass except the two that need a network.",
        "Added the following options to the command:", "Added a test for the empty list of the parser.",
        "| Fixed | the parser in the second column |", "# Fixed the parser of the configuration file",
        "```\nFixed the parser of the configuration file\n```", "> Fixed the parser of the configuration file",
        "You fixed the parser of the configuration file.", "The issue is resolved now that the cursor is kept."})
    EXPECT_THAT(find_observations(text), IsEmpty()) << text;
}

TEST(Observations, SayWhatWasMadeOnlyWhereFilesChanged) {
  const char* text = "Implemented paging for the timeline view. The real bug was that pages overlapped by one row.";
  const auto found = find_observations(text);
  ASSERT_EQ(types(found), "feature problem");
  EXPECT_TRUE(needs_changed_files(found[0].type));
  EXPECT_FALSE(needs_changed_files(found[1].type));
}

TEST(Observations, AreBoundedPlainAndDistinct) {
  const std::string once = "**Renamed** `alpha` to `beta` in all of the callers.";
  auto found = find_observations(once + "\n" + once);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].content, "Renamed `alpha` to `beta` in all of the callers.");
  std::string many;
  for (int i = 0; i < 100; ++i)
    many += "- Renamed `a" + std::to_string(i) + "` to `b" + std::to_string(i) + "` in all of the callers.\n";
  EXPECT_THAT(find_observations(many), SizeIs(kObservationsPerText));
  found = find_observations("Implemented " + std::string(390, 'a') + " and then some more of the same kind.");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_LE(found[0].content.size(), kObservationBytes);
  EXPECT_THAT(find_observations("Implemented the " + std::string(100'000, 'a') + " of it all."), IsEmpty());
}

TEST(Observations, RulesOfAPersonArePatterns) {
  const auto found =
      find_rules("Looks good.\nAlways run the linter before you commit. Never mind?\nNever use tabs here please");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].type, Type::pattern);
  EXPECT_EQ(found[0].content, "Always run the linter before you commit.");
  EXPECT_EQ(found[1].content, "Never use tabs here please");
  EXPECT_THAT(find_rules("Does it always work like this? I always wondered."), IsEmpty());
  EXPECT_THAT(find_rules(std::string(5000, ' ') + "\nAlways run the linter before you commit."), IsEmpty());
}

TEST(Observations, WordsAreTheSameInAnyDress) {
  EXPECT_EQ(words_hash("**Fixed** the `parser`."), words_hash("fixed the\nparser"));
  EXPECT_NE(words_hash("fixed the parser"), words_hash("fixed the lexer"));
  EXPECT_EQ(words_hash(""), words_hash(" .. "));
}

}  // namespace
}  // namespace memd
