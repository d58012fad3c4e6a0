// Decisions from a configured language model stand beside what clients recorded if their sentences were really said.
#include "daemon/models/decision_judge.hpp"
#include "daemon/models/decision_prompts.hpp"
#include "schemas/base/error.hpp"
#include "store/read/observations.hpp"
#include "store/text/token_budget.hpp"
#include "test/support/analyze_all.hpp"
#include "test/support/golden_file.hpp"
#include "test/support/scripted_model.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/writer_fixture.hpp"

#include <gmock/gmock.h>

namespace memd::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kTold = R"({"decisions": [
  {"sentence": "Let me take both versions.", "kind": "choice", "by": "agent", "chosen": "both versions",
   "why": "nobody told the model"}]})";

class DecisionJudgeTest : public WriterFixture {
 protected:
  DecisionJudgeTest() {
    clock_.set(kLater);
    script_.user("Merge the two branches.")
        .answer("Going with SQLite because it is one file. Let me take both versions.")
        .choice("Which name?: memd");
    model_->answer_with([](const CompletionRequest&) { return ScriptedModel::says(kTold); });
  }
  void take_in(const EventScript& script) {
    apply(script.batch());
    ASSERT_TRUE(analyze_all(*writer_, clock_.now()));
  }
  // Runs the judge as a new process would, until nothing is pending or an error occurs.
  DecisionsStatus judge() {
    std::vector<llm::LanguageModelChoice> choices;
    choices.push_back({model_, [this] { return left_alone_; }});
    llm::ConfiguredSummarizer models(std::move(choices), dir_ / "summaries.db", clock_, options_);
    llm::DecisionJudge judge(models, file_, [this](std::function<Result<void>(Writer&)> task) -> Result<void> {
      if (before_write_) std::exchange(before_write_, {})();
      return task(*writer_);
    });
    Result<bool> more = true;
    while (more && *more)
      more = judge.judge_next({});
    return judge.progress();
  }
  std::vector<std::string> decisions() const {
    return rows(
        "SELECT o.content || iif(d.judged_by <> '', ' | ' || d.judged_by, '') FROM observations o JOIN decisions d"
        " USING (observation_pk) WHERE o.type = 'decision' ORDER BY o.event_seq, o.observation_pk");
  }

  static constexpr TimeMs kLater = 1'770'000'000'000 + kMsPerDay;
  EventScript script_;
  std::shared_ptr<ScriptedModel> model_ = std::make_shared<ScriptedModel>();
  std::string left_alone_;
  llm::SummarizerOptions options_;
  std::function<void()> before_write_;
};

constexpr const char* kByModel = "Let me take both versions. | scripted/m";
constexpr const char* kRecorded = "Which name?: memd";

TEST_F(DecisionJudgeTest, ItsAnswerIsAddedToWhatTheClientRecorded) {
  take_in(script_);
  EXPECT_THAT(decisions(), ElementsAre(kRecorded));
  const auto progress = judge();
  EXPECT_EQ(progress.exchanges, 1);
  EXPECT_EQ(progress.waiting, 0);
  EXPECT_EQ(progress.trouble, "");
  EXPECT_THAT(decisions(), testing::UnorderedElementsAre(kByModel, kRecorded));
  auto db = reading();
  for (const Observation& o : queries::observations_of(db, 1, 0, 0)) {
    if (o.content == kRecorded) continue;
    EXPECT_EQ(o.decision->chosen, "both versions");
    EXPECT_EQ(o.decision->reason, "") << "a part that nobody said is left out";
    EXPECT_EQ(o.decision->by, DecidedBy::agent);
  }
  judge();
  EXPECT_THAT(model_->asked(), SizeIs(1)) << "once";
}

TEST_F(DecisionJudgeTest, WhatNobodySaidIsDroppedAndCounted) {
  model_->answer_with([](const CompletionRequest&) {
    return ScriptedModel::says(R"({"decisions": [{"sentence": "We use PostgreSQL.", "by": "agent"}, {"by": "agent"},
                               {"sentence": "**Merge** the two\nbranches", "by": "agent", "kind": "plan"}]})");
  });
  take_in(script_);
  const auto progress = judge();
  EXPECT_EQ(progress.not_said, 2);
  EXPECT_THAT(decisions(), testing::UnorderedElementsAre(HasSubstr("the two branches | scripted/m"), kRecorded));
  EXPECT_THAT(rows("SELECT decided_by FROM decisions WHERE judged_by <> ''"), ElementsAre("0"))
      << "the speaker is whoever said it";
}

