// Topics of real histories: words of the title given by user or agent should be among the topics of the session.
// Skipped without a corpus.
#include "schemas/exchange_row.hpp"
#include "store/db/fts5.hpp"
#include "store/enrich/enrichment.hpp"
#include "store/enrich/topics/topic_extractor.hpp"
#include "test/support/corpus_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

namespace memd {
namespace {

class TopicCorpus : public test::CorpusStore {
 protected:
  void SetUp() override {
    CorpusStore::SetUp();
    if (IsSkipped()) return;
    db_ = std::make_unique<sqlite::Database>(sqlite::Database::open(database(), sqlite::OpenMode::read_only));
    exchanges_ = PendingEnrichmentQuery{kMissingTerms, 1'000'000}.run(*db_);
  }

  std::unique_ptr<sqlite::Database> db_;
  std::vector<PendingExchange> exchanges_;
};

// The extractor does not get the title.
TEST_F(TopicCorpus, TopicsHoldWordsOfTheTitle) {
  topics::TopicExtractor extractor(*db_);
  struct Session {
    std::string title;
    std::set<std::string> stems;
  };
  std::map<std::int64_t, Session> sessions;
  for (PendingExchange e : exchanges_) {
    if (e.session_title.empty()) continue;
    Session& s = sessions[e.session_pk];
    s.title = std::exchange(e.session_title, {});
    for (const TopicMention& t : extractor.extract(e))
      for (std::size_t begin = 0; begin < t.stems.size();) {
        const std::size_t end = std::min(t.stems.find(' ', begin), t.stems.size());
        s.stems.insert(t.stems.substr(begin, end - begin));
        begin = end + 1;
      }
  }
  int good = 0;
  for (const auto& [pk, s] : sessions) {
    std::vector<search::Token> title;
    search::IndexTokenizer(db_->handle()).tokenize(s.title, title);
    const bool held = std::any_of(title.begin(), title.end(), [&](const search::Token& word) {
      return word.stem.size() > 2 && s.stems.contains(std::string(word.stem));
    });
    good += held ? 1 : 0;
    if (!held) std::printf("no topic of session %lld holds a word of its title\n", static_cast<long long>(pk));
  }
  std::printf("titled sessions: %zu, with a topic of the title: %d\n", sessions.size(), good);
  ASSERT_GE(sessions.size(), 8U);
  EXPECT_GE(good * 10, static_cast<int>(sessions.size()) * 7);
}

TEST_F(TopicCorpus, TopicsAreFewBoundedAndClean) {
  topics::TopicExtractor extractor(*db_);
  std::size_t with = 0;
  std::size_t long_prompts = 0;
  for (const PendingExchange& e : exchanges_) {
    const auto found = extractor.extract(e);
    ASSERT_LE(found.size(), topics::kMostTopics);
    if (e.user_message.size() > 200 && e.assistant_response.size() > 400) {
      ++long_prompts;
      with += found.empty() ? 0 : 1;
    }
    std::set<std::string> stems;
    for (const TopicMention& t : found) {
      EXPECT_LE(t.relevance, 1);
      EXPECT_GT(t.relevance, 0);
      EXPECT_TRUE(stems.insert(t.stems).second) << t.topic;
      EXPECT_LE(t.topic.size(), 130U) << t.topic;
      EXPECT_GE(t.topic.size(), 2U);
      EXPECT_EQ(t.topic.find_first_of("/\\<>|`\"\n\t{}"), std::string::npos) << t.topic;
      EXPECT_NE(std::count_if(t.topic.begin(), t.topic.end(), [](unsigned char c) { return c >= 'A'; }), 0) << t.topic;
    }
  }
  std::printf("%zu exchanges, %zu of some length, %zu of these with topics\n", exchanges_.size(), long_prompts, with);
  ASSERT_GT(long_prompts, 100U);
  EXPECT_GE(with * 100, long_prompts * 90);
}

TEST_F(TopicCorpus, TheSameWhateverWasReadBefore) {
  topics::TopicExtractor one(*db_);
  topics::TopicExtractor other(*db_);
  std::vector<std::vector<TopicMention>> forward;
  for (const PendingExchange& e : exchanges_)
    forward.push_back(one.extract(e));
  for (std::size_t i = exchanges_.size(); i-- > 0;) {
    const auto again = other.extract(exchanges_[i]);
    ASSERT_EQ(again.size(), forward[i].size());
    for (std::size_t k = 0; k < again.size(); ++k) {
      EXPECT_EQ(again[k].topic, forward[i][k].topic);
      EXPECT_EQ(again[k].relevance, forward[i][k].relevance);
    }
  }
}

}  // namespace
}  // namespace memd
