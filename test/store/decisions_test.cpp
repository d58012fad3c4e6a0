#include "store/insight/summary/decisions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> sentences(const std::vector<Decision>& decisions) {
  std::vector<std::string> out;
  for (const Decision& d : decisions)
    out.push_back(d.sentence);
  return out;
}

// Formats a decision as "choice of the agent: A | not B | because C"; empty parts are left out.
std::string told(const Decision& d) {
  std::string out(to_string(d.kind));
  out += " of the " + std::string(to_string(d.by)) + ": " + d.chosen;
  if (!d.rejected.empty()) out += " | not " + d.rejected;
  if (!d.reason.empty()) out += " | because " + d.reason;
  return out;
}

std::string told(const std::vector<Decision>& decisions) {
  return decisions.size() == 1 ? told(decisions[0]) : std::to_string(decisions.size()) + " decisions";
}

std::vector<Decision> said_by_person(std::string_view message, std::string_view offered = {}) {
  return find_decisions_of_person(message, offered);
}

TEST(FindDecisions, SentencesThatSettleSomething) {
  for (const char* text : {
           "I decided to keep the schema flat.",
           "We've decided against a second index.",
           "Going with SQLite for the store.",
           "I'll use a ring buffer instead of a queue.",
           "Let's keep the old flag for one release.",
           "We'll store hashes rather than the paths themselves.",
           "I opted for a plain struct.",
           "We settled on epoch milliseconds.",
           "I'm sticking with the current name.",
           "**Decision:** one writer thread.",
           "I chose to split the header.",
           "Let's go with the second plan.",
           "3. Return an empty list instead of null",
           "I kept both rows.",
           "A plain loop is simpler.",
           "It's safe to drop the lock here.",
           "The warning goes to stderr, which is fine.",
           "I need to use the writer's own clock.",
           "The cache should only hold rows of one session.",
           "Actually, let me use one table.",
           "A retry here is reasonable since the pool already bounds it.",
           "Since it's an exported function, I'll rename it later.",
           "The reader should take a cursor, not an offset.",
           "The simplest fix avoids a second pass.",
           "The lock is not worth a refactor right now.",
           "For this PR, let me fix only the reader.",
       })
    EXPECT_THAT(find_decisions(text), SizeIs(1)) << text;
}

TEST(FindDecisions, InOtherLanguages) {
  for (const char* text : {
           "Решил использовать SQLite вместо файлов.",
           "В итоге мы остановились на одном потоке записи.",
           "我们决定使用环形缓冲区。",
           "決定採用單一寫入執行緒。",
           "ハッシュを保存することにしました。",
           "書き込みスレッドを一つに決めました。",
           "해시를 저장하기로 했습니다.",
           "저장 형식은 바꾸지 않겠습니다.",
           "기존 이름은 그대로 유지하겠습니다.",
           "파일을 다시 읽지 않고 색인만 갱신하겠습니다.",
           "두 일정이 겹치지 않도록 바로잡겠습니다.",
       })
    EXPECT_THAT(sentences(find_decisions(text)), ElementsAre(text));
  EXPECT_THAT(sentences(find_decisions("先看代码。我们决定不改接口！然后测试。")), ElementsAre("我们决定不改接口！"));
  for (const char* text : {
           "Решил проблему с запуском.",
           "Если решили использовать SQLite, скажите.",
           "我们决定使用缓存吗？",
           "如果决定使用缓存，请告诉我。",
           "この値が結果を決定します。",
           "해시를 저장하기로 했나요?",
           "```\n我们决定使用缓存\n```",
       })
    EXPECT_THAT(find_decisions(text), IsEmpty()) << text;
}

TEST(FindDecisions, NotQuestionsPlansOffersOrConditions) {
  for (const char* text : {
           "Should we go with SQLite instead of files?",
           "I'll read the file first.",
           "Let me look at the decision table.",
           "If you want I'll use tabs instead of spaces.",
           "We could keep it rather than drop it.",
           "Let's keep going.",
           "The user decided nothing yet, it is undecided.",
           "Instead of a number it printed a name.",
           "Actually, let me reconsider.",
           "Or keep it as it is for now.",
           "Let me check whether this should only run once, not twice.",
           "The simplest fix:",
           "I need to find out which one is used.",
           "Would you like me to go with the first one?",
           "The installation instructions are instead of limited use.",
           "",
           "going with",
       })
    EXPECT_THAT(find_decisions(text), IsEmpty()) << text;
}

