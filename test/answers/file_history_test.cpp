#include "daemon/tools/file_history.hpp"
#include "daemon/tools/file_question.hpp"
#include "daemon/tools/tool_services.hpp"
#include "daemon/tools/toolset.hpp"
#include "schemas/base/error.hpp"
#include "test/support/tool_fixture.hpp"

namespace memd::test {
namespace {

// Recorded edits by offset.
class FakeRecords final : public tools::RawText {
 public:
  Result<std::string> event_text(const EventSource&, EventKind) const override {
    return Error(Errc::not_found, "not asked for");
  }
  Result<std::vector<RecordedEdit>> recorded_edits(const EventSource& where) const override {
    const auto it = edits.find(where.raw.offset);
    return it == edits.end() ? std::vector<RecordedEdit>() : it->second;
  }
  std::map<std::uint64_t, std::vector<RecordedEdit>> edits;  // by offset
};

class FileHistoryTool : public ToolFixture {
 protected:
  FileHistoryTool() {
    source = store.source(Platform::claude_code, "/h/t.jsonl", 100, 100);
    session = store.session({.native_id = "aaaa1111", .title = "Parser work", .start = kNow - 5 * kMsPerDay});
  }
  void open_with_records() {
    tools::ToolServices services{pool, clock, freshness, records, adapters, store.file(), {}, {}};
    tools::register_tools(registry, services);
  }
  // Adds an exchange that edits a file, with its events and the recorded edit.
  ExchangeId edit(std::string user, std::string answer, const std::string& path, std::vector<EditHunk> hunks,
                  bool whole = false) {
    ExchangeTexts t;
    t.user = std::move(user);
    t.answer = std::move(answer);
    t.files = {path};
    const auto id = store.exchange(session, t);
    const auto seq = store.event(session, EventKind::edit, "Edit", path + " +1 -1", source);
    store.db()
        .prepare(
            "UPDATE events SET time = ?1 * 1000, path_pk = (SELECT path_pk FROM paths WHERE path = ?2)"
            " WHERE session_pk = ?3 AND seq = ?1")
        .bind(seq, path, session)
        .run();
    records.edits[static_cast<std::uint64_t>(seq) * 100] = {{path, whole, std::move(hunks)}};
    return id;
  }
  void commit(std::int64_t seq, std::string_view sha, std::int64_t number) {
    store.db()
        .prepare(
            "INSERT INTO commits (session_pk, event_seq, sha, exchange_number, branch, subject, time)"
            " VALUES (?, ?, ?, ?, 'main', 'Read \"names\"', 1770000000000)")
        .bind(session, seq, sha, number)
        .run();
  }

