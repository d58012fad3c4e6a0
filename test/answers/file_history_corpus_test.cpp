// Compares file_history over real histories with the findings of an independent reader (reference.json). Skipped
// without a corpus.
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "store/read/file_history.hpp"
#include "store/reader.hpp"
#include "store/reader_pool.hpp"
#include "test/support/corpus.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/schema_checker.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <set>

namespace memd {
namespace {

namespace fs = std::filesystem;
namespace bj = boost::json;
using namespace std::chrono_literals;

class FileHistoryCorpus : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const fs::path home = test::corpus_home();
    if (!fs::exists(home / ".codex")) return;
    data_ = std::make_unique<test::TempDir>();
    fs::permissions(data_->path(), fs::perms::owner_all);
    settings_ = std::make_unique<Settings>(Settings{StoreLayout(data_->path()), false, home, Config(), "", {}});
    settings_->config.embedding.choice.provider = EmbeddingProvider::disabled;
    settings_->config.conversation_query = true;
    static const test::FakeClock clock;
    host_ = std::make_unique<MemoryHost>(*settings_, clock);
    ASSERT_TRUE(host_->start_ingest());
    host_->ingest()->scan();
    ASSERT_TRUE(host_->ingest()->block_until_idle(300s));
    reference_ = bj::parse(test::bytes_of(home.parent_path() / "reference.json")).as_object();
  }
  static void TearDownTestSuite() {
    host_.reset();
    data_.reset();
  }
  void SetUp() override {
    if (!host_) GTEST_SKIP() << "no corpus at " << test::corpus_home() << " (set MEMD_CORPUS)";
  }
  bj::object call(std::string_view tool, const bj::object& arguments) {
    mcp::ToolContext context;
    const auto out = host_->tools().call(tool, bj::serialize(arguments), context);
    EXPECT_FALSE(out.is_error) << bj::serialize(arguments) << ": " << out.text;
    if (out.is_error) return {};
    const auto answer = bj::parse(out.structured);
    // Null: conversation_query, whose answer is that of another tool.
    if (const auto whole_schema = host_->tools().find(tool)->whole_schema; whole_schema != nullptr) {
      EXPECT_EQ(test::schema_problems(bj::parse(whole_schema()).as_object(), answer), "");
    }
    const auto limit = arguments.contains("max_tokens") ? arguments.at("max_tokens").as_int64() : 2000;
    EXPECT_LE(answer.at("est_tokens").as_int64(), limit) << bj::serialize(arguments);
    if (tool != "file_history") return answer.as_object();
    for (const auto& session : answer.at("sessions").as_array())
      for (const auto& use : session.at("exchanges").as_array())
        EXPECT_NE(out.text.find(std::string_view(use.at("exchange_id").as_string())), std::string::npos);
    return answer.as_object();
  }
  std::vector<std::pair<std::string, std::string>> modified() {  // session, path
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto& [platform, sessions] : reference_.at("sessions").as_object())
      for (const auto& [uid, session] : sessions.as_object())
        if (const auto* files = session.as_object().if_contains("files_modified"))
          for (const auto& f : files->as_array())
            out.emplace_back(uid, std::string(f.as_string()));
    return out;
  }

  static inline std::unique_ptr<test::TempDir> data_;
  static inline std::unique_ptr<Settings> settings_;
  static inline std::unique_ptr<MemoryHost> host_;
  static inline bj::object reference_;
};

TEST_F(FileHistoryCorpus, EveryModifiedFileOfEverySessionIsFound) {
  auto reader = host_->readers().acquire(5s);
  ASSERT_TRUE(reader);
  std::size_t by_name = 0;
  const auto all = modified();
  for (const auto& [session, path] : all) {
    for (const bool whole : {true, false}) {
      // The last two parts of the path, as people write it.
      const auto slash = path.rfind('/');
      const auto before = slash == std::string::npos || slash == 0 ? slash : path.rfind('/', slash - 1);
      const std::string asked = whole || before == std::string::npos ? path : path.substr(before + 1);
      const auto found = (*reader)->ask(PathQuery{asked});
      ASSERT_TRUE(found);
      FileHistoryQuery query;
      query.access = FileAccess::modified;
      query.limit = 10'000;
      for (const auto& p : found->paths)
        query.paths.push_back(p.pk);
      ASSERT_FALSE(query.paths.empty()) << asked;
      const auto history = (*reader)->ask(query);
      ASSERT_TRUE(history);
      const bool there = std::any_of(history->sessions.begin(), history->sessions.end(),
                                     [&, uid = session](const FileUseSession& s) { return s.uid == uid; });
      EXPECT_TRUE(there) << session << " " << asked;
      by_name += !whole;
    }
  }
  EXPECT_GT(by_name, 500U);
}

