#include "daemon/tools/llm_summarizer.hpp"
#include "daemon/tools/tool_services.hpp"
#include "daemon/tools/toolset.hpp"
#include "schemas/base/error.hpp"
#include "test/support/tool_fixture.hpp"

namespace memd::test {
namespace {

using boost::json::object;

// A summarizer that returns the test's answer and records its request.
class ScriptedSummarizer final : public tools::LlmSummarizer {
 public:
  std::string unavailable(const mcp::ToolContext&) const override { return reason; }
  Result<tools::LlmSummary> summarize(const tools::LlmSummaryRequest& request, mcp::ToolContext&) override {
    ++calls;
    strategy = request.strategy;
    style = request.style;
    exchanges = request.exchanges.size();
    max_tokens = request.max_tokens;
    if (failure) return *failure;
    return answer;
  }

  std::string reason;
  std::optional<Error> failure;
  tools::LlmSummary answer;
  int calls = 0;
  std::string strategy;
  tools::SummaryStyle style{};
  std::size_t exchanges = 0;
  std::size_t max_tokens = 0;
};

class SessionSummary : public ToolFixture {
 protected:
  SessionSummary() {
    small = store.session({.native_id = "aaaa1111", .title = "Parser work", .start = kNow - 5 * kMsPerDay});
    small_ids = fill(small, "tokenizer", 6);
    touch(small, 2, "/home/u/app/src/lexer.cpp");
    touch(small, 4, "/home/u/app/src/lexer.cpp");
    touch(small, 4, "/home/u/app/src/main.cpp");
    observe(small, 1, "decision", "Going with one pass because two are slow.");
    store.db().exec(
        "INSERT INTO decisions (observation_pk, kind, decided_by, reason) VALUES (1, 0, 0, 'two are slow')");
    observe(small, 3, "bugfix", "Fixed the lexer.");
    observe(small, 4, "bugfix", "Fixed the parser.");
    large = store.session({.native_id = "bbbb2222", .title = "Long haul", .start = kNow - 2 * kMsPerDay});
    large_ids = fill(large, "pipeline", 130);
  }
  void touch(std::int64_t session, int number, const std::string& path) {
    store.db().prepare("INSERT OR IGNORE INTO paths (path) VALUES (?)").bind(path).run();
    store.db()
        .prepare(
            "INSERT INTO exchange_files (session_pk, exchange_number, path_pk, access, touches, lines_added)"
            " VALUES (?, ?, (SELECT path_pk FROM paths WHERE path = ?), 1, 2, 5)")
        .bind(session, number, path)
        .run();
  }
  void observe(std::int64_t session, int number, std::string_view type, std::string_view words) {
    store.db()
        .prepare(
            "INSERT INTO observations (session_pk, exchange_number, event_seq, time, type, summary, content, "
            "content_hash)"
            " VALUES (?1, ?2, ?2, 1, ?3, ?4, ?4, ?5)")
        .bind(session, number, type, words, as_sql(hash64(words)))
        .run();
  }
  void open_with(tools::LlmSummarizer& llm) {
    tools::ToolServices services{pool, clock, freshness, raw, adapters, store.file(), {}, background};
    services.llm = &llm;
    tools::register_tools(registry, services);
  }
  object summary(const std::string& arguments) { return call("session_summary", arguments); }

