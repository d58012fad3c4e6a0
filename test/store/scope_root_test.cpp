// The door to the files of a repository or a scope of memories: what it opens, and what it refuses.
#include "store/files/scope_root.hpp"
#include "schemas/base/error.hpp"
#include "store/files/beneath.hpp"
#include "test/support/killed_process.hpp"
#include "test/support/temp_dir.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace memd::files {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kSecret = "outside-marker";

class ScopeRootTest : public testing::Test {
 protected:
  ScopeRootTest() {
    put("outside/secret.md", kSecret);
    put("repo/CLAUDE.md", "instructions");
    put("repo/.claude/memory/inside.md", "inside");
    put("repo/docs/plan.md", "plan");
  }
  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((dir_ / path).parent_path());
    std::ofstream(dir_ / path, std::ios::binary) << text;
  }
  void link(const std::string& target, const std::string& path) const {
    fs::create_directories((dir_ / path).parent_path());
    fs::create_symlink(target, dir_ / path);
  }
  fs::path repo() const { return dir_ / "repo"; }
  ScopeRoot memories() const { return ScopeRoot(repo(), ".claude/memory"); }
  ScopeRoot project() const { return ScopeRoot(repo()); }
  std::string read(const ScopeRoot& root, const fs::path& file) const {
    const auto text = root.read(file);
    return text ? *text : "! " + text.error().message();
  }

  test::TempDir dir_;
};

TEST_F(ScopeRootTest, OpensWhatIsInside) {
  EXPECT_EQ(read(memories(), "inside.md"), "inside");
  EXPECT_EQ(read(memories(), repo() / ".claude/memory/inside.md"), "inside");
  EXPECT_EQ(memories().facts("inside.md")->bytes, 6);
  link("inside.md", "repo/.claude/memory/again.md");
  EXPECT_EQ(read(memories(), "again.md"), "inside");
  link("../../docs/plan.md", "repo/.claude/memory/plan.md");
  EXPECT_EQ(read(project(), ".claude/memory/plan.md"), "plan") << "within the repository";
  EXPECT_THAT(read(memories(), "plan.md"), HasSubstr("a link leads out of")) << "but not within the memories";
  link((repo() / "CLAUDE.md").string(), "repo/AGENTS.md");
  EXPECT_EQ(read(project(), "AGENTS.md"), "instructions") << "an absolute link that stays inside";
  link("docs", "repo/.cursor");
  EXPECT_EQ(read(project(), ".cursor/plan.md"), "plan");
  fs::create_hard_link(repo() / "docs/plan.md", repo() / "same.md");
  EXPECT_EQ(read(project(), "same.md"), "plan");
  EXPECT_TRUE(memories().read("gone.md").error().is(Errc::not_found));
  EXPECT_TRUE(memories().read("inside.md/gone.md").error().is(Errc::not_found));
}

TEST_F(ScopeRootTest, NoLinkLeadsOut) {
  link("../../../outside/secret.md", "repo/.claude/memory/relative.md");
  link((dir_ / "outside/secret.md").string(), "repo/.claude/memory/absolute.md");
  link("../../../outside", "repo/.claude/memory/sub");
  link("again", "repo/.claude/memory/loop.md");
  link("loop.md", "repo/.claude/memory/again");
  link("/proc/self/root" + (dir_ / "outside/secret.md").string(), "repo/.claude/memory/magic.md");
  link("sub/secret.md", "repo/.claude/memory/twice.md");
  for (const char* name : {"relative.md", "absolute.md", "sub/secret.md", "loop.md", "magic.md", "twice.md",
                           "../../../outside/secret.md", "inside.md/../../../../outside/secret.md"}) {
    EXPECT_TRUE(memories().read(name).error().is(Errc::permission)) << name << ": " << read(memories(), name);
    EXPECT_FALSE(memories().facts(name)) << name;
  }
  EXPECT_TRUE(memories().read(dir_ / "outside/secret.md").error().is(Errc::permission));
  EXPECT_TRUE(memories().read(dir_ / "repo/.claude/memory-of-others/x.md").error().is(Errc::permission));
  EXPECT_TRUE(memories().read(fs::path(std::string("inside.md\0.png", 14))).error().is(Errc::permission));
  EXPECT_THAT(memories().names("sub"), IsEmpty());
  EXPECT_FALSE(memories().has_directory("sub"));
  EXPECT_THAT(memories().files({}, ".md", 6).size(), 6U) << "links are listed, so that their reader says what is wrong";
}

