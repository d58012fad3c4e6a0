#include "store/insight/outcome.hpp"

#include "schemas/base/hash.hpp"
#include "store/enrich/session_analysis.hpp"
#include "store/read/session_end.hpp"
#include "test/support/event_script.hpp"
#include "test/support/writer_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {
namespace {

using Last = SessionEnd::Last;
using test::EventScript;
using testing::Contains;
using testing::Not;

std::vector<OutcomeSign> signs_in(const JudgedOutcome& judged) {
  std::vector<OutcomeSign> out;
  for (const OutcomeReason& reason : judged.reasons)
    out.push_back(reason.sign);
  return out;
}

SessionEnd answered(std::string request, std::string answer) {
  SessionEnd end;
  end.last = Last::answer;
  end.asked_by_person = true;
  end.request = std::move(request);
  end.answer = std::move(answer);
  return end;
}

SessionEnd said(std::string words) {
  SessionEnd end;
  end.last = Last::words;
  end.asked_by_person = true;
  end.request = end.last_words = std::move(words);
  return end;
}

TEST(JudgeOutcome, AnAgentThatCouldNotIsNoSuccess) {
  for (const char* last : {"I was not able to fix it. The problem remains.",
                           "I've updated the parser.\n\nI couldn't get the build to pass: tests still fail on Linux.",
                           "Не удалось исправить: тесты по-прежнему падают.", "无法修复，测试仍然失败。",
                           "修正できませんでした。", "수정하지 못했습니다. 여전히 실패합니다."}) {
    SessionEnd end = answered("fix the parser", last);
    end.files_changed = 2;
    const JudgedOutcome judged = judge_outcome(end);
    EXPECT_EQ(judged.value, Outcome::fail) << last;
    ASSERT_FALSE(judged.reasons.empty());
    EXPECT_EQ(judged.reasons.front().speaks_for, Outcome::fail) << last;
  }
}

TEST(JudgeOutcome, WorkThatIsReportedIsASuccess) {
  for (const char* last : {"Done. All tests pass.", "Committed as `1a2b3c4` and pushed.", "I've added the flag.",
                           "Готово: добавил флаг, тесты проходят.", "已完成，所有测试通过。", "フラグを追加しました。",
                           "플래그를 추가했습니다."}) {
    SessionEnd end = answered("add a flag", last);
    end.files_changed = 1;
    const JudgedOutcome judged = judge_outcome(end);
    EXPECT_EQ(judged.value, Outcome::success) << last;
    EXPECT_THAT(signs_in(judged), Contains(OutcomeSign::reports_done)) << last;
  }
}

TEST(JudgeOutcome, AnAnswerAloneIsNone) {
  EXPECT_EQ(judge_outcome(answered("let's think about the cache", "It has three layers.")).value, Outcome::unknown);
  EXPECT_EQ(judge_outcome(answered("how many layers has the cache?", "It has three.")).value, Outcome::success);
  SessionEnd task = answered("Look at the cache and report.", "It has three layers.");
  task.asked_by_person = false;
  EXPECT_EQ(judge_outcome(task).value, Outcome::success) << "what a subagent reports";
}

TEST(JudgeOutcome, DoubtsOutweighWhatWasDone) {
  const struct {
    const char* last;
    OutcomeSign sign;
  } kCases[] = {
      {"I've added two ways to do it. Which one do you prefer?", OutcomeSign::agent_asks},
      {"I fixed the import. Please run `npm test` again.", OutcomeSign::untested},
      {"I fixed the import. If it still fails, paste the output.", OutcomeSign::untested},
      {"Готово, добавил оба варианта. Какой вы предпочитаете?", OutcomeSign::agent_asks},
      {"已完成两种方案，您希望用哪个？", OutcomeSign::agent_asks},
      {"I've added two ways to do it.\n\n**Questions:**\n\n1. Full names or short ones? The list is narrow.",
       OutcomeSign::agent_asks},
      {"I've added it, but the bug was none. Should I revert it?", OutcomeSign::agent_asks},
      {"I fixed the import. If the job still fails:\n- wait a minute\n- look at the log\n\nAlso:\n- a\n- b\n- c",
       OutcomeSign::untested},
  };
  for (const auto& c : kCases) {
    SessionEnd end = answered("fix it", c.last);
    end.files_changed = 1;
    end.commits = 1;
    const JudgedOutcome judged = judge_outcome(end);
    EXPECT_EQ(judged.value, Outcome::unknown) << c.last;
    EXPECT_THAT(signs_in(judged), Contains(c.sign)) << c.last;
  }
  SessionEnd tested = answered("fix it", "Fixed. CI should turn green now.");
  tested.files_changed = 1;
  tested.commits = 1;
  tested.tests = RunOutcome::passed;
  EXPECT_EQ(judge_outcome(tested).value, Outcome::success) << "the tests passed here";
}

TEST(JudgeOutcome, AnOfferIsNoDoubtWhereWorkWasDone) {
  SessionEnd end = answered("add a flag", "Done. Want me to commit this?");
  end.files_changed = 1;
  EXPECT_EQ(judge_outcome(end).value, Outcome::success);
  const JudgedOutcome judged =
      judge_outcome(answered("let's debug ENT-7", "The root cause is a race. Want me to fix it?"));
  EXPECT_EQ(judged.value, Outcome::unknown);
  EXPECT_THAT(signs_in(judged), Contains(OutcomeSign::change_offered));
}

TEST(JudgeOutcome, WhatWasToBeDoneIsNotDoneByWordsAlone) {
  SessionEnd end = answered("we need sprites of our icons", "Done by a plugin:\n1. Install it.\n2. Configure it.");
  const JudgedOutcome told = judge_outcome(end);
  EXPECT_EQ(told.value, Outcome::unknown);
  EXPECT_THAT(signs_in(told), Contains(OutcomeSign::only_told));
  end.calls = 3;
  EXPECT_EQ(judge_outcome(end).value, Outcome::success) << "a command may have done it";
  end.calls = 0;
  end.request = "how do we make sprites of our icons?";
  EXPECT_THAT(signs_in(judge_outcome(end)), Not(Contains(OutcomeSign::only_told)));
}

TEST(JudgeOutcome, ADemandMadeAsAQuestionIsAnsweredByTheChange) {
  for (const char* request :
       {"can we fix it that it keeps the old file?", "Could you please rename the flag?",
        "можешь исправить чтение файла?", "能不能修一下？", "直してもらえますか？", "수정해 줄 수 있어?"}) {
    SessionEnd end = answered(request, "The ids have to be compared without their dates.");
    end.calls = 2;
    EXPECT_EQ(judge_outcome(end).value, Outcome::unknown) << request;
    end.request = "why does it lose the file?";
    EXPECT_EQ(judge_outcome(end).value, Outcome::success);
  }
  EXPECT_EQ(judge_outcome(answered("how can we fix it?", "Compare the ids.")).value, Outcome::success);
}

TEST(JudgeOutcome, TheLastWordsOfAPerson) {
  for (const char* words :
       {"thanks, works now", "perfect", "спасибо, работает", "谢谢，可以了", "ありがとう", "고마워"})
    EXPECT_EQ(judge_outcome(said(words)).value, Outcome::success) << words;
  for (const char* words : {"it still doesn't work", "tests are failing", "lint fail", "всё ещё не работает",
                            "还是不行", "まだ動きません", "여전히 안 돼"})
    EXPECT_EQ(judge_outcome(said(words)).value, Outcome::fail) << words;
  for (const char* words : {"now add the docs", "Thank you. Now where are we in the project?",
                            "how did this not fail tests?", "теперь добавь документацию"})
    EXPECT_EQ(judge_outcome(said(words)).value, Outcome::abandoned) << words;
}

TEST(JudgeOutcome, WhereItBreaksOff) {
  SessionEnd end;
  EXPECT_EQ(judge_outcome(end).value, Outcome::unknown);
  EXPECT_TRUE(judge_outcome(end).reasons.empty());
  end.files_changed = 3;
  end.last = Last::interruption;
  EXPECT_EQ(judge_outcome(end).value, Outcome::abandoned);
  end.last = Last::call;
  EXPECT_EQ(judge_outcome(end).value, Outcome::abandoned);
  end.last = Last::failed_request;
  EXPECT_EQ(judge_outcome(end).value, Outcome::fail);
  end.last = Last::result;
  EXPECT_EQ(judge_outcome(end).value, Outcome::abandoned);
  end.commits = 1;
  EXPECT_EQ(judge_outcome(end).value, Outcome::success) << "the commit was the last thing to do";
}

TEST(JudgeOutcome, ASubagentsReport) {
  SessionEnd end;
  end.last = Last::result;
  EXPECT_EQ(judge_outcome(end).value, Outcome::abandoned);
  end.report = RunOutcome::passed;
  end.report_text = "Here is what I found.";
  EXPECT_EQ(judge_outcome(end).value, Outcome::success);
  end.report_text = "Prompt is too long";
  EXPECT_EQ(judge_outcome(end).value, Outcome::fail);
  end.report_text.clear();
  end.report = RunOutcome::failed;
  EXPECT_EQ(judge_outcome(end).value, Outcome::fail);
}

// These signs prevent a success whatever else the end shows.
TEST(JudgeOutcome, WhatForbidsASuccess) {
  for (int bits = 0; bits < 1 << 6; ++bits) {
    SessionEnd end = answered("fix it?", (bits & 1) != 0 ? "Done. All tests pass." : "See above.");
    end.files_changed = (bits & 2) != 0 ? 5 : 0;
    end.commits = (bits & 4) != 0 ? 2 : 0;
    end.pull_requests = (bits & 8) != 0 ? 1 : 0;
    end.tests = (bits & 16) != 0 ? std::optional(RunOutcome::passed) : std::nullopt;
    end.report = (bits & 32) != 0 ? std::optional(RunOutcome::passed) : std::nullopt;
    const JudgedOutcome judged = judge_outcome(end);
    EXPECT_EQ(judged.signs(), OutcomeSignSet::of_bits(judged.signs().bits()));
    const auto again = outcome_reasons(judged.value, judged.signs());
    ASSERT_EQ(again.size(), judged.reasons.size());
    for (std::size_t i = 0; i < again.size(); ++i)
      EXPECT_EQ(again[i].sign, judged.reasons[i].sign);

    const auto with = [&](auto change) {
      SessionEnd other = end;
      change(other);
      return judge_outcome(other).value;
    };
    EXPECT_NE(with([](SessionEnd& e) { e.tests = RunOutcome::failed; }), Outcome::success) << bits;
    EXPECT_NE(with([](SessionEnd& e) { e.build = RunOutcome::failed; }), Outcome::success) << bits;
    EXPECT_NE(with([](SessionEnd& e) { e.commit = RunOutcome::failed; }), Outcome::success) << bits;
    EXPECT_NE(with([](SessionEnd& e) { e.report = RunOutcome::failed; }), Outcome::success) << bits;
    EXPECT_EQ(with([](SessionEnd& e) { e.last = Last::interruption; }), Outcome::abandoned) << bits;
  }
}

TEST(OutcomeSign, NamesAreTold) {
  std::vector<std::string_view> names;
  for (int i = 0; i < kOutcomeSigns; ++i) {
    const auto name = to_string(static_cast<OutcomeSign>(i));
    EXPECT_FALSE(name.empty()) << i;
    EXPECT_THAT(names, Not(Contains(name)));
    names.push_back(name);
  }
}

// From events to the stored outcome.
class OutcomeRows : public test::WriterFixture {
 protected:
  struct Row {
    Outcome outcome{};
    OutcomeSignSet signs;
  };
  // Stores the outcome as the analysis does.
  void judge(const std::string& uid = "claude_code:s1") {
    ASSERT_TRUE(writer_->transact([&](sqlite::Database& db) {
      auto& q = db.prepare("SELECT session_pk FROM sessions WHERE uid = ?").bind(uid);
      ASSERT_TRUE(q.step()) << uid;
      const std::int64_t session_pk = q.int64(0);
      q.reset();
      analysis::store_outcome(db, session_pk);
      analysis::store_outcomes_of_subagents(db, session_pk);
    }));
  }
  Row row(const std::string& uid = "claude_code:s1") {
    auto db = reading();
    auto& q = db.prepare("SELECT outcome, outcome_signs FROM sessions WHERE uid = ?").bind(uid);
    EXPECT_TRUE(q.step()) << uid;
    const Row out{static_cast<Outcome>(q.int64(0)), OutcomeSignSet::of_bits(q.int64(1))};
    return out;
  }
};

EventScript worked() {
  EventScript s;
  s.user("add a flag").answer("I will look.");
  s.call("c1", "Edit", "/w/p/a.go", "/w/p/a.go").result("c1", "done", false, 3, 1);
  s.call("c2", "Bash", "go test ./...").result("c2", "ok  p 0.2s");
  return s;
}

TEST_F(OutcomeRows, ASessionEndsAsItsLastExchangeDoes) {
  EventScript s = worked();
  s.answer("Done. All tests pass.");
  apply(s.batch());
  judge();
  EXPECT_EQ(row().outcome, Outcome::success);
  for (const auto sign : {OutcomeSign::answered, OutcomeSign::files_changed, OutcomeSign::tests_passed})
    EXPECT_TRUE(row().signs.has(sign)) << to_string(sign);

  s.user("now fix the other one").answer("I was not able to fix it. The problem remains.");
  apply(s.batch());
  judge();
  EXPECT_EQ(row().outcome, Outcome::fail);
  EXPECT_TRUE(row().signs.has(OutcomeSign::agent_unable));
  EXPECT_FALSE(row().signs.has(OutcomeSign::files_changed)) << "that was before";

  s.user("still broken").lifecycle("interrupt");
  apply(s.batch());
  judge();
  EXPECT_EQ(row().outcome, Outcome::abandoned);
}

TEST_F(OutcomeRows, CommandsOfTheClientArePassedOver) {
  EventScript s = worked();
  s.answer("Done. All tests pass.").user("/exit", Origin::command).user("ls", Origin::shell);
  apply(s.batch());
  judge();
  EXPECT_EQ(row().outcome, Outcome::success);
  s.user("continue");
  apply(s.batch());
  judge();
  EXPECT_EQ(row().outcome, Outcome::abandoned);
}

TEST_F(OutcomeRows, WhatTheClientPutsThereIsNoPersons) {
  EventScript s;
  s.user("The task in the background has ended.", Origin::injected).answer("It found five files.");
  apply(s.batch());
  judge();
  EXPECT_TRUE(row().signs.has(OutcomeSign::question_answered));
}

// A pipe hides the exit code.
TEST_F(OutcomeRows, APipeDoesNotHideThatTestsFailed) {
  EventScript s = worked();
  s.call("c3", "Bash", "go test ./... 2>&1 | tail -5").result("c3", "--- FAIL: TestX\nFAIL\tp 0.1s").answer("Done.");
  apply(s.batch());
  judge();
  EXPECT_EQ(row().outcome, Outcome::fail);
  EXPECT_TRUE(row().signs.has(OutcomeSign::tests_failed));
  EXPECT_EQ(rows("SELECT summary FROM events WHERE kind = 6 ORDER BY seq DESC LIMIT 1"),
            std::vector<std::string>{"failed: Bash: go test ./... 2>&1 | tail -5"});
}

// A tool that reports no exit code, such as a script that runs others, says nothing of the tests.
TEST_F(OutcomeRows, AnUnknownTestRunIsNeitherPassedNorFailed) {
  EventScript s = worked();
  s.call("c3", "Bash", "go test ./...").result("c3", "Script completed\nOutput:\ndone").facts({}).answer("Done.");
  apply(s.batch());
  judge();
  EXPECT_FALSE(row().signs.has(OutcomeSign::tests_passed)) << "an earlier run does not stand for it";
  EXPECT_FALSE(row().signs.has(OutcomeSign::tests_failed));
  EXPECT_EQ(rows("SELECT summary || ' ' || (flags & 1) FROM events WHERE kind = 6 ORDER BY seq DESC LIMIT 1"),
            std::vector<std::string>{"unknown: Bash: go test ./... 0"});
}

TEST_F(OutcomeRows, AnExitCodeCountsWhereTheToolReportsNoError) {
  EventScript s = worked();
  ToolFacts ended;
  ended.exit_code = 1;
  s.call("c3", "Bash", "go test ./...").result("c3", "").facts(ended).answer("Done.");
  apply(s.batch());
  judge();
  EXPECT_EQ(row().outcome, Outcome::fail);
  EXPECT_EQ(rows("SELECT summary FROM events WHERE kind = 6 ORDER BY seq DESC LIMIT 1"),
            std::vector<std::string>{"failed: Bash: go test ./..."});
}

TEST_F(OutcomeRows, ARefusedTestRunIsNone) {
  EventScript s = worked();
  s.call("c3", "Bash", "go test -tags=slow ./...");
  s.result("c3", "The user doesn't want to proceed with this tool use.", true).answer("Done.");
  apply(s.batch());
  judge();
  EXPECT_EQ(row().outcome, Outcome::success);
  EXPECT_EQ(rows("SELECT count(*) FROM events WHERE kind = 6"), std::vector<std::string>{"1"});
}

TEST_F(OutcomeRows, AFailedCommitIsNoSuccess) {
  EventScript s = worked();
  s.call("c3", "Bash", "git add -A && git commit -m x")
      .result("c3", "hook failed", true)
      .answer("Done. All is complete.");
  apply(s.batch());
  judge();
  EXPECT_EQ(row().outcome, Outcome::fail);
  EXPECT_TRUE(row().signs.has(OutcomeSign::commit_failed));
}

TEST_F(OutcomeRows, ACommitIsACommandAndNoWordOfOne) {
  for (const auto& [line, failed] :
       {std::pair{"grep -rn 'git commit' docs", false}, std::pair{"GIT_EDITOR=true git commit --amend", true},
        std::pair{"cat > m <<'EOF'\nAdd\nEOF\ngit commit -F m", true}}) {
    file_ = dir_ / (std::to_string(hash64(line)) + ".db");
    open();
    EventScript s = worked();
    s.call("c3", "Bash", line).result("c3", "", true).answer("Done. All tests pass.");
    apply(s.batch());
    judge();
    EXPECT_EQ(row().signs.has(OutcomeSign::commit_failed), failed) << line;
  }
}

TEST_F(OutcomeRows, ABuildThatFailsIsNoSuccess) {
  EventScript s = worked();
  s.call("c3", "Bash", "go build ./... | tail").result("c3", "ok").answer("Done.");
  apply(s.batch());
  judge();
  EXPECT_FALSE(row().signs.has(OutcomeSign::build_failed)) << "the line hides how it ended";
  s.user("and now?").call("c4", "Bash", "go build ./...").result("c4", "a.go:3: undefined: x", true).answer("Done.");
  apply(s.batch());
  judge();
  EXPECT_TRUE(row().signs.has(OutcomeSign::build_failed));
  EXPECT_EQ(row().outcome, Outcome::fail);
  s.user("go on").call("c5", "Bash", "go build ./...").result("c5", "a.go:3: undefined: x", true);
  s.call("c6", "Bash", "go test ./...").result("c6", "ok  p 0.2s").answer("Done.");
  apply(s.batch());
  judge();
  EXPECT_FALSE(row().signs.has(OutcomeSign::build_failed)) << "tests passed after it";
  EXPECT_EQ(row().outcome, Outcome::success);
}

TEST_F(OutcomeRows, TasksThatAreLeftOpenAreADoubt) {
  const auto list = [](TodoState second) {
    return ToolFacts{{}, TodoUpdate{true, {{"", "parse", TodoState::done}, {"", "print", second}}}, {}, {}};
  };
  EventScript s;
  s.user("add a flag").call("t", "TodoWrite", "").facts(list(TodoState::pending)).result("t", "ok");
  s.call("c1", "Edit", "/w/p/a.go", "/w/p/a.go").result("c1", "done", false, 3, 1).answer("I've added the parser.");
  apply(s.batch());
  judge();
  EXPECT_TRUE(row().signs.has(OutcomeSign::todos_open));
  EXPECT_EQ(row().outcome, Outcome::unknown);

  s.user("what does it print?").answer("Its name.");
  apply(s.batch());
  judge();
  EXPECT_FALSE(row().signs.has(OutcomeSign::todos_open)) << "the list is of an exchange before";

  s.user("go on")
      .call("t2", "TodoWrite", "")
      .facts(list(TodoState::done))
      .result("t2", "ok")
      .answer("Done. All is done.");
  apply(s.batch());
  judge();
  EXPECT_FALSE(row().signs.has(OutcomeSign::todos_open));
  EXPECT_EQ(row().outcome, Outcome::success);
}

TEST_F(OutcomeRows, ARefusedEditIsADoubtUntilAnotherIsMade) {
  EventScript s = worked();
  s.answer("Done.").user("now make it safe");
  s.call("c3", "Edit", "/w/p/a.go", "/w/p/a.go").result("c3", "done", false, 3, 1);
  s.call("c4", "Edit", "/w/p/a.go", "/w/p/a.go");
  s.result("c4", "The user doesn't want to proceed with this tool use.", true).answer("Want me to fix it so?");
  apply(s.batch());
  judge();
  EXPECT_TRUE(row().signs.has(OutcomeSign::change_refused));
  EXPECT_EQ(row().outcome, Outcome::unknown);
  s.call("c5", "Edit", "/w/p/a.go", "/w/p/a.go").result("c5", "done", false, 3, 1).answer("Done.");
  apply(s.batch());
  judge();
  EXPECT_FALSE(row().signs.has(OutcomeSign::change_refused));
  EXPECT_EQ(row().outcome, Outcome::success);
}

EventBatch subagent() {
  EventScript s("claude_code:agent");
  s.user("look at the cache", Origin::parent_agent).call("g1", "Grep", "cache").result("g1", "cache.go");
  EventBatch batch = s.batch();
  SessionUpdate& update = batch.sessions.emplace_back();
  update.session_uid = "claude_code:agent";
  update.platform = Platform::claude_code;
  update.native_id = "agent";
  update.kind = SessionKind::subagent;
  update.parent_uid = "claude_code:s1";
  update.parent_call_id = "task";
  return batch;
}

TEST_F(OutcomeRows, ASubagentsReportMayComeBeforeAndAfterIt) {
  EventScript parent;
  parent.user("how does the cache work?").call("task", "Task", "look at the cache");
  apply(parent.batch());
  apply(subagent());
  judge("claude_code:agent");
  EXPECT_EQ(row("claude_code:agent").outcome, Outcome::abandoned) << "it works still";
  parent.result("task", "The cache has three layers.").answer("It has three layers.");
  apply(parent.batch());
  judge();
  const Row after = row("claude_code:agent");
  EXPECT_EQ(after.outcome, Outcome::success);
  EXPECT_TRUE(after.signs.has(OutcomeSign::report_taken));

  file_ = dir_ / "other.db";
  open();
  apply(parent.batch());
  apply(subagent());
  judge("claude_code:agent");
  EXPECT_EQ(row("claude_code:agent").outcome, after.outcome);
  EXPECT_EQ(row("claude_code:agent").signs, after.signs);
}

TEST_F(OutcomeRows, TheEndMayBeAskedForEarlier) {
  EventScript s = worked();
  s.answer("Done. All tests pass.").user("it still fails").answer("Which version do you have?");
  apply(s.batch());
  judge();
  EXPECT_EQ(row().outcome, Outcome::unknown);
  auto db = reading();
  auto& q = db.prepare("SELECT session_pk, first_seq FROM exchanges WHERE exchange_number = 1");
  ASSERT_TRUE(q.step());
  const std::int64_t session = q.int64(0);
  const std::int64_t first = q.int64(1);
  q.reset();
  EXPECT_EQ(judge_outcome(SessionEndQuery{session, first}.run(db)).value, Outcome::success);
  EXPECT_EQ(judge_outcome(SessionEndQuery{session, first + 1}.run(db)).value, Outcome::fail);
}

}  // namespace
}  // namespace memd
