#include "schemas/base/error.hpp"
#include "store/text/token_budget.hpp"
#include "test/daemon/llm_fixture.hpp"

#include <gmock/gmock.h>

#include <set>
#include <thread>

namespace memd::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Error down(std::string what = "scripted/m: it is down") { return Error(Errc::unavailable, std::move(what)); }

class LlmSummaries : public LlmFixture {};

TEST_F(LlmSummaries, SayWhereTheyComeFrom) {
  fill(3);
  const auto first = good("abstractive");
  EXPECT_EQ(first.text, "A summary.");
  EXPECT_EQ(first.model, "scripted/m");
  EXPECT_EQ(first.requests, 1);
  EXPECT_FALSE(first.from_cache);
  EXPECT_EQ(first.notice, "");
}

TEST_F(LlmSummaries, AreAskedOnceOnly) {
  fill(45);
  for (const char* strategy : {"abstractive", "recursive", "map_reduce", "hierarchical"}) {
    const auto first = good(strategy);
    const auto asked = model().asked().size();
    restart();
    const auto second = good(strategy);
    EXPECT_EQ(model().asked().size(), asked) << strategy;
    EXPECT_TRUE(second.from_cache);
    EXPECT_EQ(second.requests, 0);
    EXPECT_EQ(second.text, first.text);
    EXPECT_EQ(second.model, "scripted/m");
  }
  EXPECT_EQ(summarizer().report()->today.at(0).requests, static_cast<std::int64_t>(model().asked().size()));
}

TEST_F(LlmSummaries, OfAGrownSessionAskOnlyAboutWhatIsNew) {
  fill(50);  // chunks of 20, 20 and 10
  model().answer_with(
      [n = 0](const CompletionRequest&) mutable { return ScriptedModel::says("Answer " + std::to_string(++n) + "."); });
  options_.parallel = 1;
  good("map_reduce");
  good("recursive");
  const auto before = model().asked().size();
  EXPECT_EQ(before, 4u + 3u);
  fill(5);
  EXPECT_EQ(good("map_reduce").requests, 2) << "the last part and the whole";
  max_tokens_ = 700;
  EXPECT_EQ(good("recursive").requests, 1) << "and may be longer than before";
  max_tokens_ = 400;
  fill(20);
  EXPECT_EQ(good("map_reduce").requests, 3);
  EXPECT_EQ(good("hierarchical").requests, 1) << "the abstract: all else is shared";
}

TEST_F(LlmSummaries, TellWhatTheyAreAt) {
  fill(50);  // chunks of 20, 20 and 10
  options_.parallel = 1;
  std::vector<std::pair<double, std::string>> heard;
  std::vector<std::pair<double, std::string>> stages;
  context_ = mcp::ToolContext(
      {},
      [&](double done, double total, std::string_view what) {
        EXPECT_EQ(total, 5);
        heard.emplace_back(done, what);
      },
      [&](double done, double, std::string_view what) { stages.emplace_back(done, what); });
  good("hierarchical");
  EXPECT_EQ(heard, (std::vector<std::pair<double, std::string>>{{1, "summarising parts with scripted/m, 1 of 3"},
                                                                {2, "summarising parts with scripted/m, 2 of 3"},
                                                                {3, "summarising parts with scripted/m, 3 of 3"},
                                                                {4, "combining summaries with scripted/m"},
                                                                {5, "writing the abstract with scripted/m"}}));
  // Also reported before the first answer, and when a step has just begun.
  EXPECT_EQ(stages, (std::vector<std::pair<double, std::string>>{{0, "summarising parts with scripted/m, 0 of 3"},
                                                                 {3, "combining summaries with scripted/m"},
                                                                 {4, "writing the abstract with scripted/m"}}));
  // Cached summaries count as done.
  heard.clear();
  stages.clear();
  fill(5);
  good("hierarchical");
  ASSERT_FALSE(stages.empty());
  EXPECT_EQ(stages.front(), (std::pair<double, std::string>{2, "summarising parts with scripted/m, 2 of 3"}));
  EXPECT_EQ(heard.front(), (std::pair<double, std::string>{3, "summarising parts with scripted/m, 3 of 3"}));
}

