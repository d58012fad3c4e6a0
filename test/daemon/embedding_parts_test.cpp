#include "daemon/models/api_key.hpp"
#include "daemon/models/embedding_models.hpp"
#include "daemon/models/exchange_enricher.hpp"
#include "daemon/models/serving_index.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <cstdlib>

namespace memd {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ApiKey, IsReadFromWhereOthersCannot) {
  const test::TempDir dir;
  const auto file = dir / "key";
  test::write_file(file, "  abc-123\r\n");
  ::chmod(file.c_str(), 0600);
  EXPECT_EQ(provider::read_api_key({"", file}).value(), "abc-123");
  ::chmod(file.c_str(), 0640);
  EXPECT_THAT(provider::read_api_key({"", file}).error().context, HasSubstr("chmod 600"));
  ::chmod(file.c_str(), 0600);
  test::write_file(file, "two\nlines\n");
  EXPECT_THAT(provider::read_api_key({"", file}).error().context, HasSubstr("one line"));
  test::write_file(file, "\n");
  EXPECT_THAT(provider::read_api_key({"", file}).error().context, HasSubstr("holds no key"));
  EXPECT_THAT(provider::read_api_key({"", dir.path()}).error().context, HasSubstr("not a file"));
  EXPECT_THAT(provider::read_api_key({"", dir / "none"}).error().context, HasSubstr("No such file"));
  EXPECT_EQ(provider::read_api_key({}).value(), "");
  ::unsetenv("MEMD_TEST_KEY");
  EXPECT_THAT(provider::read_api_key({"MEMD_TEST_KEY", {}}).error().context, HasSubstr("MEMD_TEST_KEY: not set"));
  ::setenv("MEMD_TEST_KEY", "k\nX-Evil: 1", 1);
  EXPECT_FALSE(provider::read_api_key({"MEMD_TEST_KEY", {}})) << "no header is smuggled in";
  ::setenv("MEMD_TEST_KEY", "k1", 1);
  EXPECT_EQ(provider::read_api_key({"MEMD_TEST_KEY", {}}).value(), "k1");
}

TEST(Models, OnlyTheBuiltInModelHasASecondLook) {
  EmbeddingConfig config;
  ASSERT_TRUE(embedding::make_models(config)->second_look);
  for (const auto provider : {EmbeddingProvider::ollama, EmbeddingProvider::disabled}) {
    config.choice.provider = provider;
    EXPECT_FALSE(embedding::make_models(config)->second_look);
  }
  config.choice.provider = EmbeddingProvider::builtin;
  config.second_look = false;
  EXPECT_FALSE(embedding::make_models(config)->second_look);
}

TEST(QuestionCache, ForgetsTheOneUsedLongestAgo) {
  embedding::QuestionCache cache(2);
  cache.put("m", "a", {1});
  cache.put("m", "b", {2});
  EXPECT_TRUE(cache.find("m", "a"));
  cache.put("m", "c", {3});
  EXPECT_FALSE(cache.find("m", "b"));
  EXPECT_EQ(cache.find("m", "a")->front(), 1);
  EXPECT_FALSE(cache.find("other", "a"));
}

class SettlingTest : public testing::Test {
 protected:
  static constexpr ExchangeDebouncer::Limits kLimits{1000, 5000};
  bool settled(TimeMs ended_at, TimeMs now) {
    debouncer_.begin();
    return debouncer_.settled(1, ended_at, now, kLimits);
  }
  ExchangeDebouncer debouncer_;
};

TEST_F(SettlingTest, WaitsForQuietButNotForever) {
  EXPECT_FALSE(settled(10'000, 10'500));
  EXPECT_EQ(debouncer_.next(), 11'000);
  EXPECT_TRUE(settled(10'000, 11'000));
  EXPECT_EQ(debouncer_.next(), std::nullopt);
  for (TimeMs now = 20'000; now < 25'000; now += 500)
    EXPECT_FALSE(settled(now, now)) << now;
  EXPECT_TRUE(settled(25'000, 25'000)) << "the longest it is left alone";
}

TEST_F(SettlingTest, ATimeToComeIsNotWaitedFor) {
  EXPECT_TRUE(settled(99'000, 10'000));
  EXPECT_FALSE(settled(9'999, 10'000));
  EXPECT_TRUE(settled(9'999, 5'000)) << "the clock was set back";
}

}  // namespace
}  // namespace memd
