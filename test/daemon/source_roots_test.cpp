// Symbolic links below a root. Below one that the configuration names, which may lie in a repository, they must not
// make memd read other files of the user. Below the agent's own directories users link folders of projects to other
// disks.
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/base/error.hpp"
#include "store/raw/raw_file.hpp"
#include "store/read/ingestion.hpp"
#include "store/reader.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/transcript_home.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <new>
#include <stdexcept>

namespace memd {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SourceRootsTest : public testing::Test {
 protected:
  SourceRootsTest() {
    test::write_file(real_ / "projects/a.jsonl", "inside");
    test::write_file(outside_ / "secret", "outside");
    fs::create_directory_symlink(real_, dir_ / "root");
  }
  std::string read(const std::string& name) const {
    const auto bytes = DiskView(SourceRoots({dir_ / "root"})).read((dir_ / "root" / name).string());
    return bytes ? *bytes : bytes.error().message();
  }

  const test::TempDir dir_;
  const fs::path real_ = dir_ / "disk";
  const fs::path outside_ = dir_ / "elsewhere";
};

TEST_F(SourceRootsTest, TheRootMayBeALinkAndLinksMayStayInside) {
  fs::create_symlink("a.jsonl", real_ / "projects/relative.jsonl");
  fs::create_symlink(real_ / "projects/a.jsonl", real_ / "projects/absolute.jsonl");
  for (const char* name : {"projects/a.jsonl", "projects/relative.jsonl", "projects/absolute.jsonl"})
    EXPECT_EQ(read(name), "inside") << name;
  EXPECT_EQ(DiskView(SourceRoots({dir_ / "root"})).list((dir_ / "root/projects").string()).size(), 3U);
}

TEST_F(SourceRootsTest, NoLinkLeadsOut) {
  fs::create_symlink(outside_ / "secret", real_ / "projects/absolute.jsonl");
  fs::create_symlink("../../elsewhere/secret", real_ / "projects/relative.jsonl");
  fs::create_directory_symlink(outside_, real_ / "folder");
  for (const char* name : {"projects/absolute.jsonl", "projects/relative.jsonl", "folder/secret"}) {
    EXPECT_THAT(read(name), HasSubstr("leads out of")) << name;
    EXPECT_THAT(read(name), HasSubstr(name));
  }
  const DiskView files(SourceRoots({dir_ / "root"}));
  EXPECT_FALSE(files.stat((dir_ / "root/projects/absolute.jsonl").string()));
  EXPECT_EQ(files.list((dir_ / "root/projects").string()).size(), 1U);
  // It is read if the user configures it as a root of its own.
  const DiskView both(SourceRoots({dir_ / "root", outside_}));
  EXPECT_EQ(both.read((outside_ / "secret").string()).value(), "outside");
}

// Gives the file to another user, or returns one of another user.
fs::path of_another_user(const fs::path& file) {
  if (::geteuid() != 0) return "/etc/hosts";
  EXPECT_EQ(::chown(file.c_str(), 65'534, 65'534), 0);
  return file;
}

TEST_F(SourceRootsTest, AnAgentsOwnDirectoryMayLeadToFilesOfItsUser) {
  fs::create_symlink(outside_ / "secret", real_ / "projects/file.jsonl");
  fs::create_directory_symlink(outside_, real_ / "folder");
  fs::create_symlink("/dev/zero", real_ / "projects/device.jsonl");
  fs::create_symlink(outside_ / "none", real_ / "projects/dangling.jsonl");
  const DiskView files(SourceRoots({dir_ / "root"}, {dir_ / "root"}));
  EXPECT_EQ(files.read((dir_ / "root/projects/file.jsonl").string()).value(), "outside");
  EXPECT_EQ(files.read((dir_ / "root/folder/secret").string()).value(), "outside");
  EXPECT_TRUE(files.read((dir_ / "root/projects/dangling.jsonl").string()).error().is(Errc::not_found));
  EXPECT_THAT(files.read((dir_ / "root/projects/device.jsonl").string()).error().message(), HasSubstr("leads out of"));
  test::write_file(outside_ / "of another", "secret");
  fs::create_symlink(of_another_user(outside_ / "of another"), real_ / "projects/other.jsonl");
  EXPECT_THAT(files.read((dir_ / "root/projects/other.jsonl").string()).error().message(), HasSubstr("leads out of"));
}

TEST_F(SourceRootsTest, TheSourceIsNamedWithTheReason) {
  test::TranscriptHome home;
  home.turn("/w/p", 1, 1'770'000'000'000, "parser", "Mend the parser.", "Done.");
  const auto hidden = outside_ / "hidden.jsonl";
  fs::copy_file(home.transcript("/w/p", 1), hidden);
  const auto link = home.transcript("/w/p", 2);
  fs::create_symlink(hidden, link);

  const test::FakeClock clock;
  const Discovery discovery(all_adapters(), home.path(), {{Platform::claude_code, {home.path() / ".claude/projects"}}},
                            {});
  auto writer = Writer::open(dir_ / "memd.db", clock);
  ASSERT_TRUE(writer);
  {
    IngestService service(discovery, clock);
    ASSERT_TRUE(service.start(std::move(*writer)));
    service.scan();
    ASSERT_TRUE(service.block_until_idle(std::chrono::seconds(20)));
  }
  Reader reader(dir_ / "memd.db");
  const auto health = reader.ask(SourceHealthQuery{10});
  ASSERT_TRUE(health) << health.error().message();
  ASSERT_EQ(health->troubles.size(), 1U);
  EXPECT_EQ(health->troubles.front().path, link.string());
  EXPECT_THAT(health->troubles.front().reason, HasSubstr("leads out of"));
}

TEST(IngestService, ATaskThatThrowsHasFailedAndTheWriterGoesOn) {
  const test::TempDir dir;
  const test::FakeClock clock;
  const Discovery discovery(all_adapters(), dir / "home", {}, {});
  auto writer = Writer::open(dir / "memd.db", clock);
  ASSERT_TRUE(writer);
  int commits = 0;  // commits reported, also by the end of the service; writer thread only
  IngestService service(discovery, clock);
  service.on_commit([&commits] { ++commits; });
  ASSERT_TRUE(service.start(std::move(*writer)));
  const auto failed = service.perform([](Writer&) -> Result<void> { throw std::bad_alloc(); });
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message(), HasSubstr("bad_alloc"));
  const auto in_store = service.perform(
      [](Writer& w) { return w.transact([](sqlite::Database&) { throw std::out_of_range("a page"); }); });
  ASSERT_FALSE(in_store);
  EXPECT_TRUE(in_store.error().is(Errc::store));
  EXPECT_TRUE(service.perform([&commits](Writer& w) {
    EXPECT_EQ(commits, 0) << "enrichment would try again at once, and for ever";
    return w.commit();
  }));
}

// If the file were mapped, the access would end the process with SIGBUS.
TEST(RawFileBytes, AFileThatGetsShorterIsNoSignal) {
  const test::TempDir dir;
  test::write_file(dir / "f", std::string(100'000, 'a'));
  const auto bytes = raw::FileBytes::open(dir / "f");
  ASSERT_TRUE(bytes);
  fs::resize_file(dir / "f", 10);
  EXPECT_EQ(std::count(bytes->bytes().begin(), bytes->bytes().end(), 'a'), 100'000);
  EXPECT_EQ(raw::FileBytes::open(dir / "f")->bytes().size(), 10U);
  EXPECT_EQ(raw::FileBytes::open(dir / "f", 4, 3)->bytes().size(), 3U);
  EXPECT_EQ(raw::FileBytes::open(dir / "f", 8, 100)->bytes().size(), 2U);
  EXPECT_EQ(raw::FileBytes::open(dir / "f", 80, 100)->bytes().size(), 0U);
  EXPECT_TRUE(raw::FileBytes::open(dir / "none").error().is(Errc::not_found));
}

}  // namespace
}  // namespace memd
