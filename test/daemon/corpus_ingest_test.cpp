// Full ingest of real Claude Code transcripts, compared with the counts of an independent reader (reference.json beside
// the home). corpus_platforms_test.cpp covers the other agents. Skipped without a corpus.
#include "schemas/base/hash.hpp"
#include "test/support/corpus_store.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <array>
#include <map>
#include <set>
#include <span>

namespace memd {
namespace {

namespace fs = std::filesystem;
namespace bj = boost::json;
using namespace std::chrono_literals;

std::span<const Adapter* const> claude_code_only() {
  static const std::array<const Adapter*, 1> table{find_adapter(Platform::claude_code)};
  return table;
}

class CorpusIngest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!fs::exists(test::corpus_home() / ".claude")) return;
    store_ = std::make_unique<test::TempDir>();
    ingest(test::corpus_home(), *store_ / "memd.db", {});
    reference_ = test::corpus_reference();
  }
  static void TearDownTestSuite() { store_.reset(); }
  void SetUp() override {
    if (!store_) GTEST_SKIP() << "no corpus at " << test::corpus_home() << " (set MEMD_CORPUS)";
    db_ = std::make_unique<sqlite::Database>(sqlite::Database::open(*store_ / "memd.db", sqlite::OpenMode::read_only));
  }

  static IngestSnapshot ingest(const fs::path& home, const fs::path& file, const IngestOptions& options) {
    return test::ingest(Discovery(claude_code_only(), home, {}, {}), file, options);
  }

  std::int64_t number(std::string_view sql, std::string_view uid = {}) {
    sqlite::Statement q(db_->handle(), sql);
    if (!uid.empty()) q.bind_at(1, uid);
    return q.step() ? q.int64(0) : -1;
  }
  template <class Check>
  void each_session(Check check) {
    for (const auto& [uid, entry] : reference_.at("sessions").at("claude_code").as_object()) {
      SCOPED_TRACE(std::string(uid));
      check(std::string(uid), entry.as_object());
    }
  }

  static inline std::unique_ptr<test::TempDir> store_;
  static inline bj::object reference_;
  std::unique_ptr<sqlite::Database> db_;
};

TEST_F(CorpusIngest, EverySessionCountsAsTheReferenceDoes) {
  each_session([&](const std::string& uid, const bj::object& want) {
    const auto column = [&](const char* name) {
      return number("SELECT " + std::string(name) + " FROM sessions WHERE uid = ?1", uid);
    };
    if (want.contains("main_missing")) {  // only its subagents' transcripts exist
      EXPECT_EQ(column("turns"), 0);
      EXPECT_GT(column("ended_at"), 0);
      return;
    }
    const auto count = [&](const char* name) { return want.at(name).to_number<std::int64_t>(); };
    EXPECT_EQ(column("turns"), count("turns"));
    EXPECT_EQ(column("tool_calls"), count("tool_calls"));
    EXPECT_EQ(column("tool_pairs"), count("results_paired"));
    // The reference counts errors of calls; memd counts every error, and one session has a result without its call.
    const std::int64_t orphan_errors = number(
        "SELECT count(*) FROM events e JOIN sessions s USING (session_pk)"
        " WHERE s.uid = ?1 AND e.kind = 4 AND e.flags & 1 AND e.pair_seq IS NULL",
        uid);
    EXPECT_EQ(column("tool_errors") - orphan_errors, count("tool_errors"));
    EXPECT_LE(orphan_errors, count("orphan_results"));
    EXPECT_EQ(column("compactions"), static_cast<std::int64_t>(want.at("compactions").as_array().size()));
    const auto sum = [&](const char* name) {
      return number("SELECT coalesce(sum(" + std::string(name) +
                        "), 0) FROM responses JOIN sessions USING (session_pk) WHERE uid = ?1",
                    uid);
    };
    const auto& tokens = want.at("tokens").as_object();
    EXPECT_EQ(sum("input"), tokens.at("input").to_number<std::int64_t>());
    EXPECT_EQ(sum("output"), tokens.at("output").to_number<std::int64_t>());
    EXPECT_EQ(sum("cache_read"), tokens.at("cache_read").to_number<std::int64_t>());
    EXPECT_EQ(sum("cache_creation"), tokens.at("cache_creation").to_number<std::int64_t>());
    EXPECT_EQ(number("SELECT count(*) FROM events e JOIN sessions s USING (session_pk)"
                     " WHERE s.uid = ?1 AND e.kind = 1",
                     uid),
              count("assistant_text"));
  });
}