  std::int64_t small = 0, large = 0;
  std::vector<ExchangeId> small_ids, large_ids;
};

TEST_F(SessionSummary, TellsOfASessionFromStartToEnd) {
  const auto a = summary(R"({"session_id":"aaaa"})");
  EXPECT_EQ(str(a.at("session_name")), "Parser work");
  EXPECT_EQ(str(a.at("platform")), "claude_code");
  EXPECT_EQ(str(a.at("project")), "app");
  EXPECT_EQ(a.at("total_exchanges").as_int64(), 6);
  EXPECT_TRUE(has(str(a.at("summary")), "Please change the tokenizer"));
  EXPECT_EQ(str(a.at("provenance").at("strategy")), "extractive");
  EXPECT_EQ(str(a.at("provenance").at("model")), "");
  EXPECT_EQ(str(a.at("provenance").at("inputs")),
            "6 turns, " + format_exchange_id(small_ids[0]) + " to " + format_exchange_id(small_ids[5]));
  ASSERT_EQ(a.at("key_decisions").as_array().size(), 1U);
  EXPECT_EQ(str(a.at("key_decisions").at(0).at("exchange_id")), format_exchange_id(small_ids[1]));
  EXPECT_EQ(str(a.at("key_decisions").at(0).at("decided_by")), "user");
  ASSERT_EQ(a.at("files_modified").as_array().size(), 2U);
  EXPECT_EQ(str(a.at("files_modified").at(0).at("path")), "/home/u/app/src/lexer.cpp");
  EXPECT_EQ(str(a.at("files_modified").at(0).at("last_exchange_id")), format_exchange_id(small_ids[4]));
  EXPECT_EQ(a.at("files_modified").at(0).at("lines_added").as_int64(), 10);
  EXPECT_EQ(a.at("observation_counts").at("bugfix").as_int64(), 2);
  EXPECT_EQ(a.at("observation_counts").at("decision").as_int64(), 1);
  EXPECT_FALSE(a.contains("next"));
  for (const std::string_view part : {"<history>", "Going with one pass", "lexer.cpp", "bugfix 2", "get_exchange(ids="})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
}

TEST_F(SessionSummary, TheLatestDecisionAndThoseWithReasonsAreShown) {
  for (int i = 0; i < 14; ++i)
    observe(small, 2 + i % 4, "decision", "Taking road number " + std::to_string(i) + " through the hills for now.");
  const auto a = summary(R"({"session_id":"aaaa","max_tokens":700})");
  const auto& shown = a.at("key_decisions").as_array();
  EXPECT_EQ(a.at("key_decisions_total").as_int64(), 15);
  ASSERT_GE(shown.size(), 2U);
  ASSERT_LT(shown.size(), 15U);
  EXPECT_TRUE(has(str(shown.front().at("text")), "number 11")) << "where things stand now";
  EXPECT_EQ(str(shown.back().at("text")), "Going with one pass because two are slow.")
      << "before others without reasons";
  EXPECT_TRUE(has(text, "Latest decision (" + str(shown.front().at("exchange_id")))) << text;
}

TEST_F(SessionSummary, OfTheLatestOfAProject) {
  EXPECT_EQ(str(summary("{}").at("session_id")), "claude_code:bbbb2222");
  EXPECT_EQ(str(summary(R"({"project":"app"})").at("session_id")), "claude_code:bbbb2222");
  EXPECT_TRUE(has(error("session_summary", R"({"session_id":"nosuch"})"), "nosuch"));
}

TEST_F(SessionSummary, KeepsToTheCompression) {
  for (const auto& [compression, ratio] :
       {std::pair("30", 0.70), std::pair("70", 0.30), std::pair("90", 0.10), std::pair("0.5", 0.5)}) {
    const auto a = summary(
        std::string(
            R"({"session_id":"bbbb","strategy":"extractive","max_tokens":8000,"last_exchange":39,"compression":)") +
        compression + "}");
    const double source = a.at("source_tokens").to_number<double>();
    const double kept = a.at("summary_tokens").to_number<double>();
    EXPECT_LE(kept, source * ratio + 1) << compression;
    if (ratio <= 0.5) {
      EXPECT_GE(kept, source * ratio * 0.85) << compression;
    }
  }
  EXPECT_TRUE(has(
      str(summary(R"({"session_id":"bbbb","strategy":"extractive","max_tokens":600,"compression":30})").at("notice")),
      "max_tokens, not the compression"));
}

TEST_F(SessionSummary, OneLongerThanAnAnswerHasPages) {
  const auto asked = [](const char* max_tokens) {
    return std::string(R"({"session_id":"bbbb","strategy":"extractive","compression":50,"max_tokens":)") + max_tokens +
           "}";
  };
  const auto whole = summary(asked("8000"));
  ASSERT_FALSE(whole.contains("next"));
  std::string read;
  std::int64_t tokens = 0;
  const auto all = pages("session_summary", asked("1500"));
  for (const auto& page : all) {
    std::string text(str(page.at("summary")));
    if (text.ends_with("…")) text.resize(text.size() - 3);
    read += text;
    tokens += page.at("summary_tokens").as_int64();
  }
  EXPECT_GE(all.size(), 3U);
  const auto letters = [](std::string_view text) {
    std::string out(text);
    std::erase_if(out, [](char c) { return c == ' ' || c == '\n'; });
    return out;
  };
  EXPECT_EQ(letters(read), letters(str(whole.at("summary"))));
  EXPECT_GE(tokens, whole.at("source_tokens").as_int64() * 2 / 5);
}

TEST_F(SessionSummary, NamesTheLimitThatHolds) {
  const auto notice = [&](const std::string& more) {
    const auto a = summary(R"({"session_id":"bbbb","strategy":"chronological",)" + more + "}");
    return a.contains("notice") ? str(a.at("notice")) : std::string();
  };
  EXPECT_FALSE(has(notice(R"("max_tokens":8000,"compression":1)"), "max_tokens")) << "the form ends before it";
  EXPECT_TRUE(has(notice(R"("max_tokens":600,"compression":1)"), "max_tokens, not the compression, limits"));
  EXPECT_TRUE(has(notice(R"("max_tokens":600)"), "max_tokens limits the summary"));
  EXPECT_FALSE(has(notice(R"("max_tokens":600)"), "compression")) << "nobody asked for one";
}

TEST_F(SessionSummary, AProjectIsSummarisedOverItsSessions) {
  const auto a = summary(R"({"level":4,"project":"app"})");
  EXPECT_EQ(str(a.at("session_id")), "");
  EXPECT_EQ(str(a.at("session_name")), "app");
  EXPECT_TRUE(has(str(a.at("summary")), "2 sessions, 136 turns")) << str(a.at("summary"));
  EXPECT_TRUE(has(str(a.at("summary")), "Claude Code: ")) << str(a.at("summary"));
  EXPECT_EQ(a.at("chunks_total").as_int64(), 2);
  EXPECT_EQ(str(a.at("chunks").at(0).at("summary")), "Long haul");
  EXPECT_EQ(str(a.at("chunks").at(0).at("session_id")), "claude_code:bbbb2222");
  EXPECT_EQ(str(a.at("files_modified").at(0).at("path")), "/home/u/app/src/lexer.cpp");
  EXPECT_TRUE(has(error("session_summary", R"({"level":4,"project":"nosuch"})"), "nosuch"));
}

TEST_F(SessionSummary, LongSessionsOpenLevelByLevel) {
  const auto abstract = summary(R"({"session_id":"bbbb","level":3})");
  EXPECT_TRUE(has(str(abstract.at("summary")), "Asked: Please change the pipeline so that case 0"));
  EXPECT_LE(abstract.at("summary_tokens").as_int64(), abstract.at("source_tokens").as_int64() * 2 / 100 + 60);
  EXPECT_EQ(str(abstract.at("more")), R"(session_summary(session_id="claude_code:bbbb2222", level=2))");

  const auto session = summary(R"({"session_id":"bbbb"})");  // auto
  EXPECT_EQ(str(session.at("provenance").at("strategy")), "hierarchical");
  EXPECT_EQ(session.at("chunks_total").as_int64(), 7);
  EXPECT_EQ(str(session.at("more")), R"(session_summary(session_id="claude_code:bbbb2222", level=1))");

  std::vector<std::int64_t> chunks;
  for (const auto& page : pages("session_summary", R"({"session_id":"bbbb","level":1,"max_tokens":1200})"))
    for (const auto& c : page.at("chunks").as_array()) {
      chunks.push_back(c.at("chunk").as_int64());
      EXPECT_FALSE(str(c.at("summary")).empty());
    }
  EXPECT_EQ(chunks, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6}));

