#include "store/search/vectors/vector_index.hpp"
#include "test/support/temp_dir.hpp"
#include "vector_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <thread>

namespace memd::vectors {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::FloatNear;
using testing::IsEmpty;
using testing::SizeIs;
using Codes = test::VectorStore::Codes;

constexpr int kIndexDimension = 20;

class VectorIndexTest : public testing::Test {
 protected:
  Codes random_codes(std::size_t chunks) {
    Codes out(chunks * kIndexDimension);
    for (auto& c : out)
      c = static_cast<std::int8_t>(std::uniform_int_distribution(-128, 127)(random_));
    return out;
  }
  std::vector<float> random_query() {
    std::vector<float> out(kIndexDimension);
    // Whole numbers up to ±127, so that the conversion to bytes is lossless.
    for (auto& v : out)
      v = static_cast<float>(std::uniform_int_distribution(-127, 127)(random_));
    out[0] = 127;
    return out;
  }
  static Codes axis(int d, int sign = 1) {
    Codes out(kIndexDimension);
    out[static_cast<std::size_t>(d)] = static_cast<std::int8_t>(100 * sign);
    return out;
  }
  static std::vector<float> towards(int d) {
    std::vector<float> out(kIndexDimension);
    out[static_cast<std::size_t>(d)] = 1;
    return out;
  }
  static std::vector<ExchangeId> ids(const ScanResult& result) {
    std::vector<ExchangeId> out;
    for (const Neighbour& n : result.nearest)
      out.push_back(n.exchange);
    return out;
  }

  ScanResult scan(const VectorIndex& index, ScanRequest request) {
    return index.scan_all(store_.db(), {std::move(request)}).front();
  }