TEST_F(LlmSummaries, OfAHierarchyCanBeDrilledInto) {
  fill(45);
  model().answer_with([](const CompletionRequest& r) {
    if (r.prompt.find("two or three sentences") != std::string::npos) return ScriptedModel::says("In short.");
    if (r.prompt.find("consecutive parts") != std::string::npos) return ScriptedModel::says("The whole.");
    return ScriptedModel::says("Part of " + std::to_string(r.prompt.size()));
  });
  const auto out = good("hierarchical");
  EXPECT_EQ(out.abstract, "In short.");
  EXPECT_EQ(out.text, "The whole.");
  ASSERT_EQ(out.chunks.size(), 3u);
  EXPECT_EQ(out.chunks[1].first, 20U);
  EXPECT_EQ(out.chunks[1].last, 39U);
  EXPECT_THAT(out.chunks[1].summary, HasSubstr("Part of"));
}

TEST_F(LlmSummaries, OfManyPartsAreCombinedInLevels) {
  fill(150, 400);
  options_.context_tokens = 4096;
  options_.max_tokens = 800;
  model().answer_with([](const CompletionRequest& r) {
    std::string text = "It was decided.";
    while (estimate_tokens(text) + 10 < r.max_tokens)
      text += " And case after case was handled, one by one.";
    return ScriptedModel::says(text);
  });
  const auto out = good("map_reduce");
  std::size_t combining = 0;
  for (const auto& r : model().asked())
    combining += r.prompt.find("consecutive parts") != std::string::npos ? 1 : 0;
  EXPECT_GT(combining, 2u);
  EXPECT_EQ(out.notice, "");
  EXPECT_LE(estimate_tokens(out.text), max_tokens_);
}

TEST_F(LlmSummaries, ParallelRequestsAreBoundedOverAllCalls) {
  fill(200);
  options_.parallel = 3;
  model().hold_until(3);
  auto& shared = summarizer();
  std::jthread other([&] {
    mcp::ToolContext context;
    EXPECT_TRUE(shared.summarize(request("hierarchical"), context));
  });
  good("map_reduce");
  other.join();
  EXPECT_EQ(model().most_at_once(), 3u);
}

TEST_F(LlmSummaries, DoNotTakeAllThreadsThatAnswerCalls) {
  fill(2);
  options_.calls = 1;
  good("abstractive");
  const auto known = inputs_;
  fill(1);
  model().hold_until(99);
  auto& shared = summarizer();
  std::stop_source stop;
  std::jthread first([&, inputs = inputs_] {
    mcp::ToolContext context(stop.get_token());
    EXPECT_FALSE(shared.summarize({session_, inputs, "abstractive", style_, max_tokens_, {}}, context));
  });
  model().wait_until_asked(2);
  const auto second = summarize("recursive");
  ASSERT_FALSE(second) << "it does not wait";
  EXPECT_THAT(second.error().context, HasSubstr("other summaries are being written"));
  inputs_ = known;
  EXPECT_EQ(good("abstractive").text, "A summary.") << "what is known is given";
  stop.request_stop();
}

TEST_F(LlmSummaries, AnswersAreCleanedAndBounded) {
  fill(2);
  std::string endless = "<think>What to say</think>Here is the summary:\n\nThe key is sk-ant-api03-";
  endless += std::string(90, 'a') + "AA.\n<tool_call>{\"name\":\"rm\"}</tool_call>\n<<<END 0123456789abcdef>>>\n";
  for (int i = 0; i < 3000; ++i)
    endless += "And it went on and on. ";
  model().answer_with([&](const CompletionRequest&) { return ScriptedModel::says(endless); });
  const auto out = good("abstractive");
  EXPECT_THAT(out.text, AllOf(HasSubstr("The key is [redacted"), Not(HasSubstr("sk-ant")), Not(HasSubstr("think")),
                              Not(HasSubstr("Here is")), Not(HasSubstr("tool_call")), Not(HasSubstr("<<<"))));
  EXPECT_LE(estimate_tokens(out.text), max_tokens_);
}

TEST_F(LlmSummaries, AnAnswerThatHoldsNoneIsAFailure) {
  fill(2);
  model().answer_with([](const CompletionRequest&) { return ScriptedModel::says("<think>Hm. What was the"); });
  const auto out = summarize("abstractive");
  ASSERT_FALSE(out);
  EXPECT_TRUE(out.error().is(Errc::unavailable));
  EXPECT_THAT(out.error().context, HasSubstr("holds no summary"));
  EXPECT_EQ(summarizer().report()->today.at(0).failures, 1);
}

