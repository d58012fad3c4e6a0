#include "bench/retrieval/datasets.hpp"
#include "schemas/time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace memd::bench {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr const char* kLocomo = R"([{
  "sample_id": "conv-1",
  "conversation": {
    "speaker_a": "Ann", "speaker_b": "Ben",
    "session_1_date_time": "12:05 am on 8 May, 2023",
    "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Hi"},
                  {"speaker": "Ben", "dia_id": "D1:2", "text": "Look", "blip_caption": "a red boat"}],
    "session_2_date_time": "1:56 pm on 25 December, 2023",
    "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "Back"}],
    "session_3_date_time": "1:56 pm on 26 December, 2023"
  },
  "qa": [{"question": "What did Ben show?", "answer": "a boat", "evidence": ["D1:2; D2:1"], "category": 4},
         {"question": "Odd marks?", "evidence": ["D", "D:1:2"], "category": 1},
         {"question": "No marks?", "adversarial_answer": "x", "category": 5}]
}])";

TEST(Datasets, Locomo) {
  const auto file = std::filesystem::path(testing::TempDir()) / "locomo.json";
  std::ofstream(file) << kLocomo;
  const auto dialogs = read_locomo(file);
  std::filesystem::remove(file);
  ASSERT_EQ(dialogs.size(), 1U);
  const LocomoDialog& dialog = dialogs[0];
  EXPECT_EQ(dialog.speaker_a, "Ann");
  ASSERT_EQ(dialog.sessions.size(), 2U) << "a date alone is no session";
  EXPECT_EQ(format_rfc3339(dialog.session(1)->time), "2023-05-08T00:05:00.000Z");
  EXPECT_EQ(format_rfc3339(dialog.session(2)->time), "2023-12-25T13:56:00.000Z");
  EXPECT_EQ(dialog.session(1)->turns[1].caption, "a red boat");
  EXPECT_EQ(dialog.session(3), nullptr);
  ASSERT_EQ(dialog.questions.size(), 3U);
  EXPECT_THAT(dialog.questions[0].evidence, ElementsAre(Pair(1, 2), Pair(2, 1)));
  EXPECT_THAT(dialog.questions[1].evidence, ElementsAre());
  EXPECT_EQ(dialog.questions[2].category, 5);
}

constexpr const char* kLongMemEval = R"([{
  "question_id": "q1_abs", "question_type": "multi-session", "question": "How many boats?", "answer": 2,
  "question_date": "2023/06/01 (Thu) 10:00",
  "haystack_session_ids": ["s1", "answer_s2"],
  "haystack_dates": ["2023/05/20 (Sat) 02:36", "2023/05/21"],
  "haystack_sessions": [[{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}],
                        [{"role": "user", "content": "two boats", "has_answer": true}]],
  "answer_session_ids": ["answer_s2"]
}])";

TEST(Datasets, LongMemEval) {
  const auto questions = parse_longmemeval(kLongMemEval);
  ASSERT_EQ(questions.size(), 1U);
  const LongMemEvalQuestion& q = questions[0];
  EXPECT_TRUE(q.is_abstention());
  ASSERT_EQ(q.haystack.size(), 2U);
  EXPECT_EQ(format_rfc3339(q.haystack[0].time), "2023-05-20T02:36:00.000Z");
  EXPECT_EQ(format_rfc3339(q.haystack[1].time), "2023-05-21T00:00:00.000Z");
  EXPECT_TRUE(q.haystack[0].turns[0].by_user);
  EXPECT_FALSE(q.haystack[0].turns[1].by_user);
  EXPECT_THAT(q.answer_sessions, ElementsAre("answer_s2"));
}

TEST(Datasets, LongMemEvalWithoutADateForEachSessionIsRefused) {
  std::string text = kLongMemEval;
  text.replace(text.find(", \"2023/05/21\""), 14, "");
  EXPECT_THROW(parse_longmemeval(text), std::exception);
}

}  // namespace
}  // namespace memd::bench