TEST_F(ScopeRootTest, NoDirectoryOnTheWayLeadsOut) {
  for (const char* way : {".claude", ".claude/memory", ".claude/memory/local"}) {
    fs::remove_all(repo() / ".claude");
    link((dir_ / "outside").string(), "repo/" + std::string(way));
    const ScopeRoot root(repo(), ".claude/memory/local");
    fs::create_directories(dir_ / "outside/memory/local");
    fs::create_directories(dir_ / "outside/local");
    EXPECT_THAT(root.files({}, ".md", 6), IsEmpty()) << way;
    EXPECT_THAT(read(root, "secret.md"), HasSubstr("a link leads out of")) << way;
    EXPECT_FALSE(root.write("new.md", "text", OnDisk::now)) << way;
    EXPECT_FALSE(root.create("new.md", "text", OnDisk::now)) << way;
    EXPECT_FALSE(root.lock(".lock")) << way;
    EXPECT_FALSE(root.has("secret.md")) << way;
    EXPECT_THAT(root.directories({}), IsEmpty()) << way;
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(dir_ / "outside"))
      files += entry.is_regular_file() ? 1 : 0;
    EXPECT_EQ(files, 1U) << way;
  }
}

TEST_F(ScopeRootTest, TheUserChoosesTheRoot) {
  link((dir_ / "outside").string(), "home/.claude");
  link((dir_ / "outside/secret.md").string(), "home/.codex/AGENTS.md");
  link("/etc/passwd", "home/.gemini/GEMINI.md");
  EXPECT_EQ(read(ScopeRoot(dir_ / "home/.claude"), "secret.md"), kSecret);
  EXPECT_TRUE(ScopeRoot(dir_ / "home/.claude/memory").write("new.md", "text", OnDisk::now));
  EXPECT_EQ(test::bytes_of(dir_ / "outside/memory/new.md"), "text") << "where the user's link leads";
  EXPECT_EQ(read(ScopeRoot(dir_ / "home/.codex", {}, ScopeRoot::Links::of_user), "AGENTS.md"), kSecret);
  EXPECT_TRUE(ScopeRoot(dir_ / "home/.codex").read("AGENTS.md").error().is(Errc::permission));
  if (::geteuid() != 0) {
    EXPECT_TRUE(
        ScopeRoot(dir_ / "home/.gemini", {}, ScopeRoot::Links::of_user).read("GEMINI.md").error().is(Errc::permission));
  }
}

