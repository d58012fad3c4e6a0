#include "daemon/admin/recall_tool.hpp"
#include "daemon/cli/hooks.hpp"
#include "test/support/line_client.hpp"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <sys/socket.h>
#include <functional>
#include <thread>

namespace memd::test {
namespace {

namespace bj = boost::json;
using std::chrono::milliseconds;

constexpr milliseconds kLong{60'000};

// A daemon that answers one request as the test wants.
class StandIn {
 public:
  explicit StandIn(std::function<void(LineClient&, const bj::object& request)> answer) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    hook_end = ends[0];
    thread_ = std::thread([fd = ends[1], answer = std::move(answer)] {
      LineClient client(fd);
      if (const auto line = client.read_line()) answer(client, bj::parse(*line).as_object());
      client.read_line();  // until the hook closes the connection
    });
  }
  ~StandIn() { thread_.join(); }

  int hook_end = -1;

 private:
  std::thread thread_;
};

std::string result_with(const bj::object& request, bj::object result) {
  return bj::serialize(bj::object{{"jsonrpc", "2.0"}, {"id", request.at("id")}, {"result", std::move(result)}});
}

HookInput compacted() { return {"SessionStart", "s-1", "/w/app", "compact", {}, {}, {}, false}; }

TEST(SessionStartHook, WhatIsRecalledBecomesContext) {
  bj::object asked;
  std::string output;
  {
    StandIn daemon([&](LineClient& client, const bj::object& request) {
      asked = request;
      client.send_line(result_with(request, {{"text", "Goal: \"fix\" it\n<history>\n"}, {"is_error", false}}));
    });
    output = cli::recall_output(daemon.hook_end, compacted(), cli::recall_arguments(compacted(), {.compaction = true}),
                                kLong);
  }
  EXPECT_EQ(asked.at("method"), "memd/recall");
  EXPECT_EQ(asked.at("params").at("moment"), "compact");
  EXPECT_EQ(asked.at("params").at("session_id"), "s-1");
  const auto parsed = bj::parse(output).at("hookSpecificOutput");
  EXPECT_EQ(parsed.at("hookEventName"), "SessionStart");
  EXPECT_NE(std::string(parsed.at("additionalContext").as_string()).find("Goal: \"fix\" it\n"), std::string::npos);
  EXPECT_EQ(output.find('\n'), std::string::npos);
}

TEST(SessionStartHook, FailsOpen) {
  using Answer = std::function<void(LineClient&, const bj::object&)>;
  const Answer answers[] = {
      [](LineClient& c, const bj::object& r) {
        c.send_line(result_with(r, {{"text", "no session"}, {"is_error", true}}));
      },
      [](LineClient& c, const bj::object& r) {
        c.send_line(bj::serialize(bj::object{
            {"jsonrpc", "2.0"}, {"id", r.at("id")}, {"error", {{"code", -32602}, {"message", "unknown tool"}}}}));
      },
      [](LineClient& c, const bj::object& r) {
        c.send_line(result_with(r, {{"text", ""}}));
      },
      [](LineClient& c, const bj::object&) { c.send_line("<html>"); },
      [](LineClient& c, const bj::object&) {
        c.send_bytes("{\"jsonrpc\"");
        c.close_write();
      },
      [](LineClient& c, const bj::object&) { c.close_write(); },
  };
  for (const auto& answer : answers) {
    StandIn daemon(answer);
    EXPECT_EQ(cli::recall_output(daemon.hook_end, compacted(), "{}", kLong), "");
  }
}

TEST(SessionStartHook, ADaemonThatSaysNothingIsNotWaitedFor) {
  StandIn daemon([](LineClient&, const bj::object&) {});
  EXPECT_EQ(cli::recall_output(daemon.hook_end, compacted(), "{}", milliseconds(20)), "");
}

TEST(SessionStartHook, AsksForTheMoment) {
  const auto arguments = [](std::string source, std::string cwd, HooksConfig config = {}) {
    return cli::recall_arguments({"SessionStart", "s", std::move(cwd), std::move(source), {}, {}, {}, false}, config);
  };
  EXPECT_EQ(arguments("compact", "/w", {.compaction = true}), R"({"moment":"compact","cwd":"/w","session_id":"s"})");
  for (const char* source : {"startup", "resume", "clear", ""}) {
    EXPECT_EQ(arguments(source, "/w", {.standing = true}), R"({"moment":"standing","cwd":"/w","session_id":"s"})")
        << source;
    EXPECT_EQ(arguments(source, "/w", {.start = true}), R"({"moment":"start","cwd":"/w","session_id":"s"})") << source;
  }
  EXPECT_EQ(arguments("startup", "", {.start = true}), "");
}

TEST(SessionStartHook, NothingIsAskedByDefault) {
  for (const char* event : {"SessionStart", "SubagentStart", "UserPromptSubmit", "PostToolUseFailure"})
    for (const char* source : {"compact", "startup"})
      EXPECT_EQ(cli::recall_arguments({event, "s", "/w", source, "fix it", "make", "it failed", true}, {}), "")
          << event << source;
}

TEST(SessionStartHook, ReadsWhatClaudeCodeWrites) {
  const auto input = parse_hook_input(
      R"({"session_id":"abc","transcript_path":"/h/t.jsonl","cwd":"/w/app","permission_mode":"default",)"
      R"("hook_event_name":"SessionStart","source":"compact","model":{"id":"m"}})");
  ASSERT_TRUE(input);
  EXPECT_EQ(input->session_id, "abc");
  EXPECT_EQ(input->cwd, "/w/app");
  EXPECT_EQ(input->source, "compact");
  EXPECT_EQ(input->event, "SessionStart");
  EXPECT_TRUE(parse_hook_input("{}"));
  EXPECT_TRUE(parse_hook_input(R"({"session_id":7,"cwd":null})")->session_id.empty());
  for (const std::string_view bad : {"", "[]", "7", "{\"a\"", "no json"})
    EXPECT_FALSE(parse_hook_input(bad)) << bad;
}

TEST(RecallHook, AsksAtPromptsAndErrorsWhereThatIsOn) {
  const auto arguments = [](std::string_view json, bool on = true) {
    return cli::recall_arguments(*parse_hook_input(json), {.standing = true, .recall = on});
  };
  for (const std::string event : {"UserPromptSubmit", "BeforeAgent"}) {
    const std::string asked =
        R"({"hook_event_name":")" + event + R"(","session_id":"s","cwd":"/w","prompt":"as before"})";
    EXPECT_EQ(arguments(asked), R"({"moment":"prompt","cwd":"/w","session_id":"s","text":"as before"})");
    EXPECT_EQ(arguments(asked, false), "");
  }
  EXPECT_EQ(arguments(R"({"hook_event_name":"SubagentStart","session_id":"s","cwd":"/w"})", false),
            R"({"moment":"subagent","cwd":"/w","session_id":"s"})");
  for (const char* before :
       {R"({"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Edit","tool_input":{"file_path":"/w/a.go"}})",
        R"({"hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Bash","tool_input":{"command":"make x"}})",
        R"({"hook_event_name":"BeforeTool","cwd":"/w","tool_input":{"command":"make"}})", "{}"})
    EXPECT_EQ(arguments(before), "") << before;
  constexpr std::string_view kFailed =
      R"({"hook_event_name":"PostToolUseFailure","session_id":"s","cwd":"/w","tool_name":"Bash",)"
      R"("tool_input":{"command":"make x"},"error":"no rule"})";
  EXPECT_EQ(arguments(kFailed), R"({"cwd":"/w","session_id":"s","text":"no rule\n"})");
  EXPECT_EQ(arguments(kFailed, false), "");
  EXPECT_EQ(arguments(R"({"hook_event_name":"PostToolUse","cwd":"/w","tool_name":"Bash",)"
                      R"("tool_input":{"command":"make x"},"tool_response":{"stdout":"fine","exit_code":0}})"),
            "")
      << "it went well";
}

TEST(RecallHook, OfALongOutputBeginningAndEndAreAskedAbout) {
  const std::string output = "first\n" + std::string(200'000, 'x') + "\nlast";
  const auto input =
      parse_hook_input(R"({"hook_event_name":"PostToolUseFailure","cwd":"/w","tool_input":{"command":"make"},)"
                       R"("error":)" +
                       bj::serialize(bj::value(output)) + "}");
  ASSERT_TRUE(input);
  EXPECT_TRUE(input->output.starts_with("first\n"));
  EXPECT_TRUE(input->output.ends_with("\nlast\n"));
  EXPECT_LT(input->output.size(), 40'000u);
}

TEST(RecallHook, NothingIsToldTwiceUntilTheSessionIsCompacted) {
  admin::ToldLines told;
  const auto kept = [&](const std::string& session, std::vector<std::string> lines) {
    told.keep_new(session, lines);
    return lines;
  };
  EXPECT_EQ(kept("s", {"a", "b"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(kept("s", {"b", "c"}), std::vector<std::string>{"c"});
  EXPECT_EQ(kept("other", {"a"}), std::vector<std::string>{"a"});
  told.forget("s");
  EXPECT_EQ(kept("s", {"a"}), std::vector<std::string>{"a"});
}

TEST(RecallHook, WhatIsKnownBecomesContextInTheAgentsOwnShape) {
  for (const bool cursor : {false, true}) {
    const HookInput input{cursor ? "postToolUse" : "PostToolUseFailure", "s", "/w", "", "", "make x", "failed", true};
    std::string output;
    {
      StandIn daemon([](LineClient& client, const bj::object& request) {
        EXPECT_EQ(request.at("method"), "memd/recall");
        client.send_line(result_with(request, {{"text", "It failed here.\n"}, {"is_error", false}}));
      });
      output = cli::recall_output(daemon.hook_end, input, "{}", kLong);
    }
    const bj::object parsed = bj::parse(output).as_object();
    const auto& said =
        cursor ? parsed.at("additional_context") : parsed.at("hookSpecificOutput").as_object().at("additionalContext");
    EXPECT_NE(std::string(said.as_string()).find("It failed here."), std::string::npos);
  }
}

TEST(RecallHook, TellsOnlyKindsThatWereUsedWhenThatWasMeasured) {
  using memd::RecalledKind;
  const auto lines =
      admin::recall_lines({{RecalledKind::met_error, "make all", 3}, {RecalledKind::solved, "edits of main.cpp", 4}});
  EXPECT_EQ(lines, (std::vector<std::string>{"The same error was met before by: make all [x3]",
                                             "It went away after edits of main.cpp [x4]"}));
}

TEST(RecallHook, KnowingNothingItIsSilent) {
  const HookInput input{"PostToolUseFailure", "s", "/w", "", "", "make x", "failed", true};
  StandIn daemon([](LineClient& client, const bj::object& request) {
    client.send_line(result_with(request, {{"text", ""}, {"is_error", false}}));
  });
  EXPECT_EQ(cli::recall_output(daemon.hook_end, input, "{}", kLong), "");
}

}  // namespace
}  // namespace memd::test
