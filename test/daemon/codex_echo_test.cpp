// Codex tells most facts twice: as response items and as items of the turn. Full ingest of rollouts with both, with one
// of them, and with actions that only one of them tells.
#include "test/daemon/codex_ingest.hpp"
#include "test/support/store_dump.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {
namespace {

using test::Rollout;
using test::thread;

const std::string kTurn = "019c0000-0000-7000-8000-0000000000f0";

// Appends records of paginated threads, each a tenth of a second after the one before.
class Turns {
 public:
  explicit Turns(int id, const std::string& more = "") : rollout_(id, R"(,"history_mode":"paginated")" + more) {}

  Turns& prompt(const std::string& text, const std::string& id = "") { return message("user", "input_text", text, id); }
  Turns& answer(const std::string& text, const std::string& id = "") {
    return message("assistant", "output_text", text, id);
  }
  Turns& call(const std::string& id, const std::string& name, const std::string& arguments) {
    return response(R"({"type":"function_call","name":")" + name + R"(","arguments":")" + arguments +
                    R"(","call_id":")" + id + R"("})");
  }
  Turns& script(const std::string& id, const std::string& text) {
    return response(R"({"type":"custom_tool_call","status":"completed","name":"exec","input":")" + text +
                    R"(","call_id":")" + id + R"("})");
  }
  Turns& output(const std::string& id, const std::string& text) {
    return response(R"({"type":"function_call_output","call_id":")" + id + R"(","output":")" + text + R"("})");
  }
  Turns& command(const std::string& id, const std::string& line, const std::string& out, int code) {
    return item(R"("type":"CommandExecution","command":["/bin/bash","-lc",")" + line +
                    R"("],"cwd":"file:///w/app","source":"unified_exec_startup","status":")" +
                    (code == 0 ? "completed" : "failed") + R"(","aggregated_output":")" + out + R"(","exit_code":)" +
                    std::to_string(code),
                id);
  }
  Turns& said(const std::string& type, const std::string& text, const std::string& id) {
    return item(R"("type":")" + type + R"(","content":[{"type":"text","text":")" + text + R"("}])", id);
  }
  Turns& item(const std::string& fields, const std::string& id) {
    return add("event_msg", R"({"type":"item_completed","turn_id":")" + kTurn + R"(","item":{)" + fields +
                                R"(,"id":")" + id + R"("}})");
  }
  Turns& usage(const std::string& response, int in, int out) {
    return add("token_usage_record", R"({"response_id":")" + response + R"(","usage":)" + figures(in, out) + "}");
  }
  Turns& count(int in, int out, int total) {
    return add("event_msg", R"({"type":"token_count","info":{"total_token_usage":)" + figures(total, 0) +
                                R"(,"last_token_usage":)" + figures(in, out) + "}}");
  }
  Turns& response(const std::string& payload) { return add("response_item", payload); }
  Turns& add(const std::string& type, const std::string& payload) {
    rollout_.line(seconds_ += 0.1, type, payload);
    return *this;
  }
  const Rollout& rollout() const { return rollout_; }

 private:
  Turns& message(const std::string& role, const std::string& part, const std::string& text, const std::string& id) {
    return response(R"({"type":"message","id":")" + id + R"(","role":")" + role + R"(","content":[{"type":")" + part +
                    R"(","text":")" + text + R"("}],"internal_chat_message_metadata_passthrough":{"turn_id":")" +
                    kTurn + R"("}})");
  }
  static std::string figures(int in, int out) {
    return R"({"input_tokens":)" + std::to_string(in) + R"(,"cached_input_tokens":0,"output_tokens":)" +
           std::to_string(out) + R"(,"total_tokens":)" + std::to_string(in + out) + "}";
  }

  Rollout rollout_;
  double seconds_ = 0;
};

std::string long_id(const std::string& name) { return name + "_0123456789abcdef0123456789abcdef"; }
std::string in_script(int n) { return "exec-58f0815f-0000-4000-8000-00000000000" + std::to_string(n); }

