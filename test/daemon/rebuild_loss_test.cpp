// A rebuild does not replace a store by one with less: because of a damaged raw layer, or an adapter that decodes less.
// MEMD_DAMAGES sets the number of stores of which a raw file is damaged.
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/forgotten_turns.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "store/db/store_copies.hpp"
#include "store/raw/raw_archive.hpp"
#include "store/write/forgetting.hpp"
#include "store/write/retention.hpp"
#include "test/support/analyze_all.hpp"
#include "test/support/corpus.hpp"
#include "test/support/mixed_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace memd {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

class RebuildLoss : public testing::Test {
 protected:
  static void SetUpTestSuite() { prepared_ = std::make_unique<test::MixedStore>(); }
  static void TearDownTestSuite() { prepared_.reset(); }
  RebuildLoss() { prepared_->copy_to(store_); }

  RebuildReport rebuild(OnLoss on_loss = OnLoss::refuse) {
    auto report = rebuild_store(store_, find_adapter, {.on_loss = on_loss});
    EXPECT_TRUE(report) << report.error().message();
    return report ? std::move(*report) : RebuildReport();
  }
  std::unique_ptr<Writer> writer() { return Writer::open(store_.database(), clock_, store_.raw_dir()).value(); }
  void exec(const char* sql) { sqlite::Database::open(store_.database(), sqlite::OpenMode::read_write).exec(sql); }
  std::int64_t number(const fs::path& file, const char* sql) {
    auto db = sqlite::Database::open(file, sqlite::OpenMode::read_only);
    sqlite::Statement q(db.handle(), sql);
    return q.step() ? q.int64(0) : -1;
  }
  std::int64_t number(const char* sql) { return number(store_.database(), sql); }

  static inline std::unique_ptr<test::MixedStore> prepared_;
  test::TempDir dir_;
  StoreLayout store_{dir_ / "data"};
  test::FakeClock clock_{test::MixedStore::kNow};
};

enum class RawDamage { flipped, zeroed, exchanged, doubled, cut, gone };
constexpr std::array kRawDamageNames{"flipped", "zeroed", "exchanged", "doubled", "cut", "gone"};

// Damages 1 to 8 bits, up to 512 bytes anywhere, or everything from some offset on.
std::string damaged(std::string bytes, const std::string& other, RawDamage kind, std::mt19937& random) {
  const std::size_t at = random() % bytes.size();
  const std::size_t length = std::min<std::size_t>(1 + random() % 512, bytes.size() - at);
  switch (kind) {
    case RawDamage::flipped:
      for (auto n = 1 + random() % 8; n > 0; --n)
        bytes[random() % bytes.size()] ^= static_cast<char>(1U << random() % 8);
      return bytes;
    case RawDamage::zeroed: return bytes.replace(at, length, length, '\0');
    case RawDamage::exchanged: return bytes.replace(at, length, other.substr(0, length));
    case RawDamage::doubled: return bytes.insert(at, bytes.substr(at, length));
    case RawDamage::cut: bytes.resize(at); return bytes;
    case RawDamage::gone: break;
  }
  return {};
}

void damage(const fs::path& file, const fs::path& other, RawDamage kind, std::mt19937& random) {
  if (kind == RawDamage::gone) return static_cast<void>(fs::remove(file));
  const std::string sound = test::bytes_of(file);
  std::string bytes = sound;
  while (bytes.starts_with(sound))  // retried if the bytes are unchanged; bytes after the end are no damage
    bytes = damaged(sound, test::bytes_of(other), kind, random);
  test::write_file(file, bytes);
}

TEST_F(RebuildLoss, NothingIsLostHoweverAFileOfTheRawLayerIsDamaged) {
  const auto want = test::dump_with_keys(store_);
  ASSERT_GT(want.size(), 300u);
  const auto names = raw::raw_file_names(store_.raw_dir());
  ASSERT_GT(names.size(), 15u);
  std::mt19937 random(5);
  struct Count {
    int tries = 0;
    int seen = 0;
    int from_old = 0;  // rebuilds that took rows from the old store
  };
  std::array<Count, kRawDamageNames.size()> counts;
  const char* wanted = std::getenv("MEMD_DAMAGES");
  const int tries = wanted != nullptr ? std::atoi(wanted) : 12;
  for (int i = 0; i < tries; ++i) {
    const auto kind = static_cast<RawDamage>(static_cast<std::size_t>(i) % kRawDamageNames.size());
    Count& count = counts[static_cast<std::size_t>(kind)];
    const std::string& name = names[static_cast<std::size_t>(i) * 7 % names.size()];
    const std::string& other = names[(static_cast<std::size_t>(i) * 7 + 1) % names.size()];
    SCOPED_TRACE(std::to_string(i) + ": " + name + ", " + kRawDamageNames[static_cast<std::size_t>(kind)]);
    prepared_->copy_to(store_);
    damage(store_.raw_dir() / name, store_.raw_dir() / other, kind, random);
    constexpr std::uint64_t kAll = 1 << 30;
    const auto check = raw::check_raw_layer(store_.database(), store_.raw_dir(), raw::FrameSeal(), kAll);
    ASSERT_TRUE(check);
    // A flipped bit of an unused byte (14 and 15 of a frame) may go undetected.
    const bool seen = !check->damages.empty();
    EXPECT_TRUE(seen || kind == RawDamage::flipped) << "doctor does not see it";
    const auto report = rebuild();
    ASSERT_TRUE(report.replaced);
    EXPECT_EQ(report.damaged_bytes > 0 || !report.from_old.empty(), seen) << "doctor and the rebuild do not agree";
    ++count.tries;
    count.seen += seen ? 1 : 0;
    count.from_old += report.from_old.empty() ? 0 : 1;
    ASSERT_THAT(test::rows_of_one(test::dump_with_keys(store_), want), IsEmpty());
  }
  for (std::size_t kind = 0; kind < counts.size(); ++kind)
    std::printf("%-9s %4d tries: %4d seen, %4d completed from the old store, 0 lost\n", kRawDamageNames[kind],
                counts[kind].tries, counts[kind].seen, counts[kind].from_old);
}

