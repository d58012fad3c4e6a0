#include "daemon/cli/web/web_history.hpp"

#include "daemon/ingest/discovery.hpp"
#include "daemon/report/html_page.hpp"
#include "daemon/report/report_page.hpp"
#include "schemas/base/embedded.hpp"
#include "test/support/corpus_store.hpp"
#include "test/support/temp_dir.hpp"
#include "test/support/transcript_home.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace memd::cli::web {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr TimeMs kMorning = 1'770'000'000'000;

class WebHistoryTest : public testing::Test {
 protected:
  WebHistoryTest() {
    home_.turn("/w/parcel", 1, kMorning, "zebra", "Find the <script>alert(1)</script> zebra", "It is in the store.");
    const Discovery discovery(all_adapters(), home_.path(), {}, {});
    test::ingest(discovery, settings_.layout.database());
  }

  http::PageResponse get(const std::string& path, bool token = true) {
    return history_.answer({"GET", path, "", "", "", token});
  }
  http::PageResponse first_page() { return history_.answer({.method = "GET", .path = "/", .has_ticket = true}); }
  http::PageResponse call(const std::string& tool, const std::string& arguments, const std::string& accept = "",
                          bool token = true) {
    return history_.answer({"POST", "/api/" + tool, "application/json", accept, arguments, token});
  }

  test::TranscriptHome home_;
  test::TempDir data_;
  Settings settings_{StoreLayout(data_.path()), false, home_.path(), {}, "", {}};
  WebHistory history_{settings_};
};

TEST_F(WebHistoryTest, ThePageNeedsNoTokenAndHoldsNoHistory) {
  const std::string page = get("/", false).body;
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  EXPECT_THAT(page, Not(HasSubstr(" style=")));
  EXPECT_THAT(page, Not(HasSubstr("zebra")));
  EXPECT_THAT(page, HasSubstr("\"/page.js\""));
  EXPECT_THAT(page, HasSubstr(R"(const agents = {"claude_code":"Claude Code",)"));
  const auto script = get("/page.js", false);
  EXPECT_EQ(script.status, 200U);
  EXPECT_THAT(script.body, Not(HasSubstr("zebra")));
}

TEST_F(WebHistoryTest, ThePageAsksForTheFirstListItselfAndItsPolicyAllowsThatScriptOnly) {
  const auto inside = [](const std::string& text, const std::string& from, const std::string& to) {
    const auto begin = text.find(from) + from.size();
    return text.substr(begin, text.find(to, begin) - begin);
  };
  for (const auto& page : {get("/", false), first_page()}) {
    const std::string script = inside(page.body, "<script>", "</script>");
    EXPECT_THAT(script, HasSubstr(std::string(report::page_file("web_server.js"))));
    EXPECT_EQ(page.script_source, report::hash_source(script));
    EXPECT_EQ(page.style_source, report::hash_source(inside(page.body, "<style>", "</style>")));
  }
  EXPECT_EQ(get("/page.js", false).script_source, "");
}

TEST_F(WebHistoryTest, TheFirstPageHasTheFirstListAsData) {
  const auto page = first_page();
  ASSERT_EQ(page.status, 200U);
  EXPECT_THAT(page.body, HasSubstr("\\u003cscript\\u003ealert(1)\\u003c/script\\u003e zebra"));
  EXPECT_THAT(page.body, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page.body, Not(HasSubstr(" style=")));
}

TEST_F(WebHistoryTest, ScriptsMakeNoMarkupAndAskNobodyElse) {
  for (const auto& file : embedded::page_files()) {
    if (!file.name.ends_with(".js") || file.name == "htm-preact.js") continue;
    EXPECT_THAT(std::string(file.text), Not(HasSubstr("innerHTML"))) << file.name;
    EXPECT_THAT(std::string(file.text), Not(HasSubstr("http"))) << file.name;
  }
}

// The page of a report and the report that is saved are one.
TEST_F(WebHistoryTest, AReportHasTheDataAndTheScriptsOfTheSavedOne) {
  const auto report = call("report", R"({"agent":"claude_code","since":"2026-01-01"})");
  EXPECT_EQ(report.status, 200U) << report.body;
  EXPECT_THAT(report.body, HasSubstr(R"("asked":"--agent claude_code --since 2026-01-01")"));
  EXPECT_THAT(report.body, HasSubstr(R"("sums":{"sessions":1,)"));
  EXPECT_EQ(call("report", R"({"since":"no time"})").status, 400U);
  const std::string script = get("/page.js", false).body;
  const std::string saved = report::report_page(report.body);
  for (const std::string_view name : report::kReportScripts) {
    EXPECT_THAT(script, HasSubstr(std::string(report::page_file(name)))) << name;
    EXPECT_THAT(saved, HasSubstr(std::string(report::page_file(name)))) << name;
  }
}

