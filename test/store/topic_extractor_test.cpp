#include "store/enrich/topics/topic_extractor.hpp"
#include "schemas/base/error.hpp"
#include "schemas/exchange_row.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace memd::test {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

class TopicExtractorTest : public testing::Test {
 protected:
  std::vector<TopicMention> mentions(std::string user, std::string answer, std::string title = {}) {
    topics::TopicExtractor extractor(reading);
    ExchangeRow e;
    e.user_message = std::move(user);
    e.assistant_response = std::move(answer);
    e.session_title = std::move(title);
    return extractor.extract(e);
  }
  std::vector<std::string> names(std::string user, std::string answer, std::string title = {}) {
    std::vector<std::string> out;
    for (const TopicMention& m : mentions(std::move(user), std::move(answer), std::move(title)))
      out.push_back(m.topic);
    return out;
  }
  static std::string all(const std::vector<std::string>& names) {
    std::string out;
    for (const auto& n : names)
      out += n + " | ";
    return out;
  }

  StoreFixture store;
  sqlite::Database reading = sqlite::Database::open(store.file(), sqlite::OpenMode::read_only);
};

constexpr const char* kBucketPrompt =
    "The rate limiter lets bursts through. Can you look at the token bucket in limiter.go?";
constexpr const char* kBucketAnswer =
    "The token bucket refills on every request, so bursts pass. I moved the refill to `RefillTokens()` and the rate "
    "limiter now holds. The rate limiter has a test for bursts.";

TEST_F(TopicExtractorTest, PhrasesOfThePromptAndTheAnswer) {
  const auto found = names(kBucketPrompt, kBucketAnswer);
  EXPECT_THAT(found, IsSupersetOf({"rate limiter", "token bucket"})) << all(found);
  EXPECT_EQ(found.front(), "token bucket") << all(found);
  EXPECT_THAT(found, Contains("limiter.go")) << all(found);
  EXPECT_LE(found.size(), topics::kMostTopics);
}

TEST_F(TopicExtractorTest, RelevanceFallsAndStaysInBounds) {
  const auto found = mentions(kBucketPrompt, kBucketAnswer);
  ASSERT_FALSE(found.empty());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_GT(found[i].relevance, 0);
    EXPECT_LE(found[i].relevance, 1);
    EXPECT_FALSE(found[i].stems.empty());
  }
}

// Each line has something that one of the extractors could take for a topic.
TEST_F(TopicExtractorTest, NoJunk) {
  const auto found = names(
      "please fix this shit asap, thanks!! commit 7fe2d1a9c broke /usr/local/share/app/data at 12:30, "
      "see https://example.org/some/deep/path?query=yes and 2026-01-22-0bdbfa06-acf1-473a-b3e4-6a0331 v1.2.3\n"
      "<system-reminder>remember the weather report</system-reminder>\n"
      "/compact\n"
      "```\nfor (int i = 0; i < kDozen; ++i) frobnicate(zebra);\n```\n"
      "    at Object.loadEverything (node:internal/modules/cjs/loader:936:15)\n"
      "{\"stackDepth\": 12, \"colour\": \"red\"}\n"
      "The carburetor stalls. The carburetor is new.",
      "Great question! You're absolutely right. Let me look at the carburetor.");
  EXPECT_THAT(found, Contains("carburetor")) << all(found);
  for (const std::string& topic : found)
    for (const char* junk :
         {"shit", "asap", "thanks", "7fe2d1a9c", "usr", "share", "deep", "example", "2026", "weather", "compact",
          "frobnicate", "zebra", "loadEverything", "stackDepth", "great", "absolutely"})
      EXPECT_EQ(topic.find(junk), std::string::npos) << topic;
}

TEST_F(TopicExtractorTest, NothingOfWhatClientsWrite) {
  EXPECT_THAT(names("This session is being continued from a previous conversation about the rate limiter.",
                    "The rate limiter and the token bucket are done."),
              IsEmpty());
  EXPECT_THAT(names("yes", "Done."), IsEmpty());
  EXPECT_THAT(names("", ""), IsEmpty());
}

TEST_F(TopicExtractorTest, ANameIsWrittenAsItMostlyIs) {
  const auto found = names("Postgres Replication lags. Why does postgres replication lag on PostgreSQL?",
                           "Postgres replication lags because of long transactions. Postgres replication slots help.");
  EXPECT_THAT(found, Contains("postgres replication")) << all(found);
  const auto acronym =
      names("The TLS handshake fails behind nginx.", "The TLS handshake fails: nginx offers no cipher.");
  EXPECT_THAT(acronym, Contains("TLS handshake")) << all(acronym);
}

TEST_F(TopicExtractorTest, FormsOfAWordAreOneTopic) {
  const auto one = mentions("The merge conflict in the changelog is back.", "The merge conflict is gone.");
  const auto many = mentions("Merge conflicts in all files!", "I resolved the merge conflicts.");
  const auto stems = [](const std::vector<TopicMention>& found) {
    const auto it = std::find_if(found.begin(), found.end(),
                                 [](const auto& m) { return m.topic.find("erge") == 0 || m.topic[0] == 'm'; });
    return it == found.end() ? std::string() : it->stems;
  };
  EXPECT_EQ(stems(one), "merg conflict");
  EXPECT_EQ(stems(one), stems(many));
}

