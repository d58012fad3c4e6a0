#include "schemas/base/error.hpp"
#include "store/completions/summaries_file.hpp"
#include "store/write/retention.hpp"
#include "store/write/writer.hpp"
#include "test/support/analyze_all.hpp"
#include "test/support/event_script.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

namespace memd::completions {
namespace {

using Outcome = SpendingLedger::Outcome;
using testing::HasSubstr;

class Completions : public testing::Test {
 protected:
  std::shared_ptr<SummariesFile> open() {
    auto file = SummariesFile::open(path());
    EXPECT_TRUE(file) << file.error().message();
    return *file;
  }
  std::filesystem::path path() const { return dir_ / "summaries.db"; }
  static CompletionRequest request(std::string prompt) { return {"Be brief.", std::move(prompt), 100}; }

  test::TempDir dir_;
  test::FakeClock clock_{1'770'616'800'000};  // 2026-02-09T06:00:00Z
};

TEST_F(Completions, TheFileIsPrivateAndItsSecretStays) {
  const auto secret = open()->secret();
  EXPECT_NE(secret, 0u);
  EXPECT_EQ(open()->secret(), secret);
  struct ::stat st {};
  ASSERT_EQ(::stat(path().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
}

TEST_F(Completions, AnAnswerIsFoundByTheExactRequest) {
  AnswerCache cache(open(), clock_);
  ASSERT_TRUE(cache.keep("claude_code:a", "m1", request("p"), "An answer."));
  AnswerCache after_restart(open(), clock_);
  EXPECT_EQ(after_restart.find("m1", request("p")).value(), "An answer.");
  EXPECT_EQ(after_restart.find("m2", request("p")).value(), std::nullopt);
  EXPECT_EQ(after_restart.find("m1", request("p ")).value(), std::nullopt);
  CompletionRequest other = request("p");
  other.max_tokens = 200;
  EXPECT_EQ(after_restart.find("m1", other).value(), std::nullopt);
  other = {"Be brief.p", "", 100};
  EXPECT_EQ(after_restart.find("m1", other).value(), std::nullopt);
}

TEST_F(Completions, TheCacheIsBoundedAndKeepsWhatIsUsed) {
  AnswerCache cache(open(), clock_, 3000);
  const std::string answer(700, 'a');
  for (const char* prompt : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(cache.keep("s", "m", request(prompt), answer));
    clock_.advance(3'600'000);
    EXPECT_TRUE(cache.find("m", request("a")).value()) << "used each hour";
  }
  EXPECT_EQ(cache.size().value(), 3);
  EXPECT_FALSE(cache.find("m", request("b")).value());
  EXPECT_TRUE(cache.find("m", request("d")).value());
}

TEST_F(Completions, ASessionThatIsEvictedTakesItsAnswersAlong) {
  auto writer = Writer::open(dir_ / "memd.db", clock_);
  ASSERT_TRUE(writer);
  SourceSlice slice;
  slice.source = {{.platform = Platform::claude_code, .path = "/x/a.jsonl"}};
  slice.batch = test::EventScript("claude_code:a").user("Hello").batch();
  ASSERT_TRUE((*writer)->apply(slice));
  AnswerCache cache(open(), clock_);
  ASSERT_TRUE(cache.keep("claude_code:a", "m", request("a"), "Of a."));
  ASSERT_TRUE(cache.keep("claude_code:b", "m", request("b"), "Of b."));
  ASSERT_EQ(Retention(**writer).evict({"claude_code:a"})->sessions, 0u) << "it is not analysed";
  ASSERT_TRUE(test::analyze_all(**writer, clock_.now()));
  ASSERT_EQ(Retention(**writer).evict({"claude_code:a"})->sessions, 1u);
  EXPECT_FALSE(cache.find("m", request("a")).value());
  EXPECT_TRUE(cache.find("m", request("b")).value());
}

TEST_F(Completions, NoFileIsMadeToForgetWhatIsNotThere) {
  EXPECT_TRUE(forget_answers(path(), {"claude_code:a"}));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(Completions, WhatIsSpentIsCountedByDayAndModel) {
  SpendingLedger ledger(open(), clock_, {});
  const auto first = ledger.charge("m1", 1000, 500);
  ASSERT_TRUE(first);
  ASSERT_TRUE(ledger.settle(*first, Outcome::answered, 900, 80));
  ASSERT_TRUE(ledger.settle(*ledger.charge("m1", 1000, 500), Outcome::failed, 1000, 0));
  ASSERT_TRUE(ledger.settle(*ledger.charge("m2", 1000, 500), Outcome::not_asked, 0, 0));
  const auto today = ledger.today().value();
  ASSERT_EQ(today.size(), 1u);
  EXPECT_EQ(today[0].model, "m1");
  EXPECT_EQ(today[0].requests, 2);
  EXPECT_EQ(today[0].failures, 1);
  EXPECT_EQ(today[0].tokens_in, 1900);
  EXPECT_EQ(today[0].tokens_out, 80);
  clock_.advance(kMsPerDay);
  EXPECT_TRUE(ledger.today()->empty());
}

TEST_F(Completions, TheBudgetHoldsAcrossModelsAndRestartsUntilMidnight) {
  ASSERT_TRUE(SpendingLedger(open(), clock_, {2, 0}).charge("m1", 1, 1));
  SpendingLedger ledger(open(), clock_, {2, 0});
  EXPECT_EQ(ledger.exhausted(), "");
  ASSERT_TRUE(ledger.charge("m2", 1, 1));
  const auto refused = ledger.charge("m1", 1, 1);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(Errc::unavailable));
  EXPECT_THAT(refused.error().context, HasSubstr("2 requests"));
  EXPECT_THAT(ledger.exhausted(), HasSubstr("summaries.daily_requests"));
  clock_.set(1'770'681'600'000 - 1);  // 1 ms before the end of the day
  EXPECT_FALSE(ledger.charge("m1", 1, 1));
  clock_.advance(1);
  EXPECT_TRUE(ledger.charge("m1", 1, 1));
}

TEST_F(Completions, TokensAreChargedBeforeTheyAreSpent) {
  SpendingLedger ledger(open(), clock_, {0, 1000});
  const auto first = ledger.charge("m", 400, 200);
  ASSERT_TRUE(first);
  EXPECT_FALSE(ledger.charge("m", 400, 200)) << "the first may yet cost all that";
  ASSERT_TRUE(ledger.settle(*first, Outcome::answered, 300, 50));
  EXPECT_TRUE(ledger.charge("m", 400, 200));
}

TEST_F(Completions, TwoProcessesKeepOneBudget) {
  std::atomic<int> allowed{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&, file = open()] {
        SpendingLedger ledger(file, clock_, {50, 0});
        for (int n = 0; n < 25; ++n)
          allowed += ledger.charge("m", 1, 1) ? 1 : 0;
      });
  }
  EXPECT_EQ(allowed, 50);
}

}  // namespace
}  // namespace memd::completions
