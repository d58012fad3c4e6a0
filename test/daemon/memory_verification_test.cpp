#include "daemon/memories/verification.hpp"

#include "daemon/child_process.hpp"
#include "daemon/memories/promotion.hpp"
#include "schemas/base/error.hpp"
#include "store/memory/named_things.hpp"
#include "store/reader.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/store_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace memd::memories {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

// A repository of two files and one commit, which each test continues.
class Verification : public testing::Test {
 protected:
  Verification() {
    git({"init", "-q", "-b", "main"});
    write("src/cache.cpp", "int open_cache();\n");
    write("src/other.cpp", "int other();\n");
    first = commit("first");
  }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((dir.path() / file).parent_path());
    std::ofstream(dir.path() / file) << text;
  }
  void git(std::vector<std::string> arguments) const {
    ChildCommand command;
    command.arguments = {
        "git", "-C", dir.path().string(), "-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    const auto output = run_child(command);
    ASSERT_TRUE(output) << output.error().message();
    ASSERT_EQ(output->exit_code, 0);
  }
  std::string commit(const std::string& subject) const {
    git({"add", "-A"});
    git({"commit", "-q", "--no-verify", "-m", subject});
    return Git::open(dir.path()).value().commit("HEAD").value();
  }
  Verified look(const Memory& m) const { return verify(m, Git::open(dir.path() / "src").value()).value(); }
  Memory memory(std::string content, std::vector<std::string> files = {}) const {
    Memory m;
    m.slug = "m";
    m.scope = MemoryScope::project;
    m.content = std::move(content);
    m.provenance.files = std::move(files);
    m.provenance.commits = {first.substr(0, 10)};
    return m;
  }

  test::TempDir dir;
  std::string first;
};

TEST_F(Verification, AMemoryGoesStaleWhenItsFileChangesAndNotWhenAnotherDoes) {
  const Memory m = memory("Text.", {"src/cache.cpp"});
  write("src/other.cpp", "int another();\n");
  commit("other");
  EXPECT_EQ(look(m).status, VerificationStatus::verified);
  write("src/cache.cpp", "int open_cache(int);\n");
  const std::string changed = commit("cache: a size");
  const Verified found = look(m);
  EXPECT_EQ(found.status, VerificationStatus::stale);
  EXPECT_EQ(found.base, first);
  EXPECT_THAT(found.named, ElementsAre("src/cache.cpp"));
  ASSERT_EQ(found.changed_by.size(), 1U);
  EXPECT_EQ(found.changed_by[0].sha, changed);
  EXPECT_EQ(found.changed_by[0].subject, "cache: a size");

  Memory again = m;
  again.verification = {changed, VerificationStatus::verified};
  EXPECT_EQ(look(again).status, VerificationStatus::verified);
}

TEST_F(Verification, FilesAreKnownByTheirEndAndByOtherCheckouts) {
  write("src/cache.cpp", "int open_cache(int);\n");
  commit("cache");
  for (const char* text : {"See `cache.cpp:1`.", "See `src/cache.cpp`.", "See `/home/a/app/src/cache.cpp`."})
    EXPECT_EQ(look(memory(text)).status, VerificationStatus::stale) << text;
  fs::remove(dir.path() / "src/other.cpp");
  commit("gone");
  EXPECT_EQ(look(memory("See `other.cpp`.")).status, VerificationStatus::stale);
}

TEST_F(Verification, WordsCountWhereNoFileIsNamed) {
  const Memory m = memory("`open_cache()` is called once.");
  write("src/cache.cpp", "int open_cache();\nint reopen_cache();\n");
  commit("another word");
  EXPECT_EQ(look(m).status, VerificationStatus::verified);
  write("src/cache.cpp", "int open_cache(int);\nint reopen_cache();\n");
  commit("the word");
  const Verified found = look(m);
  EXPECT_EQ(found.status, VerificationStatus::stale);
  EXPECT_THAT(found.named, ElementsAre("open_cache"));
  ASSERT_EQ(found.changed_by.size(), 1U);
  EXPECT_EQ(found.changed_by[0].subject, "the word");
}

TEST_F(Verification, WhatCannotBeKnownSaysWhy) {
  EXPECT_FALSE(look(memory("Only words.")).why.empty());
  EXPECT_FALSE(look(memory("`gone.cpp`")).why.empty());
  Memory elsewhere = memory("`src/cache.cpp`");
  elsewhere.provenance.commits = {"0123456789abcdef"};
  elsewhere.scope = MemoryScope::global;
  EXPECT_EQ(look(elsewhere).status, VerificationStatus::unknown);
  elsewhere.scope = MemoryScope::project;
  elsewhere.updated = system_clock().now() + kMsPerDay;
  EXPECT_EQ(look(elsewhere).status, VerificationStatus::verified);  // verified against the commit that was current then
  test::TempDir empty;
  EXPECT_TRUE(Git::open(empty.path()).error().is(Errc::not_found));
  EXPECT_EQ(Git::open(dir.path()).value().commit("--help").value(), "");
}