TEST_F(RebuildLoss, NothingIsLostWhenEachFileIsDamagedOrGone) {
  const auto want = test::dump_with_keys(store_);
  std::mt19937 random(6);
  test::flip_in_raw(store_, random);
  const auto names = raw::raw_file_names(store_.raw_dir());
  for (std::size_t i = 0; i < names.size(); i += 3)
    fs::remove(store_.raw_dir() / names[i]);
  const auto report = rebuild();
  ASSERT_TRUE(report.replaced);
  EXPECT_THAT(report.lost, IsEmpty());
  EXPECT_THAT(test::rows_of_one(test::dump_with_keys(store_), want), IsEmpty());
  EXPECT_EQ(number(store_.before_rebuild(), "SELECT count(*) FROM sessions"), number("SELECT count(*) FROM sessions"));
}

TEST_F(RebuildLoss, AWholeRawLayerGivesAllAgain) {
  const auto want = test::dump_with_keys(store_);
  const auto report = rebuild();
  EXPECT_TRUE(report.replaced);
  EXPECT_THAT(report.from_old, IsEmpty());
  EXPECT_EQ(report.kept, store_.before_rebuild());
  EXPECT_THAT(test::rows_of_one(test::dump_with_keys(store_), want), IsEmpty());
}

// An adapter of another version may decode less of the same records.
TEST_F(RebuildLoss, ALossThatTheRawLayerDoesNotExplainHasToBeAccepted) {
  exec(
      "INSERT INTO events (session_pk, seq, event_id, time, kind) SELECT session_pk, 900, 77, ended_at, 1 FROM sessions"
      " WHERE uid LIKE '%00000002-%'");
  const auto before = test::dump_with_keys(store_);
  auto report = rebuild();
  EXPECT_FALSE(report.replaced);
  ASSERT_EQ(report.lost.size(), 1u);
  EXPECT_EQ(report.lost.front().uid, "claude_code:" + test::TranscriptHome::session_id(2));
  EXPECT_EQ(report.lost.front().events, 1);
  EXPECT_EQ(test::dump_with_keys(store_), before);
  EXPECT_FALSE(fs::exists(store_.rebuild())) << "it would keep texts that are dropped later";
  EXPECT_FALSE(fs::exists(store_.before_rebuild()));

  report = rebuild(OnLoss::accept);
  EXPECT_TRUE(report.replaced);
  EXPECT_EQ(report.lost.size(), 1u);
  EXPECT_EQ(number("SELECT count(*) FROM events WHERE event_id = 77"), 0);
  EXPECT_EQ(number(store_.before_rebuild(), "SELECT count(*) FROM events WHERE event_id = 77"), 1);
}

TEST_F(RebuildLoss, ADamagedStoreIsReplacedOnlyByAWholeRawLayer) {
  const auto want = test::dump_with_keys(store_);
  {
    std::fstream bytes(store_.database(), std::ios::in | std::ios::out | std::ios::binary);
    for (std::uintmax_t at = 4096; at + 64 < fs::file_size(store_.database()); at += 4096) {
      bytes.seekp(static_cast<std::streamoff>(at));
      bytes << std::string(64, '\x7F');
    }
  }
  test::TempDir copy;
  fs::copy(store_.raw_dir(), copy / "raw", fs::copy_options::recursive);
  std::mt19937 random(7);
  test::flip_in_raw(store_, random, raw::raw_file_names(store_.raw_dir()).front());
  const auto refused = rebuild();
  EXPECT_FALSE(refused.replaced);
  EXPECT_NE(refused.old_damage, "");

  fs::remove_all(store_.raw_dir());
  fs::copy(copy / "raw", store_.raw_dir(), fs::copy_options::recursive);
  const auto report = rebuild();
  EXPECT_TRUE(report.replaced);
  EXPECT_THAT(test::rows_of_one(test::dump_with_keys(store_), want), IsEmpty());
  EXPECT_TRUE(fs::exists(store_.before_rebuild())) << "the damaged one";
}

