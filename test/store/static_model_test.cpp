#include "schemas/base/error.hpp"
#include "store/enrich/embedding/embedder.hpp"
#include "synthetic_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace memd::embedding {
namespace {

using testing::Each;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;
using testing::StartsWith;

test::SyntheticModel model_of_four() {
  return {.tokens = {"[UNK]", "red", "blue", "##ish"},
          .scale = {0, 2, 0.5F, 1},
          .table = {9, 9, 9, 9, 3, 0, 0, 0, 0, 16, 0, 0, 0, 0, -4, 127}};
}

TEST(StaticModel, AddsWeightedRowsAndNormalises) {
  const auto file = model_of_four().file();
  const StaticModel model = StaticModel::load(file).value();
  EXPECT_EQ(model.name(), "synthetic");
  EXPECT_EQ(model.dimension(), 4);
  EXPECT_THAT(model.embed("Red blue"), Pointwise(FloatNear(1e-7F), {0.6F, 0.8F, 0.F, 0.F}));
  EXPECT_THAT(model.embed("red RED red"), Pointwise(FloatNear(1e-7F), {1.F, 0.F, 0.F, 0.F}));
  EXPECT_EQ(model.embed("reddish"), model.embed("xyzzy"));
  EXPECT_EQ(model.embed("redish"), model.vector_of(std::vector<std::uint32_t>{1, 3}));
  EXPECT_FLOAT_EQ(model.token_weight(2), 0.5F);
}

TEST(StaticModel, TextThatSaysNothingIsZero) {
  const auto file = model_of_four().file();
  const StaticModel model = StaticModel::load(file).value();
  EXPECT_THAT(model.embed(""), Each(0.F));
  EXPECT_THAT(model.embed("unknown words"), Each(0.F));  // the weight of [UNK] is zero in this model
  EXPECT_EQ(model.embed("").size(), 4U);
}

struct Damage {
  const char* name;
  const char* message;
  std::function<void(std::vector<std::byte>&)> apply;
};

class DamagedModel : public testing::TestWithParam<Damage> {};

TEST_P(DamagedModel, IsRefused) {
  auto file = model_of_four().file();
  ASSERT_TRUE(StaticModel::load(file));
  GetParam().apply(file);
  const auto loaded = StaticModel::load(file);
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message(), HasSubstr(GetParam().message));
}

std::function<void(std::vector<std::byte>&)> set(std::size_t at, unsigned value) {
  return [=](std::vector<std::byte>& file) { file[at] = static_cast<std::byte>(value); };
}

INSTANTIATE_TEST_SUITE_P(Ways, DamagedModel,
                         testing::Values(Damage{"empty", "shorter than its header", [](auto& f) { f.clear(); }},
                                         Damage{"header", "shorter than its header", [](auto& f) { f.resize(31); }},
                                         Damage{"truncated", "its header says", [](auto& f) { f.pop_back(); }},
                                         Damage{"longer", "its header says", [](auto& f) { f.push_back({}); }},
                                         Damage{"magic", "MEMDEMB1", set(0, 'X')},
                                         Damage{"version", "MEMDEMB1", set(7, '2')},
                                         Damage{"dimension", "dimension 0", set(8, 0)},
                                         Damage{"large", "dimension", set(11, 0xFF)},
                                         Damage{"tokens", "its header says", set(15, 0x7F)},
                                         Damage{"name", "its header says", set(19, 0xFF)},
                                         Damage{"vocabulary", "lines of vocabulary", set(32 + 9 + 5, 'x')},
                                         Damage{"flags", "kind this version does not know", set(24, 3)},
                                         Damage{"reserved", "kind this version does not know", set(28, 1)},
                                         Damage{"weight", "a weight is not a number",
                                                [](auto& f) {
                                                  const float bad = std::numeric_limits<float>::quiet_NaN();
                                                  std::memcpy(f.data() + 64, &bad, sizeof bad);
                                                }}),
                         [](const auto& i) { return i.param.name; });

TEST(BuiltinEmbedder, IsThereAndSensible) {
  BuiltinEmbedder& builtin = builtin_embedder();
  EXPECT_THAT(builtin.model().name, StartsWith("builtin/minilm-static-"));
  ASSERT_GE(builtin.model().dimension, 64);
  const std::vector<std::string_view> texts{"the database migration failed with a timeout",
                                            "upgrading the SQL schema took too long", "we ate pasta at the beach", ""};
  const auto vectors = builtin.embed(texts, Purpose::document, {}).value();
  ASSERT_EQ(vectors.size(), texts.size());
  const auto cosine = [&](std::size_t a, std::size_t b) {
    return std::inner_product(vectors[a].begin(), vectors[a].end(), vectors[b].begin(), 0.0);
  };
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(cosine(i, i), 1, 1e-6);
  EXPECT_GT(cosine(0, 1), cosine(0, 2) + 0.1);
  EXPECT_THAT(vectors[3], Each(0.F));
}

TEST(BuiltinEmbedder, OfAQuestionTakesOnlyWordsItKnows) {
  const auto vector = [](std::string_view text, Purpose purpose) {
    return builtin_embedder().embed(std::span(&text, 1), purpose, {}).value().front();
  };
  EXPECT_THAT(vector("为什么测试失败", Purpose::query), Each(0.F));
  EXPECT_EQ(vector("测试 failed", Purpose::query), vector("failed", Purpose::query));
  EXPECT_EQ(vector("it failed", Purpose::query), vector("it failed", Purpose::document));
}

TEST(BuiltinEmbedder, EndsEarlyWhenStopped) {
  std::stop_source stop;
  stop.request_stop();
  const std::vector<std::string_view> texts{"a"};
  const auto vectors = builtin_embedder().embed(texts, Purpose::query, stop.get_token());
  ASSERT_FALSE(vectors);
  EXPECT_TRUE(vectors.error().is(Errc::cancelled));
}

}  // namespace
}  // namespace memd::embedding
