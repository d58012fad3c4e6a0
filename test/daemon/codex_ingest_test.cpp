// Full ingest of Codex rollouts: forks, subagents, titles; and prompts whose transcripts were deleted.
#include "test/daemon/codex_ingest.hpp"
#include "test/support/corpus.hpp"
#include "test/support/store_dump.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

namespace fs = std::filesystem;

using test::Rollout;
using test::thread;

constexpr TimeMs kStart = test::kCodexStart;

class CodexIngest : public test::CodexIngestFixture {};

// Rollouts from before messages had ids: an origin that contains a prompt twice, a fork, and a fork of the fork.
TEST_F(CodexIngest, ForksWithoutIdsAreNotCountedTwiceInWhicheverOrderTheyAreRead) {
  Rollout origin(1);
  origin.message(1, "user", "build it").message(2, "assistant", "built").tokens(2, 10, 10).tokens(3, 10, 10);
  origin.message(10, "user", "continue").message(11, "assistant", "went on").tokens(11, 30, 20);
  const auto copy_of_origin = [](Rollout& r, double at) {
    r.meta(at, 1).message(at, "user", "build it").message(at, "assistant", "built").tokens(at, 10, 10);
    r.tokens(at, 10, 10).message(at + .1, "user", "continue").message(at + .1, "assistant", "went on");
    r.tokens(at + .2, 30, 20);
  };
  Rollout fork(2, R"(,"forked_from_id":")" + thread(1) + R"(")", 100);
  copy_of_origin(fork, 100);
  fork.message(120, "user", "continue").message(121, "assistant", "another way").tokens(121, 70, 40);
  Rollout nested(3, R"(,"forked_from_id":")" + thread(2) + R"(")", 200);
  nested.meta(200, 2);
  copy_of_origin(nested, 200.1);
  nested.message(200.4, "user", "continue").message(200.4, "assistant", "another way").tokens(200.4, 70, 40);
  nested.message(230, "user", "enough").message(231, "assistant", "done").tokens(231, 75, 5);
  // The origin continued with the same words after the fork. (If a fork is read before its origin, words that the
  // origin repeats between the position and the time of the fork are taken for the copy.)
  Rollout longer_origin = origin;
  longer_origin.message(150, "user", "continue").message(151, "assistant", "went on again").tokens(151, 60, 30);

  for (const bool origin_first : {true, false}) {
    SCOPED_TRACE(origin_first);
    for (const char* suffix : {"", "-wal", "-shm"})
      fs::remove(store_ / (std::string("memd.db") + suffix));
    if (origin_first)
      write({&longer_origin, &fork, &nested});
    else
      write({&nested, &fork, &longer_origin});
    ingest();
    // build it, continue, continue; continue in the fork; enough in the fork of the fork.
    EXPECT_EQ(number("SELECT count(*) FROM exchanges"), 5);
    EXPECT_EQ(number("SELECT sum(turns) FROM sessions"), 5);
    EXPECT_EQ(number("SELECT count(*) FROM exchanges WHERE user_message = 'continue'"), 3);
    EXPECT_EQ(number("SELECT sum(input + output) FROM responses"), 60 + 40 + 5);
    EXPECT_EQ(number("SELECT count(*) FROM events WHERE kind = 1"), 5);
    EXPECT_EQ(text("SELECT forked_from FROM sessions WHERE native_id = '" + thread(3) + "'"), "codex:" + thread(2));
    const auto turns_of_origin = number("SELECT turns FROM sessions WHERE native_id = '" + thread(1) + "'");
    EXPECT_EQ(turns_of_origin, origin_first ? 3 : 1);
  }
}

