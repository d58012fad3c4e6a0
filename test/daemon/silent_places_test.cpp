// Files that change without an event: of network file systems, of overlays, of virtual machines.
#include "daemon/ingest/silent_places.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/faulty_adapter.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <future>
#include <utility>

namespace memd {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
namespace fs = std::filesystem;

class SilentPlacesTest : public testing::Test {
 protected:
  FindFileSystem by_table() {
    return [this](const fs::path& path) {
      const auto found = on_.find(path.native());
      return found == on_.end() ? FileSystem{1, {}} : found->second;
    };
  }
  SilentPlaces places() { return {{"/home/a/.claude", "/home/a/.codex"}, by_table(), {5s, 60s, 20, 3}}; }
  // Looks at what is due at `now_`, and returns the pause until the next look.
  std::chrono::nanoseconds look(SilentPlaces& places, std::chrono::nanoseconds took = 1ms) {
    for (const auto& place : places.take_due(now_))
      places.looked_at(place, now_, took);
    return *places.next() - now_;
  }

  std::map<std::string, FileSystem> on_;
  SilentPlaces::Time now_{1000s};
};

TEST_F(SilentPlacesTest, OnALocalDiskNothingIsEverDue) {
  auto p = places();
  p.look_at_roots(now_);
  p.saw("/home/a/.claude/projects/p/s.jsonl", 1, now_);
  p.found("/home/a/.claude/projects/p/s.jsonl", now_);
  EXPECT_EQ(p.next(), std::nullopt);
  EXPECT_THAT(p.take_due(now_ + 24h), IsEmpty());
}

TEST_F(SilentPlacesTest, ARootOnANetworkIsLookedAtEverMoreRarely) {
  on_["/home/a/.codex"] = {2, "nfs"};
  auto p = places();
  p.look_at_roots(now_);
  EXPECT_EQ(*p.next(), now_ + 5s);
  EXPECT_THAT(p.take_due(now_ + 4s), IsEmpty());
  now_ += 5s;
  std::vector<std::int64_t> pauses;
  for (int i = 0; i < 6; ++i) {
    const auto pause = look(p);
    pauses.push_back(std::chrono::duration_cast<std::chrono::seconds>(pause).count());
    now_ += pause;
  }
  EXPECT_THAT(pauses, ElementsAre(5, 10, 20, 40, 60, 60));
  p.found("/home/a/.codex/sessions/s.jsonl", now_);
  EXPECT_LE(*p.next(), now_ + 5s) << "where something happens, more may";
  EXPECT_EQ(p.describe().front().why, "nfs");
  now_ += 5s;
  EXPECT_EQ(look(p, 3s), 60s) << "looks take a twentieth of the time at most";
  on_.clear();  // another file system was mounted over it
  p.look_at_roots(now_);
  EXPECT_EQ(p.next(), std::nullopt);
}

TEST_F(SilentPlacesTest, ADirectoryBelowARootMayBeOnANetwork) {
  for (const char* path : {"/home/a/.claude/projects/far/deep/s.jsonl", "/home/a/.claude/projects/far/deep",
                           "/home/a/.claude/projects/far"})
    on_[path] = {7, "fuse"};
  auto p = places();
  p.look_at_roots(now_);
  p.saw("/home/a/.claude/projects/near/s.jsonl", 1, now_);
  EXPECT_EQ(p.next(), std::nullopt);
  p.saw("/home/a/.claude/projects/far/deep/s.jsonl", 7, now_);
  EXPECT_THAT(p.take_due(now_ + 5s), ElementsAre("/home/a/.claude/projects/far"));
}

TEST_F(SilentPlacesTest, WhatChangedWithoutAnEventMayDoSoAgainForAWhile) {
  auto p = places();
  p.look_at_roots(now_);
  p.found_untold("/home/a/.claude/projects/p/s.jsonl", now_);
  EXPECT_EQ(p.describe().front().place, "/home/a/.claude");
  for (int i = 0; i < 3; ++i) {
    now_ = *p.next();
    look(p);
  }
  now_ = *p.next();
  for (const auto& place : p.take_due(now_))
    p.looked_at(place, now_, 1ms);
  EXPECT_EQ(p.next(), std::nullopt) << "it was quiet for long";
}

TEST_F(SilentPlacesTest, AFileSystemIsToldByItsDeviceAndProcIsNotSilent) {
  struct ::stat st {};
  ASSERT_EQ(::stat("/proc/self", &st), 0);
  EXPECT_EQ(file_system_of("/proc/self").device, st.st_dev);
  EXPECT_EQ(file_system_of("/proc/self").silent, "");
  EXPECT_EQ(file_system_of("/not/there").device, 0U);
}

class SilentSources : public testing::Test {
 protected:
  void start() {
    auto writer = Writer::open(store_ / "memd.db", clock_);
    ASSERT_TRUE(writer) << writer.error().message();
    service_ = std::make_unique<IngestService>(discovery_, clock_, options_);
    service_->on_commit([this, told = false]() mutable {
      if (!std::exchange(told, told || lines() == 2) && told) read_.set_value();
    });
    ASSERT_TRUE(service_->start(std::move(*writer)));
    service_->scan();
    ASSERT_TRUE(service_->block_until_idle(10s));
    ASSERT_EQ(lines(), 1);
  }
  std::int64_t lines() {
    auto db = sqlite::Database::open(store_ / "memd.db", sqlite::OpenMode::read_only);
    auto& q = db.prepare("SELECT count(*) FROM exchanges");
    q.bind();
    return q.step() ? q.int64(0) : -1;
  }