  test::TempDir dir_;
  test::VectorStore store_{dir_.path() / "memd.db"};
  VectorIndex index_{"m"};
  std::mt19937 random_{11};
};

TEST_F(VectorIndexTest, EmptyStore) {
  index_.refresh(store_.db());
  const ExchangeId also[] = {7};
  const auto result = scan(index_, {.query = towards(0), .also = also});
  EXPECT_THAT(result.nearest, IsEmpty());
  ASSERT_THAT(result.also, SizeIs(1));
  EXPECT_TRUE(std::isnan(result.also[0]));
}

TEST_F(VectorIndexTest, BestChunkOfEachExchange) {
  Codes two = axis(1);
  const Codes near = axis(0);
  two.insert(two.end(), near.begin(), near.end());
  store_.put(1, two, kIndexDimension);
  store_.put(2, axis(1), kIndexDimension);
  store_.put(3, axis(0, -1), kIndexDimension);
  store_.put(4, Codes(kIndexDimension), kIndexDimension);  // a zero vector
  index_.refresh(store_.db());
  const ExchangeId also[] = {3, 9, 1, 4};
  const auto result = scan(index_, {.query = towards(0), .count = 10, .also = also});
  EXPECT_THAT(ids(result), ElementsAre(1, 2, 3));
  EXPECT_EQ(result.nearest[0].chunk, 1);
  EXPECT_EQ(result.nearest[1].chunk, 0);
  EXPECT_FLOAT_EQ(result.nearest[0].cosine, 1);
  EXPECT_FLOAT_EQ(result.also[0], -1);
  EXPECT_TRUE(std::isnan(result.also[1]));
  EXPECT_FLOAT_EQ(result.also[2], 1);
  EXPECT_TRUE(std::isnan(result.also[3]));
  EXPECT_EQ(result.scanned, 4);
  EXPECT_NEAR(result.mean, 0, 1e-6);
  EXPECT_NEAR(result.deviation, std::sqrt(0.5), 1e-6);
}

TEST_F(VectorIndexTest, EqualOnesNewestFirst) {
  for (const ExchangeId id : {5, 3, 9, 1, 7})
    store_.put(id, axis(0), kIndexDimension);
  index_.refresh(store_.db());
  EXPECT_THAT(ids(scan(index_, {.query = towards(0), .count = 3})), ElementsAre(9, 7, 5));
}

TEST_F(VectorIndexTest, RangeAndFilterComeBeforeCounting) {
  for (ExchangeId id = 1; id <= 50; ++id)
    store_.put(id, axis(0), kIndexDimension);
  index_.refresh(store_.db());
  const std::function<bool(ExchangeId)> even = [](ExchangeId id) { return id % 2 == 0; };
  const auto result = scan(index_, {.query = towards(0), .count = 3, .first = 10, .last = 21, .passes = &even});
  EXPECT_THAT(ids(result), ElementsAre(20, 18, 16));
  EXPECT_EQ(result.scanned, 12);
}

TEST_F(VectorIndexTest, OtherDimensionOrNoDirectionFindsNothing) {
  store_.put(1, axis(0), kIndexDimension);
  index_.refresh(store_.db());
  EXPECT_THAT(scan(index_, {.query = std::vector<float>(7, 1.F)}).nearest, IsEmpty());
  EXPECT_THAT(scan(index_, {.query = std::vector<float>(kIndexDimension)}).nearest, IsEmpty());
  EXPECT_THAT(scan(index_, {.query = towards(0), .count = 0}).nearest, IsEmpty());
}

TEST_F(VectorIndexTest, ModelsAreApart) {
  store_.put(1, axis(0), kIndexDimension, "other");
  store_.put(2, axis(0), kIndexDimension, "m");
  index_.refresh(store_.db());
  EXPECT_THAT(ids(scan(index_, {.query = towards(0)})), ElementsAre(2));
  store_.db().exec("DELETE FROM vector_models WHERE name = 'm'");
  index_.refresh(store_.db());
  EXPECT_THAT(scan(index_, {.query = towards(0)}).nearest, IsEmpty());
  // The same model name with another dimension.
  store_.put(3, {1, 2, 3}, 3, "m");
  index_.refresh(store_.db());
  EXPECT_THAT(ids(scan(index_, {.query = std::vector<float>{1, 2, 3}})), ElementsAre(3));
}

TEST_F(VectorIndexTest, VectorsOfAnotherSizeAreNotUsed) {
  store_.put(1, axis(0), kIndexDimension);
  store_.put(2, Codes(kIndexDimension + 1, 5), kIndexDimension);
  index_.refresh(store_.db());
  EXPECT_THAT(ids(scan(index_, {.query = towards(0)})), ElementsAre(1));
}

TEST_F(VectorIndexTest, OlderSnapshotTakesNothingAway) {
  store_.put(1, axis(0), kIndexDimension);
  auto reader = sqlite::Database::open(dir_.path() / "memd.db", sqlite::OpenMode::read_only);
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM vectors").bind().run();  // its read snapshot begins here
  store_.put(2, axis(0), kIndexDimension);
  index_.refresh(store_.db());
  index_.refresh(reader);
  EXPECT_THAT(ids(scan(index_, {.query = towards(0)})), ElementsAre(2, 1));
  reader.exec("COMMIT");
  index_.refresh(reader);
  EXPECT_THAT(ids(scan(index_, {.query = towards(0)})), ElementsAre(2, 1));
}

TEST_F(VectorIndexTest, OfVeryManyTheCodesStayInTheStore) {
  VectorIndex cold("m", {.sketched_above = 1000, .cold_above = 2000});
  {
    sqlite::Transaction tx(store_.db());
    for (ExchangeId id = 1; id <= 3000; ++id)
      store_.put(id, random_codes(8), kIndexDimension);
    tx.commit();
  }
  index_.refresh(store_.db());
  cold.refresh(store_.db());
  EXPECT_LT(cold.memory(), index_.memory());
  const auto query = random_query();
  const ExchangeId also[] = {1, 2999};
  const auto wanted = scan(index_, {.query = query, .count = 3, .also = also});
  const auto found = scan(cold, {.query = query, .count = 3, .also = also});
  EXPECT_THAT(ids(found), ElementsAreArray(ids(wanted)));
  EXPECT_EQ(found.also, wanted.also);
  // Deleted from the store but not yet noticed by the index: its hit disappears, and no other is invented.
  store_.remove(wanted.nearest[0].exchange);
  EXPECT_EQ(ids(scan(cold, {.query = query, .count = 3}))[0], wanted.nearest[1].exchange);
}

// The expected results, computed by brute force.
class Expected {
 public:
  std::map<ExchangeId, Codes> exchanges;