  const auto first = summary(R"({"session_id":"bbbb","level":1,"max_tokens":1200})");
  for (const char* other : {R"("style":"narrative",)", R"("compression":30,)", R"("last_exchange":90,)"})
    EXPECT_TRUE(has(error("session_summary", std::string(R"({"session_id":"bbbb","level":1,"max_tokens":1200,)") +
                                                 other + R"("cursor":")" + str(first.at("next")) + "\"}"),
                    "cursor"))
        << other;

  const auto chunk = summary(R"({"session_id":"bbbb","chunk":2})");
  EXPECT_EQ(str(chunk.at("provenance").at("inputs")),
            "20 turns, " + format_exchange_id(large_ids[40]) + " to " + format_exchange_id(large_ids[59]));
  EXPECT_EQ(str(chunk.at("more")), "get_exchange(ids=[\"" + format_exchange_id(large_ids[40]) + "\"])");
  EXPECT_TRUE(has(error("session_summary", R"({"session_id":"bbbb","chunk":7})"), "its last chunk number 6"));

  const auto range = summary(R"({"session_id":"bbbb","first_exchange":100,"last_exchange":104})");
  EXPECT_TRUE(has(str(range.at("provenance").at("inputs")), "5 turns"));
  EXPECT_TRUE(
      has(error("session_summary", R"({"session_id":"bbbb","first_exchange":5,"last_exchange":4})"), "last_exchange"));
  EXPECT_TRUE(has(error("session_summary", R"({"session_id":"bbbb","chunk":1,"last_exchange":4})"), "either chunk"));
}