TEST(FindDecisions, TakesTheSentenceOutOfItsSurroundings) {
  EXPECT_THAT(sentences(find_decisions("Thanks. I'll use `v1.2` of foo.h instead of bar, since it builds. Next step.\n"
                                       "- Going with option two. It is shorter.\n")),
              ElementsAre("I'll use `v1.2` of foo.h instead of bar, since it builds.", "Going with option two."));
}

TEST(FindDecisions, CodeBlocksDoNotCount) {
  EXPECT_THAT(sentences(find_decisions("```\n# decided to skip this test\n```\nWe decided to keep that test.\n")),
              ElementsAre("We decided to keep that test."));
}

TEST(FindDecisions, EachOnceAndBounded) {
  std::string text;
  for (int i = 0; i < 5; ++i)
    text += "I decided to stay.\n";
  EXPECT_THAT(find_decisions(text), SizeIs(1));
  std::string many;
  for (int i = 0; i < 100; ++i)
    many += "I decided to do number " + std::to_string(i) + ".\n";
  EXPECT_THAT(find_decisions(many), SizeIs(kDecisionsPerText));
  const std::string endless = "I decided to " + std::string(5000, 'a') + " über alles";
  const auto cut = find_decisions(endless);
  ASSERT_THAT(cut, SizeIs(1));
  EXPECT_LE(cut[0].sentence.size(), kDecisionBytes);
  EXPECT_TRUE(cut[0].sentence.ends_with("…"));
}

TEST(FindDecisions, NotWhereTheQuoteWouldNotTellIt) {
  std::string endless;
  for (int i = 0; i < 1500; ++i)
    endless += "д";
  EXPECT_THAT(find_decisions(endless + " going with SQLite for the store"), IsEmpty());
  EXPECT_THAT(sentences(find_decisions(endless + ". Going with SQLite for the store.")),
              ElementsAre("Going with SQLite for the store."));
  std::string no_prose = "{";
  while (no_prose.size() < std::size_t{20} * 1024)
    no_prose += " going with this one.";
  EXPECT_THAT(sentences(find_decisions(no_prose + "\nGoing with that one.")), ElementsAre("Going with that one."));
}

TEST(FindDecisions, TellsItsPartsAndItsKind) {
  EXPECT_EQ(told(find_decisions("I'll use a ring buffer instead of a queue, because it never allocates.")),
            "choice of the agent: use a ring buffer | not a queue | because it never allocates");
  EXPECT_EQ(told(find_decisions("The migration of old rows is out of scope for this change.")),
            "rejection of the agent:  | not The migration of old rows is out of scope for this change");
  EXPECT_EQ(told(find_decisions("Let me revert to the plain loop since the pool leaks.")),
            "reversal of the agent: revert to the plain loop | because the pool leaks");
  EXPECT_EQ(told(find_decisions("Dropped Python 3.13 from the matrix for now (its wheels are missing).")),
            "choice of the agent: Dropped Python 3.13 from the matrix for now (its wheels are missing)");
}

TEST(FindDecisions, ListsUnderAHeadingThatSpeaksOfDecisions) {
  EXPECT_THAT(
      sentences(find_decisions("## Design decisions so far\n\nWhere we are:\n\n1. **No lock files.** One writer.\n"
                               "2. Cursors are bytes, never lines.\n\nShall we go on?\n- Not this item of a list.\n")),
      ElementsAre("No lock files. One writer.", "Cursors are bytes, never lines."));
  EXPECT_THAT(find_decisions("These decisions are yours to make.\n- Read the file first of all.\n"), IsEmpty());
}

TEST(FindDecisions, OfAPersonAreDirections) {
  EXPECT_EQ(told(said_by_person("let's use a table instead of the map")),
            "choice of the user: use a table | not the map");
  EXPECT_EQ(told(said_by_person("Fine.\nBut we should keep the old flag for now.")),
            "choice of the user: keep the old flag for now");
  EXPECT_EQ(told(said_by_person("keep the grouping by session")), "choice of the user: the grouping by session");
  EXPECT_EQ(told(said_by_person("make it do one sync a day")), "choice of the user: one sync a day");
  EXPECT_EQ(told(said_by_person("set을 지우지 말자")), "choice of the user: set을 지우지 말자");
  for (const char* text :
       {"let's look at the logs first", "Should we use a table instead?", "I don't know why it fails.",
        "Fix the failing test.", "it doesn't work, the map is empty instead", "", "ok, let's go",
        "let's do 6 and 7 instead", "I think what I want is:", "log a bug and let's move on",
        "yeah, that sounds better instead"})
    EXPECT_THAT(said_by_person(text), IsEmpty()) << text;
  EXPECT_THAT(said_by_person("let's use a table " + std::string(3000, 'x')), IsEmpty()) << "a paste";
}