TEST_F(ScopeRootTest, OnlyRegularFilesOfALimitedSize) {
  ASSERT_EQ(::mkfifo((repo() / "fifo.md").c_str(), 0600), 0);
  fs::create_directories(repo() / "directory.md");
  const int listening = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = (repo() / "socket.md").string();
  if (name.size() < sizeof address.sun_path) {
    std::copy(name.begin(), name.end(), address.sun_path);
    ASSERT_EQ(::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_FALSE(project().read("socket.md"));
  }
  ::close(listening);
  for (const char* file : {"fifo.md", "directory.md"}) {
    EXPECT_THAT(read(project(), file), HasSubstr("is no file")) << file;
    EXPECT_FALSE(project().facts(file)) << file;
    EXPECT_FALSE(project().replace(file, "", "new", OnDisk::now)) << file;
  }
  EXPECT_FALSE(project().lock("fifo.md"));
  EXPECT_THAT(read(ScopeRoot("/dev"), "zero"), HasSubstr("is no file"));
  put("repo/huge.md", "begin");
  fs::resize_file(repo() / "huge.md", std::uintmax_t{3} << 30);
  EXPECT_THAT(read(project(), "huge.md"), HasSubstr("has more than 4 MiB"));
  put("repo/most.md", std::string(kMostTextBytes, 'x'));
  EXPECT_EQ(read(project(), "most.md").size(), kMostTextBytes);
}

TEST_F(ScopeRootTest, WritesAndRemovesInside) {
  const ScopeRoot root(repo(), "new/scope");
  ASSERT_TRUE(root.write("deep/er/one.md", "one", OnDisk::now));
  EXPECT_EQ(test::bytes_of(repo() / "new/scope/deep/er/one.md"), "one");
  EXPECT_TRUE(root.create("deep/er/one.md", "two", OnDisk::now).error().is(Errc::busy));
  EXPECT_EQ(root.replace("deep/er/one.md", "other", "two", OnDisk::now)->value(), "one");
  EXPECT_EQ(root.replace("deep/er/one.md", "one", "two", OnDisk::now).value(), std::nullopt);
  EXPECT_TRUE(root.move("deep/er/one.md", ".trash/one.md", OnDisk::now));
  EXPECT_EQ(read(root, ".trash/one.md"), "two");
  EXPECT_THAT(root.names(".trash", ".md"), ElementsAre("one.md"));
  EXPECT_TRUE(root.remove(".trash/one.md"));
  EXPECT_FALSE(root.has(".trash/one.md"));
  link((dir_ / "outside/secret.md").string(), "repo/new/scope/linked.md");
  EXPECT_FALSE(root.write("linked.md", "text", OnDisk::later));
  EXPECT_FALSE(root.replace("linked.md", kSecret, "text", OnDisk::now));
  EXPECT_EQ(test::bytes_of(dir_ / "outside/secret.md"), kSecret);
  EXPECT_TRUE(root.remove("linked.md")) << "the link itself";
  EXPECT_EQ(test::bytes_of(dir_ / "outside/secret.md"), kSecret);
  const std::string of_dead = ".memd-new-" + std::to_string(test::dead_process()) + "-1";
  const std::string of_living = ".memd-new-" + std::to_string(::getpid()) + "-999999";
  for (const std::string directory : {"repo/new/scope/", "repo/new/scope/.hidden/"})
    for (const std::string& name : {of_dead, of_living})
      put(directory + name, "left");
  root.tidy();
  EXPECT_THAT(root.names({}, "-1"), IsEmpty());
  EXPECT_THAT(root.names(".hidden"), ElementsAre(of_living));
}

TEST_F(ScopeRootTest, AHeldLockIsWaitedForForALimitedTime) {
  const auto held = FileLock::take(dir_ / "lock");
  ASSERT_TRUE(held);
  EXPECT_TRUE(FileLock::take(dir_ / "lock", std::chrono::milliseconds(20)).error().is(Errc::busy));
}

// Both ways of opening agree.
TEST_F(ScopeRootTest, ByHandAsByTheKernel) {
  link("../outside/secret.md", "repo/out.md");
  link("docs/../CLAUDE.md", "repo/in.md");
  link("./docs", "repo/d");
  link("../repo/CLAUDE.md", "repo/back.md");
  link((repo() / "docs").string(), "repo/absolute");
  link("missing", "repo/dangling.md");
  link("loop.md", "repo/loop.md");
  const UniqueFd root = open_root(repo());
  for (const char* path : {"CLAUDE.md", "out.md", "in.md", "d/plan.md", "back.md", "absolute/plan.md", "dangling.md",
                           "loop.md", "docs/../CLAUDE.md", "../outside/secret.md", "d/../../outside/secret.md",
                           "gone/x.md", "CLAUDE.md/x", "", ".", "docs//plan.md", "docs/"}) {
    const UniqueFd kernel = open_beneath(root, repo(), path, O_RDONLY | O_NONBLOCK);
    const int kernel_error = kernel ? 0 : errno;
    const UniqueFd hand = open_beneath(root, repo(), path, O_RDONLY | O_NONBLOCK, Resolver::by_hand);
    const int hand_error = hand ? 0 : errno;
    EXPECT_EQ(kernel_error, hand_error) << path;
    struct stat one {};
    struct stat other {};
    if (kernel && hand) {
      ::fstat(kernel.get(), &one);
      ::fstat(hand.get(), &other);
      EXPECT_EQ(one.st_ino, other.st_ino) << path;
    }
  }
}

#ifdef __linux__
// A directory is replaced by a link out of the scope again and again while it is read and written.
TEST_F(ScopeRootTest, NoRaceLeadsOut) {
  fs::create_directories(repo() / "sub");
  put("repo/sub/secret.md", "inside");
  link((dir_ / "outside").string(), "repo/other");
  std::atomic<bool> done = false;
  std::thread swapping([&] {
    while (!done)
      ::renameat2(AT_FDCWD, (repo() / "sub").c_str(), AT_FDCWD, (repo() / "other").c_str(), RENAME_EXCHANGE);
  });
  const UniqueFd root = open_root(repo());
  int opened = 0;
  for (int i = 0; i < 3000; ++i) {
    if (const auto text = project().read("sub/secret.md")) opened += static_cast<int>(*text == "inside");
    const UniqueFd fd = open_beneath(root, repo(), "sub/secret.md", O_RDONLY | O_NONBLOCK, Resolver::by_hand);
    if (fd) {
      const auto text = read_regular(fd.get(), 100, "secret.md");
      ASSERT_EQ(*text, "inside");
    }
    (void)project().write("sub/new.md", "text", OnDisk::later);
  }
  done = true;
  swapping.join();
  EXPECT_EQ(test::bytes_of(dir_ / "outside/secret.md"), kSecret);
  EXPECT_FALSE(fs::exists(dir_ / "outside/new.md"));
  EXPECT_GT(opened, 0);
}
#endif

}  // namespace
}  // namespace memd::files
