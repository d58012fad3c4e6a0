// Compares decisions listed of real histories with those that a reader marked. Skipped without a corpus.
#include "test/support/corpus_store.hpp"
#include "test/support/judged_decisions.hpp"
#include "test/support/source_dir.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

class DecisionCorpus : public test::CorpusStore {};

TEST_F(DecisionCorpus, ListsWhatAReaderCallsOne) {
  auto db = sqlite::Database::open(database(), sqlite::OpenMode::read_only);
  const test::JudgedStore judged = test::judge_decisions(db, test::source_dir() / "test/labels/decisions.tsv");
  ASSERT_GE(judged.exchanges, 570U);
  EXPECT_EQ(judged.exchanges_found, judged.exchanges);
  const auto& [dev, held] = judged.scores.at("all");
  const test::Share precision = dev.precision + held.precision;
  EXPECT_GE(precision.all, 20);
  EXPECT_GE(static_cast<double>(precision.of), 0.85 * static_cast<double>(precision.all));
  EXPECT_GE(judged.decisions, 40U);
}

}  // namespace
}  // namespace memd