class CodexEcho : public test::CodexIngestFixture {
 protected:
  void ingest_only(const Turns& turns) {
    write({&turns.rollout()});
    ingest();
  }
  std::string counts() {
    return text(
        "SELECT turns || ' turns, ' || tool_calls || ' calls, ' || tool_pairs || ' pairs, ' || tool_errors ||"
        " ' errors' FROM sessions");
  }
  std::string test_runs() { return text("SELECT group_concat(summary, ';') FROM events WHERE kind = 6"); }
  std::string answers() { return text("SELECT group_concat(assistant_response, ' | ') FROM exchanges"); }
};

TEST_F(CodexEcho, WhatAScriptDidIsKnownFromItsItems) {
  Turns t(1);
  t.prompt("mend the lock", long_id("msg")).script(long_id("call"), "await tools.apply_patch(await build())");
  t.item(R"("type":"FileChange","changes":{"/w/app/new.py":{"type":"add","content":"one\ntwo\n"},"/w/app/lock.py":)"
         R"({"type":"update","unified_diff":"@@ -1 +1 @@\n-a\n+b\n"}},"status":"completed")",
         in_script(1));
  t.command(in_script(2), "pytest tests/test_lock.py", "heron 1 failed", 1);
  t.item(R"("type":"McpToolCall","server":"tracker","tool":"find","arguments":{"text":"heron ticket"},)"
         R"("status":"completed","result":{"content":[{"type":"text","text":"ticket 7"}]})",
         in_script(3));
  t.output(long_id("call"), "Script completed\\nOutput:\\n{}").answer("mended", long_id("msg2"));
  ingest_only(t);
  EXPECT_EQ(text("SELECT group_concat(path || ' +' || f.lines_added || ' -' || f.lines_removed, ';') FROM"
                 " exchange_files f JOIN (SELECT * FROM paths ORDER BY path) USING (path_pk) WHERE access = 1"),
            "/w/app/lock.py +1 -1;/w/app/new.py +2 -0");
  EXPECT_EQ(counts(), "1 turns, 3 calls, 3 pairs, 1 errors");
  EXPECT_EQ(text("SELECT line FROM commands WHERE purpose = 1"), "pytest tests/test_lock.py");
  EXPECT_EQ(text("SELECT exit_code FROM command_results"), "1");
  EXPECT_EQ(test_runs(), "failed: exec_command: pytest tests/test_lock.py");
  EXPECT_EQ(text("SELECT count(*) FROM exchanges WHERE tool_text LIKE '%heron 1 failed%' AND tool_text LIKE"
                 " '%heron ticket%'"),
            "1");
}