TEST_F(RebuildLoss, WhatIsEvictedOrForgottenIsNoLoss) {
  {
    auto writer = this->writer();
    ASSERT_TRUE(test::analyze_all(*writer, clock_.now()));
    ASSERT_EQ(Retention(*writer).evict({"claude_code:" + test::TranscriptHome::session_id(0)})->sessions, 1u);
  }
  const auto evicted = test::dump_with_keys(store_);
  std::mt19937 random(8);
  test::flip_in_raw(store_, random);
  const auto report = rebuild();
  ASSERT_TRUE(report.replaced);
  EXPECT_THAT(test::rows_of_one(test::dump_with_keys(store_), evicted), IsEmpty());
  ASSERT_TRUE(fs::exists(store_.before_rebuild()));
  {
    auto writer = this->writer();
    ASSERT_TRUE(Forgetting(*writer, judge_of_records).forget({"claude_code:" + test::TranscriptHome::session_id(3)}));
  }
  EXPECT_FALSE(fs::exists(store_.before_rebuild())) << "it has the texts of what was forgotten";
  const auto forgotten = test::dump_with_keys(store_);
  ASSERT_TRUE(rebuild().replaced);
  EXPECT_THAT(test::rows_of_one(test::dump_with_keys(store_), forgotten), IsEmpty());
  EXPECT_EQ(number("SELECT count(*) FROM sessions WHERE uid LIKE '%00000003-%'"), 0);
}

TEST_F(RebuildLoss, WhatAKilledRebuildLeftGoesWithTheNextStart) {
  const auto leave = [this] {
    for (const char* suffix : {"", "-wal", "-shm"})
      test::write_file(store_.rebuild().string() + suffix, "texts");
  };
  leave();
  EXPECT_EQ(copies_of_store(store_).size(), 1u);
  {
    test::TempDir home;
    const Settings settings{store_, false, home.path(), {}, "", {}};
    MemoryHost host(settings, clock_);
    ASSERT_TRUE(host.start_ingest());
    EXPECT_THAT(copies_of_store(store_), IsEmpty());
  }
  leave();
  test::write_file(store_.before_rebuild(), "texts");
  auto writer = this->writer();
  ASSERT_TRUE(test::analyze_all(*writer, clock_.now()));
  ASSERT_EQ(Retention(*writer).evict({"claude_code:" + test::TranscriptHome::session_id(0)})->sessions, 1u);
  EXPECT_THAT(copies_of_store(store_), IsEmpty());
}

TEST_F(RebuildLoss, ACheckOfTheRawLayerFindsDamageAndWhatIsMissing) {
  constexpr std::uint64_t kAll = 1 << 30;
  const auto check = [this] {
    auto found = raw::check_raw_layer(store_.database(), store_.raw_dir(), raw::FrameSeal(), kAll);
    EXPECT_TRUE(found);
    return found ? *found : raw::RawCheck();
  };
  EXPECT_THAT(check().damages, IsEmpty());
  EXPECT_EQ(check().bytes_read, check().bytes);
  const auto names = raw::raw_file_names(store_.raw_dir());
  test::flip(store_.raw_dir() / names[0], fs::file_size(store_.raw_dir() / names[0]) - 3, 1);  // in the content
  test::flip(store_.raw_dir() / names[1], 40, 1);                                              // in the header
  fs::remove(store_.raw_dir() / names[2]);
  fs::resize_file(store_.raw_dir() / names[3], fs::file_size(store_.raw_dir() / names[3]) - 1);
  EXPECT_THAT(check().damages,
              testing::IsSupersetOf({testing::StartsWith("raw/" + names[0]), testing::StartsWith("raw/" + names[1]),
                                     testing::StartsWith("raw/" + names[2]), testing::StartsWith("raw/" + names[3])}));
}

TEST(RebuildLossCorpus, NothingIsLostWhenEachFileIsDamaged) {
  if (std::getenv("MEMD_KILLS") == nullptr || !fs::exists(test::corpus_home()))
    GTEST_SKIP() << "only with MEMD_KILLS and a corpus: it takes minutes";
  test::TempDir dir;
  const StoreLayout store(dir.path());
  {
    const Discovery discovery(all_adapters(), test::corpus_home(), {}, {});
    auto writer = Writer::open(store.database(), system_clock(), store.raw_dir());
    ASSERT_TRUE(writer);
    IngestOptions options;
    options.tailer.raw = RawMode::masked;
    IngestService service(discovery, system_clock(), options);
    ASSERT_TRUE(service.start(std::move(*writer)));
    service.scan();
    ASSERT_TRUE(service.block_until_idle(std::chrono::minutes(10)));
  }
  const auto want = test::dump_with_keys(store);
  std::mt19937 random(9);
  test::flip_in_raw(store, random);
  const auto report = rebuild_store(store, find_adapter);
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_TRUE(report->replaced);
  RecordProperty("sessions_from_old", static_cast<int>(report->from_old.size()));
  EXPECT_THAT(test::rows_of_one(test::dump_with_keys(store), want), IsEmpty());
}

}  // namespace
}  // namespace memd
