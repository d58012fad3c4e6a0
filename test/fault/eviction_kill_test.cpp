// Kills processes that evict or analyse sessions at random moments, again and again. The store they leave opens at
// once, and each session in it is evicted or complete. In the end the store, and a rebuild of it, equal those of an
// undisturbed run. MEMD_KILLS sets the number of kills; if it is set, the corpus is evicted, too.
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "daemon/models/session_analyzer.hpp"
#include "store/raw/raw_file.hpp"
#include "store/write/retention.hpp"
#include "test/support/analyze_all.hpp"
#include "test/support/corpus.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/killed_process.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <random>
#include <string>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Microseconds = std::chrono::microseconds;

constexpr TimeMs kLater = 1'900'000'000'000;  // all sessions have stopped by then

std::string id_of(int session) {
  return "0000000" + std::to_string(session % 10) + "-0000-4000-8000-0000000000" + std::to_string(10 + session);
}

std::string talk_of(int session) {
  const std::string id = id_of(session);
  std::string text;
  for (int line = 0; line < 60; ++line) {
    const std::string n = std::to_string(1000 + line);
    const bool user = line % 3 == 0;
    const std::string tail = R"(,"uuid":")" + id.substr(0, 24) + "00" + std::to_string(10 + session) + "0000" + n +
                             R"(","timestamp":"2026-02-09T06:)" + n.substr(2) + R"(:00Z","cwd":"/w/p)" +
                             std::to_string(session % 3) + R"(","sessionId":")" + id + "\"}\n";
    const std::string words = "text " + n + " of session " + std::to_string(session) + " " + std::string(600, 'w');
    if (user)
      text += R"({"type":"user","message":{"role":"user","content":")" + words + "\"}" + tail;
    else
      text += R"({"type":"assistant","message":{"id":"m)" + n + R"(","role":"assistant","content":[)" +
              (line % 3 == 1 ? R"({"type":"tool_use","id":"t)" + n + R"(","name":"Edit","input":{"file_path":"/w/)" +
                                   n + R"(.cc","old_string":"a","new_string":"b"}})"
                             : R"({"type":"text","text":")" + words + "\"}") +
              "]}" + tail;
  }
  return text;
}

void write_home(const fs::path& home) {
  for (int session = 0; session < 15; ++session)
    test::write_file(home / (".claude/projects/-w-p/" + id_of(session) + ".jsonl"), talk_of(session));
}

// Fills a store and its raw layer from a home.
void fill(const StoreLayout& store, const fs::path& home) {
  const Discovery discovery(all_adapters(), home, {}, {});
  const test::FakeClock clock(kLater);
  auto writer = Writer::open(store.database(), clock, store.raw_dir());
  ASSERT_TRUE(writer) << writer.error().message();
  IngestOptions options;
  options.tailer.raw = RawMode::masked;
  IngestService service(discovery, clock, options);
  ASSERT_TRUE(service.start(std::move(*writer)));
  service.scan();
  ASSERT_TRUE(service.block_until_idle(10min));
  ASSERT_EQ(service.progress().snapshot().last_error, "");
}

void analyse(const StoreLayout& store) {
  const test::FakeClock clock(kLater);
  auto writer = Writer::open(store.database(), clock, store.raw_dir());
  ASSERT_TRUE(writer);
  ASSERT_TRUE(test::analyze_all(**writer, kLater));
}

// Returns the uids of the oldest four fifths.
std::vector<std::string> oldest(const StoreLayout& store) {
  auto db = sqlite::Database::open(store.database(), sqlite::OpenMode::read_only);
  sqlite::Statement q(db.handle(), "SELECT uid FROM sessions WHERE analysis_version > 0 ORDER BY ended_at, uid");
  std::vector<std::string> uids;
  while (q.step())
    uids.push_back(q.str(0));
  uids.resize(uids.size() * 4 / 5);
  return uids;
}

bool evict(const StoreLayout& store, const std::vector<std::string>& uids) {
  const test::FakeClock clock(kLater + 1);
  auto writer = Writer::open(store.database(), clock, store.raw_dir());
  return writer && Retention(**writer).evict(uids);
}

bool analyse_as_the_daemon(const StoreLayout& store) {
  const test::FakeClock clock(kLater);
  auto writer = Writer::open(store.database(), clock, store.raw_dir());
  if (!writer) return false;
  EnrichmentParts parts;
  parts.database = store.database();
  parts.perform = [&](const std::function<Result<void>(Writer&)>& task) { return task(**writer); };
  const EnrichmentOptions options;
  SessionAnalyzer analyzer(parts, clock, options);
  analyzer.begin();
  for (;;) {
    const auto more = analyzer.take_some();
    if (!more) return false;
    if (!*more) return true;
  }
}

// Returns the rows of the store, and the analysis rows of the sessions that match the SQL condition `which`.
std::vector<std::string> dump(const StoreLayout& store, const std::string& which = "true") {
  auto db = sqlite::Database::open(store.database(), sqlite::OpenMode::read_write);
  EXPECT_NO_THROW(test::check_full_text_index(db));
  auto out = test::dump_store(db);
  for (const std::string& sql :
       {"SELECT s.uid, d.request, d.result, d.abstract FROM session_digests d JOIN sessions s USING (session_pk)"
        " WHERE " +
            which + " ORDER BY 1",
        "SELECT uid, outcome, outcome_signs, analysis_version, evicted_at, evicted_through FROM sessions s WHERE " +
            which + " ORDER BY 1",
        std::string("SELECT x.exchange_pk, s.uid, x.exchange_number FROM exchanges x JOIN sessions s USING (session_pk)"
                    " ORDER BY 1")})
    test::append_rows(out, db, sql);
  return out;
}