TEST_F(SessionSummary, ByTime) {
  const auto a = summary(R"({"session_id":"aaaa","style":"narrative"})");
  EXPECT_EQ(str(a.at("provenance").at("strategy")), "chronological");
  EXPECT_TRUE(has(str(a.at("summary")), "6 turns"));
  EXPECT_TRUE(has(str(a.at("summary")), "asked: Please change"));
}

TEST_F(SessionSummary, FitsItsTokensAndIsTheSameTwice) {
  for (const char* strategy : {"auto", "extractive", "chronological", "hierarchical", "abstractive", "map_reduce"})
    for (const int limit : {200, 300, 500, 1000, 3000, 8000})
      for (const char* session : {"aaaa", "bbbb"}) {
        const std::string arguments = std::string(R"({"session_id":")") + session + R"(","strategy":")" + strategy +
                                      R"(","max_tokens":)" + std::to_string(limit) + "}";
        const auto first = outcome("session_summary", arguments);
        if (first.is_error) {
          EXPECT_LT(limit, 1000) << first.text;
          EXPECT_TRUE(has(first.text, "is too little for this answer")) << first.text;
          continue;
        }
        EXPECT_LE(estimate_tokens(first.structured), static_cast<std::size_t>(limit)) << arguments;
        EXPECT_LE(estimate_tokens(first.text), static_cast<std::size_t>(limit)) << arguments;
        EXPECT_EQ(outcome("session_summary", arguments).structured, first.structured);
      }
}

TEST_F(SessionSummary, SaysThatItQuotesWithoutAModel) {
  const auto a = summary(R"({"session_id":"aaaa","strategy":"abstractive"})");
  EXPECT_EQ(str(a.at("provenance").at("strategy")), "extractive");
  EXPECT_TRUE(has(str(a.at("notice")), "Quoted, not abstractive: no language model is configured."));
  EXPECT_FALSE(has(str(summary(R"({"session_id":"aaaa"})").at("notice")), "Quoted"));
}

TEST_F(SessionSummary, IsWrittenByAModelWhereThereIsOne) {
  ScriptedSummarizer llm;
  llm.answer = {"The tokenizer learned six cases.", "", {}, "ollama/small", true, 0, "One part was left out."};
  open_with(llm);
  const auto a = summary(R"({"session_id":"aaaa","style":"narrative","max_seconds":20})");
  EXPECT_EQ(llm.calls, 1);
  EXPECT_EQ(llm.strategy, "abstractive");
  EXPECT_EQ(llm.style, tools::SummaryStyle::narrative);
  EXPECT_EQ(llm.exchanges, 6U);
  EXPECT_EQ(str(a.at("summary")), "The tokenizer learned six cases.");
  EXPECT_EQ(str(a.at("provenance").at("strategy")), "abstractive");
  EXPECT_EQ(str(a.at("provenance").at("model")), "ollama/small");
  EXPECT_TRUE(a.at("provenance").at("cached").as_bool());
  EXPECT_TRUE(has(str(a.at("notice")), "One part was left out."));
  EXPECT_TRUE(has(text, "written by ollama/small"));
  EXPECT_EQ(a.at("key_decisions").as_array().size(), 1U);
  summary(R"({"session_id":"aaaa","strategy":"extractive"})");
  EXPECT_EQ(llm.calls, 1);  // not called again
}

TEST_F(SessionSummary, TakesChunksFromAModel) {
  ScriptedSummarizer llm;
  llm.answer = {"All of it.", "In short.", {{0, 19, "First part."}, {20, 39, "Second part."}}, "m", false, 3, ""};
  open_with(llm);
  EXPECT_EQ(str(summary(R"({"session_id":"bbbb","level":3})").at("summary")), "In short.");
  const auto a = summary(R"({"session_id":"bbbb","level":1})");
  EXPECT_EQ(llm.strategy, "hierarchical");
  ASSERT_EQ(a.at("chunks").as_array().size(), 2U);
  EXPECT_EQ(str(a.at("chunks").at(1).at("summary")), "Second part.");
  EXPECT_EQ(str(a.at("chunks").at(1).at("first_exchange_id")), format_exchange_id(large_ids[20]));
  // Exchange numbers of a session need not begin at 0: chunks are numbered by position.
  store.db()
      .prepare("UPDATE exchanges SET exchange_number = exchange_number + 1000 WHERE session_pk = ?")
      .bind(large)
      .run();
  const auto b = summary(R"({"session_id":"bbbb","level":1})");
  ASSERT_EQ(b.at("chunks").as_array().size(), 2U);
  EXPECT_EQ(b.at("chunks").at(1).at("chunk").as_int64(), 51);
  EXPECT_EQ(str(b.at("chunks").at(1).at("last_exchange_id")), format_exchange_id(large_ids[39]));
}

