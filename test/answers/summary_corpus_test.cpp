// Summaries of real histories: every session gets one within its token budget, reproducible, and as short as requested.
// Skipped without a corpus.
#include "daemon/tools/session_outline.hpp"
#include "store/read/session_contents.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "test/support/corpus_store.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>

namespace memd {
namespace {

class SummaryCorpus : public test::CorpusStore {
 protected:
  void SetUp() override {
    CorpusStore::SetUp();
    if (IsSkipped()) return;
    reader_ = std::make_unique<Reader>(database());
    SessionListQuery all;
    all.limit = 10'000;
    sessions_ = reader_->ask(all).value().sessions;
    ASSERT_GT(sessions_.size(), 150U);
  }
  SessionDigest digest(const SessionRow& session) {
    return reader_->ask(SessionDigestQuery{session.pk, 0, std::numeric_limits<std::int64_t>::max()}).value();
  }

  std::unique_ptr<Reader> reader_;
  std::vector<SessionRow> sessions_;
};

TEST_F(SummaryCorpus, EverySessionIsToldOfWithinItsTokens) {
  using tools::SessionOutline;
  for (const SessionRow& session : sessions_) {
    SessionOutline outline(session, digest(session), {});
    SessionOutline again(session, digest(session), {});
    if (outline.inputs().empty()) continue;
    for (const auto strategy :
         {SummaryStrategy::extractive, SummaryStrategy::chronological, SummaryStrategy::hierarchical})
      for (const std::size_t tokens : {40U, 200U, 2000U}) {
        SessionOutline::Form form;
        form.strategy = strategy;
        form.ratio = kBriefRatio;
        const ExtractiveSummary s = outline.summary(form, tokens);
        ASSERT_LE(estimate_tokens(s.text), tokens) << session.uid << ' ' << to_string(strategy);
        ASSERT_EQ(s.tokens, estimate_tokens(s.text));
        EXPECT_FALSE(s.text.empty()) << session.uid << ' ' << to_string(strategy) << ' ' << tokens;
        ASSERT_EQ(again.summary(form, tokens).text, s.text);
      }
  }
}

// Checks sessions long enough for a meaningful ratio, with a max_tokens that does not limit them.
TEST_F(SummaryCorpus, RatiosHold) {
  for (const double ratio : {0.7, kDetailedRatio, kBriefRatio}) {
    std::size_t counted = 0;
    std::size_t near = 0;
    double sum = 0;
    for (const SessionRow& session : sessions_) {
      const SessionDigest texts = digest(session);
      const tools::SummarySource source(texts.exchanges);
      const Extract extract(source.inputs());
      if (extract.source_tokens() < 1500) continue;
      const ExtractiveSummary s = extract.summary(ratio, 1'000'000);
      const double kept = static_cast<double>(s.tokens) / static_cast<double>(s.source_tokens);
      EXPECT_LE(kept, ratio + 0.001) << session.uid;
      EXPECT_FALSE(s.capped);
      ++counted;
      sum += kept;
      near += kept >= ratio * 0.85 ? 1 : 0;
    }
    std::printf("ratio %.2f: %zu sessions, mean %.3f, %zu within 15%%\n", ratio, counted,
                sum / static_cast<double>(counted), near);
    ASSERT_GT(counted, 50U);
    if (ratio < 0.5) {
      EXPECT_GE(near * 10, counted * 9);
    }
  }
}

}  // namespace
}  // namespace memd
