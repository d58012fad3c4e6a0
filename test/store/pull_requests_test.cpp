#include "schemas/pull_request.hpp"
#include "store/read/commits.hpp"
#include "store/read/file_history.hpp"
#include "store/write/git_rows.hpp"
#include "test/support/event_script.hpp"
#include "test/support/writer_fixture.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

using assembly::pull_requests_in;
using test::EventScript;

const std::string kSeven = "https://github.com/o/tool.js/pull/7";
const std::string kNine = "https://git.example.org/group/sub/tool/-/merge_requests/9";

TEST(PullRequestAddress, OfKnownForges) {
  for (const std::string& url : {kSeven, kNine, std::string("https://codeberg.org/o/r/pulls/12"),
                                 std::string("https://bitbucket.org/o/r/pull-requests/3")})
    EXPECT_TRUE(is_pull_request(url)) << url;
}

TEST(PullRequestAddress, WhatOnlyLooksLikeOne) {
  for (const std::string_view url :
       {"https://github.com/o/r/pull/", "https://github.com/o/r/pull/7/files", "https://github.com/o/r/pull/7a",
        "https://github.com/o/r/pull/7?x=1", "https://github.com/o/r/issues/7", "http://github.com/o/r/pull/7",
        "https://user@github.com/o/r/pull/7", "https://github.com/pull/7", "https://github.com/o/pull/7",
        "https:///o/r/pull/7", "/pull/7", "7", ""})
    EXPECT_FALSE(is_pull_request(url)) << url;
  EXPECT_FALSE(is_pull_request("https://github.com/o/" + std::string(300, 'r') + "/pull/7"));
}

TEST(PullRequestAddress, LinesOfOutputThatAreOne) {
  EXPECT_EQ(pull_requests_in("Creating draft pull request for x into main in o/tool.js\r\n\n" + kSeven + "\r\n"),
            std::vector<std::string>{kSeven});
  EXPECT_EQ(pull_requests_in(kSeven + "\n" + kNine + "\n" + kSeven), (std::vector<std::string>{kSeven, kNine}));
  EXPECT_TRUE(pull_requests_in("see " + kSeven + "\n").empty());
  EXPECT_TRUE(pull_requests_in("").empty());
}

class PullRequestsTest : public test::WriterFixture {
 protected:
  std::vector<std::string> rows() const {
    return WriterFixture::rows(
        "SELECT coalesce(exchange_number, 'none') || ' ' || event_seq || ' ' || url FROM pull_requests"
        " ORDER BY event_seq");
  }
};

EventScript session_with_requests() {
  EventScript s;
  s.lifecycle("pr_link", "PR #5 https://github.com/o/tool.js/pull/5 (o/tool.js)");
  s.user("open it").call("c1", "Bash", "git push -u origin fix && gh pr create --fill");
  s.result("c1", "remote: ok\n" + kSeven);
  s.lifecycle("pr_link", "PR #7 " + kSeven + " (o/tool.js)");
  s.user("what of the others?").call("c2", "Bash", "gh pr list --json url");
  s.result("c2", kNine);
  s.call("c3", "Bash", "glab mr create --fill").result("c3", kNine + "\n");
  s.lifecycle("pr_link", "PR #8 nowhere");
  return s;
}

TEST_F(PullRequestsTest, OpenedByCommandsAndLinkedByAgents) {
  apply(session_with_requests().batch());
  EXPECT_EQ(rows(), (std::vector<std::string>{"none 0 https://github.com/o/tool.js/pull/5", "0 3 " + kSeven,
                                              "0 4 " + kSeven, "1 9 " + kNine}));
  auto db = sqlite::Database::open(file_, sqlite::OpenMode::read_only);
  const auto requests = queries::pull_requests_of(db, 1);
  ASSERT_EQ(requests.size(), 3U);  // each URL once
  EXPECT_EQ(requests[0].exchange_number, -1);
  EXPECT_EQ(requests[1].url, kSeven);
  EXPECT_EQ(requests[1].event_seq, 3);
  EXPECT_NE(requests[1].exchange_id, 0);
}

TEST_F(PullRequestsTest, TheSameEventByEventAcrossRestarts) { expect_same_event_by_event(session_with_requests()); }