// The script contains the command and the patch that its items tell.
TEST_F(CodexEcho, WhatAScriptSaysAndDoesCountsOnce) {
  Turns t(1);
  t.prompt("mend the lock", long_id("msg"));
  t.script(long_id("call"), R"(const p = \"*** Begin Patch\\n*** Update File: /w/app/lock.py\\n@@\\n-a\\n+b\\n*** End)"
                            R"( Patch\"; await tools.apply_patch(p); await tools.exec_command({cmd:\"pytest -q\"}))");
  const std::string change = R"({"/w/app/lock.py":{"type":"update","unified_diff":"@@ -1 +1 @@\n-a\n+b\n"}})";
  t.item(R"("type":"FileChange","changes":)" + change + R"(,"status":"completed")", in_script(1));
  t.add("event_msg",
        R"({"type":"patch_apply_end","success":true,"changes":)" + change + R"(,"call_id":")" + in_script(1) + "\"}");
  t.command(in_script(2), "pytest -q", "1 failed", 1).output(long_id("call"), "Script completed\\nOutput:\\ndone");
  ingest_only(t);
  EXPECT_EQ(text("SELECT count(*) || ' ' || sum(lines_added) FROM exchange_files"), "1 1");
  EXPECT_EQ(number("SELECT count(*) FROM events WHERE kind = 7"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM commands"), 1);
  EXPECT_EQ(test_runs(), "failed: exec_command: pytest -q");
}

// Two builds write ids of different lengths; a stand-in model server writes short ones.
TEST_F(CodexEcho, BesideResponseItemsTheItemsAddNothing) {
  for (const bool long_ids : {true, false}) {
    SCOPED_TRACE(long_ids);
    const auto id = [&](const std::string& name) { return long_ids ? long_id(name) : name; };
    const auto talk = [&](Turns& t, bool items) {
      const auto also = [&](auto&& add) {
        if (items) add();
      };
      t.prompt("raise the limit", id("msg_1"));
      also([&] { t.said("UserMessage", "raise the limit", "019c0000-0000-7000-8000-0000000000a1"); });
      also([&] { t.said("AgentMessage", "I look.", id("msg_2")); });
      t.answer("I look.", id("msg_2")).call(id("call_1"), "exec_command", R"({\"cmd\":\"make check\"})");
      also([&] { t.command(id("call_1"), "make check", "broken\\n", 2); });
      t.output(id("call_1"), "Process exited with code 2\\nOutput:\\nbroken\\n");
      t.call(id("call_2"), "find", R"({\"text\":\"limit\"})");
      also([&] {
        t.item(R"("type":"McpToolCall","server":"s","tool":"find","arguments":{"text":"limit"},"status":"completed",)"
               R"("result":{"content":[{"type":"text","text":"seven"}]})",
               id("call_2"));
      });
      t.output(id("call_2"), "seven");
      t.response(
          R"({"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Update File: a.c\n@@\n)"
          R"(-a\n+b\n*** End Patch","call_id":")" +
          id("call_3") + "\"}");
      also([&] {
        t.item(
            R"("type":"FileChange","changes":{"/w/app/a.c":{"type":"update","unified_diff":"@@ -1 +1 @@\n-a\n+b\n"}},)"
            R"("status":"completed","stdout":"Success.")",
            id("call_3"));
      });
      t.output(id("call_3"), "Exit code: 0\\nOutput:\\nSuccess.").answer("Raised.", id("msg_3"));
      also([&] { t.said("AgentMessage", "Raised.", "other"); });
    };
    const auto everything = [&] {
      return counts() + "; " + answers() + "; " +
             text("SELECT group_concat(kind || coalesce(tool, ''), ' ') FROM (SELECT * FROM events ORDER BY seq)") +
             text("SELECT group_concat(coalesce(exit_code, '-'), ' ') FROM command_results") +
             text(
                 "SELECT group_concat(path || lines_added || lines_removed, ' ') FROM exchange_files JOIN paths"
                 " USING (path_pk)");
    };
    const auto store_of = [&](bool items) {
      for (const char* suffix : {"", "-wal", "-shm"})
        std::filesystem::remove(store_ / (std::string("memd.db") + suffix));
      Turns t(1);
      talk(t, items);
      ingest_only(t);
      return everything();
    };
    EXPECT_EQ(store_of(true), store_of(false));
  }
}

TEST_F(CodexEcho, WithoutResponseItemsTheItemsTellAll) {
  Turns t(1);
  t.said("UserMessage", "raise the limit", "019c0000-0000-7000-8000-0000000000a1");
  t.said("AgentMessage", "I look.", long_id("msg")).command(long_id("call"), "make check", "broken\\n", 2);
  t.item(R"("type":"FileChange","changes":{"/w/app/a.c":{"type":"update","unified_diff":"@@ -1 +1 @@\n-a\n+b\n"}},)"
         R"("status":"completed","stdout":"Success.")",
         "call_3");
  t.said("AgentMessage", "Raised.", "msg_9");
  ingest_only(t);
  EXPECT_EQ(counts(), "1 turns, 2 calls, 2 pairs, 1 errors");
  EXPECT_EQ(text("SELECT user_message || ': ' || assistant_response FROM exchanges"),
            "raise the limit: I look.\n\nRaised.");
  EXPECT_EQ(text("SELECT path || ' +' || lines_added || ' -' || lines_removed FROM exchange_files JOIN paths USING"
                 " (path_pk)"),
            "/w/app/a.c +1 -1");
  EXPECT_EQ(number("SELECT exit_code FROM command_results"), 2);
}

