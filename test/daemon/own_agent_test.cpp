#include "adapters/registry.hpp"
#include "daemon/admin/platform_trial.hpp"
#include "daemon/config/config.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "test/support/corpus_store.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

// An agent that the configuration describes, as docs/custom-platforms.md does.
namespace memd {
namespace {

using testing::HasSubstr;

class OwnAgent : public testing::Test {
 protected:
  void SetUp() override {
    const std::string page = test::bytes_of(test::source_dir() / "docs" / "custom-platforms.md");
    const auto block = [&](const std::string& begin) {
      const auto at = page.find(begin) + begin.size();
      return page.substr(at, page.find("```", at) - at);
    };
    log_ = block("```json\n");
    test::write_file(dir_ / "quill.yaml", block("```yaml\n"));
    test::write_file(dir_ / "home/.quill/chats/q7.jsonl", log_);
  }
  void TearDown() override { EXPECT_TRUE(use_own_agents({})); }

  Result<Config> config(const std::string& custom) const {
    return parse_config("platforms:\n  custom:\n" + custom, "c.yaml");
  }

  test::TempDir dir_;
  std::string log_;
};

TEST_F(OwnAgent, IsReadLikeAnyOther) {
  const auto described = config("    - " + (dir_ / "quill.yaml").string() + "\n");
  ASSERT_TRUE(described) << described.error().message();
  ASSERT_TRUE(use_own_agents(described->own_agents));
  const Discovery discovery(all_adapters(), dir_ / "home", {}, {});
  const auto first = test::ingest(discovery, dir_ / "memd.db");
  EXPECT_EQ(first.sources, 1);
  {
    Reader reader(dir_ / "memd.db");
    const auto sessions = reader.ask(SessionListQuery{});
    ASSERT_TRUE(sessions);
    ASSERT_EQ(sessions->sessions.size(), 1U);
    EXPECT_EQ(sessions->sessions[0].uid, "quill:q7");
    EXPECT_EQ(sessions->sessions[0].title, "Prices in euros");
    EXPECT_EQ(sessions->sessions[0].platform, parse_platform("quill"));
  }
  EXPECT_EQ(test::ingest(discovery, dir_ / "memd.db").events, 0);

  // Described no more, it is still in the store.
  ASSERT_TRUE(use_own_agents({}));
  Reader reader(dir_ / "memd.db");
  const auto sessions = reader.ask(SessionListQuery{});
  ASSERT_TRUE(sessions) << sessions.error().message();
  ASSERT_EQ(sessions->sessions.size(), 1U);
  EXPECT_EQ(to_string(sessions->sessions[0].platform), "quill");
}

TEST_F(OwnAgent, ErrorsNameTheDescription) {
  const auto error = [&](const std::string& custom) {
    const auto c = config(custom);
    return c ? std::string() : c.error().context;
  };
  EXPECT_EQ(error("    - toy.yaml\n"), "c.yaml:3: platforms.custom: expected absolute paths, or such as ~/toy.yaml");
  EXPECT_THAT(error("    - /nonexistent/toy.yaml\n"),
              HasSubstr("c.yaml:3: platforms.custom: /nonexistent/toy.yaml cannot be read"));
  EXPECT_EQ(error("    - {agent: toy}\n"), "c.yaml:3: name: missing; say how people call the agent");
  test::write_file(dir_ / "bad.yaml", "agent: toy\nnme: Toy\n");
  EXPECT_THAT(error("    - " + (dir_ / "bad.yaml").string() + "\n"), HasSubstr("bad.yaml:2: unknown key 'nme'"));
}

TEST_F(OwnAgent, IsTriedWithoutAStore) {
  const auto agent = described::parse_description(test::bytes_of(dir_ / "quill.yaml"), "quill.yaml");
  ASSERT_TRUE(agent);
  const auto trial = admin::try_platform(*agent, {dir_ / "home", nullptr, {}});
  ASSERT_TRUE(trial) << trial.error().message();
  ASSERT_EQ(trial->files.size(), 1U);
  const admin::TrialFile& file = trial->files[0];
  EXPECT_EQ(file.bytes, log_.size());
  EXPECT_EQ(file.sessions, 1);
  EXPECT_EQ(file.prompts, 1);
  EXPECT_EQ(file.answers, 1);
  EXPECT_EQ(file.calls, 1);
  EXPECT_EQ(file.results, 1);
  EXPECT_EQ(file.tokens, 829);
  EXPECT_EQ(file.bytes_unknown, 0U);
  std::uint64_t bytes = 0;
  for (const auto& line : file.ledger)
    bytes += line.bytes;
  EXPECT_EQ(bytes, log_.size());
  ASSERT_EQ(file.first.size(), 4U);
  EXPECT_EQ(file.first[0].text, "Show prices in euros, not in cents.");
  // Another place.
  test::write_file(dir_ / "copy/x1.jsonl", "{\"kind\":\"mystery\"}\n");
  const auto other = admin::try_platform(*agent, {dir_ / "home", nullptr, dir_ / "copy"});
  ASSERT_TRUE(other);
  ASSERT_EQ(other->files.size(), 1U);
  EXPECT_EQ(other->files[0].bytes_unknown, 19U);
}

}  // namespace
}  // namespace memd