// A commit belongs to the next pull request opened on its branch, or to the one already open if none is opened later.
TEST_F(PullRequestsTest, CommitsAreJoinedByBranchAndOrder) {
  const std::string five = "https://github.com/o/r/pull/5";
  const std::string six = "https://github.com/o/r/pull/6";
  EventScript s;
  const auto commit = [&](const std::string& id, const std::string& branch, const std::string& sha) {
    s.call(id, "Bash", "git commit -qm x");
    s.result(id, "[" + branch + " " + sha + "] Change\n 1 file changed, 1 insertion(+)");
  };
  const auto request = [&](const std::string& id, const std::string& url) {
    s.call(id, "Bash", "gh pr create --fill");
    s.result(id, url);
  };
  s.user("both");
  commit("c1", "one", "aaaaaa1");
  request("r1", five);
  commit("c2", "one", "aaaaaa2");
  commit("c3", "main", "aaaaaa3");
  commit("c4", "two", "aaaaaa4");
  request("r2", six);
  commit("c5", "one", "aaaaaa5");
  commit("c6", "detached HEAD", "aaaaaa6");
  apply(s.batch());
  auto db = sqlite::Database::open(file_, sqlite::OpenMode::read_only);
  std::vector<std::pair<std::string, std::string>> joined;
  for (const CommitRow& row : queries::commits_of(db, 1, 0, 99))
    joined.emplace_back(row.sha, row.pull_request);
  EXPECT_EQ(joined, (std::vector<std::pair<std::string, std::string>>{{"aaaaaa1", five},
                                                                      {"aaaaaa2", five},
                                                                      {"aaaaaa3", ""},
                                                                      {"aaaaaa4", six},
                                                                      {"aaaaaa5", five},
                                                                      {"aaaaaa6", six}}));
  EXPECT_EQ(CommitsQuery{"aaaaaa4"}.run(db).at(0).pull_request, six);
}

TEST_F(PullRequestsTest, OpenedByToolsOfServers) {
  EventScript s;
  s.user("open it").call("c1", "mcp__github__create_pull_request", "o/tool.js").result("c1", "{…}").about(kSeven);
  s.call("c2", "mcp__github__get_pull_request", "9").result("c2", "{…}").about(kNine);
  s.call("c3", "mcp__github__create_pull_request_review", "9").result("c3", "{…}").about(kNine);
  s.call("c4", "mcp__gitlab__create_merge_request", "g").result("c4", "failed to create it");
  apply(s.batch());
  EXPECT_EQ(rows(), std::vector<std::string>{"0 2 " + kSeven});
}

TEST_F(PullRequestsTest, ASubagentsCommitsAreJoinedToThoseOfItsParents) {
  EventScript parent("claude_code:parent");
  EventScript agent("claude_code:agent");
  EventScript other("claude_code:other");
  parent.user("Do it.");
  for (EventScript* s : {&agent, &other})
    s->user("Write it.").call("c1", "Bash", "git commit -qm x");
  agent.result("c1", "[fix aaaaaa1] Change\n 1 file changed, 1 insertion(+)");
  other.result("c1", "[fix aaaaaa2] Change\n 1 file changed, 1 insertion(+)");
  parent.answer("Written.").answer("Opened soon.").call("r1", "Bash", "gh pr create --fill").result("r1", kSeven);
  EventBatch batch = agent.batch();
  SessionUpdate started;
  started.session_uid = "claude_code:agent";
  started.platform = Platform::claude_code;
  started.native_id = "agent";
  started.kind = SessionKind::subagent;
  started.parent_uid = "claude_code:parent";
  batch.sessions.push_back(started);
  apply(std::move(batch));
  apply(parent.batch());
  EventBatch later = other.batch();
  for (Event& e : later.events)
    e.time += kMsPerDay;  // at one time it would be a copy
  apply(std::move(later));
  auto db = sqlite::Database::open(file_, sqlite::OpenMode::read_only);
  EXPECT_EQ(CommitsQuery{"aaaaaa1"}.run(db).at(0).pull_request, kSeven);
  EXPECT_EQ(CommitsQuery{"aaaaaa2"}.run(db).at(0).pull_request, "") << "a session of its own";
}

}  // namespace
}  // namespace memd