// Returns the first ten rows that only one of the two dumps has.
std::vector<std::string> difference(std::vector<std::string> a, std::vector<std::string> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  std::vector<std::string> out;
  std::ranges::set_symmetric_difference(a, b, std::back_inserter(out));
  if (out.size() > 10) out.resize(10);
  return out;
}

// Checks the invariants of a store that a killed process left.
void expect_sound(const StoreLayout& store) {
  auto db = sqlite::Database::open(store.database(), sqlite::OpenMode::read_write);
  const auto none = [&](const char* what, const char* sql) {
    sqlite::Statement q(db.handle(), sql);
    EXPECT_FALSE(q.step()) << what << ": " << q.str(0);
  };
  none("damage", "SELECT * FROM pragma_quick_check WHERE quick_check <> 'ok'");
  none("a dangling row", "SELECT * FROM pragma_foreign_key_check");
  none("an evicted session with events",
       "SELECT uid FROM sessions s WHERE evicted_at IS NOT NULL"
       " AND EXISTS (SELECT 1 FROM events e WHERE e.session_pk = s.session_pk)");
  none("a session that is whole and has lost texts",
       "SELECT uid FROM sessions JOIN exchanges USING (session_pk) WHERE evicted_at IS NULL AND data_completeness = 2");
  none("a ledger that is off",
       "SELECT path FROM sources o WHERE o.mark = '' AND cursor <> (SELECT coalesce(sum(bytes), 0) FROM coverage c"
       " WHERE c.source_pk = o.source_pk)");
  none("a loss", "SELECT error_type FROM diagnostics WHERE error_type = 'raw_layer_lost'");
  EXPECT_NO_THROW(test::check_full_text_index(db));
}

void copy_store(const StoreLayout& from, const StoreLayout& to) {
  std::error_code ec;
  fs::remove_all(to.data_dir(), ec);
  fs::copy(from.data_dir(), to.data_dir(), fs::copy_options::recursive);
}

// Kills `work` on copies of a prepared store until enough kills have happened. Then finishes the work on each copy and
// compares it with an undisturbed one.
void kill_again_and_again(const StoreLayout& prepared, const std::function<bool(const StoreLayout&)>& work,
                          bool rebuilds) {
  test::TempDir dir;
  const StoreLayout undisturbed(dir / "undisturbed");
  copy_store(prepared, undisturbed);
  const auto started = std::chrono::steady_clock::now();
  ASSERT_TRUE(work(undisturbed));
  const auto whole = std::chrono::duration_cast<Microseconds>(std::chrono::steady_clock::now() - started);
  const auto want = dump(undisturbed);

  std::mt19937 random(23);
  int kills = 0;
  const int wanted = test::wanted_kills(5);
  for (int round = 0; kills < wanted && round < 3 * wanted + 10; ++round) {
    const StoreLayout store(dir / "store");
    copy_store(prepared, store);
    for (int attempt = 0; attempt < 5 && kills < wanted; ++attempt) {
      const Microseconds lifetime(500 + random() % static_cast<std::uint32_t>(whole.count()));
      if (!test::killed_during([&] { return work(store); }, lifetime)) break;
      ++kills;
      // Opens the store as a process does that only continues reading.
      const test::FakeClock clock(kLater + 2);
      ASSERT_TRUE(Writer::open(store.database(), clock, store.raw_dir()));
      expect_sound(store);
    }
    ASSERT_TRUE(work(store));
    ASSERT_EQ(difference(dump(store), want), std::vector<std::string>());
  }
  EXPECT_GE(kills, wanted) << "too few of the processes were killed in the middle to show anything";
  testing::Test::RecordProperty("kills", kills);
  if (!rebuilds) return;
  const StoreLayout last(dir / "store");
  const auto rebuilt = rebuild_store(last, find_adapter);
  ASSERT_TRUE(rebuilt) << rebuilt.error().message();
  EXPECT_EQ(rebuilt->damaged_bytes, 0u);
  // The other sessions are analysed again.
  const std::string evicted = "s.evicted_at IS NOT NULL";
  EXPECT_EQ(difference(dump(last, evicted), dump(undisturbed, evicted)), std::vector<std::string>());
}

class EvictionKill : public testing::Test {
 protected:
  EvictionKill() : store_(dir_ / "prepared") { fs::create_directories(store_.data_dir()); }
  test::TempDir dir_;
  StoreLayout store_;
};

TEST_F(EvictionKill, AtRandomMomentsOfAnEviction) {
  test::TempDir home;
  write_home(home.path());
  fill(store_, home.path());
  analyse(store_);
  const auto uids = oldest(store_);
  ASSERT_EQ(uids.size(), 12u);
  kill_again_and_again(
      store_, [&](const StoreLayout& store) { return evict(store, uids); }, true);
}

TEST_F(EvictionKill, AtRandomMomentsOfTheAnalysis) {
  test::TempDir home;
  write_home(home.path());
  fill(store_, home.path());
  kill_again_and_again(store_, analyse_as_the_daemon, false);
}

TEST_F(EvictionKill, FourFifthsOfTheCorpus) {
  if (std::getenv("MEMD_KILLS") == nullptr || !fs::exists(test::corpus_home()))
    GTEST_SKIP() << "only with MEMD_KILLS and a corpus: it takes minutes";
  fill(store_, test::corpus_home());
  analyse(store_);
  const auto uids = oldest(store_);
  kill_again_and_again(
      store_, [&](const StoreLayout& store) { return evict(store, uids); }, false);
}

}  // namespace
}  // namespace memd