// The output says that the command still runs; only the item tells how it ended.
TEST_F(CodexEcho, TheEndOfACommandThatWentOnComesFromItsItem) {
  for (const std::string& id : {long_id("call"), std::string("call_1")}) {
    SCOPED_TRACE(id);
    for (const char* suffix : {"", "-wal", "-shm"})
      std::filesystem::remove(store_ / (std::string("memd.db") + suffix));
    Turns t(1);
    t.prompt("run the tests", long_id("msg")).call(id, "exec_command", R"({\"cmd\":\"pytest\"})");
    t.output(id, "Chunk ID: 1\\nWall time: 10.0 seconds\\nProcess running with session ID 5\\nOutput:\\n");
    t.answer("waiting", long_id("msg2")).command(id, "pytest", "egret: 1 failed, 3 passed", 1);
    ingest_only(t);
    EXPECT_EQ(counts(), "1 turns, 1 calls, 1 pairs, 1 errors");
    EXPECT_EQ(text("SELECT group_concat(coalesce(exit_code, '-'), ' ') FROM command_results"), "- 1");
    EXPECT_EQ(text("SELECT summary FROM events WHERE kind = 6 AND flags & 1"), "failed: exec_command: pytest");
    EXPECT_EQ(text("SELECT r.summary FROM events c JOIN events r ON r.seq = c.pair_seq WHERE c.kind = 3"),
              "egret: 1 failed, 3 passed");
  }
}

TEST_F(CodexEcho, APlanIsFoundOnceWhetherOrNotTheAnswerHasIt) {
  const std::string plan = R"("type":"Plan","text":"1. Write the heron script\n2. Run it")";
  Turns apart(1);
  apart.prompt("plan it", long_id("msg")).answer("Here it is.", long_id("msg2")).item(plan, kTurn + "-plan");
  ingest_only(apart);
  EXPECT_EQ(answers(), "Here it is.\n\n1. Write the heron script\n2. Run it");

  for (const bool plan_first : {true, false}) {
    SCOPED_TRACE(plan_first);
    for (const char* suffix : {"", "-wal", "-shm"})
      std::filesystem::remove(store_ / (std::string("memd.db") + suffix));
    Turns inside(1);
    inside.prompt("plan it", long_id("msg"));
    if (plan_first) inside.item(plan, kTurn + "-plan");
    inside.answer(R"(So:\n<proposed_plan>\n1. Write the heron script\n2. Run it\n</proposed_plan>)", long_id("msg2"));
    if (!plan_first) inside.item(plan, kTurn + "-plan");
    ingest_only(inside);
    EXPECT_EQ(answers(), "So:\n<proposed_plan>\n1. Write the heron script\n2. Run it\n</proposed_plan>");
    EXPECT_EQ(number("SELECT count(*) FROM events WHERE kind = 1"), 1);
  }
}

// Older clients do not mark the model's answer to the request for a summary.
TEST_F(CodexEcho, TheSummaryOfACompactionIsNoAnswer) {
  Turns t(1);
  t.prompt("which port?", long_id("msg")).answer("First look.", long_id("msg2")).answer("It is 8080.", long_id("msg3"));
  t.answer("Summary: the port is 8080.", long_id("msg4"));
  t.add("compacted",
        R"({"message":"Another model made this summary:\nSummary: the port is 8080.","replacement_history":[]})");
  t.prompt("go on", long_id("msg5")).answer("Done.", long_id("msg6"));
  ingest_only(t);
  EXPECT_EQ(answers(), "First look.\n\nIt is 8080. | Done.");
  EXPECT_EQ(text("SELECT substr(assistant_response, answer_offset + 1) FROM exchanges WHERE exchange_number = 0"),
            "It is 8080.");
  EXPECT_EQ(text("SELECT compactions FROM sessions"), "1");
}