TEST_F(Verification, NothingOfARepositoryIsRun) {
  const std::string trap = "touch " + (dir.path() / "sprung").string();
  write("trap.sh", "#!/bin/sh\n" + trap + "\ncat\n");
  fs::permissions(dir.path() / "trap.sh", fs::perms::owner_all);
  const std::string script = (dir.path() / "trap.sh").string();
  write(".gitattributes", "* diff=trap filter=trap\n");
  write("src/cache.cpp", "int open_cache(int);\n");
  commit("attributes");
  std::ofstream(dir.path() / ".git/config", std::ios::app)
      << "[core]\n fsmonitor = " << script << "\n pager = " << script << "\n hooksPath = " << dir.path().string()
      << "\n sshCommand = " << script << "\n[diff]\n external = " << script
      << "\n[diff \"trap\"]\n textconv = " << script << "\n command = " << script
      << "\n[filter \"trap\"]\n clean = " << script << "\n smudge = " << script
      << "\n[log]\n showSignature = true\n[gpg]\n program = " << script << "\n[pager]\n log = " << script
      << "\n[alias]\n log = !" << script << "\n[remote \"origin\"]\n url = ext::" << script
      << "\n promisor = true\n[extensions]\n partialClone = origin\n";
  EXPECT_EQ(look(memory("`cache.cpp`")).status, VerificationStatus::stale);
  EXPECT_EQ(look(memory("`open_cache`")).status, VerificationStatus::stale);
  EXPECT_FALSE(fs::exists(dir.path() / "sprung"));
  git({"log", "-p", "-1", "--ext-diff"});
  EXPECT_TRUE(fs::exists(dir.path() / "sprung")) << "the trap is none";
}

TEST_F(Verification, ReadsOnlyTheHistoryOfTheDirectory) {
  const std::string history = (dir.path() / ".git").string();
  const test::TempDir others;
  const auto is_refused = [&](const char* name) {
    const auto opened = Git::open(others / name);
    return !opened && opened.error().is(Errc::not_found);
  };
  test::write_file(others / "file/.git", "gitdir: " + history + "\n");
  EXPECT_TRUE(is_refused("file"));
  fs::create_directories(others / "link");
  fs::create_directory_symlink(history, others / "link/.git");
  EXPECT_TRUE(is_refused("link"));
  test::write_file(others / "common/.git/HEAD", "ref: refs/heads/main\n");
  test::write_file(others / "common/.git/commondir", history + "\n");
  EXPECT_TRUE(is_refused("common"));
  git({"init", "-q", (others / "tree").string()});
  std::ofstream(others / "tree/.git/config", std::ios::app) << "[core]\n worktree = " << dir.path().string() << "\n";
  EXPECT_TRUE(is_refused("tree"));

  git({"worktree", "add", "-q", (others / "worktree").string()});
  EXPECT_EQ(Git::open(others / "worktree").value().commit("HEAD").value(), first);
  git({"init", "-q", (others / "super").string()});
  fs::create_directories(others / "super/.git/modules");
  git({"init", "-q", "--separate-git-dir", (others / "super/.git/modules/sub").string(),
       (others / "super/sub").string()});
  EXPECT_TRUE(Git::open(others / "super/sub"));
}

TEST(NamedThings, ArePathsAndNamesOfCode) {
  Memory m;
  m.provenance.files = {"a/b.go"};
  m.content = "`internal/x.go:12-30` and `Store::Open()`, `word`, `0a1b2c3d4e`, `kLimit`, ```\ncode `\n and a/b.go.";
  const memory::NamedThings named = memory::named_in(m);
  EXPECT_THAT(named.paths, testing::IsSupersetOf({std::string("a/b.go"), std::string("internal/x.go")}));
  EXPECT_THAT(named.words, ElementsAre("Open", "kLimit"));
}

TEST(ChildProcess, EndsWithItsLimits) {
  ChildCommand command;
  command.arguments = {"sh", "-c", "echo $HOME; exit 3"};
  command.environment = std::vector<std::string>{"HOME=x", "PATH=/usr/bin:/bin"};
  EXPECT_EQ(run_child(command)->text, "x\n");
  EXPECT_EQ(run_child(command)->exit_code, 3);
  command.arguments = {"sh", "-c", "yes"};
  EXPECT_TRUE(run_child(command).error().is(Errc::unsupported));
  command.arguments = {"sh", "-c", "exec sleep 60"};
  command.patience = std::chrono::milliseconds(20);
  EXPECT_TRUE(run_child(command).error().is(Errc::unavailable));
  command.arguments = {"/nowhere/to/be/found"};
  EXPECT_TRUE(run_child(command).error().is(Errc::unavailable));
}

TEST(Promotion, WritesOnceAndRefusesTheSame) {
  test::StoreFixture store;
  test::FakeClock clock(1'770'616'800'000);
  test::TempDir home;
  const auto session = store.session({.native_id = "aaaa1111", .title = "Parser"});
  store.exchange(session, {.user = "How do we read dates?"});
  store.db().exec(
      "INSERT INTO observations (session_pk, exchange_number, event_seq, time, type, summary, content, content_hash)"
      " VALUES (1, 0, 0, 1, 'decision', 's', 'Always use parse_rfc3339 for the dates of users.', 1)");
  Reader reader(store.file());
  const memory::MemoryPlaces places{home.path(), {}, {}, {}};
  PromoteRequest request;
  request.from = "o1";
  request.place = places.place(MemoryScope::global, MemoryDialect::plugin).value();
  request.dry_run = true;
  const auto shown = promote(reader, places, request, clock);
  EXPECT_FALSE(shown->written);
  EXPECT_EQ(shown->draft.created, clock.now());
  request.dry_run = false;
  const auto made = promote(reader, places, request, clock);
  ASSERT_TRUE(made) << made.error().message();
  ASSERT_TRUE(made->written);
  const std::string& slug = made->written->memory.slug;
  EXPECT_THAT(slug, testing::StartsWith("decision-always-use-parse"));
  const auto again = promote(reader, places, request, clock);
  EXPECT_FALSE(again->written);
  ASSERT_EQ(again->similar.size(), 1U);
  EXPECT_EQ(again->similar[0].slug, slug);
  request.force = true;
  EXPECT_TRUE(promote(reader, places, request, clock)->written);
  request.from = "nothing";
  EXPECT_TRUE(promote(reader, places, request, clock).error().is(Errc::invalid_argument));
}

}  // namespace
}  // namespace memd::memories
