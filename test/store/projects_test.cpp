// Projects are repositories: worktrees, clones on other machines, and what a person has joined.
#include "store/read/projects.hpp"
#include "schemas/base/error.hpp"
#include "store/read/file_history.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "store/write/project_rows.hpp"
#include "test/support/writer_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <regex>

namespace memd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kRepo = "/home/ada/src/parcel";
constexpr const char* kTree = "/home/ada/elsewhere/fix";
constexpr const char* kRemote = "git@example.org:ada/parcel.git";

class ProjectsTest : public test::WriterFixture {
 protected:
  // A session of a turn in `cwd`.
  void work(const std::string& name, const std::string& cwd, const std::string& remote = {},
            std::vector<DirectorySight> sights = {}) {
    EventBatch batch =
        test::EventScript("claude_code:" + name).in(cwd, "main").user("words " + name).answer("done").batch();
    SessionUpdate update;
    update.session_uid = "claude_code:" + name;
    update.platform = Platform::claude_code;
    update.native_id = name;
    update.repo = remote;
    batch.sessions.push_back(update);
    apply(std::move(batch));
    see(sights);
  }
  void see(const std::vector<DirectorySight>& sights) {
    EXPECT_TRUE(writer_->transact([&](sqlite::Database& db) { projects::note(db, sights); }));
  }
  SessionRow row(const std::string& name) const {
    return Reader(file_).ask(SessionQuery{"claude_code:" + name}).value();
  }
  std::string project(const std::string& name) const { return row(name).project_key; }
  std::string worktree(const std::string& name) const { return Reader(file_).ask(WorktreeQuery{row(name).pk}).value(); }
  std::vector<std::string> sessions_of(const std::string& filter) const {
    SessionListQuery query;
    query.filter.project = filter;
    std::vector<std::string> out;
    for (const SessionRow& s : Reader(file_).ask(query).value().sessions)
      out.push_back(s.native_id);
    std::sort(out.begin(), out.end());
    return out;
  }
  std::string nearest(const std::string& directory, bool or_below = false) const {
    const auto found = Reader(file_).ask(NearestProjectQuery{directory, or_below}).value();
    return found ? found->key : "(none)";
  }
  Result<void> merge(const std::string& from, const std::string& into) {
    Result<void> merged;
    EXPECT_TRUE(writer_->transact([&](sqlite::Database& db) { merged = projects::merge(db, from, into); }));
    return merged;
  }
  bool split(const std::string& key) {
    bool done = false;
    EXPECT_TRUE(writer_->transact([&](sqlite::Database& db) { done = projects::split(db, key); }));
    return done;
  }
};

TEST_F(ProjectsTest, AWorktreeSeenOnceBelongsToItsRepositoryForGood) {
  work("tree", kTree, {}, {{kTree, kRepo, "fix"}});
  EXPECT_EQ(project("tree"), kRepo) << "before any session of the repository itself";
  EXPECT_EQ(row("tree").project_name, "parcel");
  EXPECT_EQ(worktree("tree"), "fix");
  work("main", kRepo, {}, {{kRepo, kRepo, ""}});
  open();
  work("later", kTree);  // the worktree is deleted by now
  EXPECT_THAT(sessions_of("parcel"), ElementsAre("later", "main", "tree"));
  EXPECT_THAT(sessions_of(project_tree(kRepo)), ElementsAre("later", "main", "tree"));
  EXPECT_THAT(sessions_of("elsewhere/fix"), ElementsAre("later", "tree")) << "its own name finds its own work";
  EXPECT_EQ(worktree("main"), "");
  EXPECT_EQ(nearest(kTree), kRepo);
  EXPECT_EQ(nearest(kTree, true), kRepo);
  EXPECT_EQ(nearest(std::string(kTree) + "/src"), kRepo);
}

