#include "store/search/vectors/snapshot_scan.hpp"
#include "store/search/vectors/codes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <set>

namespace memd::vectors {
namespace {

constexpr std::size_t kDimension = 256;
constexpr std::size_t kRows = 40'000;  // more than two segments

// Vectors clustered around topics, like real ones.
class SnapshotScan : public testing::Test {
 protected:
  SnapshotScan() {
    SnapshotBuilder builder({}, {.sketched_above = 1000});
    builder.start(1, kDimension);
    for (int t = 0; t < 200; ++t)
      topics_.push_back(around(std::vector<float>(kDimension), 1));
    for (std::size_t i = 0; i < kRows; i += 2) {
      std::vector<std::int8_t> codes;
      append_quantised(around(topics_[i / 2 % topics_.size()], 1.5F), codes);
      append_quantised(around(topics_[random_() % topics_.size()], 1.5F), codes);
      builder.put(static_cast<ExchangeId>(i / 2 + 1), codes);
      codes_.push_back(std::move(codes));
    }
    snapshot_ = builder.finish();
  }

  std::vector<float> around(const std::vector<float>& centre, float width) {
    std::vector<float> out(centre);
    for (auto& v : out) {
      // The sum of four uniform bytes is close to normal (mean 510, deviation 147.8), and cheap without optimisation.
      const auto bits = random_();
      const auto sum = (bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) + (bits >> 24 & 255);
      v += width * (static_cast<float>(sum) - 510) / 147.8F;
    }
    return out;
  }
  static std::set<ExchangeId> found(const ScanResult& result) {
    std::set<ExchangeId> out;
    for (const Neighbour& n : result.nearest)
      out.insert(n.exchange);
    return out;
  }
  static std::size_t common(const ScanResult& a, const ScanResult& b) {
    const auto set = found(a);
    std::size_t out = 0;
    for (const Neighbour& n : b.nearest)
      out += set.count(n.exchange);
    return out;
  }

