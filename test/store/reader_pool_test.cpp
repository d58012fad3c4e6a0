#include "store/reader_pool.hpp"
#include "store/store_layout.hpp"
#include "test/support/store_fixture.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

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
  EXPECT_EQ((*lease)->sessions({})->total, 0);
  store.session({.native_id = "aaaa"});
  EXPECT_EQ((*lease)->sessions({})->total, 1) << "committed by another connection";

  const auto second = pool.acquire(std::chrono::milliseconds(0));
  ASSERT_FALSE(second);
  EXPECT_TRUE(second.error().is(Errc::unavailable));
}

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

TEST(ReaderPool, AReaderComesBackUnwatched) {
  StoreFixture store;
  store.session({.native_id = "aaaa"});
  ReaderPool pool(store.file(), 1);
  std::stop_source stop;
  stop.request_stop();
  {
    auto lease = *pool.acquire(std::chrono::milliseconds(0));
    lease->watch(stop.get_token());
    EXPECT_TRUE(lease->sessions({}).error().is(Errc::cancelled));
  }
  EXPECT_TRUE((*pool.acquire(std::chrono::milliseconds(0)))->sessions({}));
}

}  // namespace
}  // namespace memd