TEST_F(WebHistoryTest, MemoriesAreDrawnAndHeldAgainstGit) {
  std::filesystem::create_directories(home_.path() / ".claude/memory");
  std::ofstream(home_.path() / ".claude/memory/learning-rules.md")
      << "---\ntype: learning\ntags: [a]\ncreated: \"2026-01-10T10:00:00Z\"\nupdated: \"2026-01-10T10:00:00Z\"\n---\n"
         "# Rules\n\nTabs.\n";
  EXPECT_THAT(call("memory_graph", "{}").body, HasSubstr(R"("slug":"learning-rules","title":"Rules")"));
  EXPECT_EQ(call("memory_verify", R"({"slug":"learning-rules"})").status, 400U);
  EXPECT_THAT(call("memory_verify", R"({"slug":"learning-rules"})").body, HasSubstr("held against a repository"));
}

TEST_F(WebHistoryTest, HistoryNeedsTheToken) {
  EXPECT_EQ(call("list_sessions", "{}", "", false).status, 401U);
  EXPECT_EQ(call("memory_write", "{}", "", false).status, 401U);
  EXPECT_EQ(get("/live", false).status, 401U);
  EXPECT_FALSE(history_.was_opened());
}

TEST_F(WebHistoryTest, ToolsAnswerAsTheyDoElsewhere) {
  const auto sessions = call("list_sessions", R"({"all_projects":true})");
  EXPECT_EQ(sessions.status, 200U) << sessions.body;
  EXPECT_EQ(sessions.type, "application/json");
  EXPECT_THAT(sessions.body, HasSubstr(R"("total":1)"));
  const auto turn = call("get_exchange", R"({"ids":["x1"],"include_tools":true})");
  EXPECT_THAT(turn.body, HasSubstr("<script>alert(1)</script> zebra"));
  const auto context = call("resume_context", R"({"session_id":"latest","before":"end"})", "text/plain");
  EXPECT_THAT(context.type, StartsWith("text/plain"));
  EXPECT_THAT(context.body, HasSubstr("zebra"));
}

TEST_F(WebHistoryTest, OnlyToolsThatReadAndMemoriesAreThere) {
  for (const char* tool : {"", "forget", "retention", "ingest", "import", "memd/forget", "../live", "capture", "status",
                           "conversation_query", "memory_write/../x"})
    EXPECT_EQ(call(tool, "{}").status, 404U) << tool;
  for (const char* path : {"/../memd.db", "/web.js", "/report.js", "//", "/etc/passwd", "/%2e%2e/memd.db", "/api"})
    EXPECT_EQ(get(path).status, 404U) << path;
}

TEST_F(WebHistoryTest, BadRequestsSayWhatIsWrong) {
  EXPECT_EQ(get("/api/list_sessions").status, 405U);
  EXPECT_EQ(history_.answer({"POST", "/", "", "", "", true}).status, 405U);
  EXPECT_EQ(history_.answer({"POST", "/live", "", "", "", true}).status, 405U);
  // What a form of another page could send without being asked first.
  EXPECT_EQ(history_.answer({"POST", "/api/list_sessions", "text/plain", "", "{}", true}).status, 415U);
  EXPECT_EQ(call("list_sessions", "no json").status, 400U);
  const auto unknown = call("get_exchange", R"({"ids":["x999"]})");
  EXPECT_EQ(unknown.status, 400U);
  EXPECT_THAT(unknown.body, HasSubstr("there is no turn x999"));
  const auto open = call("open", R"({"session_id":"nobody"})");
  EXPECT_EQ(open.status, 404U) << open.body;
}

TEST_F(WebHistoryTest, TheCommandThatContinuesASession) {
  const auto open = call("open", R"({"session_id":"latest"})");
  EXPECT_EQ(open.status, 200U) << open.body;
  EXPECT_THAT(open.body, HasSubstr("claude --resume " + test::TranscriptHome::session_id(1)));
}

// Who is at the page need not be asked by an agent's client.
TEST_F(WebHistoryTest, MemoriesAreWrittenAndReadBack) {
  const auto made =
      call("memory_write", R"({"action":"create","type":"learning","title":"Zebras","text":"They run."})");
  ASSERT_EQ(made.status, 200U) << made.body;
  const auto read = call("memory_read", R"({"slug":"learning-zebras"})");
  EXPECT_THAT(read.body, HasSubstr("They run.")) << read.body;
}

TEST_F(WebHistoryTest, AnOpenPageIsToldOfWhatIsStored) {
  auto live = get("/live");
  ASSERT_EQ(live.status, 200U);
  EXPECT_TRUE(history_.was_opened());
  EXPECT_EQ(history_.unused().count(), 0);
  std::ofstream(settings_.layout.database().string() + "-wal", std::ios::app) << "grown";
  EXPECT_EQ(live.stream(), "event: stored\ndata:\n\n");
  EXPECT_EQ(live.stream(), "");
}

}  // namespace
}  // namespace memd::cli::web
