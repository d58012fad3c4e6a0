// Which repository a directory belongs to, as seen on the disk.
#include "store/files/git_place.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace memd::files {
namespace {

namespace fs = std::filesystem;

class GitPlaceTest : public testing::Test {
 protected:
  static void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  // Lays out what `git worktree add` writes.
  void add_worktree(const fs::path& repository, const fs::path& worktree, const std::string& name = "w") {
    const fs::path git = repository / ".git" / "worktrees" / name;
    write(git / "commondir", "../..\n");
    write(git / "gitdir", (worktree / ".git").string() + "\n");
    write(worktree / ".git", "gitdir: " + git.string() + "\n");
  }
  void expect_no_worktree(const fs::path& directory) {
    const auto place = git_place_of(directory.string());
    ASSERT_TRUE(place);
    EXPECT_EQ(place->worktree, "");
  }

  test::TempDir dir_;
  const fs::path repo_ = fs::canonical(dir_.path()) / "src/parcel";
  const fs::path tree_ = fs::canonical(dir_.path()) / "elsewhere/fix";
};

TEST_F(GitPlaceTest, AWorktreeBelongsToItsRepositoryWhereverItIs) {
  fs::create_directories(repo_ / ".git");
  add_worktree(repo_, tree_);
  fs::create_directories(tree_ / "src/deep");
  for (const fs::path& directory : {tree_, tree_ / "src/deep"}) {
    const auto place = git_place_of(directory.string());
    ASSERT_TRUE(place);
    EXPECT_EQ(place->repository, repo_.string());
    EXPECT_EQ(place->worktree, "fix");
  }
  const auto main = git_place_of((repo_).string());
  ASSERT_TRUE(main);
  EXPECT_EQ(main->repository, repo_.string());
  EXPECT_EQ(main->worktree, "");
}

TEST_F(GitPlaceTest, EachWorktreeHasItsBranch) {
  write(repo_ / ".git/HEAD", "ref: refs/heads/main\n");
  add_worktree(repo_, tree_);
  write(repo_ / ".git/worktrees/w/HEAD", "ref: refs/heads/ada/fix-rows\n");
  EXPECT_EQ(git_place_of(repo_.string())->branch, "main");
  EXPECT_EQ(git_place_of(tree_.string())->branch, "ada/fix-rows");
  write(repo_ / ".git/HEAD", "1a2b3c4d5e6f\n");
  EXPECT_EQ(git_place_of(repo_.string())->branch, "") << "detached";
}

TEST_F(GitPlaceTest, RelativePathsAsNewerGitWritesThem) {
  const fs::path git = repo_ / ".git/worktrees/fix";
  write(git / "commondir", "../..\n");
  write(git / "gitdir", "../../../../../elsewhere/fix/.git\n");
  write(tree_ / ".git", "gitdir: ../../src/parcel/.git/worktrees/fix\n");
  EXPECT_EQ(git_place_of(tree_.string())->repository, repo_.string());
}

TEST_F(GitPlaceTest, WhatIsNotHereIsNotSeen) {
  EXPECT_FALSE(git_place_of((tree_ / "gone").string()));
  EXPECT_FALSE(git_place_of("relative/dir"));
  EXPECT_FALSE(git_place_of("C:\\Users\\ada"));
  EXPECT_FALSE(git_place_of(""));
  fs::create_directories(tree_);
  const auto plain = git_place_of(tree_.string());
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->worktree, "");
}

TEST_F(GitPlaceTest, ADirectoryCannotClaimToBelongToAForeignRepository) {
  add_worktree(repo_, tree_);
  const fs::path thief = fs::canonical(dir_.path()) / "thief";
  write(thief / ".git", "gitdir: " + (repo_ / ".git/worktrees/w").string() + "\n");
  expect_no_worktree(thief);
  write(thief / ".git", "gitdir: " + (repo_ / ".git").string() + "\n");  // a git directory kept apart
  expect_no_worktree(thief);
  write(thief / ".git", "gitdir: " + (repo_ / ".git/modules/lib").string() + "\n");  // a submodule
  expect_no_worktree(thief);
}

TEST_F(GitPlaceTest, OddFilesAreNotReadAndHangNobody) {
  add_worktree(repo_, tree_);
  const fs::path file = tree_ / ".git";
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  expect_no_worktree(tree_);
  fs::remove(file);
  fs::create_symlink(repo_ / ".git", file);
  expect_no_worktree(tree_);
  fs::remove(file);
  write(file, "gitdir: " + (repo_ / ".git/worktrees/w").string() + "\n" + std::string(5000, '#'));
  expect_no_worktree(tree_);
  write(file, std::string("gitdir: /x\0y", 12));
  expect_no_worktree(tree_);
  add_worktree(repo_, tree_);
  ASSERT_EQ(git_place_of(tree_.string())->worktree, "fix");
  fs::remove(repo_ / ".git/worktrees/w/commondir");
  ASSERT_EQ(::mkfifo((repo_ / ".git/worktrees/w/commondir").c_str(), 0600), 0);
  expect_no_worktree(tree_);
}

}  // namespace
}  // namespace memd::files