TEST_F(ProjectsTest, AWorktreeInsideItsRepositoryNeedsNoSight) {
  const std::string inside = std::string(kRepo) + "/.claude/worktrees/fix";
  work("tree", inside, {}, {{inside, kRepo, "fix"}});
  EXPECT_EQ(project("tree"), kRepo);
  EXPECT_EQ(worktree("tree"), "fix");
}

TEST_F(ProjectsTest, WhatWasNotSeenGoesByItsRemote) {
  work("tool", "/home/ada/.codex/worktrees/ab12/parcel", "https://example.org/ada/parcel");
  work("mac", "/Users/ada/code/work/parcel", "ssh://git@example.org/ada/parcel.git");
  EXPECT_EQ(project("tool"), "/Users/ada/code/work/parcel")
      << "not to a directory of a tool, though its path is shorter";
  work("main", kRepo, kRemote, {{kRepo, kRepo, ""}});
  for (const char* name : {"tool", "mac", "main"})
    EXPECT_EQ(project(name), kRepo) << name << ": the repository that was seen";
  EXPECT_EQ(worktree("tool"), "ab12");
  work("other", "/home/ada/src/letter", "git@example.org:ada/letter.git");
  EXPECT_EQ(project("other"), "/home/ada/src/letter");
}

TEST_F(ProjectsTest, TwoClonesThatWereSeenAreTwoProjects) {
  const std::string second = "/home/ada/src/parcel-2";
  work("first", kRepo, kRemote, {{kRepo, kRepo, ""}});
  work("second", second, kRemote, {{second, second, ""}});
  work("unseen", "/home/ada/gone", kRemote);
  EXPECT_EQ(project("first"), kRepo);
  EXPECT_EQ(project("second"), second);
  EXPECT_EQ(project("unseen"), "/home/ada/gone") << "of which of the two is not known";
  const std::string below = std::string(kRepo) + "/lib";
  work("below", below, kRemote, {{below, kRepo, ""}});
  EXPECT_EQ(project("below"), below) << "a directory of a repository stays as it was";
}

TEST_F(ProjectsTest, TheOrderOfReadingDoesNotMatter) {
  struct Work {
    const char* name;
    std::string cwd;
    std::vector<DirectorySight> sights;
  };
  std::vector<Work> all{{"a", kTree, {{kTree, kRepo, "fix"}}},
                        {"b", kRepo, {{kRepo, kRepo, ""}}},
                        {"c", "/home/ada/gone", {}},
                        {"d", "/home/ada/.codex/worktrees/ab12/parcel", {}}};
  std::vector<std::string> expected;
  std::sort(all.begin(), all.end(), [](const Work& x, const Work& y) { return std::string(x.name) < y.name; });
  do {
    file_ = dir_ / (all[0].name + std::string(all[1].name) + all[2].name + all[3].name + ".db");
    open();
    for (const Work& w : all)
      work(w.name, w.cwd, kRemote, w.sights);
    const auto now =
        rows("SELECT s.uid || ' ' || p.identity_key FROM sessions s JOIN projects p USING (project_pk) ORDER BY 1");
    if (expected.empty()) expected = now;
    EXPECT_EQ(now, expected);
  } while (std::next_permutation(all.begin(), all.end(),
                                 [](const Work& x, const Work& y) { return std::string(x.name) < y.name; }));
  EXPECT_THAT(expected, testing::Each(testing::EndsWith(kRepo)));
}

TEST_F(ProjectsTest, APersonJoinsARenamedRepositoryAndTakesItBack) {
  work("old", "/home/ada/src/package");
  work("new", kRepo);
  ASSERT_TRUE(merge("/home/ada/src/package", kRepo));
  EXPECT_EQ(project("old"), kRepo);
  EXPECT_EQ(worktree("old"), "") << "it is no worktree";
  EXPECT_THAT(sessions_of("parcel"), ElementsAre("new", "old"));
  open();
  work("again", "/home/ada/src/package");
  EXPECT_EQ(project("again"), kRepo);
  EXPECT_EQ(nearest("/home/ada/src/package"), kRepo);
  EXPECT_FALSE(merge(kRepo, "/home/ada/src/package")) << "a circle";
  EXPECT_TRUE(split("/home/ada/src/package"));
  EXPECT_EQ(project("old"), "/home/ada/src/package");
  EXPECT_EQ(project("again"), "/home/ada/src/package");
  EXPECT_THAT(sessions_of("parcel"), ElementsAre("new"));
  EXPECT_FALSE(split("/home/ada/src/package"));
}