TEST_F(TopicExtractorTest, APartIsNotListedBesideTheWhole) {
  const auto found = mentions(kBucketPrompt, kBucketAnswer);
  for (const auto& a : found)
    for (const auto& b : found)
      if (&a != &b) {
        EXPECT_EQ((" " + a.stems + " ").find(" " + b.stems + " "), std::string::npos) << a.topic;
      }
}

TEST_F(TopicExtractorTest, NamesOfFunctionsDoNotCrowdOutTheRest) {
  const auto found =
      names("Explain parseHeader, parseBody, parseTrailer, readFrame, writeFrame and flushQueue in the wire protocol.",
            "The wire protocol: parseHeader, parseBody, parseTrailer, readFrame, writeFrame, flushQueue.");
  EXPECT_THAT(found, Contains("wire protocol")) << all(found);
  EXPECT_LE(
      std::count_if(found.begin(), found.end(),
                    [](const std::string& t) { return t.find("parse") == 0 || t.find("Frame") != std::string::npos; }),
      3)
      << all(found);
}

TEST_F(TopicExtractorTest, TheTitleOfTheSessionCounts) {
  const char* prompt = "Look at the invoices and the ledger.";
  const auto relevance = [&](const std::string& title) {
    for (const TopicMention& m : mentions(prompt, "The ledger is fine, the invoices are late.", title))
      if (m.topic == "ledger") return m.relevance;
    return 0.0;
  };
  EXPECT_GT(relevance("Ledger export"), relevance("Something else"));
}

TEST_F(TopicExtractorTest, OtherLanguages) {
  const auto korean = names("데이터셋을 전처리해서 인코더로 학습하자. 데이터셋에서 프레임을 줄여줘.",
                            "데이터셋은 전처리 완료했습니다.");
  EXPECT_THAT(korean, Contains("데이터셋")) << all(korean);
  const auto russian = names("нужны настройки сервера vite",
                             "Настройки сервера находятся в vite.config.js. Настройки сервера можно менять.");
  EXPECT_THAT(russian, Contains("настройки сервера")) << all(russian);
  EXPECT_NO_THROW(names("\xff\xfe broken \xe2\x82 bytes", "\xf0\x9f\x98"));
}

TEST_F(TopicExtractorTest, TheSameTwice) {
  topics::TopicExtractor one(reading);
  topics::TopicExtractor other(reading);
  ExchangeRow e;
  e.user_message = kBucketPrompt;
  e.assistant_response = kBucketAnswer;
  ExchangeRow noise;
  noise.user_message = "Something about whales and the deep sea.";
  other.extract(noise);
  const auto a = one.extract(e);
  const auto b = other.extract(e);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].topic, b[i].topic);
    EXPECT_EQ(a[i].relevance, b[i].relevance);
  }
}

// The topics of an exchange must not depend on when it was read.
TEST_F(TopicExtractorTest, TopicsChangeLittleWhileTheStoreGrows) {
  const auto young = names(kBucketPrompt, kBucketAnswer);
  const auto session = store.session({.native_id = "s", .title = ""});
  for (int i = 0; i < 1500; ++i)
    store.exchange(session,
                   {.user = "Case " + std::to_string(i) + (i % 3 == 0 ? " of the token bucket" : " of the parser"),
                    .answer = i % 5 == 0 ? "The rate limiter holds." : "Done with the parser."});
  const auto old = names(kBucketPrompt, kBucketAnswer);
  EXPECT_THAT(old, IsSupersetOf({"rate limiter", "token bucket"})) << all(old);
  std::size_t kept = 0;
  for (const auto& t : young)
    kept += static_cast<std::size_t>(std::count(old.begin(), old.end(), t));
  EXPECT_GE(kept * 3, young.size() * 2) << all(young) << " became " << all(old);
}

// An embedder that places every text near `liked`.
class OneSidedEmbedder final : public embedding::Embedder {
 public:
  explicit OneSidedEmbedder(std::string liked) : liked_(std::move(liked)) {}
  embedding::ModelId model() const override { return {"test/one-sided", 2}; }
  Result<std::vector<embedding::Vector>> embed(std::span<const std::string_view> texts, embedding::Purpose,
                                               std::stop_token) override {
    std::vector<embedding::Vector> out;
    for (std::size_t i = 0; i < texts.size(); ++i)
      out.push_back(i == 0 || texts[i] == liked_ ? embedding::Vector{1, 0} : embedding::Vector{0, 1});
    if (broken) return Error(Errc::unavailable, "down");
    return out;
  }
  bool broken = false;

 private:
  std::string liked_;
};

TEST_F(TopicExtractorTest, MeaningReorders) {
  ExchangeRow e;
  e.user_message = kBucketPrompt;
  e.assistant_response = kBucketAnswer;
  const auto first = [&](embedding::Embedder* embedder) {
    return topics::TopicExtractor(reading, embedder).extract(e).front().topic;
  };
  OneSidedEmbedder bucket("token bucket");
  OneSidedEmbedder limiter("rate limiter");
  EXPECT_EQ(first(&bucket), "token bucket");
  EXPECT_EQ(first(&limiter), "rate limiter");
  bucket.broken = limiter.broken = true;
  EXPECT_EQ(first(&bucket), first(nullptr));
}

}  // namespace
}  // namespace memd::test