TEST_F(CodexIngest, ASubagentHoldsItsTaskAndNotItsParentsTalk) {
  const std::string a = "msg_019c0000-0000-7000-8000-0000000000a1";
  const std::string b = "msg_019c0000-0000-7000-8000-0000000000a2";
  Rollout parent(1);
  parent.message(1, "user", "use a helper", a).message(2, "assistant", "I start one", b).tokens(2, 50, 50);
  Rollout child(2, R"(,"parent_thread_id":")" + thread(1) + R"(","thread_source":"subagent")", 3);
  child.meta(3, 1).message(3, "user", "use a helper", a).message(3, "assistant", "I start one", b).tokens(3, 50, 50);
  child.message(3.2, "user", "look at the tests", "msg_019c0000-0000-7000-8000-0000000000a3").tokens(9, 90, 40);
  write({&parent, &child});
  test::write_file(home_ / ".codex/session_index.jsonl",
                   R"({"id":")" + thread(1) + R"(","thread_name":"helpers","updated_at":"x"})" + "\n" + R"({"id":")" +
                       thread(9) + R"(","thread_name":"nowhere","updated_at":"x"})" + "\n");
  ingest();
  EXPECT_EQ(text("SELECT group_concat(uid || ' ' || kind || ' ' || turns || ' ' || parent_uid || title, ';') FROM"
                 " (SELECT * FROM sessions ORDER BY uid)"),
            "codex:" + thread(1) + " 0 1 helpers;codex:" + thread(2) + " 1 1 codex:" + thread(1));
  EXPECT_EQ(text("SELECT user_message || ' ' || origin || ' ' || is_sidechain FROM exchanges WHERE is_sidechain = 1"),
            "look at the tests 7 1");
  EXPECT_EQ(number("SELECT sum(input + output) FROM responses"), 90);
}

// The same session read again from another path: archived, compressed, copied to another home.
TEST_F(CodexIngest, AMovedRolloutAddsNothing) {
  Rollout rollout(1);
  rollout.message(1, "user", "one").message(2, "assistant", "two").tokens(2, 10, 10);
  write({&rollout});
  ingest();
  fs::create_directories(home_ / ".codex/archived_sessions");
  fs::rename(home_ / rollout.path(), home_ / ".codex/archived_sessions" / fs::path(rollout.path()).filename());
  ingest();
  EXPECT_EQ(number("SELECT count(*) FROM exchanges"), 1);
  EXPECT_EQ(number("SELECT sum(input + output) FROM responses"), 10);
}

TEST_F(CodexIngest, LineCountsOfAPatchWaitForItsResult) {
  const auto patch = [](Rollout& r, double at, const std::string& call, const std::string& file,
                        const std::string& out) {
    r.line(at, "response_item",
           R"({"type":"custom_tool_call","status":"completed","call_id":"call_0000000000000000000)" + call +
               R"(","name":"apply_patch","input":"*** Begin Patch\n*** Update File: )" + file +
               R"(\n@@\n-a\n+b\n+c\n*** End Patch"})");
    r.line(at + 1, "response_item",
           R"({"type":"custom_tool_call_output","call_id":"call_0000000000000000000)" + call + R"(","output":")" + out +
               R"("})");
  };
  Rollout rollout(1);
  rollout.message(1, "user", "patch it");
  patch(rollout, 2, "1", "a.c", "apply_patch verification failed: x");
  patch(rollout, 4, "2", "b.c", "Exit code: 0\\nWall time: 0 seconds\\nOutput:\\nSuccess.");
  write({&rollout});
  ingest();
  EXPECT_EQ(text("SELECT lines_added || ' ' || lines_removed FROM exchanges"), "2 1");
  EXPECT_EQ(text("SELECT group_concat(path || ' ' || f.lines_added, ';') FROM (SELECT * FROM exchange_files ORDER BY"
                 " path_pk) f JOIN paths USING (path_pk)"),
            "/w/app/a.c 0;/w/app/b.c 2");
  EXPECT_EQ(text("SELECT group_concat(summary || ' ' || flags, ';') FROM events WHERE kind = 7"),
            "/w/app/a.c +2 -1 " + std::to_string(kFlagDerived | kFlagPlanned | kFlagError) + ";/w/app/b.c +2 -1 " +
                std::to_string(kFlagDerived));
  EXPECT_EQ(number("SELECT count(*) - max(seq) - 1 FROM events"), 0) << "what failed leaves no gap in the numbers";
}

