// Full ingest of Codex rollouts: forks, subagents, titles; and prompts whose transcripts were deleted.
#include "daemon/ingest/ingest_service.hpp"
#include "test/support/corpus.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr TimeMs kStart = 1'772'618'400'000;

std::string thread(int n) { return "019c0000-0000-7000-8000-00000000000" + std::to_string(n); }

// Writes a rollout line by line. `seconds` are relative to kStart.
class Rollout {
 public:
  explicit Rollout(int id, const std::string& more = "", double seconds = 0) : id_(id) { meta(seconds, id, more); }

  Rollout& meta(double seconds, int id, const std::string& more = "") {
    return line(seconds, "session_meta",
                R"({"id":")" + thread(id) + R"(","cwd":"/w/app","cli_version":"0.77.0","source":"cli")" + more + "}");
  }
  Rollout& message(double seconds, const std::string& role, const std::string& text, const std::string& id = "") {
    return line(seconds, "response_item",
                R"({"type":"message",)" + (id.empty() ? "" : R"("id":")" + id + R"(",)") + R"("role":")" + role +
                    R"(","content":[{"type":"input_text","text":")" + text + R"("}]})");
  }
  Rollout& tokens(double seconds, int total, int last) {
    const auto usage = [](int n) {
      return R"({"input_tokens":)" + std::to_string(n - 1) +
             R"(,"cached_input_tokens":0,"output_tokens":1,"total_tokens":)" + std::to_string(n) + "}";
    };
    return line(seconds, "event_msg",
                R"({"type":"token_count","info":{"total_token_usage":)" + usage(total) + R"(,"last_token_usage":)" +
                    usage(last) + "}}");
  }
  Rollout& line(double seconds, const std::string& type, const std::string& payload) {
    text_ += R"({"timestamp":")" + format_rfc3339(kStart + static_cast<TimeMs>(seconds * 1000)) + R"(","type":")" +
             type + R"(","payload":)" + payload + "}\n";
    return *this;
  }
  std::string path() const {
    return ".codex/sessions/2026/03/04/rollout-2026-03-04T11-00-00-" + thread(id_) + ".jsonl";
  }
  const std::string& text() const { return text_; }

 private:
  int id_;
  std::string text_;
};

class CodexIngest : public testing::Test {
 protected:
  // Writes the rollouts with increasing times, so that the first is read first.
  void write(const std::vector<const Rollout*>& rollouts) {
    auto age = std::chrono::hours(static_cast<int>(rollouts.size()));
    for (const Rollout* r : rollouts) {
      test::write_file(home_ / r->path(), r->text());
      fs::last_write_time(home_ / r->path(), fs::file_time_type::clock::now() - age);
      age -= 1h;
    }
  }
  void ingest(IngestOptions options = {}) { ingest(home_.path(), store_ / "memd.db", options); }
  static void ingest(const fs::path& home, const fs::path& file, IngestOptions options) {
    const test::FakeClock clock;
    const std::array<const Adapter*, 2> adapters{find_adapter(Platform::claude_code), find_adapter(Platform::codex)};
    const Discovery discovery(adapters, home, {}, {});
    auto writer = Writer::open(file, clock);
    ASSERT_TRUE(writer);
    IngestService service(discovery, clock, options);
    ASSERT_TRUE(service.start(std::move(*writer)));
    service.scan();
    ASSERT_TRUE(service.block_until_idle(120s));
    EXPECT_EQ(service.progress().snapshot().last_error, "");
  }
  std::string text(const std::string& sql) {
    auto db = sqlite::Database::open(store_ / "memd.db", sqlite::OpenMode::read_only);
    sqlite::Statement q(db.handle(), sql);
    return q.step() ? (q.is_null(0) ? "NULL" : q.str(0)) : "(no row)";
  }
  std::int64_t number(const std::string& sql) { return std::stoll(text(sql)); }

  test::TempDir home_;
  test::TempDir store_;
};

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
    EXPECT_EQ(number("SELECT sum(tokens_input + tokens_output) FROM sessions"), 60 + 40 + 5);
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
  EXPECT_EQ(number("SELECT sum(tokens_input + tokens_output) FROM sessions"), 90);
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
  EXPECT_EQ(number("SELECT sum(tokens_input + tokens_output) FROM sessions"), 10);
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
  EXPECT_EQ(
      text("SELECT sum(tokens_input) || ' ' || sum(tokens_output) || ' ' || sum(tokens_cache_read) FROM sessions"),
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