TEST_F(FileHistoryCorpus, AnswersOfManyFilesKeepToTheirSizeAndSchema) {
  const auto all = modified();
  std::size_t said = 0, uses = 0;
  for (std::size_t i = 0; i < all.size(); i += 7) {
    const auto a = call("file_history", {{"path", all[i].second}, {"max_tokens", i % 2 == 0 ? 800 : 3000}});
    for (const auto& session : a.at("sessions").as_array())
      for (const auto& use : session.at("exchanges").as_array())
        ++uses, said += use.as_object().contains("said");
  }
  RecordProperty("uses", static_cast<int>(uses));
  RecordProperty("uses_with_reason", static_cast<int>(said));
  std::printf("%zu uses, %zu of them with words of the agent\n", uses, said);
  EXPECT_GT(said * 10, uses * 7);
}

TEST_F(FileHistoryCorpus, LinesOfFilesAreTraced) {
  const auto all = modified();
  std::size_t files = 0, placed = 0, estimated = 0, unplaced = 0;
  for (std::size_t i = 0; i < all.size(); i += 11) {
    auto reader = host_->readers().acquire(5s);
    const auto found = (*reader)->ask(PathQuery{all[i].second});
    if (!found || found->paths.size() != 1) continue;
    ++files;
    const auto a = call("file_history", {{"path", all[i].second}, {"lines", "1-5000"}, {"max_tokens", 8000}});
    for (const auto& session : a.at("sessions").as_array())
      for (const auto& use : session.at("exchanges").as_array()) {
        const std::string_view match = use.at("match").as_string();
        ++(match == "placed" ? placed : match == "estimated" ? estimated : unplaced);
        EXPECT_EQ(use.as_object().contains("lines"), match != "unplaced");
      }
  }
  std::printf("%zu files: edits placed %zu, estimated %zu, unplaced %zu\n", files, placed, estimated, unplaced);
  EXPECT_GT(placed, unplaced);
}

TEST_F(FileHistoryCorpus, CommitsOfAgentsLeadToTheirSessions) {
  auto db = sqlite::Database::open(settings_->layout.database(), sqlite::OpenMode::read_only);
  sqlite::Statement q(
      db.handle(), "SELECT c.sha, s.uid, s.platform FROM commits c JOIN sessions s USING (session_pk) ORDER BY 2, 1");
  std::map<std::string, int> of_platform;
  std::vector<std::pair<std::string, std::string>> commits;
  while (q.step()) {
    commits.emplace_back(q.str(0), q.str(1));
    ++of_platform[q.str(2)];
  }
  for (const auto& [platform, n] : of_platform)
    std::printf("%s: %d commits\n", platform.c_str(), n);
  // The transcripts of Claude Code contain 96 successful calls of `git commit`; output of git shows 15 more commits.
  EXPECT_GE(of_platform["claude_code"], 100);
  for (std::size_t i = 0; i < commits.size(); i += 5) {
    const auto a = call("file_history", {{"commit", commits[i].first + "0000000000"}});
    bool there = false;
    for (const auto& c : a.at("commits").as_array())
      there = there || std::string_view(c.at("session_id").as_string()) == commits[i].second;
    EXPECT_TRUE(there) << commits[i].first;
  }
}

// Four sessions call `gh pr create`, and Claude Code stores a link for three of them.
TEST_F(FileHistoryCorpus, PullRequestsOfAgents) {
  auto db = sqlite::Database::open(settings_->layout.database(), sqlite::OpenMode::read_only);
  sqlite::Statement q(db.handle(),
                      "SELECT s.uid, r.url, r.n, (SELECT sha FROM commits c WHERE c.session_pk = s.session_pk"
                      " AND c.event_seq < r.first ORDER BY c.event_seq DESC LIMIT 1)"
                      " FROM (SELECT session_pk, url, count(*) AS n, min(event_seq) AS first FROM pull_requests"
                      "       GROUP BY 1, 2) r JOIN sessions s USING (session_pk) ORDER BY 1");
  int found = 0;
  int told_twice = 0;
  int joined = 0;
  while (q.step()) {
    ++found;
    told_twice += q.int64(2) == 2;
    const auto summary = call("session_summary", {{"session_id", q.str(0)}});
    EXPECT_EQ(summary.at("pull_requests").at(0).as_string(), q.str(1));
    if (q.is_null(3)) continue;
    ++joined;
    const auto commit = call("file_history", {{"commit", q.str(3)}});
    EXPECT_EQ(commit.at("commits").at(0).at("pull_request").as_string(), q.str(1));
  }
  std::printf("%d pull requests, %d told twice, %d with commits\n", found, told_twice, joined);
  EXPECT_EQ(found, 4);
  EXPECT_EQ(told_twice, 3);
}