TEST_F(DecisionJudgeTest, AnAnswerThatIsNoListChangesNothingAndIsNotAskedForAgain) {
  model_->answer_with([](const CompletionRequest&) { return ScriptedModel::says("I decided to use {SQLite}."); });
  take_in(script_);
  EXPECT_EQ(judge().unreadable, 1);
  EXPECT_THAT(decisions(), ElementsAre(kRecorded));
  judge();
  EXPECT_THAT(model_->asked(), SizeIs(1));
}

TEST_F(DecisionJudgeTest, WhileTheServerIsDownItIsTold) {
  take_in(script_);
  left_alone_ = "the server is down";
  EXPECT_THAT(judge().trouble, HasSubstr("the server is down"));
  EXPECT_THAT(decisions(), ElementsAre(kRecorded));
  EXPECT_THAT(model_->asked(), IsEmpty());
  left_alone_.clear();
  EXPECT_EQ(judge().trouble, "");
  EXPECT_THAT(decisions(), testing::UnorderedElementsAre(kByModel, kRecorded));
}

TEST_F(DecisionJudgeTest, KilledInTheMiddleItGoesOnWhereItWas) {
  script_.user("And the tests?").answer("I'll keep the old tests instead of new ones.");
  take_in(script_);
  const auto fail_second = [this](const CompletionRequest& r) -> Result<Completion> {
    if (r.prompt.find("[The person]\nAnd the tests?") == std::string::npos) return ScriptedModel::says(kTold);
    left_alone_ = "the server is down";
    return Error(Errc::unavailable, left_alone_);
  };
  model_->answer_with(fail_second);
  EXPECT_THAT(judge().trouble, HasSubstr("the server is down"));
  EXPECT_THAT(decisions(), testing::UnorderedElementsAre(kByModel, kRecorded));
  left_alone_.clear();
  model_->answer_with([](const CompletionRequest&) { return ScriptedModel::says(R"({"decisions": []})"); });
  open();
  judge();
  EXPECT_THAT(model_->asked(), SizeIs(3)) << "the first exchange is not asked about twice";
  EXPECT_THAT(decisions(), testing::UnorderedElementsAre(kByModel, kRecorded));
}

TEST_F(DecisionJudgeTest, ASessionThatGoesOnIsJudgedAnewAndAskedAboutOnlyWhatIsNew) {
  take_in(script_);
  judge();
  script_.user("Drop the cache.").answer("Done.");
  take_in(script_);
  EXPECT_EQ(judge().exchanges, 2);
  EXPECT_THAT(model_->asked(), SizeIs(2));
  EXPECT_THAT(model_->asked().back().prompt, AllOf(HasSubstr("Drop the cache."), Not(HasSubstr("Merge the two"))));
}

TEST_F(DecisionJudgeTest, WhatIsWrittenMeanwhileIsNotTouched) {
  take_in(script_);
  before_write_ = [this] {
    clock_.advance(1);
    apply(script_.user("Tell me about it.").batch());
  };
  judge();
  EXPECT_THAT(decisions(), ElementsAre(kRecorded)) << "it waits for its analysis";
  ASSERT_TRUE(analyze_all(*writer_, clock_.now()));
  judge();
  EXPECT_THAT(decisions(), testing::UnorderedElementsAre(kByModel, kRecorded));
}

TEST_F(DecisionJudgeTest, OfASessionThatIsForgottenMeanwhileNothingMoreIsSentOrKept) {
  script_.user("And the tests?").answer("They stay.");
  take_in(script_);
  model_->answer_with([this](const CompletionRequest&) {
    sqlite::Database::open(file_, sqlite::OpenMode::read_write).exec("PRAGMA foreign_keys = OFF; DELETE FROM sessions");
    return ScriptedModel::says(kTold);
  });
  judge();
  EXPECT_THAT(model_->asked(), SizeIs(1));
  auto answers = sqlite::Database::open(dir_ / "summaries.db", sqlite::OpenMode::read_only);
  auto& q = answers.prepare("SELECT count(*) FROM answers");
  ASSERT_TRUE(q.step());
  EXPECT_EQ(q.int64(0), 0);
  q.reset();
}