TEST(Decisions, OfAPersonAreShownWhereALaterReaderUnderstandsThem) {
  const auto shown = [](const char* sentence) {
    const std::vector<Decision> found = said_by_person(sentence);
    return found.size() == 1 && is_shown(found.front());
  };
  for (const char* sentence :
       {"let's use apple containers instead of docker", "kimodo에서 제공되는 파일 이름은 바꾸지 말자.",
        "We should not keep the session index in a server of its own", "I don't want to rely on forceexit",
        "I want the formula to be called homebrew-tab", "We want to store the duration in the row of the turn",
        "and get rid of the stub mode entirely please"})
    EXPECT_TRUE(shown(sentence)) << sentence;
  for (const char* sentence :
       {"actually the tests read well, let's keep it", "let's use something simple instead",
        "let's not make this change here", "This should not be available in the payment dialog.",
        "Let's use a different strategy instead of mine.", "let's not keep the rest of the old one as the default",
        "⏺ review(the index) should not use the map ⎿ Done, 9 tool uses of the agent"})
    EXPECT_FALSE(shown(sentence)) << "speaks of what stands above it: " << sentence;
  for (const char* sentence : {"Don't write code yet, show the tables first.",
                               "I don't want to commit before the parser of dates is done yet.",
                               "We want to make a plan for the git integration of the editor",
                               "Let's use option B instead of A for the store"})
    EXPECT_FALSE(shown(sentence)) << "is about the next work only: " << sentence;
  for (const char* sentence : {"keep the color changes in the header", "The upload should be faster for large files.",
                               "Let's put the parser of dates into a file.", "For now show all bookings of the year."})
    EXPECT_FALSE(shown(sentence)) << "more often an order than a choice: " << sentence;
  EXPECT_FALSE(shown(("let's use the index of the store instead of the map, " + std::string(140, 'x') + ' ' +
                      std::string(140, 'y') + " and the table")
                         .c_str()))
      << "it is cut";
}

TEST(FindDecisions, OfAPersonAreAnswersToWhatWasOffered) {
  const std::string offer = "The name clashes. Want me to rename `EventStop` to `EventTurnEnd`?";
  EXPECT_EQ(told(said_by_person("yes please", offer)),
            "answer of the user: Want me to rename `EventStop` to `EventTurnEnd`?");
  EXPECT_EQ(told(said_by_person("no", offer)),
            "answer of the user:  | not Want me to rename `EventStop` to `EventTurnEnd`?");
  const std::string options =
      "Options:\n1. Keep the branch\n2. Drop the branch, keep its commits\n\nWhich one do you prefer?";
  EXPECT_EQ(told(said_by_person("2, but tag it first", options)),
            "answer of the user: 2. Drop the branch, keep its commits");
  EXPECT_EQ(said_by_person("yes please", offer)[0].sentence,
            "Want me to rename `EventStop` to `EventTurnEnd`?: yes please");
  EXPECT_THAT(said_by_person("yes", "All done. Want me to commit this?"), IsEmpty()) << "the next thing to do anyway";
  EXPECT_THAT(said_by_person("yes", "The parser is fixed."), IsEmpty()) << "nothing was offered";
  EXPECT_THAT(said_by_person("ok. why does it fail?", offer), IsEmpty()) << "asks back";
  for (const char* text : {"3 tests fail now", "10% is too much for that", "2 теста падают"})
    EXPECT_THAT(said_by_person(text, offer), IsEmpty()) << text << ": no option";
  EXPECT_EQ(told(said_by_person("2 but tag it first", options)),
            "answer of the user: 2. Drop the branch, keep its commits");
  EXPECT_EQ(told(said_by_person("\xE2\x98\x91\xEF\xB8\x8F yes please", offer)),
            "answer of the user: Want me to rename `EventStop` to `EventTurnEnd`?");
  EXPECT_THAT(sentences(said_by_person(
                  "1. yes, that is fine\n2. how is that possible?\n3. let's skip it\n4. yeah document it")),
              ElementsAre("yes, that is fine", "let's skip it", "yeah document it"));
}

