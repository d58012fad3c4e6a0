// Ingests the real histories of all agents into one store. Compares each session with the counts of an independent
// reader (reference.json beside the home), and the ledger with the sources. Skipped without a corpus.
#include "schemas/base/hash.hpp"
#include "schemas/store_health.hpp"
#include "store/read/ingestion.hpp"
#include "test/support/corpus_store.hpp"
#include "test/support/store_dump.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <array>
#include <cstdio>
#include <map>
#include <set>

namespace memd {
namespace {

namespace fs = std::filesystem;
namespace bj = boost::json;
constexpr std::array<const char*, 5> kOtherPlatforms{"codex", "cline", "cursor", "opencode", "gemini"};

class CorpusPlatforms : public testing::Test {
 protected:
  static IngestSnapshot ingest(const fs::path& home, const fs::path& file) {
    return test::ingest(Discovery(all_adapters(), home, {}, {}), file);
  }
  static void SetUpTestSuite() {
    if (!fs::exists(test::corpus_home() / ".codex")) return;
    store_ = std::make_unique<test::TempDir>();
    ingested_events_ = ingest(test::corpus_home(), *store_ / "memd.db").events;
    reference_ = test::corpus_reference();
  }
  static void TearDownTestSuite() { store_.reset(); }
  void SetUp() override {
    if (!store_) GTEST_SKIP() << "no corpus at " << test::corpus_home() << " (set MEMD_CORPUS)";
    db_ = std::make_unique<sqlite::Database>(sqlite::Database::open(*store_ / "memd.db", sqlite::OpenMode::read_only));
  }

  std::int64_t number(std::string_view sql, std::string_view uid = {}) {
    sqlite::Statement q(db_->handle(), sql);
    if (!uid.empty()) q.bind_at(1, uid);
    return q.step() ? q.int64(0) : -1;
  }
  template <class Check>
  void each_session(Check check) {
    for (const char* platform : kOtherPlatforms)
      for (const auto& [uid, entry] : reference_.at("sessions").at(platform).as_object()) {
        SCOPED_TRACE(std::string(uid));
        check(std::string(uid), entry.as_object());
      }
  }