TEST_F(DecisionJudgeTest, TakesHalfOfTheBudgetAtMost) {
  options_.budget.requests = 2;
  script_.user("And the tests?").answer("They stay.");
  take_in(script_);
  EXPECT_THAT(judge().trouble, HasSubstr("today"));
  EXPECT_THAT(model_->asked(), SizeIs(1));
  clock_.advance(kMsPerDay);
  EXPECT_EQ(judge().trouble, "");
  EXPECT_THAT(model_->asked(), SizeIs(2));
}

TEST_F(DecisionJudgeTest, ATextThatNoModelTakesDoesNotHoldUpTheOthers) {
  script_.user("And the tests?").answer("They stay.");
  take_in(script_);
  model_->answer_with([](const CompletionRequest& r) -> Result<Completion> {
    if (r.prompt.find("[The person]\nMerge") != std::string::npos) return Error(Errc::invalid_argument, "refused");
    return ScriptedModel::says(R"({"decisions": [{"sentence": "They stay.", "by": "agent"}]})");
  });
  const auto progress = judge();
  EXPECT_EQ(progress.unreadable, 1);
  EXPECT_EQ(progress.waiting, 0);
  EXPECT_THAT(decisions(), ElementsAre(kRecorded, "They stay. | scripted/m"));
}

TEST_F(DecisionJudgeTest, ALaterDecisionTakesAnEarlierOneBack) {
  script_.user("Name it.").answer("It is called memory.").user("Hm.").answer("No, back to the other name.");
  take_in(script_);
  model_->answer_with([](const CompletionRequest& r) {
    if (r.prompt.find("[The person]\nName it.") != std::string::npos)
      return ScriptedModel::says(
          R"({"decisions": [{"sentence": "It is called memory.", "by": "agent", "chosen": "memory"}]})");
    if (r.prompt.find("[The person]\nHm.") != std::string::npos)
      return ScriptedModel::says(R"({"decisions": [{"sentence": "No, back to the other name.", "kind": "reversal",
                                 "by": "agent", "chosen": "the other name", "rejected": "memory"}]})");
    return ScriptedModel::says(R"({"decisions": []})");
  });
  judge();
  EXPECT_THAT(rows("SELECT o.content FROM decisions d JOIN observations o USING (observation_pk)"
                   " WHERE d.reversed_by IS NOT NULL"),
              ElementsAre("It is called memory."));
}

// Replaces the random tag of each mark: "<<<END 0123456789abcdef>>>".
std::string without_tags(std::string text) {
  for (const std::string_view mark : {"<<<RECORD ", "<<<END "})
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
      at += mark.size();
      if (text.find_first_not_of("0123456789abcdef", at) == at + 16) text.replace(at, 16, "tag");
    }
  return text;
}

TEST_F(DecisionJudgeTest, TheRequestWordForWord) {
  ExchangeToJudge exchange;
  exchange.before = "Shall I use SQLite or files?";
  exchange.user_message = "SQLite. The key is AKIAIOSFODNN7EXAMPLE.";
  exchange.interventions = "And no cache.";
  exchange.dialogs = {"Which name?: memd"};
  exchange.assistant_response = "Going with SQLite.";
  const auto r = llm::decision_request(exchange, 1, 8192).request;
  EXPECT_THAT(r.prompt, Not(HasSubstr("AKIAIOSFODNN7EXAMPLE")));
  expect_golden(source_dir() / "test" / "golden" / "llm" / "decisions.txt",
                "--- system\n" + r.system + "--- prompt\n" + without_tags(r.prompt));
}

TEST_F(DecisionJudgeTest, ALongExchangeIsCutToTheContextOfTheModel) {
  ExchangeToJudge exchange;
  exchange.user_message = "Use files.";
  for (int i = 0; i < 20'000; ++i)
    exchange.assistant_response += "word" + std::to_string(i) + " ";
  const auto r = llm::decision_request(exchange, 1, 4096).request;
  EXPECT_LT(estimate_tokens(r.system) + estimate_tokens(r.prompt) + r.max_tokens, 4096u);
  EXPECT_THAT(r.prompt, HasSubstr("Use files."));
}

}  // namespace
}  // namespace memd::test