TEST_F(SessionSummary, FallsBackWhenAModelFails) {
  ScriptedSummarizer llm;
  llm.failure = Error(Errc::unavailable, "the provider does not answer");
  open_with(llm);
  const auto a = summary(R"({"session_id":"aaaa","strategy":"recursive"})");
  EXPECT_EQ(str(a.at("provenance").at("strategy")), "extractive");
  EXPECT_TRUE(has(str(a.at("notice")), "Quoted, not recursive: "));
  EXPECT_TRUE(has(str(a.at("notice")), "the provider does not answer"));
  llm.reason = "the budget of the day is spent";
  EXPECT_TRUE(has(str(summary(R"({"session_id":"aaaa","strategy":"recursive"})").at("notice")), "budget of the day"));
  llm.reason.clear();
  llm.failure = Error(Errc::cancelled, "cancelled");
  EXPECT_TRUE(outcome("session_summary", R"({"session_id":"aaaa","strategy":"recursive"})").is_error);
}

TEST_F(SessionSummary, SaysWhatIsKnownWhereOnlyMetadataIs) {
  const auto bare = store.session({.native_id = "cccc3333", .title = "Bare", .start = kNow - kMsPerDay});
  store.exchange(bare, {});
  store.db()
      .prepare("UPDATE exchanges SET data_completeness = 2, tool_calls = 4 WHERE session_pk = ?")
      .bind(bare)
      .run();
  const auto a = summary(R"({"session_id":"cccc3333"})");
  EXPECT_EQ(str(a.at("data_completeness")), "metadata_only");
  EXPECT_TRUE(has(str(a.at("summary")), "Only metadata is known of this session: \"Bare\", 1 turns"));
  EXPECT_TRUE(has(str(a.at("summary")), "4 tool calls"));
  const auto empty = store.session({.native_id = "dddd4444", .title = "Empty"});
  EXPECT_GT(empty, 0);
  EXPECT_EQ(summary(R"({"session_id":"dddd4444"})").at("total_exchanges").as_int64(), 0);
}

TEST_F(SessionSummary, CommitsAndTheirPullRequests) {
  const auto bare = call("session_summary", R"({"session_id":"aaaa"})");
  EXPECT_EQ(bare.at("commits_total").as_int64(), 0);
  EXPECT_FALSE(has(text, "Commits"));
  for (int i = 0; i < 30; ++i) {
    const auto seq = store.event(small, EventKind::tool_result, "Bash", "committed");
    const std::string number = std::to_string(10 + i);
    store.db()
        .prepare(
            "INSERT INTO commits (session_pk, event_seq, sha, exchange_number, branch, subject, time)"
            " VALUES (?, ?, ?, ?, 'main', ?, 1)")
        .bind(small, seq, "abcde" + number, i / 5, "Change the tokenizer, part " + number)
        .run();
    if (i % 15 != 14) continue;
    store.db()
        .prepare("INSERT INTO pull_requests (session_pk, event_seq, url, exchange_number, time) VALUES (?, ?, ?, ?, 1)")
        .bind(small, seq, "https://example.org/o/r/pull/" + number, i / 5)
        .run();
  }
  const auto a = call("session_summary", R"({"session_id":"aaaa"})");
  EXPECT_EQ(a.at("commits_total").as_int64(), 30);
  EXPECT_EQ(a.at("pull_requests_total").as_int64(), 2);
  const auto& commits = a.at("commits").as_array();
  ASSERT_GE(commits.size(), 2U);
  EXPECT_LT(commits.size(), 30U);  // commits get only a share of the answer
  EXPECT_EQ(str(commits[0].at("sha")), "abcde39");
  EXPECT_EQ(str(commits[0].at("exchange_id")), format_exchange_id(small_ids[5]));
  EXPECT_EQ(str(commits[0].at("pull_request")), "#39");
  EXPECT_EQ(str(a.at("pull_requests").at(0)), "https://example.org/o/r/pull/39");
  EXPECT_TRUE(has(text, "Commits (" + std::to_string(commits.size()) + " of 30)"));
  EXPECT_TRUE(has(text, "- abcde39  " + format_exchange_id(small_ids[5]) + "  Change the tokenizer, part 39"));
  EXPECT_LE(call("session_summary", R"({"session_id":"aaaa","max_tokens":700})").at("est_tokens").as_int64(), 700);
}

}  // namespace
}  // namespace memd::test
