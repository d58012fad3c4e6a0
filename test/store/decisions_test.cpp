#include "store/insight/summary/decisions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

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
       })
    EXPECT_THAT(find_decisions(text), ElementsAre(text));
  EXPECT_THAT(find_decisions("先看代码。我们决定不改接口！然后测试。"), ElementsAre("我们决定不改接口！"));
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
           "Would you like me to go with the first one?",
           "The installation instructions are instead of limited use.",
           "",
           "going with",
       })
    EXPECT_THAT(find_decisions(text), IsEmpty()) << text;
}

TEST(FindDecisions, TakesTheSentenceOutOfItsSurroundings) {
  EXPECT_THAT(find_decisions("Thanks. I'll use `v1.2` of foo.h instead of bar, since it builds. Next step.\n"
                             "- Going with option two. It is shorter.\n"),
              ElementsAre("I'll use `v1.2` of foo.h instead of bar, since it builds.", "Going with option two."));
}

TEST(FindDecisions, CodeBlocksDoNotCount) {
  EXPECT_THAT(find_decisions("```\n# decided to skip this test\n```\nWe decided to keep that test.\n"),
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
  EXPECT_LE(cut[0].size(), kDecisionBytes);
  EXPECT_TRUE(cut[0].ends_with("…"));
}

}  // namespace
}  // namespace memd
