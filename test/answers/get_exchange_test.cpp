#include "test/support/tool_fixture.hpp"

namespace memd::test {
namespace {

class GetExchange : public ToolFixture {
 protected:
  GetExchange() {
    session = store.session({.native_id = "aaaa1111", .title = "Parser work", .start = kNow - kMsPerDay});
  }

  static std::string ids(ExchangeId id, std::string_view more = "") {
    return "{\"ids\":[\"" + format_exchange_id(id) + "\"]" + std::string(more) + "}";
  }
  std::int64_t session = 0;
};

TEST_F(GetExchange, HasTheFieldsOfTheCanonicalExchange) {
  const auto id =
      store.exchange(session, {.user = "Make it fast.",
                               .answer = "I'll use a table instead of a map.\n\n```cpp\nint table[4];\n```\nDone.",
                               .tools = {},
                               .interventions = "And small.",
                               .files = {"/home/u/app/a.cpp"}});
  store.db().exec(
      "UPDATE exchanges SET git_branch = 'main', working_directory = '/home/u/app', model_used = 'm-1',"
      " lines_added = 7, lines_removed = 8, raw_format_version = '2.1.0', adapter_version = '1.2.3',"
      " origin = 1, tool_calls = 2");
  store.response(session, 0, {5, 6, 0, 0}, 1);
  store.db().exec(
      "INSERT INTO observations (session_pk, exchange_number, event_seq, time, type, summary, content, content_hash)"
      " SELECT session_pk, exchange_number, first_seq, 1, 'decision', '', 'I''ll use a table instead of a map.', 1"
      " FROM exchanges");
  store.db().exec(
      "INSERT INTO decisions (observation_pk, kind, decided_by, chosen, rejected)"
      " VALUES (1, 0, 0, 'a table', 'a map')");
  store.db().exec(
      "INSERT INTO topics (topic_pk, topic, stems) VALUES (1, 'lookup table', 'lookup tabl'), (2, 'table', 'tabl'),"
      " (3, 'parser', 'parser')");
  store.db().exec("INSERT INTO exchange_topics SELECT topic_pk, exchange_pk, 1.0 / topic_pk FROM topics, exchanges");
  const auto a = call("get_exchange", ids(id));
  const auto& e = a.at("exchanges").at(0).as_object();
  EXPECT_EQ(boost::json::serialize(e.at("topics")), R"(["lookup table","parser"])");
  EXPECT_TRUE(has(text, "Topics: lookup table, parser"));
  EXPECT_EQ(str(e.at("exchange_id")), format_exchange_id(id));
  EXPECT_EQ(str(e.at("session_id")), "claude_code:aaaa1111");
  EXPECT_EQ(str(e.at("platform")), "claude_code");
  EXPECT_EQ(str(e.at("data_completeness")), "full");
  EXPECT_EQ(e.at("exchange_number").as_int64(), 0);
  EXPECT_EQ(str(e.at("session_name")), "Parser work");
  EXPECT_EQ(str(e.at("user_message")), "Make it fast.");
  EXPECT_EQ(str(e.at("interventions")), "And small.");
  EXPECT_TRUE(str(e.at("assistant_response")).ends_with("Done."));
  EXPECT_EQ(boost::json::serialize(e.at("decisions_made")),
            R"([{"text":"I'll use a table instead of a map.","kind":"choice","decided_by":"user","chosen":"a table",)"
            R"("rejected":"a map"}])");
  EXPECT_TRUE(has(text, "choice of the user: I'll use a table instead of a map.; against: a map"));
  EXPECT_EQ(boost::json::serialize(e.at("code_snippets")), R"(["int table[4];\n"])");
  EXPECT_EQ(boost::json::serialize(e.at("files_referenced")), R"(["/home/u/app/a.cpp"])");
  EXPECT_EQ(str(e.at("git_branch")), "main");
  EXPECT_EQ(str(e.at("working_directory")), "/home/u/app");
  EXPECT_EQ(str(e.at("model_used")), "m-1");
  EXPECT_EQ(e.at("tokens_input").as_int64(), 5);
  EXPECT_EQ(e.at("tokens_output").as_int64(), 6);
  EXPECT_EQ(e.at("lines_added").as_int64(), 7);
  EXPECT_EQ(e.at("lines_removed").as_int64(), 8);
  EXPECT_EQ(str(e.at("raw_format_version")), "2.1.0");
  EXPECT_EQ(str(e.at("adapter_version")), "1.2.3");
  EXPECT_EQ(str(e.at("origin")), "typed");
  EXPECT_TRUE(e.at("complete").as_bool());
  EXPECT_FALSE(e.contains("events"));
  EXPECT_FALSE(a.contains("next"));
  EXPECT_TRUE(has(text, format_exchange_id(id)));
  EXPECT_TRUE(has(text, "int table[4];"));
}

TEST_F(GetExchange, ShowsWhatCameWithThePromptsWords) {
  const auto id = store.exchange(session, {.user = "[sic] The price is wrong.", .answer = "Mended.", .tools = {}});
  store.event(session, EventKind::user_msg, "", "[image: receipt.png, image/png, sha256:2cf24dba5fb0] [file: a.csv]");
  store.event(session, EventKind::user_msg, "", "[sic] The price is wrong.");
  const auto a = call("get_exchange", ids(id));
  EXPECT_EQ(boost::json::serialize(a.at("exchanges").at(0).at("attachments")),
            R"(["[image: receipt.png, image/png, sha256:2cf24dba5fb0] [file: a.csv]"])");
  EXPECT_TRUE(has(text, "With it: [image: receipt.png, image/png, sha256:2cf24dba5fb0] [file: a.csv]\n")) << text;
  const auto blank = store.exchange(session, {.user = "[image]", .answer = "A cat.", .tools = {}});
  store.event(session, EventKind::user_msg, "", "[image]");
  const auto b = call("get_exchange", ids(blank));
  EXPECT_FALSE(b.at("exchanges").at(0).as_object().contains("attachments")) << "it is the prompt's text";
}

TEST_F(GetExchange, TakesTheNameThatMemoriesContain) {
  const std::string uid = "claude_code:0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d/agent-a0123456789abcdef";
  const auto made = fill(store.session({.native_id = uid.substr(uid.find(':') + 1)}), "parser", 4);
  const auto a = call("get_exchange", R"({"ids":[")" + uid + R"(#3"]})");
  EXPECT_EQ(str(a.at("exchanges").at(0).at("exchange_id")), format_exchange_id(made.at(3)));
  EXPECT_EQ(str(a.at("exchanges").at(0).at("session_id")), uid);
  EXPECT_EQ(error("get_exchange", R"({"ids":["claude_code:0a1b2c3d#three"]})"),
            "ids: \"claude_code:0a1b2c3d#three\" is no turn id, send ids like x42 as the other tools give them, or "
            "SESSION#3 as memories do");
}

TEST_F(GetExchange, AnAbandonedExchangeSaysWhatTheSessionWentOnWith) {
  const auto made = fill(session, "parser", 3);
  store.db()
      .prepare("INSERT INTO abandoned_exchanges (session_pk, exchange_number, abandoned_for) VALUES (?, 1, 2)")
      .bind(session)
      .run();
  const auto left = call("get_exchange", ids(made[1])).at("exchanges").at(0).as_object();
  EXPECT_EQ(str(left.at("abandoned_for")), format_exchange_id(made[2]));
  EXPECT_TRUE(has(text, "abandoned: the session went back to before it, and on with " + format_exchange_id(made[2])));
  EXPECT_FALSE(call("get_exchange", ids(made[2])).at("exchanges").at(0).as_object().contains("abandoned_for"));

  const auto turns = call("recent_turns", R"({"session_id":"aaaa1111"})").at("turns").as_array();
  ASSERT_EQ(turns.size(), 3u);
  EXPECT_FALSE(turns[0].as_object().contains("abandoned_for"));
  EXPECT_EQ(str(turns[1].at("abandoned_for")), format_exchange_id(made[2]));
  EXPECT_TRUE(has(text, "and on with " + format_exchange_id(made[2])));
}

TEST_F(GetExchange, NeighboursAndNumbers) {
  const auto made = fill(session, "parser", 6);
  const auto numbers = [&](const std::string& arguments) {
    std::string out;
    const auto a = call("get_exchange", arguments);
    for (const auto& e : a.at("exchanges").as_array())
      out += std::to_string(e.at("exchange_number").as_int64()) + " ";
    return out;
  };
  EXPECT_EQ(numbers(ids(made[3], R"(,"around":1,"max_tokens":8000)")), "2 3 4 ");
  EXPECT_EQ(numbers(R"({"session_id":"aaaa","exchange_number":5,"around":2,"max_tokens":8000})"), "3 4 5 ");
  EXPECT_EQ(numbers("{\"ids\":[\"" + format_exchange_id(made[4]) + "\",\"" + format_exchange_id(made[1]) +
                    "\"],\"max_tokens\":8000}"),
            "4 1 ");
}

// An exchange put together from its pages.
struct Glued {
  std::string user;
  std::string answer;
  std::vector<std::int64_t> seqs;
};

Glued glue(const std::vector<boost::json::object>& pages) {
  Glued out;
  const auto append = [](std::string& to, const boost::json::object& e, std::string_view field) {
    const auto* value = e.if_contains(field);
    if (value == nullptr) return;
    std::string piece = str(*value);
    // Removes the mark of a cut and a code fence that was closed for the reader.
    if (!e.at("complete").as_bool() && piece.ends_with("…")) piece.erase(piece.size() - 3);
    to += piece;
  };
  for (const auto& page : pages)
    for (const auto& e : page.at("exchanges").as_array()) {
      append(out.user, e.as_object(), "user_message");
      append(out.answer, e.as_object(), "assistant_response");
      if (const auto* events = e.as_object().if_contains("events"))
        for (const auto& v : events->as_array())
          out.seqs.push_back(v.at("seq").as_int64());
    }
  return out;
}

std::string without_blanks(std::string s) {
  std::erase_if(s, [](char c) { return c == ' ' || c == '\n'; });
  return s;
}

TEST_F(GetExchange, ALongOneIsCutIntoPagesThatLoseNothing) {
  std::string answer;
  for (int i = 0; i < 400; ++i)
    answer += "Sentence number " + std::to_string(i) + " says \"something\" — größer.\n";
  const std::string question = "Q " + std::string(600, 'q') + " 決定";
  const auto id =
      store.exchange(session, {.user = question, .answer = answer, .tools = {}, .interventions = {}, .files = {}});
  for (const char* size : {"400", "1000", "4000"}) {
    const auto all = pages("get_exchange", ids(id, std::string(",\"max_tokens\":") + size));
    for (const auto& page : all)
      EXPECT_LE(page.at("est_tokens").as_int64(), std::stoll(size));
    EXPECT_GT(all.size(), 1U);
    EXPECT_FALSE(all.front().at("exchanges").at(0).at("complete").as_bool());
    EXPECT_TRUE(all.back().at("exchanges").at(0).at("complete").as_bool());
    const Glued glued = glue(all);
    EXPECT_EQ(without_blanks(glued.user), without_blanks(question));
    EXPECT_EQ(without_blanks(glued.answer), without_blanks(answer));
  }
}

TEST_F(GetExchange, EventsComeWithTextsFromTheSource) {
  const auto id =
      store.exchange(session, {.user = "Run it", .answer = "Ran it.", .tools = {}, .interventions = {}, .files = {}});
  const auto source = store.source(Platform::claude_code, "/home/u/.claude/a.jsonl", 1000, 1000);
  store.event(session, EventKind::user_msg, "", "Run it", source);
  const auto call_seq = store.event(session, EventKind::tool_call, "Bash", "make test", source);
  const auto result_seq = store.event(session, EventKind::tool_result, "Bash", "ok", source);
  const auto thought = store.event(session, EventKind::thinking, "", "hm", source);
  const std::string secret = std::string("ghp") + "_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6";
  std::string long_result;
  for (int i = 0; i < 300; ++i)
    long_result += "line " + std::to_string(i) + " of the output\n";
  raw.texts[static_cast<std::uint64_t>(call_seq) * 100] = "{\"command\":\"make test TOKEN=" + secret + "\"}";
  raw.texts[static_cast<std::uint64_t>(result_seq) * 100] = long_result;

  store.db()
      .prepare("UPDATE events SET parent_seq = seq - 1, flags = 2 WHERE session_pk = ? AND seq = ?")  // of a subagent
      .bind(session, result_seq)
      .run();

  auto a = call("get_exchange", ids(id, R"(,"include_tools":true)"));
  const auto* events = &a.at("exchanges").at(0).at("events").as_array();
  ASSERT_EQ(events->size(), 2U);
  EXPECT_EQ(str(events->at(0).at("kind")), "tool_call");
  EXPECT_EQ(str(events->at(0).at("tool")), "Bash");
  EXPECT_TRUE(has(str(a.at("notice")), "include_raw=true"));
  EXPECT_EQ(str(events->at(0).at("summary")), "make test");
  EXPECT_EQ(events->at(0).at("seq").as_int64(), call_seq);
  EXPECT_FALSE(events->at(0).at("is_error").as_bool());
  EXPECT_FALSE(events->at(0).as_object().contains("is_sidechain"));
  EXPECT_TRUE(events->at(1).at("is_sidechain").as_bool());
  EXPECT_FALSE(events->at(1).as_object().contains("parent_seq"));
  EXPECT_TRUE(has(str(events->at(0).at("text")), "[redacted:"));
  EXPECT_FALSE(has(structured, secret));
  EXPECT_FALSE(has(text, secret));
  EXPECT_TRUE(str(events->at(1).at("text")).ends_with("…"));
  EXPECT_EQ(raw.reads, 2);
  EXPECT_EQ(raw.walks, 1);

  a = call("get_exchange", ids(id, R"(,"include_raw":true,"max_tokens":8000)"));
  EXPECT_FALSE(has(str(a.at("notice")), "raw"));
  const auto& e = a.at("exchanges").at(0).as_object();
  EXPECT_EQ(str(e.at("source_path")), "/home/u/.claude/a.jsonl");
  events = &e.at("events").as_array();
  ASSERT_EQ(events->size(), 3U);
  EXPECT_EQ(str(events->at(1).at("text")), long_result);
  EXPECT_EQ(events->at(1).at("raw_offset").as_int64(), result_seq * 100);
  EXPECT_EQ(events->at(1).at("parent_seq").as_int64(), call_seq);
  EXPECT_TRUE(has(text, " of a subagent after [" + std::to_string(call_seq) + "]"));
  EXPECT_EQ(events->at(2).at("seq").as_int64(), thought);
  EXPECT_FALSE(events->at(2).as_object().contains("text"));  // the agent purged it
}

// As the page of memd web reads a session.
TEST_F(GetExchange, WhatTheAgentSaidStandsAmongWhatItDid) {
  const auto id = store.exchange(
      session, {.user = "Go", .answer = "First.\n\nThen.", .tools = {}, .interventions = {}, .files = {}});
  const auto source = store.source(Platform::claude_code, "/home/u/.claude/a.jsonl", 1000, 1000);
  const auto first = store.event(session, EventKind::assistant_msg, "", "First.", source);
  store.event(session, EventKind::tool_call, "Bash", "make", source);
  const auto then = store.event(session, EventKind::assistant_msg, "", "Then.", source);
  std::string long_text = "Then.";
  for (int i = 0; i < 300; ++i)
    long_text += " And more of it.";
  raw.texts[static_cast<std::uint64_t>(first) * 100] = "First.";
  raw.texts[static_cast<std::uint64_t>(then) * 100] = long_text;
  const auto a = call("get_exchange", ids(id, R"(,"include_tools":true,"in_order":true,"max_tokens":8000)"));
  const auto& events = a.at("exchanges").at(0).at("events").as_array();
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(str(events[0].at("text")), "First.") << "although the summary says it";
  EXPECT_EQ(str(events[1].at("kind")), "tool_call");
  EXPECT_EQ(str(events[2].at("text")), long_text) << "whole";
  EXPECT_EQ(
      call("get_exchange", ids(id, R"(,"include_tools":true)")).at("exchanges").at(0).at("events").as_array().size(),
      1U);
}

TEST_F(GetExchange, InOrderAResultNamesItsCall) {
  const auto id = store.exchange(session, {.user = "Go", .answer = "", .tools = {}, .interventions = {}, .files = {}});
  const auto slow = store.event(session, EventKind::tool_call, "Glob", "Glob *");
  const auto fast = store.event(session, EventKind::tool_call, "Read", "Read a");
  for (const auto call_seq : {fast, slow}) {
    const auto result = store.event(session, EventKind::tool_result, "", "found");
    store.db()
        .prepare("UPDATE events SET pair_seq = ?, parent_seq = 0 WHERE session_pk = ? AND seq = ?")
        .bind(call_seq, session, result)
        .run();
  }
  const auto a = call("get_exchange", ids(id, R"(,"include_tools":true,"in_order":true)"));
  const auto& events = a.at("exchanges").at(0).at("events").as_array();
  EXPECT_EQ(events.at(2).at("parent_seq").as_int64(), fast);
  EXPECT_EQ(events.at(3).at("parent_seq").as_int64(), slow);
}

TEST_F(GetExchange, ManyEventsComeOnceEach) {
  const auto id =
      store.exchange(session, {.user = "Go", .answer = "Went.", .tools = {}, .interventions = {}, .files = {}});
  std::vector<std::int64_t> made;
  for (int i = 0; i < 450; ++i)
    made.push_back(store.event(session, i % 2 == 0 ? EventKind::tool_call : EventKind::tool_result, "Bash",
                               "step " + std::to_string(i)));
  const auto all = pages("get_exchange", ids(id, R"(,"include_tools":true,"max_tokens":3000)"));
  for (const auto& page : all)
    EXPECT_LE(page.at("est_tokens").as_int64(), 3000);
  EXPECT_EQ(glue(all).seqs, made);
  EXPECT_EQ(glue(all).answer, "Went.");
}

TEST_F(GetExchange, MissingOnesAreNamed) {
  const auto made = fill(session, "parser", 1);
  const auto a = call("get_exchange", "{\"ids\":[\"" + format_exchange_id(made[0]) + "\",\"x999\"]}");
  EXPECT_EQ(boost::json::serialize(a.at("missing")), R"(["x999"])");
  EXPECT_TRUE(has(text, "x999"));
}

TEST_F(GetExchange, ErrorsSayWhatToSend) {
  fill(session, "parser", 2);
  EXPECT_TRUE(has(error("get_exchange", "{}"), "session_id together with exchange_number"));
  EXPECT_TRUE(has(error("get_exchange", R"({"ids":["42"]})"), "like x42"));
  EXPECT_TRUE(has(error("get_exchange", R"({"ids":["x999"]})"), "there is no turn x999"));
  EXPECT_TRUE(has(error("get_exchange", R"({"session_id":"aaaa","exchange_number":9})"), "turns 0 to 1"));
  EXPECT_EQ(call("get_exchange", R"({"ids":["x1"],"around":9})").at("exchanges").as_array().size(), 2U)
      << "as far as it goes";
}

}  // namespace
}  // namespace memd::test
