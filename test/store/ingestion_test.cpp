#include "store/read/ingestion.hpp"
#include "schemas/ids.hpp"
#include "store/read/recent_records.hpp"
#include "store/reader.hpp"
#include "test/support/writer_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd {
namespace {

using testing::ElementsAre;

class Ingestion : public test::WriterFixture {
 protected:
  void SetUp() override { open(); }
  // Applies records that were read from `path`, and commits.
  void take(std::uint64_t known, std::uint64_t unknown, std::string version = "1.0.0",
            std::string path = "/x/a.jsonl") {
    SourceSlice slice;
    slice.source.platform = Platform::codex;
    slice.source.path = path;
    slice.source.cursor = cursors_[path] += (known + unknown) * 10;
    slice.source.size = cursors_[path];
    slice.adapter_version = std::move(version);
    slice.caught_up = true;
    if (known > 0) slice.batch.cover("known", Disposition::indexed, "", known * 10, known);
    if (unknown > 0) slice.batch.cover("new", Disposition::unknown, "", unknown * 10, unknown);
    const auto applied = writer_->apply(slice);
    ASSERT_TRUE(applied) << applied.error().message();
    ASSERT_TRUE(writer_->commit());
  }
  std::size_t drifts() {
    std::size_t n = 0;
    const auto list = reader_.ask(DiagnosticQuery{});
    for (const auto& d : list->diagnostics)
      n += d.error_type == "schema_drift" ? 1 : 0;
    return n;
  }
  std::vector<std::string> steps() {
    std::vector<std::string> out;
    const auto entries = reader_.ask(IngestionLogQuery{.limit = 1000});
    for (const auto& e : *entries)
      out.insert(out.begin(), e.what);
    return out;
  }

  std::map<std::string, std::uint64_t> cursors_;
  Reader reader_{dir_ / "memd.db"};
};

TEST_F(Ingestion, DriftNeedsTwentyAndThreeTimesThePast) {
  take(5000, 0);
  take(981, 19);
  EXPECT_EQ(drifts(), 0u) << "19 may be anything";
  take(0, 1);
  EXPECT_EQ(drifts(), 1u);
}

TEST_F(Ingestion, DriftIsNoDriftWhenItWasAlwaysSo) {
  for (int i = 0; i < 40; ++i)
    take(90, 10);
  EXPECT_EQ(drifts(), 0u);
}

TEST_F(Ingestion, DriftInAFewOfVeryManyIsNone) {
  take(50'000, 0);
  take(9'900, 100);
  EXPECT_EQ(drifts(), 0u) << "1 in 100";
}

TEST_F(Ingestion, DriftNeedsAPast) {
  take(500, 500);
  EXPECT_EQ(drifts(), 0u);
}

TEST_F(Ingestion, DriftIsSaidOnceADayAndRemembersItAcrossARestart) {
  take(20'000, 0);
  for (int hour = 0; hour < 23; ++hour) {
    take(0, 10);
    if (hour % 5 == 0) open();
    clock_.advance(3'600'000);
  }
  EXPECT_EQ(drifts(), 1u);
  clock_.advance(2 * 3'600'000);
  take(0, 10);
  EXPECT_EQ(drifts(), 2u);
  const auto totals = reader_.ask(PlatformTotalsQuery{})->front();
  EXPECT_EQ(totals.drift_at, clock_.now());
  EXPECT_EQ(totals.unknown_records, 240);
  EXPECT_EQ(totals.recent_unknown_records, 240);
}

TEST_F(Ingestion, DriftStartsAnewWithAnotherVersionOfTheAdapter) {
  take(20'000, 0);
  take(0, 15, "1.0.0");
  take(0, 15, "1.1.0");
  EXPECT_EQ(drifts(), 0u);
  take(0, 5, "1.1.0");
  EXPECT_EQ(drifts(), 1u);
}

TEST_F(Ingestion, RecentRecordsForgetWhatIsLongAgo) {
  RecentRecords recent;
  for (int i = 0; i < 500; ++i)
    recent.add(10, i < 250 ? 1 : 0);
  EXPECT_EQ(recent.total().unknown, 0u);
  EXPECT_GE(recent.total().records, 1000u);
  EXPECT_LE(recent.total().records, 1100u);
  recent.adapter_version = "1.2.3";
  recent.reported_at = 77;
  const auto same = RecentRecords::decode(recent.encode());
  EXPECT_EQ(same.encode(), recent.encode());
  for (const char* broken : {"", "x", "1.0 5 3", "1.0 5 9/1", "1.0 5 a/b", " "})
    EXPECT_EQ(RecentRecords::decode(broken).total().records, 0u) << broken;
}

TEST_F(Ingestion, LogEntriesOfARolledBackSliceAreNotThere) {
  take(10, 0);
  SourceSlice bad;
  bad.source.platform = Platform::codex;
  bad.source.path = "/x/b.jsonl";
  bad.source.format = static_cast<SourceFormat>(9);  // rejected by the store
  EXPECT_FALSE(writer_->apply(bad));
  take(5, 0);
  EXPECT_THAT(steps(), ElementsAre("found", "read", "appended"));
  take(1, 0);
  EXPECT_THAT(steps(), ElementsAre("found", "read", "appended"));
}

TEST_F(Ingestion, LogIsKeptNinetyDays) {
  take(10, 0);
  clock_.advance(kIngestionLogRetention - 1);
  ASSERT_TRUE(writer_->delete_expired_diagnostics());
  ASSERT_TRUE(writer_->commit());
  EXPECT_EQ(steps().size(), 2u);
  clock_.advance(1);
  ASSERT_TRUE(writer_->delete_expired_diagnostics());
  ASSERT_TRUE(writer_->commit());
  EXPECT_EQ(steps().size(), 0u);
}

TEST_F(Ingestion, LogIsAskedByPlatformTimeAndNumber) {
  take(10, 0);
  const TimeMs later = clock_.now() + 1000;
  clock_.set(later);
  take(10, 0, "1.0.0", "/x/b.jsonl");
  EXPECT_EQ(reader_.ask(IngestionLogQuery{})->size(), 4u);
  EXPECT_EQ(reader_.ask(IngestionLogQuery{.since = later})->size(), 2u);
  EXPECT_EQ(reader_.ask(IngestionLogQuery{.limit = 1})->front().path, "/x/b.jsonl");
  EXPECT_EQ(reader_.ask(IngestionLogQuery{.platforms = {Platform::cursor}})->size(), 0u);
}

}  // namespace
}  // namespace memd