TEST_F(FileHistoryCorpus, TheToolThatStandsForAllGivesTheSame) {
  const auto path = modified().front().second;
  EXPECT_EQ(call("conversation_query", {{"action", "file_history"}, {"path", path}}),
            call("file_history", {{"path", path}}));
  const auto recent = call("conversation_query", {{"action", "recent_turns"}, {"n_turns", 3}});
  EXPECT_TRUE(recent.contains("turns"));
  EXPECT_TRUE(call("conversation_query", {{"action", "temporal"}, {"since", "2026-02-01"}, {"until", "2026-02-10"}})
                  .contains("total_exchanges"));
}

// All pages of an exchange together give all of it, with and without tools, and each names the call for the next page.
TEST_F(FileHistoryCorpus, GetExchangeGivesAllOfAnExchangeOverItsPages) {
  auto db = sqlite::Database::open(settings_->layout.database(), sqlite::OpenMode::read_only);
  sqlite::Statement q(db.handle(),
                      "SELECT exchange_pk, length(CAST(assistant_response AS BLOB)), last_seq - first_seq + 1 FROM"
                      " exchanges WHERE exchange_pk % 23 = 1 ORDER BY 1");
  while (q.step()) {
    for (const char* what : {"", "include_tools", "include_raw"}) {
      bj::object arguments{{"ids", {"x" + std::to_string(q.int64(0))}}, {"max_tokens", 8000}};
      if (*what != 0) arguments[what] = true;
      std::int64_t pages = 0, last_seq = -1;
      bool complete = false;
      for (; !complete && pages < 3; ++pages) {
        const auto a = call("get_exchange", arguments);
        const auto& page = a.at("exchanges").at(0).as_object();
        complete = page.at("complete").as_bool();
        ASSERT_EQ(complete, !a.contains("next"));
        if (const auto* events = page.if_contains("events"))
          for (const auto& e : events->as_array()) {
            EXPECT_GT(e.at("seq").as_int64(), last_seq);
            last_seq = e.at("seq").as_int64();
          }
        if (!complete) arguments["cursor"] = a.at("next");
      }
    }
  }
}

TEST_F(FileHistoryCorpus, GetExchangeGivesTheNeighboursOfAnExchange) {
  auto db = sqlite::Database::open(settings_->layout.database(), sqlite::OpenMode::read_only);
  sqlite::Statement q(db.handle(),
                      "SELECT x.exchange_pk, x.exchange_number, s.uid, (SELECT max(exchange_number) FROM exchanges l"
                      " WHERE l.session_pk = x.session_pk) FROM exchanges x JOIN sessions s USING (session_pk)"
                      " WHERE exchange_pk % 29 = 1 ORDER BY 1");
  while (q.step()) {
    bj::object arguments{{"ids", {"x" + std::to_string(q.int64(0))}}, {"around", 2}, {"max_tokens", 3000}};
    std::vector<std::int64_t> numbers;
    for (int page = 0; page < 40; ++page) {
      const auto a = call("get_exchange", arguments);
      for (const auto& x : a.at("exchanges").as_array()) {
        EXPECT_EQ(std::string_view(x.at("session_id").as_string()), q.text(2));
        const auto number = x.at("exchange_number").as_int64();
        if (numbers.empty() || numbers.back() != number) numbers.push_back(number);
      }
      if (!a.contains("next")) break;
      arguments["cursor"] = a.at("next");
    }
    std::vector<std::int64_t> expected;
    for (auto n = std::max<std::int64_t>(q.int64(1) - 2, 0); n <= std::min(q.int64(1) + 2, q.int64(3)); ++n)
      expected.push_back(n);
    // A very long neighbour may have more pages than are read here.
    ASSERT_FALSE(numbers.empty());
    expected.resize(std::min(expected.size(), numbers.size()));
    EXPECT_EQ(numbers, expected) << q.int64(0);
  }
}

}  // namespace
}  // namespace memd