TEST_F(ProjectsTest, AWorktreeCanBeTakenOutOfItsProjectAndPutBack) {
  work("tree", kTree, {}, {{kTree, kRepo, "fix"}});
  work("main", kRepo);
  EXPECT_TRUE(split(kTree));
  EXPECT_EQ(project("tree"), kTree);
  open();
  work("again", kTree, {}, {{kTree, kRepo, "fix"}});
  EXPECT_EQ(project("again"), kTree);
  ASSERT_TRUE(merge(kTree, kRepo));
  EXPECT_EQ(project("again"), kRepo);
}

TEST_F(ProjectsTest, AJoinedProjectTakesItsWorktreesAlong) {
  work("tree", kTree, {}, {{kTree, kRepo, "fix"}});
  work("main", kRepo);
  work("new", "/home/ada/src/renamed");
  ASSERT_TRUE(merge(kRepo, "/home/ada/src/renamed"));
  EXPECT_THAT(sessions_of("renamed"), ElementsAre("main", "new", "tree"));
}

TEST_F(ProjectsTest, AFileIsTheSameInEachWorktree) {
  const auto edit = [&](const std::string& name, const std::string& cwd, const std::string& file,
                        std::vector<DirectorySight> sights) {
    EventBatch batch = test::EventScript("claude_code:" + name)
                           .in(cwd, "main")
                           .user("words " + name)
                           .call("c", "Edit", file, file)
                           .batch();
    apply(std::move(batch));
    see(sights);
  };
  const std::string repo(kRepo);
  const std::string tree(kTree);
  edit("main", repo, repo + "/src/a.go", {});
  edit("tree", tree, tree + "/src/a.go", {{tree, repo, "fix"}});
  edit("inside", repo + "/.claude/worktrees/w", repo + "/.claude/worktrees/w/src/a.go", {});
  edit("vendored", repo, repo + "/vendor/src/a.go", {});
  edit("other", "/home/ada/src/letter", "/home/ada/src/letter/src/a.go", {});
  const auto paths_of = [&](const std::string& text) {
    std::vector<std::string> out;
    for (const KnownPath& path : Reader(file_).ask(PathQuery{text}).value().paths)
      out.push_back(path.path);
    return out;
  };
  const auto the_three =
      testing::UnorderedElementsAre(repo + "/src/a.go", tree + "/src/a.go", repo + "/.claude/worktrees/w/src/a.go");
  EXPECT_THAT(paths_of(repo + "/src/a.go"), the_three);
  EXPECT_THAT(paths_of(tree + "/src/a.go"), the_three);
  EXPECT_THAT(paths_of(repo + "/.claude/worktrees/w/src/a.go"), the_three);
  EXPECT_THAT(paths_of("/home/ada/src/letter/src/a.go"), ElementsAre("/home/ada/src/letter/src/a.go"));
}