TEST_F(CorpusIngest, EveryHumanPromptIsInExactlyOneExchange) {
  std::size_t prompts = 0;
  each_session([&](const std::string& uid, const bj::object& want) {
    if (want.contains("main_missing")) return;
    // The reference has the elements around a command: of a slash command its beginning is compared.
    std::multiset<std::string> expected;
    for (const auto& p : want.at("prompts").as_array())
      expected.insert(p.at("kind").as_string() == "command" ? "/" : std::string(p.at("sha256").as_string()));
    prompts += expected.size();
    std::multiset<std::string> found;
    sqlite::Statement q(db_->handle(),
                        "SELECT x.user_message, x.origin FROM exchanges x JOIN sessions s USING (session_pk)"
                        " WHERE s.uid = ?1 AND x.user_message IS NOT NULL");
    q.bind_at(1, uid);
    while (q.step()) {
      const std::string said(q.text(0));
      const auto origin = static_cast<Origin>(q.int64(1));
      found.insert(origin == Origin::command ? said.substr(0, 1)
                   : origin == Origin::shell ? sha256_hex("<bash-input>" + said + "</bash-input>")
                                             : sha256_hex(said));
    }
    EXPECT_EQ(found, expected);
  });
  EXPECT_EQ(prompts, 637u);
}

// Returns hashes of every run of paragraphs of a text, to find texts that were joined with empty lines.
std::set<std::string> hashes_of_runs(const std::string& text) {
  std::vector<std::size_t> starts{0};
  for (std::size_t at = text.find("\n\n"); at != std::string::npos; at = text.find("\n\n", at + 1))
    starts.push_back(at + 2);
  std::set<std::string> hashes;
  for (std::size_t from = 0; from < starts.size(); ++from)
    for (std::size_t to = from + 1; to <= starts.size(); ++to) {
      const std::size_t end = to == starts.size() ? text.size() : starts[to] - 2;
      hashes.insert(sha256_hex(std::string_view(text).substr(starts[from], end - starts[from])));
    }
  return hashes;
}

TEST_F(CorpusIngest, WordsSaidOnTheSideAreKept) {
  std::size_t embedded = 0;
  std::int64_t queued = 0;
  each_session([&](const std::string& uid, const bj::object& want) {
    if (want.contains("main_missing")) return;
    std::set<std::string> kept;
    sqlite::Statement q(db_->handle(),
                        "SELECT x.interventions FROM exchanges x JOIN sessions s USING (session_pk)"
                        " WHERE s.uid = ?1 AND x.interventions IS NOT NULL");
    q.bind_at(1, uid);
    while (q.step())
      kept.merge(hashes_of_runs(q.str(0)));

    std::set<std::string> said;
    for (const auto& e : want.at("embedded").as_array())
      said.insert(std::string(e.at("sha256").as_string()));
    embedded += said.size();
    std::set<std::string> only_queued;  // the same words, removed from the queue and queued again, count once
    for (const auto& e : want.at("queued").as_array())
      if (e.at("fate").as_string() == "only_queue") only_queued.insert(std::string(e.at("sha256").as_string()));
    queued += static_cast<std::int64_t>(only_queued.size());
    said.merge(only_queued);
    for (const auto& hash : said)
      EXPECT_TRUE(kept.contains(hash)) << hash;
  });
  EXPECT_EQ(embedded, 16u);
  EXPECT_EQ(number("SELECT count(*) FROM events WHERE kind = 0 AND origin = 5 AND flags & 16 = 0"), queued);
}