  static inline std::unique_ptr<test::TempDir> store_;
  static inline bj::object reference_;
  static inline std::uint64_t ingested_events_ = 0;
  std::unique_ptr<sqlite::Database> db_;
};

// Every reported number of events equals the number of rows.
TEST_F(CorpusPlatforms, EventsAreNumberedWithoutGapsAndCountedAsRows) {
  EXPECT_EQ(number("SELECT count(*) FROM (SELECT 1 FROM events GROUP BY session_pk"
                   " HAVING min(seq) <> 0 OR max(seq) + 1 <> count(*))"),
            0);
  EXPECT_EQ(number("SELECT count(*) FROM sessions s WHERE next_seq <>"
                   " (SELECT count(*) FROM events e WHERE e.session_pk = s.session_pk AND e.origin <> 9)"),
            0);
  const std::int64_t rows = number("SELECT count(*) FROM events");
  EXPECT_GT(rows, 38'000);
  EXPECT_EQ(static_cast<std::int64_t>(ingested_events_), rows);
  std::int64_t told = 0;
  for (const PlatformTotals& platform : PlatformTotalsQuery().run(*db_)) {
    told += platform.events;
    sqlite::Statement q(db_->handle(),
                        "SELECT count(*) FROM events JOIN sessions USING (session_pk) WHERE platform = ?");
    q.bind_at(1, to_string(platform.platform));
    ASSERT_TRUE(q.step());
    EXPECT_EQ(platform.events, q.int64(0)) << to_string(platform.platform);
  }
  EXPECT_EQ(told, rows);
}

TEST_F(CorpusPlatforms, EverySessionCountsAsTheReferenceDoes) {
  each_session([&](const std::string& uid, const bj::object& want) {
    const auto column = [&](const char* name) {
      return number("SELECT " + std::string(name) + " FROM sessions WHERE uid = ?1", uid);
    };
    const auto count = [&](const char* name) { return want.at(name).to_number<std::int64_t>(); };
    EXPECT_EQ(column("turns"), count("turns"));
    EXPECT_EQ(column("tool_calls"), count("tool_calls"));
    if (want.at("results_paired").is_number()) {
      EXPECT_EQ(column("tool_pairs"), count("results_paired"));
    }
    // opencode reports a failed command as "completed"; the reference counts those apart.
    const auto failed = want.if_contains("nonzero_exits");
    EXPECT_EQ(column("tool_errors"), count("tool_errors") + (failed ? failed->to_number<std::int64_t>() : 0));
    EXPECT_EQ(column("compactions"), static_cast<std::int64_t>(want.at("compactions").as_array().size()));
    const auto sum = [&](const char* name) {
      return number("SELECT coalesce(sum(" + std::string(name) +
                        "), 0) FROM responses JOIN sessions USING (session_pk) WHERE uid = ?1",
                    uid);
    };
    const auto& tokens = want.at("tokens").as_object();
    EXPECT_EQ(sum("input"), tokens.at("input").to_number<std::int64_t>());
    // Gemini CLI counts thinking tokens apart; here they are output of the model, as on all other platforms.
    const auto raw = want.if_contains("tokens_raw");
    const auto thoughts = raw && raw->is_object() ? raw->as_object().if_contains("thoughts") : nullptr;
    EXPECT_EQ(sum("output"),
              tokens.at("output").to_number<std::int64_t>() + (thoughts ? thoughts->to_number<std::int64_t>() : 0));
    EXPECT_EQ(sum("cache_read"), tokens.at("cache_read").to_number<std::int64_t>());
    EXPECT_EQ(sum("cache_creation"), tokens.at("cache_creation").to_number<std::int64_t>());
    EXPECT_EQ(number("SELECT count(*) FROM events e JOIN sessions s USING (session_pk)"
                     " WHERE s.uid = ?1 AND e.kind = 1",
                     uid),
              count("assistant_text"));
  });
}

TEST_F(CorpusPlatforms, EveryHumanPromptIsInExactlyOneExchange) {
  std::map<std::string, std::size_t> prompts;
  each_session([&](const std::string& uid, const bj::object& want) {
    // Texts are stored as typed; the reference has hashes of these and of their trimmed form.
    std::multiset<std::string> expected;
    const char* hash = uid.starts_with("cursor:") ? "sha256_raw" : "sha256";
    for (const auto& p : want.at("prompts").as_array())
      expected.insert(std::string(p.at(hash).as_string()));
    prompts[uid.substr(0, uid.find(':'))] += expected.size();
    std::multiset<std::string> found;
    sqlite::Statement q(db_->handle(),
                        "SELECT x.user_message FROM exchanges x JOIN sessions s USING (session_pk)"
                        " WHERE s.uid = ?1 AND x.user_message IS NOT NULL");
    q.bind_at(1, uid);
    while (q.step())
      found.insert(sha256_hex(q.text(0)));
    EXPECT_EQ(found, expected);
  });
  EXPECT_EQ(prompts["codex"], 172u);
  EXPECT_EQ(prompts["cline"], 4u);
  EXPECT_EQ(prompts["cursor"], 23u);
  EXPECT_EQ(prompts["opencode"], 8u);
  EXPECT_EQ(prompts["gemini"], 2u);
}

TEST_F(CorpusPlatforms, TimesAndTitlesAreTheReferences) {
  each_session([&](const std::string& uid, const bj::object& want) {
    EXPECT_EQ(number("SELECT started_at FROM sessions WHERE uid = ?1", uid),
              want.at("first_ts").to_number<std::int64_t>());
    // The reference uses the time of the last record of any kind. Here a session ends with its last event: a row's
    // write (opencode), a repeated message (Codex) and a task that was only viewed (Cline) are not events. Cursor
    // stores the end of a conversation itself, which may be later than the last message.
    const auto late =
        want.at("last_ts").to_number<std::int64_t>() - number("SELECT ended_at FROM sessions WHERE uid = ?1", uid);
    if (uid.starts_with("cursor:"))
      EXPECT_LE(late, 0);
    else
      EXPECT_GE(late, 0);
    if (!uid.starts_with("cline:")) {
      EXPECT_LE(late, uid.starts_with("codex:") ? 200 : 5);
    }
    if (!want.at("title").is_string()) return;
    sqlite::Statement q(db_->handle(), "SELECT title FROM sessions WHERE uid = ?1");
    q.bind_at(1, uid);
    ASSERT_TRUE(q.step());
    std::string_view title = want.at("title").as_string();
    if (title.starts_with("New session - ")) title = {};  // opencode's title of an untitled session
    EXPECT_EQ(q.text(0), title);
  });
}

TEST_F(CorpusPlatforms, NoSessionIsMadeUp) {
  for (const char* platform : kOtherPlatforms) {
    std::set<std::string> known;
    for (const auto& [uid, entry] : reference_.at("sessions").at(platform).as_object())
      known.insert(std::string(uid));
    sqlite::Statement q(db_->handle(), "SELECT uid FROM sessions WHERE platform = ?1");
    q.bind_at(1, std::string_view(platform));
    while (q.step())
      EXPECT_TRUE(known.contains(q.str(0))) << q.text(0);
  }
}

// Exact to the byte for files and to the row for databases.
TEST_F(CorpusPlatforms, LedgerIsExactForEverySource) {
  sqlite::Statement q(db_->handle(),
                      "SELECT o.path, o.format, o.size, o.cursor, sum(c.bytes), sum(c.records), o.state FROM sources o"
                      " LEFT JOIN coverage c USING (source_pk) GROUP BY o.source_pk");
  while (q.step()) {
    SCOPED_TRACE(q.str(0));
    EXPECT_EQ(q.int64(6), 0);
    EXPECT_EQ(q.int64(2), q.int64(3));  // read completely
    EXPECT_EQ(q.int64(4), q.int64(2));
    if (static_cast<SourceFormat>(q.int64(1)) == SourceFormat::jsonl) {
      EXPECT_EQ(q.int64(2), static_cast<std::int64_t>(fs::file_size(q.str(0))));
    }
  }
}

// Prints what `memd status` shows of this history, for the documentation.
TEST_F(CorpusPlatforms, Table) {
  std::printf("%-12s %8s %9s %10s %8s %12s %12s %14s\n", "platform", "sources", "sessions", "exchanges", "events",
              "input", "output", "cache read");
  sqlite::Statement q(
      db_->handle(),
      "SELECT s.platform, (SELECT count(*) FROM sources o WHERE o.platform = s.platform), count(*),"
      " sum((SELECT count(*) FROM exchanges x WHERE x.session_pk = s.session_pk)),"
      " sum((SELECT count(*) FROM events e WHERE e.session_pk = s.session_pk)), sum((SELECT sum(input) FROM"
      " responses r WHERE r.session_pk = s.session_pk)), sum((SELECT sum(output) FROM responses r WHERE"
      " r.session_pk = s.session_pk)), sum((SELECT sum(cache_read) FROM responses r WHERE r.session_pk ="
      " s.session_pk)) FROM sessions s GROUP BY 1 ORDER BY 1");
  int rows = 0;
  while (q.step()) {
    ++rows;
    std::printf(
        "%-12s %8lld %9lld %10lld %8lld %12lld %12lld %14lld\n", q.str(0).c_str(), static_cast<long long>(q.int64(1)),
        static_cast<long long>(q.int64(2)), static_cast<long long>(q.int64(3)), static_cast<long long>(q.int64(4)),
        static_cast<long long>(q.int64(5)), static_cast<long long>(q.int64(6)), static_cast<long long>(q.int64(7)));
  }
  EXPECT_EQ(rows, 6);
}

TEST_F(CorpusPlatforms, SecondIngestReadsAndWritesNothing) {
  const auto again = ingest(test::corpus_home(), *store_ / "memd.db");
  EXPECT_EQ(again.commits, 0u);
  EXPECT_EQ(again.events, 0u);
}

TEST_F(CorpusPlatforms, FullTextIndexAgreesWithTheExchanges) {
  auto writing = sqlite::Database::open(*store_ / "memd.db", sqlite::OpenMode::read_write);
  EXPECT_NO_THROW(test::check_full_text_index(writing));
}

}  // namespace
}  // namespace memd