TEST_F(CodexEcho, TokensOfAResponseCountOnce) {
  Turns t(1);
  t.prompt("one", long_id("msg"));
  t.usage(long_id("resp_a"), 100, 10).count(100, 10, 110);
  t.count(100, 10, 110);  // repeated with a new rate limit
  t.usage("resp_b", 100, 10).count(100, 10, 220);
  t.usage(long_id("resp_c"), 50, 5);  // the process ended here
  ingest_only(t);
  EXPECT_EQ(text("SELECT sum(input) || ' ' || sum(output) FROM responses"), "250 25");
}

// Totals of a resumed thread include what came before; a fork copies the counts, not the records.
TEST_F(CodexEcho, TokensOfAForkAreNotThoseOfItsOrigin) {
  Turns origin(1);
  origin.prompt("one", long_id("msg")).usage(long_id("resp_a"), 100, 10).count(100, 10, 110);
  Turns fork(2, R"(,"forked_from_id":")" + thread(1) + R"(")");
  fork.prompt("one", long_id("msg")).count(100, 10, 110).prompt("two", long_id("msg2"));
  fork.usage(long_id("resp_b"), 70, 7).count(70, 7, 187);
  write({&origin.rollout(), &fork.rollout()});
  ingest();
  EXPECT_EQ(text("SELECT sum(input) || ' ' || sum(output) FROM responses"), "170 17");
}

// A patch names the file that it deletes, without its lines.
TEST_F(CodexEcho, LinesOfADeletedFileComeFromTheRecordOfThePatch) {
  Turns t(1);
  t.prompt("remove them", long_id("msg"));
  t.response(R"({"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Delete File: a.c\n)"
             R"(*** Delete File: b.c\n*** End Patch","call_id":")" +
             long_id("call") + "\"}");
  t.add("event_msg", R"({"type":"patch_apply_end","success":true,"stdout":"Success.","changes":{"/w/app/b.c":{"type":)"
                     R"("delete","content":"1\n"},"/w/app/a.c":{"type":"delete","content":"1\n2\n3\n"}},"call_id":")" +
                         long_id("call") + "\"}");
  t.output(long_id("call"), "Exit code: 0\\nOutput:\\nSuccess.");
  ingest_only(t);
  EXPECT_EQ(text("SELECT group_concat(summary, ';') FROM events WHERE kind = 7"),
            "/w/app/a.c +0 -3 (deleted);/w/app/b.c +0 -1 (deleted)");
  EXPECT_EQ(text("SELECT lines_added || ' ' || lines_removed FROM exchanges"), "0 4");
  EXPECT_EQ(number("SELECT exit_code FROM command_results"), 0);
}

TEST_F(CodexEcho, ThreadsOfCodexItselfAreNotThePersons) {
  const auto own = [&](int id, const std::string& source, const std::string& thread_source) {
    Rollout r(id, R"(,"thread_source":")" + thread_source + "\"");
    r.message(1, "user", "judge this", long_id("msg" + std::to_string(id)));
    std::string text = r.text();
    text.replace(text.find(R"("cli")"), std::string_view(R"("cli")").size(), source);
    test::write_file(home_ / r.path(), text);
  };
  own(2, R"({"subagent":{"other":"guardian"}})", "guardian_review");
  own(3, R"({"internal":"memory_consolidation"})", "user");
  own(4, R"("vscode")", "guardian_review");
  own(5, R"("vscode")", "scheduled_task");  // a feature that a person uses
  ingest();
  EXPECT_EQ(text("SELECT group_concat(kind || ' ' || agent_name, ';') FROM (SELECT * FROM sessions ORDER BY uid)"),
            "1 guardian;1 memory_consolidation;1 guardian_review;0 ");
  const std::string machine = std::to_string(static_cast<int>(Origin::parent_agent)) + " ";
  EXPECT_EQ(text("SELECT group_concat(origin, ' ') FROM (SELECT e.origin FROM exchanges e JOIN sessions s USING"
                 " (session_pk) ORDER BY s.uid)"),
            machine + machine + machine + std::to_string(static_cast<int>(Origin::typed)));
}

