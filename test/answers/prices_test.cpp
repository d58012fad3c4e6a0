// What models cost: by their name as agents write it, the day, the size of the prompt, the tier.
#include "daemon/usage/prices.hpp"
#include "schemas/base/time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd::usage {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMillion = 1'000'000;

TimeMs at(const char* time) { return *parse_rfc3339(time); }

// The cost of a standard response in the summer of 2026.
std::optional<double> cost(const PriceTable& prices, std::string_view model, const TokenUsage& tokens,
                           const ResponseFacts& facts = {}, const char* time = "2026-07-01T12:00:00Z") {
  return prices.cost(model, at(time), facts, tokens);
}

TEST(Prices, AreThoseOfTheDay) {
  const PriceTable prices;
  const TokenUsage tokens{100'000, 10'000};
  EXPECT_DOUBLE_EQ(*cost(prices, "gpt-5.6-sol", tokens, {}, "2026-08-20T23:59:59Z"), 0.5 + 0.3);
  EXPECT_DOUBLE_EQ(*cost(prices, "gpt-5.6-sol", tokens, {}, "2026-08-21T00:00:00Z"), 0.4 + 0.2);
}

TEST(Prices, DependOnTheSizeOfThePrompt) {
  const PriceTable prices;
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-sonnet-4-20250514", {200'000, 0}), 0.6);
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-sonnet-4-20250514", {200'001, 0}), 1.200006);
  // The prompt is all that the model reads, and the price of the answer depends on it, too.
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-sonnet-4-5", {1000, 1000, 300'000, 0}), (6 * 1000 + 22.5 * 1000) / 1e6 + 0.18);
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-opus-4-6", {300'000, 0}, {}, "2026-02-05T00:00:00Z"), 3);
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-opus-4-6", {300'000, 0}, {}, "2026-03-12T00:00:00Z"), 3);
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-opus-4-6", {300'000, 0}, {}, "2026-02-01T00:00:00Z"), 1.5) << "not yet";
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-opus-4-6", {300'000, 0}, {}, "2026-03-13T00:00:00Z"), 1.5) << "no longer";
  EXPECT_DOUBLE_EQ(*cost(prices, "gpt-5.5", {272'001, 0}), 2.72001);
}

TEST(Prices, OfWhatIsKeptForAnHourAreTwiceThoseOfTheInput) {
  const PriceTable prices;
  TokenUsage tokens;
  tokens.cache_creation = kMillion;
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-opus-4-5", tokens), 6.25);
  tokens.cache_creation_1h = kMillion;
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-opus-4-5", tokens), 10);
  tokens.cache_creation_1h = kMillion / 2;
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-opus-4-5", tokens), 8.125);
}

TEST(Prices, IncludeSearchesOfTheWeb) {
  ResponseFacts facts;
  facts.web_searches = 3;
  EXPECT_DOUBLE_EQ(*cost(PriceTable(), "claude-opus-4-5", {0, 0}, facts), 0.03);
}

TEST(Prices, OfTiers) {
  const PriceTable prices;
  ResponseFacts fast;
  fast.is_fast = true;
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-opus-4-6", {kMillion / 10, 0}, fast, "2026-02-20T00:00:00Z"), 3);
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-opus-4-6", {kMillion, 0}, fast, "2026-02-20T00:00:00Z"), 60);
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-opus-4-8", {kMillion, 0}, fast), 10);
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-haiku-4-5", {kMillion, 0}, fast), 1) << "the tier has no price of its own";
  ResponseFacts priority;
  priority.tier = ServiceTier::priority;
  EXPECT_DOUBLE_EQ(*cost(prices, "gpt-6-sol", {kMillion / 10, 0}, priority, "2026-11-01T00:00:00Z"), 0.4);
  EXPECT_DOUBLE_EQ(*cost(prices, "openrouter/anthropic/claude-opus-4.8-fast", {kMillion, 0}), 10);
}

TEST(Prices, OfTheHour) {
  const PriceTable prices;
  EXPECT_DOUBLE_EQ(*cost(prices, "deepseek-v4-pro", {kMillion, 0}, {}, "2026-10-01T05:00:00Z"), 0.66);
  EXPECT_DOUBLE_EQ(*cost(prices, "deepseek-v4-pro", {kMillion, 0}, {}, "2026-10-01T06:00:00Z"), 1.32);
  EXPECT_DOUBLE_EQ(*cost(prices, "deepseek-v4-pro", {kMillion, 0}, {}, "2026-07-01T06:00:00Z"), 0.435);
}

TEST(Prices, OfModelsAsAgentsWriteThem) {
  const PriceTable prices;
  const auto input = [&](std::string_view model) { return cost(prices, model, {kMillion / 10, 0}); };
  for (const char* opus :
       {"claude-opus-4-5", "claude-opus-4-5-20251101", "Claude-Opus-4.5", "anthropic/claude-opus-4.5",
        "openrouter/anthropic/claude-opus-4.5", "us.anthropic.claude-opus-4-5-20251101-v1:0",
        "global.anthropic.claude-opus-4-5-20251101-v1:0", "anthropic.claude-opus-4-5-20251101-v1:0",
        "bedrock/us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5@20251101",
        "vertex_ai/claude-opus-4-5@20251101", "claude-opus-4-5[1m]", "claude-4.5-opus", "claude-4.5-opus-high-thinking",
        "claude-opus-4-5-latest", "claude-opus-4-5-thinking", "anthropic/claude-opus-4.5:thinking"})
    EXPECT_EQ(input(opus), 0.5) << opus;
  for (const char* codex : {"gpt-5.1-codex", "gpt-5.1-codex-max", "gpt-5.1-codex-max-xhigh", "openai/gpt-5.1-codex",
                            "gpt-5.1-2025-11-13", "gpt-5-1", "azure/gpt-5.1", "gpt-5.1-codex-high"})
    EXPECT_EQ(input(codex), 0.125) << codex;
  EXPECT_EQ(input("models/gemini-2.5-pro"), 0.125);
  EXPECT_EQ(input("google/gemini-2.5-pro-preview-05-06"), 0.125);
  EXPECT_EQ(input("x-ai/grok-4"), 0.3);
  EXPECT_EQ(input("moonshotai/kimi-k2-thinking"), 0.06);
  EXPECT_EQ(input("z-ai/glm-4.6"), 0.06);
  EXPECT_EQ(input("qwen/qwen3-coder:free"), 0) << "known to cost nothing";
}

TEST(Prices, OfUnknownModelsAreNotKnown) {
  const PriceTable prices;
  for (const char* model : {"", "gpt-99", "gpt-5.9-nova", "<synthetic>", "ollama/qwen3-coder", "qwen3-coder:30b",
                            "lmstudio/gpt-oss-120b", "claude", "my-model", "accounts/someone/models/claude-opus-4-5",
                            "claude-haiku-9-fast", "/", ":", "[1m]", "-fast", "us.", "-latest"})
    EXPECT_FALSE(cost(prices, model, {kMillion, 0})) << model;
}

TEST(Prices, OfTheUserComeFirst) {
  PriceTable prices;
  const TokenUsage tokens{100'000, 100'000, 2'000'000, 0};
  ASSERT_TRUE(
      prices.add_own("claude-opus: {input: 5, output: 25, cache_read: 0.5, cache_creation: 6.25}\n"
                     "claude-opus-4-1: {input: 15, output: 75, cache_read: 1.5, cache_creation: 18.75}\n"
                     "my-model, its-alias:\n"
                     "  - {input: 1, output: 1, cache_read: 1, cache_creation: 1}\n"
                     "  - {from: 2026-01-01, above: 1000, input: 2, output: 2, cache_read: 2, "
                     "cache_creation: 2}\n",
                     "own.yaml"));
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-opus-9", tokens), .5 + 2.5 + 1) << "the beginning of a name";
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-opus-4-1-20250805", tokens), 1.5 + 7.5 + 3);
  EXPECT_DOUBLE_EQ(*cost(prices, "its-alias", {1000, 0}), 0.001);
  EXPECT_DOUBLE_EQ(*cost(prices, "openrouter/my-model", {1001, 0}), 0.002002);
  EXPECT_DOUBLE_EQ(*cost(prices, "gpt-5", {kMillion, 0}), 1.25) << "the built-in ones are still there";
  EXPECT_FALSE(cost(prices, "claude-opusculum", tokens)) << "another word";
  TokenUsage kept;
  kept.cache_creation = kept.cache_creation_1h = kMillion;
  EXPECT_DOUBLE_EQ(*cost(prices, "claude-opus", kept), 10) << "without a price of its own: twice the input";
  EXPECT_THAT(prices.source(), HasSubstr("own.yaml"));
}

TEST(Prices, OfTheUserAreChecked) {
  for (const auto& [yaml, said] :
       {std::pair{"a: {input: 1}", "p.yaml:1: a: expected input, output"}, std::pair{"a: {inptu: 1}", "inptu"},
        std::pair{"a: {input: -1}", "a.input: expected dollars"}, std::pair{"- a", "expected names of models"},
        std::pair{"", "expected names of models"}, std::pair{"a: {", "not valid YAML"}, std::pair{"a: []", "a list"},
        std::pair{"a: {tier: slow}", "a.tier: expected one of"}, std::pair{"a: {from: May}", "a.from: expected a day"},
        std::pair{"a: {hours: 9-17}", "a.hours: expected hours"}, std::pair{"a: {above: -1}", "a.above"}}) {
    PriceTable prices;
    const auto bad = prices.add_own(yaml, "p.yaml");
    ASSERT_FALSE(bad) << yaml;
    EXPECT_THAT(bad.error().message(), HasSubstr(said));
  }
}

TEST(Prices, OfTheTableCanAllBeRead) {
  const PriceTable prices;
  EXPECT_THAT(prices.date(), testing::MatchesRegex("20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]"));
  EXPECT_THAT(prices.source(), HasSubstr("genai-prices"));
  const auto models = prices.models();
  EXPECT_GT(models.size(), 250u);
  for (const PricedModel& model : models) {
    EXPECT_TRUE(prices.cost(model.name, at("2026-11-28T12:00:00Z"), {}, {1, 1})) << model.name;
    for (const Price& p : model.prices.all())
      EXPECT_TRUE(p.input > 0 || p.output > 0) << model.name;
  }
}

}  // namespace
}  // namespace memd::usage