TEST_F(ProjectsTest, AreListedWithWhatJoinsThem) {
  work("tree", kTree, {}, {{kTree, kRepo, "fix"}});
  work("main", kRepo);
  const auto all = Reader(file_).ask(ProjectListQuery{}).value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].key, kTree);
  EXPECT_EQ(all[0].joined_to, kRepo);
  EXPECT_EQ(all[0].join, ProjectJoin::worktree);
  EXPECT_EQ(all[1].join, ProjectJoin::none);
  EXPECT_EQ(all[1].sessions, 1);
  Reader reader(file_);
  EXPECT_EQ(reader.ask(FindProjectQuery{"fix"}).value().key, kTree);
  EXPECT_EQ(reader.ask(FindProjectQuery{std::string(kRepo) + "/"}).value().key, kRepo);
  EXPECT_TRUE(reader.ask(FindProjectQuery{"ada"}).error().is(Errc::invalid_argument)) << "fits both";
  EXPECT_EQ(reader.ask(FindProjectQuery{"ada", project_tree(kRepo)}).value().key, kRepo) << "the caller's";
  EXPECT_TRUE(reader.ask(FindProjectQuery{"nothing"}).error().is(Errc::not_found));
}

TEST_F(ProjectsTest, OfSeveralThatFitTheCallersIsTakenElseEachIsToldWithAShortName) {
  work("one", "/home/ada/work/cli");
  work("two", "/home/bob/work/cli");
  work("three", "/home/bob/work/cli");
  work("four", "/home/bob/cli");
  Reader reader(file_);
  const auto error = reader.ask(FindProjectQuery{"cli"}).error();
  EXPECT_TRUE(error.is(Errc::invalid_argument));
  EXPECT_EQ(std::regex_replace(error.message(), std::regex("</?history>"), ""),
            "cli fits 3 projects; name one by:\n  bob/work/cli  (/home/bob/work/cli, 2 sessions)\n"
            "  ada/work/cli  (/home/ada/work/cli, 1 session)\n  bob/cli  (/home/bob/cli, 1 session)");
  for (const char* name : {"bob/work/cli", "ada/work/cli", "bob/cli"})
    EXPECT_EQ(reader.ask(FindProjectQuery{name}).value().key, "/home/" + std::string(name)) << name;
  const std::string here = project_tree("/home/bob/cli");
  EXPECT_EQ(reader.ask(FindProjectQuery{"cli", here}).value().key, "/home/bob/cli");
  EXPECT_EQ(reader.ask(FindProjectQuery{"ada", here}).value().key, "/home/ada/work/cli") << "it does not fit";
}

TEST_F(ProjectsTest, AFilterMeansTheProjectOfThatNameElseAPartOfPaths) {
  work("one", "/work/cli");
  work("two", "/work/client/proj");
  Reader reader(file_);
  for (const char* name : {"cli", "CLI", "/work/cli", "/work/cli/"})
    EXPECT_EQ(reader.ask(ProjectFilterQuery{name}).value(), project_tree("/work/cli")) << name;
  for (const char* part : {"clie", "/work", "nothing", ""})
    EXPECT_EQ(reader.ask(ProjectFilterQuery{part}).value(), part) << part;
  work("three", "/home/ada/cli");
  EXPECT_EQ(reader.ask(ProjectFilterQuery{"cli"}).value(), "cli") << "two have that name";
}

TEST_F(ProjectsTest, ANewStoreTakesOverWhatWasSeenAndChosen) {
  work("tree", kTree, {}, {{kTree, kRepo, "fix"}});
  work("main", kRepo);
  work("new", "/home/ada/src/renamed");
  ASSERT_TRUE(merge(kRepo, "/home/ada/src/renamed"));
  const auto old_file = file_;
  const auto expected =
      rows("SELECT s.uid || ' ' || p.identity_key FROM sessions s JOIN projects p USING (project_pk)");
  file_ = dir_ / "new.db";
  open();
  work("tree", kTree);
  work("main", kRepo);
  work("new", "/home/ada/src/renamed");
  EXPECT_EQ(project("tree"), kTree);
  auto old = sqlite::Database::open(old_file, sqlite::OpenMode::read_only);
  ASSERT_TRUE(writer_->transact([&](sqlite::Database& db) { projects::take_over(old, db); }));
  EXPECT_EQ(rows("SELECT s.uid || ' ' || p.identity_key FROM sessions s JOIN projects p USING (project_pk)"), expected);
}

}  // namespace
}  // namespace memd
