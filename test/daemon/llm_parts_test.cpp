#include "daemon/models/model_run.hpp"
#include "daemon/models/strategies.hpp"
#include "daemon/models/summary_prompts.hpp"
#include "schemas/language_model.hpp"
#include "store/text/token_budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd::llm {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

std::string cleaned(std::string text) { return cleaned_answer(std::move(text), 1000); }

TEST(RecordEnvelope, IsTheSameForTheSameTextOnly) {
  const std::string one = enclosed("text", 7);
  EXPECT_THAT(one, MatchesRegex("<<<RECORD [0-9a-f]+>>>\ntext\n<<<END [0-9a-f]+>>>\n"));
  EXPECT_EQ(enclosed("text", 7), one);
  EXPECT_NE(enclosed("text", 8), one) << "another file, another secret";
  EXPECT_NE(enclosed("texts", 7).substr(10, 16), one.substr(10, 16));
}

TEST(AnswerCleaning, KeepsWhatIsASummary) {
  const std::string plain = "# Parser\n\n- The quote is kept (`parse_case`), see x42.\n\tIt works: 3 < 4.";
  EXPECT_EQ(cleaned(plain), plain);
  const std::string operators = "List.map f <| xs was replaced by xs |> List.map f; nothing else changed.";
  EXPECT_EQ(cleaned(operators), operators);
  EXPECT_EQ(cleaned("Die Lösung hält; Größe 3."), "Die Lösung hält; Größe 3.");
}

TEST(AnswerCleaning, DropsThoughtsRemarksAndMarks) {
  EXPECT_EQ(cleaned("<think>\nLet me see.\n</think>\n\nIt works."), "It works.");
  EXPECT_EQ(cleaned("Let me see.</think>It works."), "It works.") << "the first tag was part of the prompt";
  EXPECT_EQ(cleaned("<think>and so on"), "");
  EXPECT_EQ(cleaned("<think>One.</think>It works.\n<think>Two.</think>Indeed."), "It works.\nIndeed.");
  EXPECT_EQ(cleaned("It works.\n<think>and so on"), "It works.");
  EXPECT_EQ(cleaned("<think>Maybe `</think>` ends it.</think>It works."), "It works.");
  EXPECT_EQ(cleaned("<think>Of <think> and more.</think> Still.</think>It works."), "It works.");
  EXPECT_EQ(cleaned("Sure! Here is the summary:\nIt works."), "It works.");
  EXPECT_EQ(cleaned("**Summary:**\nIt works."), "**Summary:**\nIt works.");
  EXPECT_EQ(cleaned("<<<RECORD 0123456789abcdef>>>\nIt works.\n<<<END 0123456789abcdef>>>"), "It works.");
  EXPECT_EQ(cleaned(std::string(kOwnRequestLine) + "\nIt works."), "It works.");
  EXPECT_EQ(cleaned("It\x1b[31m works.\x07\r\n\n\n\nIndeed."), "It[31m works.\n\nIndeed.");
}

TEST(AnswerCleaning, KeepsWhatASummarySaysOfThoughts) {
  for (const char* said :
       {"The parser stripped the `</think>` tag of answers. It works.", "The parser stripped \"</think>\".\nIt works.",
        "It drops `text <think>`; fixed.", "Tags (`<think>`, `</think>`) are dropped."}) {
    EXPECT_EQ(cleaned(said), said);
    EXPECT_EQ(cleaned("<think>Let me see.</think>\n" + std::string(said)), said);
    EXPECT_EQ(cleaned("Let me see.\n</think>\n" + std::string(said)), said);
  }
}

TEST(AnswerCleaning, DropsCallsOfTools) {
  EXPECT_EQ(cleaned("It works.\n<tool_call>\n{\"name\":\"rm\"}\n</tool_call>\nReally."), "It works.\n\nReally.");
  EXPECT_EQ(cleaned("It works. <function_calls><invoke name=\"rm\">"), "It works.");
  EXPECT_EQ(cleaned("{\"name\": \"rm\", \"arguments\": {}}\nIt works."), "It works.");
  EXPECT_EQ(cleaned("It works.<|im_end|>"), "It works.");
  EXPECT_EQ(cleaned("<|start|>It<|end_of_turn|> works."), "It works.");
  EXPECT_EQ(cleaned("[TOOL_CALLS] [{\"name\":\"rm\"}]"), "");
}