TEST(FindDecisions, AnswersWithMoreBehindThem) {
  const std::string offer = "The name clashes. Want me to rename `EventStop` to `EventTurnEnd`?";
  EXPECT_EQ(sentences(said_by_person("yes please. Is there no test for this?", offer)),
            sentences(said_by_person("yes please.", offer)));
  const std::string list = "All done. If you like, I can:\n- Add a preview\n- Write the docs?\n";
  EXPECT_THAT(sentences(said_by_person("yes to all", list)),
              ElementsAre("If you like, I can: - Add a preview - Write the docs?: yes to all"));
}

TEST(FindDecisions, ChoicesOfOneOfTheWaysAskedFor) {
  const std::string ways = "We can count commits or read the file. Which way do you prefer?";
  EXPECT_EQ(told(said_by_person("counting would be awesome", ways)), "answer of the user: counting would be awesome");
  EXPECT_THAT(said_by_person("counting would be awesome", "Want me to count?"), IsEmpty());
  EXPECT_THAT(said_by_person("what does counting cost?", ways), IsEmpty()) << "asks back";
  EXPECT_THAT(said_by_person("commit this first", ways), IsEmpty()) << "chooses none";
}

// The part of the text that is read may begin inside a code block.
TEST(FindDecisions, WhatIsOfferedBehindALongCodeBlock) {
  std::string said = "The layers:\n```\n";
  for (int i = 0; i < 80; ++i)
    said += "| a box of the picture    |\n";
  said += "```\nThat solves your requirements.\n\nDoes this approach work for you?\n";
  EXPECT_THAT(sentences(said_by_person("ok", said)), ElementsAre("Does this approach work for you?: ok"));
}

TEST(FindDecisions, PlansThatWereOffered) {
  const std::string offered = "<proposed_plan>\n# Own the skeleton\n\n## Summary\n- …\n</proposed_plan>";
  const auto found = said_by_person("Implement the plan.", offered);
  EXPECT_EQ(told(found), "plan of the user: Own the skeleton");
  EXPECT_THAT(sentences(found), ElementsAre("Own the skeleton: Implement the plan."));
}

TEST(FindDecisions, PlansThatAreHandedOver) {
  EXPECT_EQ(
      told(said_by_person("Implement the following plan:\n\n# Store tags in one table\n\n## Context\nlet's see\n")),
      "plan of the user: Store tags in one table");
  EXPECT_EQ(told(read_choices("Plan accepted: # Store tags in one table ## Context Tags are …")),
            "plan of the user: Store tags in one table");
  const std::string cut = std::string(1988, 'x') + ".\n\n# Одна таблица";  // 2000 bytes are read: splits a letter
  EXPECT_EQ(accepted_plan(cut).sentence, "Одн");
  EXPECT_THAT(read_choices("Plan accepted: "), IsEmpty());
}

TEST(FindDecisions, ChoicesOfADialog) {
  const auto found = read_choices(
      "Where: here or there?: there\nHow many?: as many\nas fit: three\nIs this right?: what about the tests?\nAnd "
      "this?: 为什么？");
  EXPECT_THAT(sentences(found), ElementsAre("Where: here or there?: there", "How many?: as many as fit: three"));
  EXPECT_EQ(told(found[0]), "answer of the user: there");
  EXPECT_THAT(sentences(read_choices("format: NPZ (Recommended)\nsplit: by motion")),
              ElementsAre("format: NPZ (Recommended)", "split: by motion"));
  EXPECT_THAT(sentences(read_choices("Which store?: SQLite\nWhich cache?: \nHow many?: \nthree\nor four")),
              ElementsAre("Which store?: SQLite", "How many?: three or four"));
  EXPECT_THAT(read_choices(""), IsEmpty());
}

TEST(FindDecisions, ReversalsFindWhatTheyTakeBack) {
  const auto one = [](std::string_view text) { return find_decisions(text).at(0); };
  const Decision npy = one("I'll store raw NPY files instead of archives.");
  const Decision pool = one("I decided to use a thread pool for the decoders.");
  EXPECT_TRUE(reverses(one("I'll write one archive instead of raw NPY files."), npy));
  EXPECT_FALSE(reverses(one("I'll write one archive instead of raw NPY files."), pool));
  EXPECT_TRUE(reverses(one("Let me revert to decoders without the thread pool."), pool));
  EXPECT_FALSE(reverses(one("I decided to use a ring buffer for the decoders."), pool)) << "says nothing against it";
}

}  // namespace
}  // namespace memd