  const ScanTuning filtered_{.exact_rows = 1000, .min_kept = 400};
  std::vector<std::vector<std::int8_t>> codes_;  // of exchanges 1, 2, …
  int fetches_ = 0;
  const StoredCodes stored_ = [this](ExchangeId id, std::vector<std::int8_t>& out) {
    ++fetches_;
    out = codes_.at(static_cast<std::size_t>(id - 1));
  };
  std::mt19937 random_{21};
  std::vector<std::vector<float>> topics_;
  Snapshot snapshot_;
};

TEST_F(SnapshotScan, SketchesFindNearlyAllOfTheNearest) {
  std::size_t both = 0;
  for (int q = 0; q < 20; ++q) {
    const auto query = around(topics_[static_cast<std::size_t>(q)], 1.2F);
    const ExchangeId also[] = {17, 999'999};
    const ScanRequest request{.query = query, .count = 20, .also = also};
    const auto exact = scan(snapshot_, request);
    const auto filtered = scan(snapshot_, request, filtered_);
    ASSERT_EQ(filtered.nearest.size(), 20U);
    EXPECT_EQ(exact.scanned, static_cast<std::int64_t>(kRows));
    EXPECT_EQ(filtered.scanned, static_cast<std::int64_t>(kRows));
    EXPECT_EQ(filtered.also[0], exact.also[0]);
    EXPECT_TRUE(std::isnan(filtered.also[1]));
    EXPECT_NEAR(filtered.mean, exact.mean, 0.1 * exact.deviation);
    EXPECT_NEAR(filtered.deviation, exact.deviation, 0.1 * exact.deviation);
    EXPECT_EQ(filtered.nearest[0].exchange, exact.nearest[0].exchange);
    EXPECT_EQ(filtered.nearest[0].cosine, exact.nearest[0].cosine);
    EXPECT_EQ(filtered.nearest[0].chunk, exact.nearest[0].chunk);
    both += common(exact, filtered);
  }
  EXPECT_GE(both, 20U * 20U * 99 / 100);
}

TEST_F(SnapshotScan, FilterAndRangeHoldBeforeTheSketchesDecide) {
  const std::function<bool(ExchangeId)> rare = [](ExchangeId id) { return id % 97 == 0; };
  const auto query = around(topics_[3], 1);
  const ScanRequest few{.query = query, .count = 50, .passes = &rare};
  EXPECT_EQ(common(scan(snapshot_, few), scan(snapshot_, few, filtered_)), 50U);
  const ScanRequest range{.query = query, .count = 30, .first = 9000, .last = 9800};
  const auto filtered = scan(snapshot_, range, {.exact_rows = 100, .min_kept = 300});
  EXPECT_EQ(filtered.nearest.size(), 30U);
  EXPECT_GE(*found(filtered).begin(), 9000);
  EXPECT_LE(*found(filtered).rbegin(), 9800);
}

TEST_F(SnapshotScan, DeadRowsAreSkippedAndLeaveInTheEnd) {
  SnapshotBuilder builder(snapshot_);
  const auto query = around(topics_[5], 1);
  for (const Neighbour& n : scan(snapshot_, {.query = query, .count = 500}).nearest)
    builder.drop(n.exchange);
  const Snapshot next = builder.finish();
  EXPECT_EQ(next.live, static_cast<std::int64_t>(kRows) - 1000);
  EXPECT_EQ(next.rows, static_cast<std::int64_t>(kRows));  // too few were removed to compact the others
  EXPECT_EQ(common(scan(snapshot_, {.query = query, .count = 500}), scan(next, {.query = query, .count = 500})), 0U);
  EXPECT_EQ(
      common(scan(snapshot_, {.query = query, .count = 500}), scan(next, {.query = query, .count = 500}, filtered_)),
      0U);
  // The previous snapshot is unchanged.
  EXPECT_EQ(snapshot_.live, static_cast<std::int64_t>(kRows));

  SnapshotBuilder again(next);
  for (ExchangeId id = 1; id < 12'000; ++id)
    again.drop(id);
  const Snapshot last = again.finish();
  EXPECT_LT(last.rows, last.live * 5 / 4);
  std::size_t checked = 0;
  last.table.for_each([&](ExchangeId id, RowRange rows) {
    ASSERT_EQ(rows.count, 2U);
    const RowRange before = *snapshot_.table.find(id);
    for (std::uint32_t i = 0; i < 2; ++i) {
      const auto row = [&](const Snapshot& s, std::uint32_t at) {
        return s.segments[at / kSegmentRows].codes->as<std::int8_t>() + (at % kSegmentRows) * s.stride;
      };
      ASSERT_TRUE(std::equal(row(last, rows.first + i), row(last, rows.first + i) + kDimension,
                             row(snapshot_, before.first + i)));
      ++checked;
    }
  });
  EXPECT_EQ(checked, static_cast<std::size_t>(last.live));
}

TEST_F(SnapshotScan, ColdRowsAreFetchedAndFoundAlike) {
  SnapshotBuilder builder({}, {.sketched_above = 1000, .cold_above = 20'000}, &stored_);
  builder.start(1, kDimension);
  for (std::size_t i = 0; i < codes_.size(); ++i)
    builder.put(static_cast<ExchangeId>(i + 1), codes_[i]);
  const Snapshot cold = builder.finish();
  ASSERT_TRUE(cold.segments[0].is_cold() && cold.segments[1].is_cold() && !cold.segments[2].is_cold());
  EXPECT_EQ(fetches_, 0);
  std::size_t both = 0;
  for (int q = 0; q < 20; ++q) {
    const auto query = around(topics_[static_cast<std::size_t>(q)], 1.2F);
    const ExchangeId also[] = {17, 19'999, 999'999};
    const ScanRequest request{.query = query, .count = 20, .also = also, .stored = &stored_};
    const auto exact = scan(snapshot_, request);
    const auto found = scan(cold, request, {.min_kept = 400});
    EXPECT_EQ(found.nearest[0].exchange, exact.nearest[0].exchange);
    EXPECT_EQ(found.nearest[0].cosine, exact.nearest[0].cosine);
    EXPECT_EQ(found.nearest[0].chunk, exact.nearest[0].chunk);
    EXPECT_EQ(found.also[0], exact.also[0]);
    EXPECT_EQ(found.also[1], exact.also[1]);
    EXPECT_TRUE(std::isnan(found.also[2]));
    EXPECT_EQ(found.scanned, exact.scanned);
    EXPECT_NEAR(found.mean, exact.mean, 0.25 * exact.deviation);
    EXPECT_NEAR(found.deviation, exact.deviation, 0.25 * exact.deviation);
    both += common(exact, found);
  }
  EXPECT_GE(both, 20U * 20U * 99 / 100);
  EXPECT_LT(fetches_, 20 * 500);
}

TEST_F(SnapshotScan, ColdRowsMoveAndVanish) {
  SnapshotBuilder builder({}, {.sketched_above = 1000, .cold_above = 10'000}, &stored_);
  builder.start(1, kDimension);
  for (std::size_t i = 0; i < codes_.size(); ++i)
    builder.put(static_cast<ExchangeId>(i + 1), codes_[i]);
  SnapshotBuilder again(builder.finish(), {.sketched_above = 1000, .cold_above = 10'000}, &stored_);
  for (ExchangeId id = 1; id < 12'000; ++id)
    again.drop(id);
  const Snapshot last = again.finish();
  EXPECT_LT(last.rows, last.live * 5 / 4);
  EXPECT_EQ(last.live, static_cast<std::int64_t>(kRows) - 2 * 11'999);
  const auto query = around(topics_[5], 1);
  std::vector<ExchangeId> all(codes_.size());
  std::iota(all.begin(), all.end(), 1);
  const ScanRequest request{.query = query, .count = 30, .also = all, .stored = &stored_};
  const auto expected = scan(snapshot_, request);
  const auto found = scan(last, request);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] < 12'000)
      ASSERT_TRUE(std::isnan(found.also[i]));
    else
      ASSERT_EQ(found.also[i], expected.also[i]) << all[i];
  }
  // Exchanges deleted from the store are not found and cause no error.
  for (auto& codes : codes_)
    codes.clear();
  const auto later = scan(last, {.query = query, .count = 30, .stored = &stored_});
  for (const Neighbour& n : later.nearest)
    EXPECT_TRUE(std::isfinite(n.cosine));
  EXPECT_THAT(scan(last, {.query = query, .count = 30}).nearest.size(), testing::Le(30U));
}

TEST(ExchangeTable, SmallAndLargeChanges) {
  ExchangeTable table;
  std::vector<ExchangeTable::Change> changes;
  for (ExchangeId id = 10'000; id > 0; --id)
    changes.push_back({id, RowRange{static_cast<std::uint32_t>(id), 1}});
  table.apply(changes);
  EXPECT_EQ(table.size(), 10'000U);
  const ExchangeTable before = table;
  table.apply({{7, std::nullopt}, {20'000, RowRange{1, 2}}, {8, RowRange{3, 4}}, {30'000, std::nullopt}});
  EXPECT_EQ(table.size(), 10'000U);
  EXPECT_FALSE(table.find(7));
  EXPECT_FALSE(table.find(30'000));
  EXPECT_EQ(table.find(8), (RowRange{3, 4}));
  EXPECT_EQ(table.find(20'000), (RowRange{1, 2}));
  EXPECT_EQ(before.find(7), (RowRange{7, 1}));
  ExchangeId previous = 0;
  std::size_t seen = 0;
  table.for_each([&](ExchangeId id, RowRange rows) {
    EXPECT_GT(id, previous);
    EXPECT_NE(id, 7);
    EXPECT_EQ(table.find(id), rows);
    previous = id;
    ++seen;
  });
  EXPECT_EQ(seen, table.size());
}

}  // namespace
}  // namespace memd::vectors
