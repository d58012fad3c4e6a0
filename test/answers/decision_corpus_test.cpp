// Compares decisions found in real histories with those that a reader marked. Skipped without a corpus.
#include "test/support/corpus_store.hpp"
#include "test/support/judged_decisions.hpp"
#include "test/support/source_dir.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

class DecisionCorpus : public test::CorpusStore {};

double value(const test::Share& share) { return share.all == 0 ? 0 : static_cast<double>(share.of) / share.all; }

TEST_F(DecisionCorpus, AreFoundAsAReaderFindsThem) {
  auto db = sqlite::Database::open(database(), sqlite::OpenMode::read_only);
  const test::JudgedStore judged = test::judge_decisions(db, test::source_dir() / "test/labels/decisions.tsv");
  ASSERT_GE(judged.exchanges, 570U);
  EXPECT_EQ(judged.exchanges_found, judged.exchanges);
  const auto& [dev, held] = judged.scores.at("all");
  EXPECT_GE(value(dev.precision), 0.90);
  EXPECT_GE(value(dev.recall), 0.75);
  EXPECT_GE(value(held.precision), 0.80);
  EXPECT_GE(value(held.recall), 0.33);
  EXPECT_GE(judged.decisions, 520U);
}

}  // namespace
}  // namespace memd