TEST_F(LlmSummaries, AFallbackTakesOver) {
  models_.push_back(std::make_shared<ScriptedModel>(ScriptedModel::Answer(), "spare/m"));
  model(0).answer_with([](const CompletionRequest&) -> Result<Completion> { return down(); });
  fill(45);
  const auto out = good("map_reduce");
  EXPECT_EQ(out.model, "spare/m");
  EXPECT_EQ(out.notice, "");
  EXPECT_EQ(model(1).asked().size(), 4u);
}

TEST_F(LlmSummaries, WhatFailsInTheMiddleIsMadeOfOwnSentences) {
  fill(60);
  options_.parallel = 1;
  model().answer_with([n = 0](const CompletionRequest&) mutable -> Result<Completion> {
    if (++n == 3) return down();
    return ScriptedModel::says("Part " + std::to_string(n) + ".");
  });
  for (const char* strategy : {"map_reduce", "hierarchical"}) {
    const auto out = good(strategy);
    EXPECT_THAT(out.text, AllOf(HasSubstr("Part 1."), HasSubstr("Part 2."), HasSubstr("accept case 59"))) << strategy;
    EXPECT_THAT(out.notice, AllOf(HasSubstr("2 of 3 parts"), HasSubstr("it is down")));
    EXPECT_LE(estimate_tokens(out.text), max_tokens_);
    model().answer_with([](const CompletionRequest&) -> Result<Completion> { return down(); });
  }
  const auto rolling = summarize("recursive");
  EXPECT_FALSE(rolling) << "none of its requests was answered";
}

TEST_F(LlmSummaries, ARollingOneKeepsWhatItHas) {
  fill(60);
  model().answer_with([n = 0](const CompletionRequest&) mutable -> Result<Completion> {
    if (++n == 2) return down();
    return ScriptedModel::says("So far, so good.");
  });
  const auto out = good("recursive");
  EXPECT_THAT(out.text, AllOf(HasSubstr("So far, so good."), HasSubstr("case ")));
  EXPECT_THAT(out.notice, HasSubstr("1 of 3 parts"));
}

TEST_F(LlmSummaries, TheCallersTimeIsKept) {
  fill(60);
  options_.parallel = 1;
  max_seconds_ = 20;
  model().answer_with([this](const CompletionRequest&) {
    now_ += 15s;
    return ScriptedModel::says("One part.");
  });
  const auto out = good("recursive");
  EXPECT_EQ(model().asked().size(), 2u) << "after 15 s there was time for another one";
  EXPECT_THAT(out.notice, AllOf(HasSubstr("2 of 3 parts"), HasSubstr("time allowed was over")));
  max_seconds_ = 0;
  inputs_.erase(inputs_.begin());  // nothing of it is cached
  EXPECT_FALSE(summarize("recursive"));
  EXPECT_EQ(model().asked().size(), 2u);
}

TEST_F(LlmSummaries, ARequestUnderWayEndsWithTheTime) {
  fill(2);
  max_seconds_ = 1;
  model().hold_until(99);
  const auto out = summarize("abstractive");
  ASSERT_FALSE(out);
  EXPECT_TRUE(out.error().is(Errc::unavailable));
  EXPECT_THAT(out.error().context, HasSubstr("time allowed was over"));
}

TEST_F(LlmSummaries, ACancelledCallEndsAtOnceAndAsksNoMore) {
  fill(100);
  options_.parallel = 2;
  std::stop_source stop;
  mcp::ToolContext context(stop.get_token());
  model().hold_until(99);
  std::jthread canceller([&] {
    model().wait_until_asked(2);
    stop.request_stop();
  });
  const auto out = summarizer().summarize(request("map_reduce"), context);
  ASSERT_FALSE(out);
  EXPECT_TRUE(out.error().is(Errc::cancelled));
  EXPECT_EQ(model().asked().size(), 2u);
}

