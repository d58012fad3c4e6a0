// Compares outcomes of real sessions with a reader's labels. Skipped without a corpus.
#include "test/support/outcome_labels.hpp"

#include "test/support/corpus_store.hpp"
#include "test/support/source_dir.hpp"

#include <gtest/gtest.h>

#include <string>

namespace memd {
namespace {

class OutcomeCorpus : public test::CorpusStore {};

// The floor for success is a requirement; the others are a little below the figures of docs/benchmarks.md.
TEST_F(OutcomeCorpus, ASuccessIsOneAndTheOthersAreFound) {
  auto db = sqlite::Database::open(database(), sqlite::OpenMode::read_only);
  const auto labels = test::read_outcome_labels(test::source_dir() / "test/labels/outcomes.tsv");
  ASSERT_GE(labels.size(), 450U);
  const auto compared = test::compare_outcomes(db, labels);
  EXPECT_EQ(compared.missing, 0);
  for (const test::OutcomeTable& part : compared.parts) {
    const auto share = [](int of, int all) { return all == 0 ? 1.0 : static_cast<double>(of) / all; };
    const auto recall = [&](Outcome o) { return share(part.of(o, o), part.labelled(o)); };
    EXPECT_GE(share(part.of(Outcome::success, Outcome::success), part.judged(Outcome::success)), 0.95);
    EXPECT_GE(recall(Outcome::success), 0.88);
    EXPECT_GE(recall(Outcome::abandoned), 0.95);
    EXPECT_GE(recall(Outcome::fail), 0.6);
    EXPECT_EQ(part.of(Outcome::fail, Outcome::success), 0);
  }
}

}  // namespace
}  // namespace memd
