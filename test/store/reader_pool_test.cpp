#include "store/reader_pool.hpp"
#include "schemas/base/error.hpp"
#include "store/db/store_layout.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "test/support/store_fixture.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace memd {
namespace {

using test::StoreFixture;

TEST(StoreLayout, DataDirectory) {
  EXPECT_EQ(*default_data_dir({"/x/data", "/home/u"}), "/x/data/memd");
  EXPECT_EQ(*default_data_dir({"", "/home/u"}), "/home/u/.local/share/memd");
  EXPECT_EQ(*default_data_dir({"relative", "/home/u"}), "/home/u/.local/share/memd");
  EXPECT_TRUE(default_data_dir({"", ""}).error().is(Errc::bad_config));
  EXPECT_EQ(StoreLayout("/d").database(), "/d/memd.db");
}

TEST(ReaderPool, LeasesAreBoundedAndSeeCommits) {
  StoreFixture store;
  ReaderPool pool(store.file(), 1);
  auto lease = pool.acquire(std::chrono::milliseconds(0));
  ASSERT_TRUE(lease);
  EXPECT_EQ((*lease)->ask(SessionListQuery{})->total, 0);
  store.session({.native_id = "aaaa"});
  EXPECT_EQ((*lease)->ask(SessionListQuery{})->total, 1) << "committed by another connection";

  const auto second = pool.acquire(std::chrono::milliseconds(0));
  ASSERT_FALSE(second);
  EXPECT_TRUE(second.error().is(Errc::unavailable));
}

#ifdef __linux__
// Mappings of the file in this process.
int mappings_of(const std::filesystem::path& file) {
  std::ifstream in("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(in, line);)
    count += line.ends_with(file.string()) ? 1 : 0;
  return count;
}

// Each mapping counts as memory of the process, up to 32 MB of it.
TEST(Reader, InTheBackgroundItMapsNothingOfTheStore) {
  StoreFixture store;
  store.session({.native_id = "aaaa"});
  sqlite::Database::open(store.file(), sqlite::OpenMode::read_write).exec("PRAGMA wal_checkpoint(TRUNCATE)");
  Reader background = Reader::in_background(store.file());
  ASSERT_EQ(background.ask(SessionListQuery{})->total, 1);
  EXPECT_EQ(mappings_of(store.file()), 0);
  Reader answering(store.file());
  ASSERT_EQ(answering.ask(SessionListQuery{})->total, 1);
  EXPECT_EQ(mappings_of(store.file()), 1) << "for speed";
}
#endif

TEST(ReaderPool, WaitsForTheNextFreeReader) {
  StoreFixture store;
  ReaderPool pool(store.file(), 1);
  auto lease = std::make_unique<ReaderPool::Lease>(*pool.acquire(std::chrono::milliseconds(0)));
  bool got = false;
  std::thread waiter([&] { got = pool.acquire(std::chrono::minutes(5)).has_value(); });
  lease.reset();
  waiter.join();
  EXPECT_TRUE(got);
}

TEST(ReaderPool, ManyThreadsShareFewReadersWhileAWriterCommits) {
  constexpr std::int64_t kSessions = 200;
  StoreFixture store;
  ReaderPool pool(store.file(), 2);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 4; ++i)
      readers.emplace_back([&] {
        for (std::int64_t seen = 0; seen < kSessions;) {
          auto lease = pool.acquire(std::chrono::minutes(5));
          const auto list = lease ? (*lease)->ask(SessionListQuery{.limit = 1}) : Result<SessionList>(lease.error());
          if (!list || list->total < seen) {
            ++wrong;  // an error, or a committed session disappeared
            return;
          }
          seen = list->total;
        }
      });
    for (std::int64_t i = 0; i < kSessions; ++i)
      store.session({.native_id = std::to_string(i)});
  }
  EXPECT_EQ(wrong, 0);
}

TEST(ReaderPool, AReaderComesBackUnwatched) {
  StoreFixture store;
  store.session({.native_id = "aaaa"});
  ReaderPool pool(store.file(), 1);
  std::stop_source stop;
  stop.request_stop();
  {
    auto lease = *pool.acquire(std::chrono::milliseconds(0));
    lease->watch(stop.get_token());
    EXPECT_TRUE(lease->ask(SessionListQuery{}).error().is(Errc::cancelled));
  }
  EXPECT_TRUE((*pool.acquire(std::chrono::milliseconds(0)))->ask(SessionListQuery{}));
}

}  // namespace
}  // namespace memd