TEST_F(CorpusIngest, LedgerIsExactForEverySource) {
  sqlite::Statement q(db_->handle(),
                      "SELECT o.path, o.size, o.cursor, (SELECT coalesce(sum(bytes), 0) FROM coverage c WHERE"
                      " c.source_pk = o.source_pk) FROM sources o");
  std::uint64_t total = 0;
  while (q.step()) {
    EXPECT_EQ(q.int64(1), static_cast<std::int64_t>(fs::file_size(q.str(0)))) << q.text(0);
    EXPECT_EQ(q.int64(2), q.int64(1)) << q.text(0);
    EXPECT_EQ(q.int64(3), q.int64(1)) << q.text(0);
    total += static_cast<std::uint64_t>(q.int64(1));
  }
  EXPECT_EQ(total, 139'726'548u);
}

TEST_F(CorpusIngest, LedgerPerTypeIsTheReferences) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> want;
  each_session([&](const std::string&, const bj::object& s) {
    const auto add = [&](const bj::value& records) {
      for (const auto& [type, counts] : records.as_object()) {
        want[std::string(type)].first += counts.as_array()[0].to_number<std::int64_t>();
        want[std::string(type)].second += counts.as_array()[1].to_number<std::int64_t>();
      }
    };
    if (s.contains("records")) add(s.at("records"));
    for (const auto& sub : s.at("subagents").as_array())
      add(sub.at("records"));
  });
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> have;
  sqlite::Statement q(db_->handle(), "SELECT record_type, sum(records), sum(bytes) FROM coverage GROUP BY 1");
  while (q.step())
    have[q.str(0)] = {q.int64(1), q.int64(2)};
  EXPECT_EQ(have, want);
}

TEST_F(CorpusIngest, TitlesAreTheReferences) {
  each_session([&](const std::string& uid, const bj::object& want) {
    if (!want.contains("title") || !want.at("title").is_string()) return;
    sqlite::Statement q(db_->handle(), "SELECT title FROM sessions WHERE uid = ?1");
    q.bind_at(1, uid);
    ASSERT_TRUE(q.step());
    EXPECT_EQ(q.text(0), std::string_view(want.at("title").as_string()));
  });
}

TEST_F(CorpusIngest, FilesModifiedAreTheReferences) {
  each_session([&](const std::string& uid, const bj::object& want) {
    if (want.contains("main_missing")) return;
    std::set<std::string> expected;
    for (const auto& f : want.at("files_modified").as_array())
      expected.insert(std::string(f.as_string()));
    std::set<std::string> found;
    sqlite::Statement q(db_->handle(),
                        "SELECT DISTINCT p.path FROM exchange_files f JOIN paths p USING (path_pk) JOIN sessions s"
                        " USING (session_pk) WHERE s.uid = ?1 AND f.access = 1");
    q.bind_at(1, uid);
    while (q.step())
      found.insert(q.str(0));
    EXPECT_EQ(found, expected);
  });
}

TEST_F(CorpusIngest, PairsPointAtEachOtherAndOneOfEachIsACall) {
  EXPECT_EQ(number("SELECT count(*) FROM events e WHERE pair_seq IS NOT NULL AND NOT EXISTS (SELECT 1 FROM events p"
                   " WHERE p.session_pk = e.session_pk AND p.seq = e.pair_seq AND p.pair_seq = e.seq"
                   " AND p.kind + e.kind = 7)"),
            0);
}