  FakeRecords records;
  std::int64_t source = 0, session = 0;
};

TEST_F(FileHistoryTool, WhoTouchedAFileAndWhy) {
  const auto x = edit("Names with quotes are lost, please fix.",
                      "I looked around. In parser.cpp the quote is now kept instead of dropped. Done.",
                      "/home/u/app/src/parser.cpp", {});
  store.event(session, EventKind::test_run, "Bash", "passed: make test");
  const auto a = call("file_history", R"({"path":"src/parser.cpp"})");
  EXPECT_EQ(a.at("total_exchanges").as_int64(), 1);
  EXPECT_EQ(str(a.at("files").at(0).at("path")), "/home/u/app/src/parser.cpp");
  const auto& s = a.at("sessions").at(0);
  EXPECT_EQ(str(s.at("session_id")), "claude_code:aaaa1111");
  EXPECT_EQ(str(s.at("session_name")), "Parser work");
  const auto& use = s.at("exchanges").at(0);
  EXPECT_EQ(str(use.at("exchange_id")), format_exchange_id(x));
  EXPECT_EQ(str(use.at("access")), "modified");
  EXPECT_EQ(str(use.at("asked")), "Names with quotes are lost, please fix.");
  EXPECT_EQ(str(use.at("said")), "In parser.cpp the quote is now kept instead of dropped.");
  EXPECT_EQ(str(use.at("outcome")), "tests_passed");
  EXPECT_EQ(str(use.at("test")), "passed: make test");
  EXPECT_FALSE(use.as_object().contains("files"));
  for (const std::string part : {"parser.cpp", "Names with quotes", "kept instead", "tests_passed", "<history>"})
    EXPECT_TRUE(has(text, part)) << part;
}

TEST_F(FileHistoryTool, SeveralFilesAreNamedAndTheAnswerSaysSo) {
  edit("one", "One.", "/w/a/main.c", {});
  edit("two", "Two.", "/w/b/main.c", {});
  const auto a = call("file_history", R"({"path":"main.c"})");
  EXPECT_EQ(a.at("total_files").as_int64(), 2);
  EXPECT_TRUE(has(str(a.at("notice")), "Several files end in main.c"));
  EXPECT_EQ(str(a.at("sessions").at(0).at("exchanges").at(0).at("files").at(0)), "/w/b/main.c");
  EXPECT_EQ(call("file_history", R"({"path":"/w/a/main.c"})").at("total_files").as_int64(), 1);
  EXPECT_EQ(call("file_history", R"({"path":"/w/"})").at("total_files").as_int64(), 2);
  EXPECT_EQ(call("file_history", R"({"path":"*.c","access":"read"})").at("total_exchanges").as_int64(), 0);
}

TEST_F(FileHistoryTool, AsManyAsAskedForOfTheCallersProject) {
  edit("one", "One.", "/home/u/app/main.c", {});
  edit("two", "Two.", "/home/u/app/main.c", {});
  const auto a = call("file_history", R"({"path":"main.c","n_results":1,"cwd":"/home/u/app"})");
  EXPECT_EQ(a.at("total_exchanges").as_int64(), 2);
  EXPECT_EQ(a.at("sessions").at(0).at("exchanges").as_array().size(), 1U);
  EXPECT_TRUE(a.contains("next"));
}

TEST_F(FileHistoryTool, AFileNobodyTouched) {
  edit("one", "One.", "/w/a/parser.cpp", {});
  const auto a = call("file_history", R"({"path":"parser.hpp"})");
  EXPECT_TRUE(a.at("sessions").as_array().empty());
  EXPECT_TRUE(has(str(a.at("notice")), "/w/a/parser.cpp")) << str(a.at("notice"));
  EXPECT_TRUE(has(text, "No agent has touched"));
}

TEST_F(FileHistoryTool, WrongArgumentsAreNamed) {
  edit("one", "One.", "/w/a/main.c", {});
  edit("two", "Two.", "/w/b/main.c", {});
  EXPECT_TRUE(has(error("file_history", "{}"), "path: send a file"));
  EXPECT_TRUE(has(error("file_history", R"({"lines":"3"})"), "path:"));
  for (const std::string lines : {"x", "0", "5-3", "3-", "3-5x", "-4"})
    EXPECT_TRUE(has(error("file_history", R"({"path":"/w/a/main.c","lines":")" + lines + "\"}"), "120-180")) << lines;
  const auto ambiguous = error("file_history", R"({"path":"main.c","lines":"3"})");
  EXPECT_TRUE(has(ambiguous, "/w/a/main.c, /w/b/main.c")) << ambiguous;
  EXPECT_TRUE(has(error("file_history", R"({"commit":"xyz"})"), "commit:"));
  EXPECT_TRUE(has(error("file_history", R"({"commit":"abc"})"), "4 of its"));
  EXPECT_TRUE(has(error("file_history", R"({"commit_time":"2026-02-09T10:00:00Z"})"), "paths:"));
  EXPECT_TRUE(has(error("file_history", R"({"path":"main.c","cursor":"p1.0.0"})"), "cursor:"));
}

TEST_F(FileHistoryTool, EditsOfLines) {
  open_with_records();
  const auto first = edit("add it", "Added.", "/w/a.c", {{8, 1, 8, 2, " x\n+int answer = 41;\n"}});
  const auto second = edit("fix it", "The answer in a.c is forty-two now.", "/w/a.c",
                           {{9, 1, 9, 1, "-int answer = 41;\n+int answer = 42;\n"}});
  edit("elsewhere", "Ok.", "/w/a.c", {{1, 1, 1, 3, " h\n+1\n+2\n"}});
  const auto a = call("file_history", R"({"path":"/w/a.c","lines":"11"})");
  const auto& uses = a.at("sessions").at(0).at("exchanges").as_array();
  ASSERT_EQ(uses.size(), 2U);
  EXPECT_EQ(str(uses[0].at("exchange_id")), format_exchange_id(second));
  EXPECT_EQ(str(uses[0].at("lines")), "9-9");
  EXPECT_EQ(str(uses[0].at("match")), "placed");
  EXPECT_TRUE(has(str(uses[0].at("change")), "+int answer = 42;"));
  EXPECT_EQ(str(uses[1].at("exchange_id")), format_exchange_id(first));
  EXPECT_TRUE(has(text, "+int answer = 42;"));
  EXPECT_TRUE(has(str(a.at("notice")), "carried through"));

  const auto none = call("file_history", R"({"path":"/w/a.c","lines":"400-410"})");
  EXPECT_EQ(none.at("total_exchanges").as_int64(), 0);
  EXPECT_TRUE(has(str(none.at("notice")), "None of the 3 edits"));
  const auto named = call("file_history", R"({"path":"/w/a.c","symbol":"= 41"})");
  EXPECT_EQ(named.at("total_exchanges").as_int64(), 2);
}

TEST_F(FileHistoryTool, SecretsInRecordsAreMasked) {
  open_with_records();
  const std::string token = std::string("ghp_") + "abcdefghijklmnopqrstuvwxyz0123456789";
  edit("add", "Added.", "/w/a.env", {{0, 0, 1, 1, "+TOKEN=" + token + "\n"}}, true);
  const auto a = call("file_history", R"({"path":"/w/a.env","lines":"1"})");
  EXPECT_EQ(a.at("total_exchanges").as_int64(), 1);
  EXPECT_FALSE(has(structured, token));
  EXPECT_FALSE(has(text, token));
}

TEST_F(FileHistoryTool, RecordsThatAreGoneAreSaid) {
  edit("add", "Added.", "/w/a.c", {});
  const auto a = call("file_history", R"({"path":"/w/a.c","lines":"1"})");
  EXPECT_TRUE(has(str(a.at("notice")), "changed is not known"));
}

TEST_F(FileHistoryTool, TheSessionOfACommit) {
  edit("start", "Started.", "/w/old.c", {});
  commit(0, "1111111", 0);
  const auto x = edit("read the names", "In names.c they are read.", "/w/names.c", {});
  store.exchange(session, {.user = "commit it", .answer = "Committed."});
  const auto seq = store.event(session, EventKind::tool_result, "Bash", "[main abc1234] Read");
  commit(seq, "abc1234", 2);
  const auto a = call("file_history", R"({"commit":"abc12345deadbeef"})");
  const auto& made = a.at("commits").at(0);
  EXPECT_EQ(str(made.at("sha")), "abc1234");
  EXPECT_EQ(str(made.at("confidence")), "exact");
  EXPECT_EQ(str(made.at("session_id")), "claude_code:aaaa1111");
  EXPECT_EQ(str(made.at("subject")), "Read \"names\"");
  const auto& uses = a.at("sessions").at(0).at("exchanges").as_array();
  ASSERT_EQ(uses.size(), 1U);
  EXPECT_EQ(str(uses[0].at("exchange_id")), format_exchange_id(x));
  EXPECT_EQ(str(uses[0].at("committed_as")), "abc1234");
  EXPECT_TRUE(has(text, "commit abc1234"));

  const auto unknown = call("file_history", R"({"commit":"deadbeef"})");
  EXPECT_TRUE(has(str(unknown.at("notice")), "commit_time"));
  EXPECT_TRUE(unknown.at("sessions").as_array().empty());
  adapters[0].status = AdapterStatus::disabled;
  EXPECT_FALSE(call("file_history", R"({"commit":"abc1234"})").contains("commits"));
}

TEST_F(FileHistoryTool, PullRequestsStandBesideTheCommitsOfTheirSession) {
  edit("read the names", "In names.c they are read.", "/w/names.c", {});
  const auto made = store.event(session, EventKind::tool_result, "Bash", "[main abc1234] Read");
  commit(made, "abc1234", 0);
  EXPECT_FALSE(
      call("file_history", R"({"path":"names.c"})").at("sessions").at(0).as_object().contains("pull_requests"));
  for (int number = 1; number <= 4; ++number) {
    const auto seq = store.event(session, EventKind::lifecycle, "", "pr_link");
    store.db()
        .prepare("INSERT INTO pull_requests (session_pk, event_seq, url, exchange_number, time) VALUES (?, ?, ?, 0, 1)")
        .bind(session, seq, "https://example.org/o/r/pull/" + std::to_string(number))
        .run();
  }
  const auto a = call("file_history", R"({"path":"names.c"})");
  const auto& requests = a.at("sessions").at(0).at("pull_requests").as_array();
  ASSERT_EQ(requests.size(), 3U);  // the latest three
  EXPECT_EQ(str(requests.back()), "https://example.org/o/r/pull/4");
  EXPECT_TRUE(has(text, "pull request https://example.org/o/r/pull/4"));
  const auto of_commit = call("file_history", R"({"commit":"abc1234"})");
  EXPECT_EQ(str(of_commit.at("commits").at(0).at("pull_request")), "https://example.org/o/r/pull/1");
  EXPECT_TRUE(has(text, "in https://example.org/o/r/pull/1"));
}

TEST_F(FileHistoryTool, ACommitOfAPersonIsJoinedByTimeAndFiles) {
  ExchangeTexts t{.user = "change both", .answer = "Both.", .files = {"/w/a.c", "/w/b.c"}, .time = kNow - 60'000};
  store.exchange(session, t);
  store.db().exec("UPDATE exchanges SET git_branch = 'main'");
  const auto a = call("file_history", R"({"commit":"deadbeef","commit_time":"2026-02-09T06:00:00Z","branch":"main",)"
                                      R"("paths":["a.c","b.c"]})");
  EXPECT_EQ(str(a.at("commits").at(0).at("confidence")), "high");
  EXPECT_FALSE(a.at("commits").at(0).as_object().contains("sha"));
  EXPECT_TRUE(has(str(a.at("notice")), "may be wrong"));
  EXPECT_EQ(a.at("total_exchanges").as_int64(), 1);
  const auto elsewhere = call("file_history", R"({"commit_time":"2026-02-09T06:00:00Z","paths":["a.c","b.c"]})");
  EXPECT_EQ(str(elsewhere.at("commits").at(0).at("confidence")), "medium") << "nobody says which branch";
  const auto half = call("file_history", R"({"commit_time":"2026-02-09T12:00:00Z","paths":["a.c","z.c"]})");
  EXPECT_EQ(str(half.at("commits").at(0).at("confidence")), "low");
  const auto late = call("file_history", R"({"commit_time":"2026-02-01T12:00:00Z","paths":["a.c"]})");
  EXPECT_TRUE(late.at("sessions").as_array().empty());
}

TEST_F(FileHistoryTool, PagesHoldEachExchangeOnce) {
  std::vector<ExchangeId> expected;
  for (int i = 0; i < 40; ++i)
    expected.push_back(edit("Please change case " + std::to_string(i) + " of the tokenizer.",
                            "In tokenizer.cpp case " + std::to_string(i) + " is handled now.", "/w/tokenizer.cpp", {}));
  std::reverse(expected.begin(), expected.end());
  for (const int tokens : {600, 1500}) {
    std::vector<std::string> seen;
    for (const auto& page :
         pages("file_history", R"({"path":"tokenizer.cpp","max_tokens":)" + std::to_string(tokens) + "}")) {
      EXPECT_LE(page.at("est_tokens").as_int64(), tokens);
      for (const auto& s : page.at("sessions").as_array())
        for (const auto& use : s.at("exchanges").as_array())
          seen.push_back(str(use.at("exchange_id")));
    }
    std::vector<std::string> ids;
    for (const ExchangeId id : expected)
      ids.push_back(format_exchange_id(id));
    EXPECT_EQ(seen, ids);
  }
  EXPECT_LE(call("file_history", R"({"path":"tokenizer.cpp","max_tokens":320})").at("est_tokens").as_int64(), 320);
}

TEST(FileReason, TheLastSentenceThatNamesTheFileElseWhatWasSaidBefore) {
  FileUse use;
  use.files.push_back({0, 1, "/w/src/a.c", FileAccess::modified, 1, 0, 0});
  use.assistant_response =
      "I will open a.c first.\n\nThe test data.c stays. In `a.c` the loop ends one earlier.\n\n```\na.c code\n```\n"
      "All is well. Files: a.c";
  EXPECT_EQ(tools::said_of_files(use), "In `a.c` the loop ends one earlier.");
  use.assistant_response = "Two files:\n\n1. `a.c`:\n- the loop ends one earlier\n\nDone.";
  EXPECT_EQ(tools::said_of_files(use), "1. `a.c`: - the loop ends one earlier");
  use.assistant_response = "Nothing of data.c changed.";
  use.said_before = "Let me fix the loop.";
  EXPECT_EQ(tools::said_of_files(use), "Let me fix the loop.");
  EXPECT_EQ(tools::base_name("C:\\w\\x.ts"), "x.ts");
}

}  // namespace
}  // namespace memd::test