TEST(AnswerCleaning, MasksSecretsAndBoundsLength) {
  EXPECT_THAT(cleaned("password=hunter2-and-more"), Not(HasSubstr("hunter2")));
  std::string endless;
  for (int i = 0; i < 1000; ++i)
    endless += "It goes on. ";
  EXPECT_LE(estimate_tokens(cleaned_answer(endless, 50)), 50u);
}

SummaryInput exchange(std::string_view user, std::string_view answer) {
  SummaryInput in;
  in.label = "x1 2026-02-09 06:01";
  in.user_message = user;
  in.assistant_response = answer;
  return in;
}

TEST(SessionChunks, AreCutBetweenExchanges) {
  const std::vector<SummaryInput> inputs(45, exchange("Please.", "Done."));
  const auto chunks = cut_into_chunks(inputs, {5000, 20});
  ASSERT_EQ(chunks.size(), 3u);
  EXPECT_EQ(chunks[0].first, 0u);
  EXPECT_EQ(chunks[0].last, 19u);
  EXPECT_EQ(chunks[2].first, 40u);
  EXPECT_EQ(chunks[2].last, 44u);
  const auto small = cut_into_chunks(inputs, {60, 20});
  EXPECT_GT(small.size(), 10u);
  for (const auto& chunk : small)
    EXPECT_LE(chunk.tokens, 60u);
}

TEST(SessionChunks, OfAGrownSessionAreTheSameButTheLast) {
  std::vector<SummaryInput> inputs(45, exchange("Please.", "Done."));
  const auto before = cut_into_chunks(inputs, {5000, 20});
  inputs.resize(70, exchange("More.", "Done."));
  const auto after = cut_into_chunks(inputs, {5000, 20});
  EXPECT_EQ(after[0].text, before[0].text);
  EXPECT_EQ(after[1].text, before[1].text);
  EXPECT_NE(after[2].text, before[2].text);
}

TEST(SessionChunks, ALongExchangeKeepsItsRequestAndItsEnd) {
  std::string answer;
  for (int i = 0; i < 3000; ++i)
    answer += "I look at one more file. ";
  const std::size_t offset = answer.size();
  answer += "It was the quote: fixed in parse().";
  SummaryInput in = exchange("Why does it fail?", answer);
  in.answer_offset = offset;
  in.tool_calls = 7;
  in.tool_errors = 2;
  in.files_modified = {"a.cpp", "b.cpp"};
  const auto chunks = cut_into_chunks(std::vector{in}, {1000, 20});
  ASSERT_EQ(chunks.size(), 1u);
  EXPECT_LE(chunks[0].tokens, 1000u);
  EXPECT_GT(chunks[0].tokens, 600u);
  EXPECT_THAT(chunks[0].text,
              testing::StartsWith("[x1 2026-02-09 06:01]\nPerson: Why does it fail?\nAgent: I look at "));
  EXPECT_THAT(chunks[0].text, testing::EndsWith("\nIt was the quote: fixed in parse().\nTools: 7 calls, 2 failed\n"
                                                "Changed: a.cpp, b.cpp\n"));
}

TEST(SessionChunks, NoSecretLeaves) {
  const auto chunks = cut_into_chunks(std::vector{exchange("The password=hunter2-and-more", "Ok.")}, {1000, 20});
  EXPECT_THAT(chunks[0].text, AllOf(HasSubstr("[redacted"), Not(HasSubstr("hunter2"))));
}

TEST(Deadline, StopsWithTheCallerAndWithTime) {
  std::stop_source caller;
  const auto start = std::chrono::steady_clock::time_point{};
  auto now = start;
  const Deadline none(caller.get_token(), std::nullopt, [&] { return now; });
  const Deadline some(caller.get_token(), 10s, [&] { return now; });
  now += 9s;
  EXPECT_FALSE(some.passed());
  now += 1s;
  EXPECT_TRUE(some.passed());
  EXPECT_FALSE(none.passed());
  EXPECT_FALSE(none.token().stop_requested());
  caller.request_stop();
  EXPECT_TRUE(none.token().stop_requested());
  EXPECT_TRUE(some.token().stop_requested());
}

}  // namespace
}  // namespace memd::llm