  float best(ExchangeId id, const std::vector<float>& query) const {
    const auto at = exchanges.find(id);
    float out = std::nanf("");
    if (at == exchanges.end()) return out;
    for (std::size_t c = 0; c < at->second.size(); c += kIndexDimension)
      if (const float v = cosine(at->second.data() + c, query); !(out >= v)) out = v;
    return out;
  }
  static float cosine(const std::int8_t* codes, const std::vector<float>& query) {
    double dot = 0;
    double a = 0;
    double b = 0;
    for (std::size_t d = 0; d < kIndexDimension; ++d) {
      dot += codes[d] * query[d];
      a += codes[d] * codes[d];
      b += query[d] * query[d];
    }
    return static_cast<float>(dot / std::sqrt(a * b));
  }
};

TEST_F(VectorIndexTest, AgreesWithTheSlowWayWhateverHappens) {
  Expected expected;
  const auto check = [&] {
    const auto query = random_query();
    const ExchangeId first = static_cast<ExchangeId>(random_() % 300);
    const ExchangeId last = random_() % 3 == 0 ? INT64_MAX : first + static_cast<ExchangeId>(random_() % 400);
    const std::function<bool(ExchangeId)> passes = [](ExchangeId id) { return id % 3 != 0; };
    const bool filter = random_() % 2 == 0;
    std::vector<ExchangeId> also;
    for (int i = 0; i < 20; ++i)
      also.push_back(static_cast<ExchangeId>(random_() % 700));
    const std::size_t count = 1 + random_() % 30;
    const auto result = scan(index_, {query, count, first, last, filter ? &passes : nullptr, also});

    std::vector<float> cosines;
    double sum = 0;
    double squares = 0;
    std::int64_t scanned = 0;
    for (const auto& [id, codes] : expected.exchanges) {
      if (id < first || id > last) continue;
      for (std::size_t c = 0; c < codes.size(); c += kIndexDimension) {
        const double v = Expected::cosine(codes.data() + c, query);
        sum += v;
        squares += v * v;
        ++scanned;
      }
      if (!codes.empty() && (!filter || passes(id))) cosines.push_back(expected.best(id, query));
    }
    std::sort(cosines.rbegin(), cosines.rend());
    cosines.resize(std::min(cosines.size(), count));
    ASSERT_EQ(result.nearest.size(), cosines.size());
    std::set<ExchangeId> distinct;
    for (std::size_t i = 0; i < cosines.size(); ++i) {
      const Neighbour& n = result.nearest[i];
      EXPECT_NEAR(n.cosine, cosines[i], 1e-5);
      EXPECT_NEAR(n.cosine, expected.best(n.exchange, query), 1e-5);
      const Codes& codes = expected.exchanges.at(n.exchange);
      EXPECT_NEAR(Expected::cosine(codes.data() + n.chunk * kIndexDimension, query), n.cosine, 1e-5);
      EXPECT_TRUE(distinct.insert(n.exchange).second);
      EXPECT_TRUE(n.exchange >= first && n.exchange <= last && (!filter || passes(n.exchange)));
    }
    for (std::size_t i = 0; i < also.size(); ++i) {
      const float wanted = expected.best(also[i], query);
      EXPECT_EQ(std::isnan(result.also[i]), std::isnan(wanted));
      if (!std::isnan(wanted)) {
        EXPECT_NEAR(result.also[i], wanted, 1e-5);
      }
    }
    ASSERT_EQ(result.scanned, scanned);
    if (scanned == 0) return;
    EXPECT_NEAR(result.mean, sum / static_cast<double>(scanned), 1e-5);
    const double mean = sum / static_cast<double>(scanned);
    EXPECT_NEAR(result.deviation, std::sqrt(squares / static_cast<double>(scanned) - mean * mean), 1e-4);
  };
  for (int round = 0; round < 250 && !HasFatalFailure(); ++round) {
    sqlite::Transaction tx(store_.db());
    for (std::size_t changes = random_() % 60; changes > 0; --changes) {
      const auto id = static_cast<ExchangeId>(1 + random_() % 600);
      if (random_() % 4 == 0) {
        store_.remove(id);
        expected.exchanges.erase(id);
      } else {
        const Codes codes = random_codes(random_() % 12 == 0 ? 0 : 1 + random_() % 9);
        store_.put(id, codes, kIndexDimension);
        if (codes.empty())
          expected.exchanges.erase(id);
        else
          expected.exchanges[id] = codes;
      }
    }
    tx.commit();
    if (random_() % 3 != 0) continue;  // so that several changes accumulate
    index_.refresh(store_.db());
    for (int i = 0; i < 4; ++i)
      check();
  }
  // Superseded rows were removed: about 10,000 rows were written, and about 2,000 remain.
  std::size_t rows = 0;
  for (const auto& [id, codes] : expected.exchanges)
    rows += codes.size() / kIndexDimension;
  EXPECT_LT(index_.memory(), (rows * 5 / 4 + 1100) * (64 + 8 + 8 + 4) + 600 * 64);
}

TEST_F(VectorIndexTest, ScansGoOnWhileItIsRefreshed) {
  for (ExchangeId id = 1; id <= 200; ++id)
    store_.put(id, random_codes(3), kIndexDimension);
  index_.refresh(store_.db());
  std::atomic<bool> done = false;
  std::atomic<int> scans = 0;
  std::vector<std::thread> scanners;
  for (int t = 0; t < 2; ++t)
    scanners.emplace_back([&] {
      while (!done || scans < 20) {
        const auto result = scan(index_, {.query = towards(0), .count = 50});
        for (const Neighbour& n : result.nearest)
          EXPECT_TRUE(std::isfinite(n.cosine) && std::fabs(n.cosine) <= 1.0001F);
        EXPECT_EQ(result.nearest.size(), 50U);
        ++scans;
      }
    });
  for (int round = 0; round < 100; ++round) {
    {
      sqlite::Transaction tx(store_.db());
      for (int i = 0; i < 20; ++i)
        store_.put(static_cast<ExchangeId>(1 + random_() % 200), random_codes(1 + random_() % 5), kIndexDimension);
      tx.commit();
    }
    index_.refresh(store_.db());
  }
  done = true;
  for (auto& t : scanners)
    t.join();
}

}  // namespace
}  // namespace memd::vectors
