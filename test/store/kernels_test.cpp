#include "store/search/vectors/kernels.hpp"
#include "store/search/vectors/codes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <random>
#include <vector>

namespace memd::vectors {
namespace {

struct Aligned {
  explicit Aligned(std::size_t size) : bytes(size + kRowAlignment), at(bytes.data()) {
    while (reinterpret_cast<std::uintptr_t>(at) % kRowAlignment != 0)
      ++at;
  }
  std::vector<std::int8_t> bytes;
  std::int8_t* at;
};

class KernelsTest : public testing::Test {
 protected:
  std::int8_t byte() { return static_cast<std::int8_t>(std::uniform_int_distribution(-128, 127)(random_)); }
  std::mt19937_64 random_{5};
};

TEST_F(KernelsTest, DotsAgreeWithTheDefinition) {
  for (const std::size_t stride : {64UL, 128UL, 256UL, 384UL, 1024UL})
    for (const std::size_t rows : {0UL, 1UL, 2UL, 7UL, 33UL}) {
      constexpr std::size_t kQueries = 11;
      Aligned queries(kQueries * stride);
      Aligned codes(rows * stride);
      for (std::size_t d = 0; d < kQueries * stride; ++d)
        queries.at[d] = std::max<std::int8_t>(byte(), -127);
      for (std::size_t i = 0; i < rows * stride; ++i)
        codes.at[i] = i < stride ? (i % 2 != 0 ? -128 : 127) : byte();
      std::vector<std::int32_t> expected(kQueries * rows);
      for (std::size_t at = 0; at < expected.size(); ++at)
        for (std::size_t d = 0; d < stride; ++d)
          expected[at] += queries.at[at / rows * stride + d] * codes.at[at % rows * stride + d];
      for (const Kernels* k : all_kernels())
        for (std::size_t count = 0; count <= kQueries; ++count) {
          std::vector<std::int32_t> out(count * rows);
          k->dots(queries.at, count, codes.at, rows, stride, out.data());
          EXPECT_THAT(out, testing::ElementsAreArray(expected.data(), out.size())) << k->name << ' ' << stride;
        }
    }
}

TEST_F(KernelsTest, ExtremesDoNotSaturate) {
  constexpr std::size_t kStride = 512;
  for (const int q : {-127, 127})
    for (const int c : {-128, 127}) {
      Aligned query(kStride);
      Aligned codes(kStride);
      std::fill_n(query.at, kStride, static_cast<std::int8_t>(q));
      std::fill_n(codes.at, kStride, static_cast<std::int8_t>(c));
      for (const Kernels* k : all_kernels()) {
        std::int32_t out = 0;
        k->dots(query.at, 1, codes.at, 1, kStride, &out);
        EXPECT_EQ(out, static_cast<int>(kStride) * q * c) << k->name;
      }
    }
}

TEST_F(KernelsTest, DifferencesAgreeWithTheDefinition) {
  for (const std::size_t words : {1UL, 2UL, 4UL, 5UL, 8UL, 12UL, 17UL}) {
    constexpr std::size_t kRows = 19;
    const auto random_words = [&](std::size_t count) {
      std::vector<std::uint64_t> out(count);
      for (auto& w : out)
        w = random_();
      return out;
    };
    const auto signs = random_words(words);
    const auto low = random_words(words);
    const auto high = random_words(words);
    auto bits = random_words(kRows * words);
    for (std::size_t w = 0; w < words; ++w)
      bits[w] = ~signs[w];
    std::vector<std::uint16_t> expected(kRows);
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t bit = 0; bit < words * 64; ++bit) {
        const auto at = [&](const std::vector<std::uint64_t>& v, std::size_t row = 0) {
          return (v[row * words + bit / 64] >> bit % 64 & 1) != 0;
        };
        if (at(signs) == at(bits, i)) continue;
        if (at(low)) ++expected[i];
        if (at(high)) expected[i] = static_cast<std::uint16_t>(expected[i] + 2);
      }
    for (const Kernels* k : all_kernels()) {
      std::vector<std::uint16_t> out(kRows);
      k->differences(signs.data(), low.data(), high.data(), bits.data(), kRows, words, out.data());
      EXPECT_EQ(out, expected) << k->name << ' ' << words;
    }
  }
}

TEST_F(KernelsTest, WeightedSumsAreTheSameToTheBit) {
  constexpr std::uint32_t kTokens = 50;
  for (const std::size_t dimension : {1UL, 63UL, 64UL, 100UL, 128UL, 200UL, 256UL, 384UL, 391UL}) {
    std::vector<std::int8_t> table(kTokens * dimension);
    for (auto& t : table)
      t = byte();
    std::vector<float> scale(kTokens);
    for (auto& s : scale)
      s = std::uniform_real_distribution<float>(0, 0.1F)(random_);
    for (const std::size_t count : {0UL, 1UL, 3UL, 40UL}) {
      std::vector<std::uint32_t> ids(count);
      for (auto& id : ids)
        id = static_cast<std::uint32_t>(random_() % kTokens);
      std::vector<float> expected(dimension, 0.25F);
      for (const auto id : ids)
        for (std::size_t d = 0; d < dimension; ++d) {
          const volatile float product = scale[id] * static_cast<float>(table[id * dimension + d]);
          expected[d] += product;
        }
      for (const Kernels* k : all_kernels()) {
        std::vector<float> out(dimension, 0.25F);
        k->weighted_sum(table.data(), dimension, scale.data(), ids, out.data());
        EXPECT_EQ(out, expected) << k->name << ' ' << dimension << ' ' << count;
      }
    }
  }
}

TEST(Quantise, KeepsTheDirection) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> vector(256);
  for (auto& v : vector)
    v = normal(random) * 1e-3F;
  std::vector<std::int8_t> codes{42};
  append_quantised(vector, codes);
  ASSERT_EQ(codes.size(), 257U);
  EXPECT_EQ(codes[0], 42);
  double dot = 0;
  double a = 0;
  double b = 0;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    dot += vector[i] * codes[i + 1];
    a += vector[i] * vector[i];
    b += codes[i + 1] * codes[i + 1];
  }
  EXPECT_GT(dot / std::sqrt(a * b), 0.9998);
}

TEST(Quantise, ZerosAndNonsenseBecomeZeros) {
  std::vector<std::int8_t> codes;
  append_quantised(std::vector<float>{0, 0}, codes);
  append_quantised(std::vector<float>{1, std::numeric_limits<float>::quiet_NaN()}, codes);
  append_quantised(std::vector<float>{1, std::numeric_limits<float>::infinity()}, codes);
  EXPECT_THAT(codes, testing::ElementsAre(0, 0, 0, 0, 0, 0));
  codes.clear();
  append_quantised(std::vector<float>{-2, 1, 2}, codes);
  EXPECT_THAT(codes, testing::ElementsAre(-127, 64, 127));
}

}  // namespace
}  // namespace memd::vectors
