#include "schemas/project_identity.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace memd {
namespace {

struct Case {
  const char* cwd;
  const char* key;
  const char* name;
};

// Notations and worktrees that belong to one project.
constexpr Case kCases[] = {
    // plain
    {"/home/a/repo", "/home/a/repo", "repo"},
    {"/home/a/repo/", "/home/a/repo", "repo"},
    {"/home/a//repo///", "/home/a/repo", "repo"},
    {"/home/a/./x/../repo/.", "/home/a/repo", "repo"},
    {"/home/a/repo/.git", "/home/a/repo", "repo"},
    {"/", "/", "/"},
    {"", "", ""},
    {"/home/a/Repo", "/home/a/Repo", "Repo"},  // Linux paths are case-sensitive
    {"/w/Proj", "/w/Proj", "Proj"},            // a directory of one letter is no drive
    {"/w/users2/Proj", "/w/users2/Proj", "Proj"},
    {"/home/a/50%25 done", "/home/a/50%25 done", "50%25 done"},  // not a URI: a percent sign is literal
    {"/private/tmp/x", "/tmp/x", "x"},
    {"/private/other/x", "/private/other/x", "x"},
    {"relative/dir", "relative/dir", "dir"},
    // URIs
    {"file:///home/a/repo", "/home/a/repo", "repo"},
    {"file://localhost/home/a/my%20repo/", "/home/a/my repo", "my repo"},
    {"file:///c%3A/Users/A/Proj", "c:/users/a/proj", "Proj"},
    {"file:///C:/Users/A/Proj", "c:/users/a/proj", "Proj"},
    {"file://server/share/Proj", "//server/share/proj", "Proj"},
    {"vscode-remote://wsl%2Bubuntu/home/a/repo", "/home/a/repo", "repo"},
    {"vscode-remote://ssh-remote%2Bbox/home/a/repo", "/home/a/repo", "repo"},
    // Windows
    {"C:\\Users\\A\\Proj", "c:/users/a/proj", "Proj"},
    {"c:/Users/A/Proj/", "c:/users/a/proj", "Proj"},
    {"C:\\Users\\A\\.\\Proj\\", "c:/users/a/proj", "Proj"},
    {"/c:/Users/A/Proj", "c:/users/a/proj", "Proj"},
    {"c%3A/Users/A/Proj", "c:/users/a/proj", "Proj"},
    {"/c%3A/Users/A/Proj", "c:/users/a/proj", "Proj"},
    {"/c/Users/A/Proj", "c:/users/a/proj", "Proj"},
    {"/d/Program Files (x86)/Proj", "d:/program files (x86)/proj", "Proj"},
    {"/mnt/c/Users/A/Proj", "c:/users/a/proj", "Proj"},
    {"\\\\?\\C:\\Users\\A\\Proj", "c:/users/a/proj", "Proj"},
    {"C:\\", "c:/", "c:/"},
    {"/mnt/data/repo", "/mnt/data/repo", "repo"},
    {"\\\\wsl$\\Ubuntu\\home\\a\\repo", "/home/a/repo", "repo"},
    {"\\\\wsl.localhost\\Ubuntu-22.04\\home\\a\\repo", "/home/a/repo", "repo"},
    {"//wsl.localhost/Ubuntu/home/a/repo", "/home/a/repo", "repo"},
    {"\\\\wsl$\\Ubuntu\\mnt\\c\\Users\\A\\Proj", "c:/users/a/proj", "Proj"},
    {"\\\\Server\\Share\\Proj", "//server/share/proj", "Proj"},
    // git's own worktrees and the usual places for them
    {"/home/a/repo/.git/worktrees/feature", "/home/a/repo", "repo"},
    {"/home/a/repo.git/worktrees/feature", "/home/a/repo", "repo"},
    {"/home/a/repo/.worktrees/1", "/home/a/repo", "repo"},
    {"/home/a/repo/.worktrees/b/c", "/home/a/repo", "repo"},
    {"/home/a/repo/worktrees/2", "/home/a/repo", "repo"},
    {"/home/a/repo/.claude/worktrees/b", "/home/a/repo", "repo"},
    {"/home/a/repo/.cursor/worktrees/b", "/home/a/repo", "repo"},
    {"/home/a/repo.worktrees/feature/x", "/home/a/repo", "repo"},
    {"/home/a/repo-worktrees/3", "/home/a/repo", "repo"},
    {"C:\\src\\Proj\\.worktrees\\1", "c:/src/proj", "Proj"},
    {"file:///c%3A/src/Proj/worktrees/1", "c:/src/proj", "Proj"},
    {"-Users-alex-workspace-cli--worktrees-1", "-Users-alex-workspace-cli", "-Users-alex-workspace-cli"},
    {"-Users-alex-workspace-cli--worktrees-alex-fix-bug", "-Users-alex-workspace-cli", "-Users-alex-workspace-cli"},
    // a directory with worktrees of many repositories is not a worktree itself
    {"/home/a/worktrees/repo", "/home/a/worktrees/repo", "repo"},
    {"/Users/a/src/worktrees/repo", "/Users/a/src/worktrees/repo", "repo"},
    {"/work/.worktrees/repo", "/work/.worktrees/repo", "repo"},
    {"/root/worktrees/repo", "/root/worktrees/repo", "repo"},
    {"/app/.worktrees/1", "/app", "app"},  // in a container
    {"/home/a/worktrees", "/home/a/worktrees", "worktrees"},
    {"/home/a/repo/.worktrees", "/home/a/repo/.worktrees", ".worktrees"},
    // a tool's own directory: one project for all of its worktrees
    {"/home/a/.cursor/worktrees/repo/abc", "/home/a/.cursor/worktrees/repo", "repo"},
    {"/home/a/.cursor/worktrees/repo/xyz", "/home/a/.cursor/worktrees/repo", "repo"},
    {"/home/a/.codex/worktrees/7f3a/repo", "/home/a/.codex/worktrees/repo", "repo"},
    {"/home/a/.codex/worktrees/90bc/repo", "/home/a/.codex/worktrees/repo", "repo"},
};

TEST(ProjectIdentity, JoinsSpellingsAndWorktrees) {
  for (const Case& c : kCases) {
    const auto identity = project_identity(c.cwd);
    EXPECT_EQ(identity.key, c.key) << c.cwd;
    EXPECT_EQ(identity.name, c.name) << c.cwd;
  }
}

TEST(ProjectIdentity, AKeyIsItsOwnIdentity) {
  for (const Case& c : kCases)
    EXPECT_EQ(project_identity(project_identity(c.cwd).key).key, c.key) << c.cwd;
}

TEST(ProjectIdentity, KeepsApartWhatIsNotTheSame) {
  const char* const different[] = {"/home/a/repo",     "/home/b/repo",           "/home/a/repo2",
                                   "/home/a/repo/sub", "c:/users/a/repo",        "d:/users/a/repo",
                                   "//server/a/repo",  "/home/a/worktrees/repo", "/home/a/worktrees/other",
                                   "/home/a/Repo",     "/home/a/src/repo"};
  std::set<std::string> keys;
  for (const char* cwd : different)
    EXPECT_TRUE(keys.insert(project_identity(cwd).key).second) << cwd;
}

TEST(ProjectIdentity, NamesTheWorktreeThatAPathTells) {
  for (const auto& [cwd, name] :
       std::initializer_list<std::pair<const char*, const char*>>{{"/home/a/repo", ""},
                                                                  {"/home/a/repo/src", ""},
                                                                  {"/home/a/repo/.git/worktrees/feature", "feature"},
                                                                  {"/home/a/repo.git/worktrees/feature", "feature"},
                                                                  {"/home/a/repo/.worktrees/1/src", "1"},
                                                                  {"/home/a/repo.worktrees/w", "w"},
                                                                  {"/home/a/repo/.claude/worktrees/fix", "fix"},
                                                                  {"/home/a/repo--worktrees-fix", "fix"},
                                                                  {"/home/a/.codex/worktrees/ab12/repo", "ab12"},
                                                                  {"/home/a/.cursor/worktrees/repo/ab12", "ab12"}})
    EXPECT_EQ(project_identity(cwd).worktree, name) << cwd;
}

TEST(RemoteIdentity, IsTheSameForEachWayOfReachingIt) {
  for (const char* url : {"git@github.com:ada/parcel.git", "https://github.com/ada/parcel",
                          "https://github.com/ada/parcel/", "https://ada@GitHub.com/ada/parcel.git",
                          "ssh://git@github.com:22/ada/parcel.git", "git://github.com/ada/parcel.git"})
    EXPECT_EQ(remote_identity(url), "github.com/ada/parcel") << url;
  EXPECT_EQ(remote_identity("/srv/git/parcel.git"), "/srv/git/parcel");
  EXPECT_EQ(remote_identity("file:///srv/git/parcel.git"), "/srv/git/parcel");
  for (const char* none : {"", "parcel", "https://", "https://github.com"})
    EXPECT_EQ(remote_identity(none), "") << none;
  EXPECT_NE(remote_identity("git@github.com:ada/parcel"), remote_identity("git@github.com:bob/parcel"));
}

}  // namespace
}  // namespace memd