// An item with the id of an output comes before it, and again when the file is read again.
TEST_F(CodexEcho, AFileThatIsReadAgainKeepsThePlacesOfItsRecords) {
  const std::string found =
      "SELECT c.tool || ' ' || r.flags || ' ' || r.raw_offset FROM events c JOIN events r ON r.seq ="
      " c.pair_seq WHERE c.kind = 3";
  for (const std::string& more : {std::string(), std::string(R"(,"note":"written again")")}) {
    Turns t(1, more);
    t.prompt("find it", long_id("msg")).call(long_id("call"), "find", R"({\"text\":\"limit\"})");
    t.item(R"("type":"McpToolCall","server":"s","tool":"find","arguments":{"text":"limit"},"status":"completed",)"
           R"("result":{"content":[{"type":"text","text":"seven"}]})",
           long_id("call"));
    t.output(long_id("call"), "seven");
    ingest_only(t);
    EXPECT_EQ(text(found), "find 0 " + std::to_string(t.rollout().text().rfind(R"({"timestamp")")));
  }
}

// The rows do not depend on where a slice ends or memd restarts.
TEST_F(CodexEcho, RecordByRecordTheRowsAreTheSame) {
  const auto talk = [](Turns& t, std::size_t records) {
    std::vector<std::function<void()>> steps{
        [&] { t.prompt("mend it", "msg_1"); },
        [&] { t.said("UserMessage", "mend it", "u1"); },
        [&] { t.item(R"("type":"Plan","text":"heron plan")", kTurn + "-plan"); },
        [&] { t.answer("I follow the heron plan.", "msg_2"); },
        [&] { t.script("call_1", R"(await tools.exec_command({cmd:\"pytest -q\"}))"); },
        [&] { t.command(in_script(1), "pytest -q", "1 failed", 1); },
        [&] { t.output("call_1", "Script completed\\nOutput:\\n"); },
        [&] { t.call("call_2", "exec_command", R"({\"cmd\":\"make\"})"); },
        [&] { t.command("call_2", "make", "built", 0); },
        [&] { t.output("call_2", "Process exited with code 0\\nOutput:\\nbuilt"); },
        [&] { t.call("call_3", "exec_command", R"({\"cmd\":\"pytest\"})"); },
        [&] { t.output("call_3", "Process running with session ID 5\\nOutput:\\n"); },
        [&] { t.command("call_3", "pytest", "2 failed", 1); },
        [&] { t.usage("resp_a", 100, 10); },
        [&] { t.count(100, 10, 110); },
        [&] { t.answer("Summary: broken.", "msg_3"); },
        [&] { t.add("compacted", R"({"message":"This is it:\nSummary: broken.","replacement_history":[]})"); },
    };
    for (std::size_t i = 0; i < std::min(records, steps.size()); ++i)
      steps[i]();
    return steps.size();
  };
  Turns whole(1);
  const std::size_t all = talk(whole, std::string::npos);
  ingest_only(whole);
  auto db = sqlite::Database::open(store_ / "memd.db", sqlite::OpenMode::read_only);
  const auto expected = test::dump_store(db);
  test::TempDir store;
  for (std::size_t records = 1; records <= all; ++records) {
    Turns part(1);
    talk(part, records);
    write({&part.rollout()});
    ingest(home_.path(), store / "memd.db", {});
  }
  auto pieces = sqlite::Database::open(store / "memd.db", sqlite::OpenMode::read_only);
  EXPECT_EQ(test::dump_store(pieces), expected);
}

}  // namespace
}  // namespace memd