  // Appends a line, at a time of the test's clock.
  void append(const fs::path& file, const std::string& line) {
    test::append_file(file, line);
    const TimeMs now = clock_.now();
    const std::array<timespec, 2> times{timespec{now / 1000, now % 1000 * 1'000'000},
                                        timespec{now / 1000, now % 1000 * 1'000'000}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times.data(), 0), 0);
  }

  test::FakeClock clock_;
  test::TempDir home_;
  test::TempDir store_;
  test::FaultyAdapter adapter_;
  std::array<const Adapter*, 1> adapters_{&adapter_};
  Discovery discovery_{adapters_, home_.path(), {}, {}};
  IngestOptions options_;
  std::promise<void> read_;
  std::unique_ptr<IngestService> service_;
};

TEST_F(SilentSources, AChangeThatNoEventTellsIsFound) {
  const fs::path file = discovery_.roots().front().path / "one.jsonl";
  test::write_file(file, "one\n");
  options_.file_system = [](const fs::path& path) {
    FileSystem out = file_system_of(path);
    out.silent = "nfs";
    return out;
  };
  options_.silent = {5ms, 20ms, 1, 3};
  start();
  ASSERT_EQ(service_->progress().snapshot().polled.size(), 1U);
  test::append_file(file, "two\n");
  EXPECT_EQ(read_.get_future().wait_for(10s), std::future_status::ready);
}

TEST_F(SilentSources, AChangeOnALocalDiskIsFoundWhenSomebodyAsks) {
  const fs::path file = discovery_.roots().front().path / "one.jsonl";
  test::write_file(file, "one\n");
  options_.look_at_all_every = 0ms;
  start();
  EXPECT_THAT(service_->progress().snapshot().polled, IsEmpty());
  test::append_file(file, "two\n");
  service_->was_asked();
  EXPECT_EQ(read_.get_future().wait_for(10s), std::future_status::ready);
}

TEST_F(SilentSources, AChangeFoundLateMakesItsPlaceSilent) {
  const fs::path file = discovery_.roots().front().path / "one.jsonl";
  append(file, "one\n");
  clock_.advance(1000);
  start();
  clock_.advance(1000);
  append(file, "two\n");
  clock_.advance(1000);
  service_->hint(file);
  ASSERT_TRUE(service_->block_until_idle(10s));
  EXPECT_THAT(service_->progress().snapshot().polled, IsEmpty()) << "an event told it";
  append(file, "three\n");
  clock_.advance(120'000);
  service_->scan();
  ASSERT_TRUE(service_->block_until_idle(10s));
  ASSERT_EQ(service_->progress().snapshot().polled.size(), 1U);
  EXPECT_EQ(service_->progress().snapshot().polled.front().why, "changes without events");
}

}  // namespace
}  // namespace memd