// Records without a uuid (modes, the queue, links) have no parent; so have 20 whose parent is not in the file.
TEST_F(CorpusIngest, EventsFollowAnEarlierOneOfTheirSession) {
  EXPECT_EQ(number("SELECT count(*) FROM events e WHERE parent_seq IS NOT NULL AND NOT EXISTS (SELECT 1 FROM events p"
                   " WHERE p.session_pk = e.session_pk AND p.seq = e.parent_seq AND p.seq < e.seq)"),
            0);
  EXPECT_GT(number("SELECT count(*) FROM events JOIN sessions s USING (session_pk) WHERE s.kind = 0"
                   " AND flags & 128 = 0 AND parent_seq IS NOT NULL"),
            20'000);
  EXPECT_LT(number("SELECT count(*) FROM events JOIN sessions s USING (session_pk) WHERE s.kind = 0"
                   " AND flags & 128 = 0 AND parent_seq IS NULL AND flags & 1024 = 0"),
            100);
  // The records fork 3,839 times, but no record is followed by two prompts: nothing was rewound.
  EXPECT_EQ(number("SELECT count(*) FROM abandoned_exchanges"), 0);
}

TEST_F(CorpusIngest, SecondIngestReadsAndWritesNothing) {
  const auto again = ingest(test::corpus_home(), *store_ / "memd.db", {});
  EXPECT_EQ(again.bytes_read, 0u);
  EXPECT_EQ(again.commits, 0u);
  EXPECT_EQ(again.events, 0u);
}

TEST_F(CorpusIngest, FullTextIndexAgreesWithTheExchanges) {
  auto writing = sqlite::Database::open(*store_ / "memd.db", sqlite::OpenMode::read_write);
  EXPECT_NO_THROW(test::check_full_text_index(writing));
}

TEST_F(CorpusIngest, TinySlicesAndCommitsGiveTheSameRows) {
  IngestOptions options;
  options.tailer.slice_bytes = 300'000;
  options.commit_bytes = 1;
  test::TempDir other;
  ingest(test::corpus_home(), other / "memd.db", options);
  auto tiny = sqlite::Database::open(other / "memd.db", sqlite::OpenMode::read_only);
  // A subagent's records are in its own file and again in its parent's progress records. Each event is stored once, but
  // the copy that comes first depends on the order in which the two files are read. Subagents are therefore left out
  // here.
  const auto main_sessions = [](std::vector<std::string> rows) {
    std::erase_if(rows,
                  [](const std::string& row) { return row.find("/agent-") < row.find('|', row.find("claude_code:")); });
    return rows;
  };
  const auto want = main_sessions(test::dump_store(*db_));
  const auto have = main_sessions(test::dump_store(tiny));
  ASSERT_EQ(have.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(have[i], want[i]);
}

// Copies of the smaller transcripts grow line by line. Each line is hinted and committed on its own, with a restart now
// and then. The rows equal those of one read of the whole files.
TEST_F(CorpusIngest, LineByLineGivesTheSameRows) {
  const fs::path projects = test::corpus_home() / ".claude/projects";
  std::vector<fs::path> chosen;
  std::uintmax_t budget = 1'500'000;
  for (const auto& entry : fs::recursive_directory_iterator(projects))
    if (entry.is_regular_file() && entry.path().extension() == ".jsonl" && entry.file_size() < 600'000 &&
        entry.file_size() < budget) {
      chosen.push_back(entry.path());
      budget -= entry.file_size();
    }
  std::sort(chosen.begin(), chosen.end());
  ASSERT_GT(chosen.size(), 5u);

  test::TempDir grown_home;
  test::TempDir grown_store;
  const test::FakeClock clock;
  const Discovery discovery(claude_code_only(), grown_home.path(), {}, {});
  std::unique_ptr<IngestService> service;
  const auto restart = [&] {
    service.reset();
    auto writer = Writer::open(grown_store / "memd.db", clock);
    ASSERT_TRUE(writer);
    service = std::make_unique<IngestService>(discovery, clock);
    ASSERT_TRUE(service->start(std::move(*writer)));
  };
  std::size_t lines = 0;
  for (const auto& file : chosen) {
    const fs::path copy = grown_home / fs::relative(file, test::corpus_home()).string();
    const std::string text = test::bytes_of(file);
    std::size_t at = 0;
    while (at < text.size()) {
      const auto nl = text.find('\n', at);
      const std::size_t end = nl == std::string::npos ? text.size() : nl + 1;
      test::append_file(copy, std::string_view(text).substr(at, end - at));
      at = end;
      if (lines++ % 97 == 0) restart();
      service->hint(copy);
      ASSERT_TRUE(service->block_until_idle(60s));
    }
  }
  service.reset();

  // Ingests the complete files into another store, under the same paths so that the dumps can be compared.
  test::TempDir whole_store;
  ingest(grown_home.path(), whole_store / "memd.db", {});
  auto grown = sqlite::Database::open(grown_store / "memd.db", sqlite::OpenMode::read_write);
  auto whole = sqlite::Database::open(whole_store / "memd.db", sqlite::OpenMode::read_only);
  const auto want = test::dump_store(whole);
  const auto have = test::dump_store(grown);
  ASSERT_EQ(have.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(have[i], want[i]);
  EXPECT_NO_THROW(test::check_full_text_index(grown));
}

}  // namespace
}  // namespace memd