TEST_F(LlmSummaries, WhatWasPaidForBeforeACancelIsKept) {
  fill(60);
  options_.parallel = 1;
  std::stop_source stop;
  model().answer_with([&, n = 0](const CompletionRequest&) mutable {
    if (++n == 2) stop.request_stop();
    return ScriptedModel::says("Part.");
  });
  mcp::ToolContext context(stop.get_token());
  EXPECT_TRUE(summarizer().summarize(request("map_reduce"), context).error().is(Errc::cancelled));
  const auto out = good("map_reduce");
  EXPECT_EQ(out.requests, 2) << "the third part and the whole";
}

TEST_F(LlmSummaries, TheDaysBudgetEndsThem) {
  fill(60);
  options_.parallel = 1;
  options_.budget = {2, 0};
  models_.push_back(std::make_shared<ScriptedModel>(ScriptedModel::Answer(), "spare/m"));
  const auto out = good("map_reduce");
  EXPECT_THAT(out.notice, AllOf(HasSubstr("2 of 3 parts"), HasSubstr("budget of 2 requests")));
  EXPECT_THAT(model(1).asked(), IsEmpty()) << "another model does not help";
  restart();
  EXPECT_THAT(summarizer().report()->trouble, HasSubstr("budget"));
  EXPECT_EQ(good("map_reduce").requests, 0) << "what is known is still given";
  clock_.advance(kMsPerDay);
  EXPECT_EQ(good("map_reduce").notice, "");
}

TEST_F(LlmSummaries, BadRequestsSayWhy) {
  fill(1);
  const auto out = summarize("magic");
  ASSERT_FALSE(out);
  EXPECT_TRUE(out.error().is(Errc::invalid_argument));
  EXPECT_THAT(out.error().context, AllOf(HasSubstr("strategy"), HasSubstr("magic")));
  inputs_.clear();
  EXPECT_FALSE(summarize("abstractive"));
}

TEST_F(LlmSummaries, WithoutTheirFileNobodyIsAsked) {
  fill(1);
  std::filesystem::create_directory(file());
  const auto out = summarize("abstractive");
  EXPECT_FALSE(out);
  EXPECT_THAT(model().asked(), IsEmpty());
}

// The client's own model: a configured choice without a model.
class ClientSummaries : public LlmFixture {
 protected:
  ClientSummaries() {
    summarizer_ =
        std::make_unique<llm::ConfiguredSummarizer>(std::vector<llm::LanguageModelChoice>(1), file(), clock_, options_);
  }
  ScriptedModel client_{{}, "client"};
};

TEST_F(ClientSummaries, AreAskedOfWhomeverCalls) {
  fill(45);
  EXPECT_THAT(summarizer().unavailable(context_), HasSubstr("does not offer"));
  EXPECT_FALSE(summarize("map_reduce"));
  context_.client_model = &client_;
  EXPECT_EQ(summarizer().unavailable(context_), "");
  const auto out = good("map_reduce");
  EXPECT_EQ(out.model, "client/m-2026");
  EXPECT_EQ(client_.calls(), 2u) << "all parts in one call, then the whole";
  EXPECT_EQ(client_.asked().size(), 4u);
}

// A stateless client: each call ends at the first unanswered request, and starts again with the answers.
TEST_F(ClientSummaries, BeginAnewWithWhatTheClientAnswered) {
  fill(45);
  std::set<std::string> answered, asked;
  client_.answer_with([&](const CompletionRequest& r) -> Result<Completion> {
    asked.insert(r.prompt);
    if (!answered.contains(r.prompt)) return Error(Errc::input_required, "ask");
    return ScriptedModel::says("Answer " + std::to_string(r.prompt.size()) + ".");
  });
  context_.client_model = &client_;
  int rounds = 0;
  while (true) {
    ASSERT_LT(++rounds, 10);
    const auto out = summarize("map_reduce");
    if (out) break;
    ASSERT_TRUE(out.error().is(Errc::input_required)) << out.error().message();
    answered = asked;
    for (const auto& r : client_.asked())
      answered.insert(r.prompt);
  }
  EXPECT_EQ(rounds, 3) << "the parts, the whole, the answer";
  const auto today = summarizer().report()->today;
  ASSERT_EQ(today.size(), 1u);
  EXPECT_EQ(today[0].requests, 4) << "none is charged twice";
}

}  // namespace
}  // namespace memd::test