// Claude Code deletes transcripts after 30 days; the prompts stay in history.jsonl.
TEST_F(CodexIngest, PromptsOfPurgedTranscripts) {
  const std::string seen = "11111111-1111-4111-8111-111111111111";
  const std::string unseen = "22222222-2222-4222-8222-222222222222";
  const fs::path transcript = home_ / (".claude/projects/-w-p/" + seen + ".jsonl");
  test::write_file(
      transcript,
      R"({"type":"user","message":{"role":"user","content":"look at a.c\nline two"},"uuid":"00000000-0000-4000-8000-000000000001","timestamp":"2026-03-04T10:00:00.100Z","cwd":"/w/p","sessionId":")" +
          seen + "\"}\n" +
          R"({"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"seen"}]},"uuid":"00000000-0000-4000-8000-000000000002","timestamp":"2026-03-04T10:00:09.000Z","cwd":"/w/p","sessionId":")" +
          seen + "\"}\n");
  const auto typed = [](const std::string& display, TimeMs time, const std::string& session) {
    return R"({"display":")" + display +
           R"(","pastedContents":{"1":{"id":1,"type":"text","content":"line two"}},"timestamp":)" +
           std::to_string(time) + R"(,"project":"/w/p","sessionId":")" + session + "\"}\n";
  };
  const std::string history = typed("look at a.c\\n[Pasted text #1 +1 lines]", kStart, seen) +
                              typed("/clear", kStart + 20'000, seen) +
                              typed("never seen by memd", kStart - 86'400'000, unseen);
  test::write_file(home_ / ".claude/history.jsonl", history);
  for (int pass = 0; pass < 3; ++pass) {
    SCOPED_TRACE(pass);
    ingest();
    EXPECT_EQ(number("SELECT count(*) FROM exchanges"), 2);
    EXPECT_EQ(text("SELECT user_message FROM exchanges WHERE origin = 9"), "never seen by memd");
    EXPECT_EQ(text("SELECT assistant_response FROM exchanges WHERE origin <> 9"), "seen");
    EXPECT_EQ(number("SELECT sum(turns) FROM sessions"), 2);
    EXPECT_EQ(number("SELECT sum(bytes) FROM coverage WHERE record_type = '(history)'"),
              static_cast<std::int64_t>(fs::file_size(home_ / ".claude/history.jsonl")));
    if (pass == 0) fs::remove(transcript);  // then the history is read on, and later from the start
    if (pass == 1) test::write_file(home_ / ".claude/history.jsonl", history.substr(history.find('\n') + 1));
  }
}

TEST_F(CodexIngest, RealRolloutsInTinySlicesGiveTheSameRows) {
  if (!fs::is_directory(test::corpus_home() / ".codex")) GTEST_SKIP() << "no rollouts; set MEMD_CORPUS";
  test::TempDir home;
  fs::copy(test::corpus_home() / ".codex", home / ".codex", fs::copy_options::recursive);
  test::TempDir other;
  ingest(home.path(), store_ / "memd.db", {});
  IngestOptions tiny;
  tiny.tailer.slice_bytes = 100'000;
  tiny.commit_bytes = 1;
  ingest(home.path(), other / "memd.db", tiny);
  auto whole = sqlite::Database::open(store_ / "memd.db", sqlite::OpenMode::read_write);
  auto pieces = sqlite::Database::open(other / "memd.db", sqlite::OpenMode::read_only);
  EXPECT_EQ(test::dump_store(pieces), test::dump_store(whole));
  EXPECT_NO_THROW(test::check_full_text_index(whole));
  EXPECT_EQ(number("SELECT count(*) FROM sessions"), 13);
  EXPECT_EQ(text("SELECT sum(turns) || ' ' || sum(tool_calls) || ' ' || sum(tool_pairs) || ' ' || sum(tool_errors) ||"
                 " ' ' || sum(compactions) FROM sessions"),
            "172 1432 1432 109 1");
  EXPECT_EQ(text("SELECT sum(input) || ' ' || sum(output) || ' ' || sum(cache_read) FROM responses"),
            "6689587 716769 164956288");
  EXPECT_EQ(number("SELECT sum(n) FROM (SELECT count(DISTINCT path_pk) AS n FROM exchange_files WHERE access = 1"
                   " GROUP BY session_pk)"),
            259);
  EXPECT_EQ(number("SELECT sum(bytes) FROM coverage"), 11'375'387 + 256);
  EXPECT_EQ(number("SELECT count(*) FROM sessions WHERE title = 'motion-jepa'"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM events WHERE flags & 513 = 512"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM exchanges WHERE working_directory = ''"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM exchanges WHERE model_used = '' AND exchange_number >= 0 AND session_pk IN"
                   " (SELECT session_pk FROM sessions WHERE agent_version >= '0.57')"),
            0);
}

}  // namespace
}  // namespace memd
