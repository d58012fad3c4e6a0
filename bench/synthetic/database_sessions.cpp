// Agents that write databases.
#include "bench/synthetic/sessions.hpp"

#include <cstdio>

namespace memd::bench {
namespace {

constexpr const char* kCursorSchema =
    "CREATE TABLE IF NOT EXISTS ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);"
    "CREATE TABLE IF NOT EXISTS cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);";

constexpr const char* kOpencodeSchema =
    "CREATE TABLE IF NOT EXISTS project (id text PRIMARY KEY, worktree text NOT NULL, vcs text, name text,"
    " time_created integer NOT NULL, time_updated integer NOT NULL, sandboxes text NOT NULL);"
    "CREATE TABLE IF NOT EXISTS session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text,"
    " slug text NOT NULL, directory text NOT NULL, title text NOT NULL, version text NOT NULL, revert text,"
    " time_created integer NOT NULL, time_updated integer NOT NULL, time_archived integer, agent text, model text,"
    " cost real DEFAULT 0 NOT NULL, tokens_input integer DEFAULT 0 NOT NULL, tokens_output integer DEFAULT 0 NOT NULL,"
    " tokens_cache_read integer DEFAULT 0 NOT NULL, tokens_cache_write integer DEFAULT 0 NOT NULL);"
    "CREATE TABLE IF NOT EXISTS message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,"
    " time_updated integer NOT NULL, data text NOT NULL);"
    "CREATE TABLE IF NOT EXISTS part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,"
    " time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);"
    "CREATE INDEX IF NOT EXISTS part_session_idx ON part (session_id);"
    "CREATE INDEX IF NOT EXISTS message_session_time_created_id_idx ON message (session_id, time_created, id);"
    "CREATE INDEX IF NOT EXISTS part_message_id_id_idx ON part (message_id, id);";

}  // namespace

CursorSession::CursorSession(SyntheticHome& home, std::string id, std::int64_t time)
    : home_(home),
      db_(home.database(home.home_ / ".config/Cursor/User/globalStorage/state.vscdb", kCursorSchema)),
      id_(std::move(id)),
      started_(time),
      title_(home.prose_.sentence(4)) {}

void CursorSession::bubble(int type, std::int64_t time, const std::string& fields) {
  const std::string bubble_id = home_.prose_.uuid();
  home_.execute(
      db_, "INSERT INTO cursorDiskKV VALUES (?, ?)",
      {"bubbleId:" + id_ + ":" + bubble_id,
       R"({"_v":3,"type":)" + std::to_string(type) + R"(,"bubbleId":")" + bubble_id + R"(","createdAt":")" +
           rfc3339(time) + R"(","isAgentic":true,"unifiedMode":2,"relevantFiles":[],"attachedCodeChunks":[],)" +
           R"("tokenCount":{"inputTokens":0,"outputTokens":0},)" + fields + "}"});
  headers_ +=
      (headers_.empty() ? "" : ",") + (R"({"bubbleId":")" + bubble_id + R"(","type":)" + std::to_string(type) + "}");
}

void CursorSession::write(const Turn& turn) {
  std::int64_t time = turn.time;
  bubble(1, time, R"("text":)" + json_string(turn.prompt));
  for (const auto& call : turn.calls)
    bubble(2, time += 900,
           R"("text":"","toolFormerData":{"tool":15,"toolCallId":"tool_)" + home_.prose_.uuid() +
               R"(","status":"completed","name":"run_terminal_cmd","rawArgs":)" +
               json_string(R"({"command":)" + json_string(call.command) + "}") + R"(,"params":)" +
               json_string(R"({"command":)" + json_string(call.command) + "}") + R"(,"result":)" +
               json_string(R"({"output":)" + json_string(call.output) + "}") + "}");
  bubble(2, time += 900, R"("text":)" + json_string(turn.answer));
  home_.execute(db_, "INSERT INTO cursorDiskKV VALUES (?, ?)",
                {"composerData:" + id_, R"({"_v":10,"composerId":")" + id_ + R"(","name":)" + json_string(title_) +
                                            R"(,"createdAt":)" + std::to_string(started_) + R"(,"lastUpdatedAt":)" +
                                            std::to_string(time) +
                                            R"(,"status":"completed","unifiedMode":"agent","isAgentic":true,)" +
                                            R"("fullConversationHeadersOnly":[)" + headers_ + "]}"});
}

OpencodeSession::OpencodeSession(SyntheticHome& home, const std::string& id, std::int64_t time)
    : home_(home),
      db_(home.database(home.home_ / ".local/share/opencode/opencode.db", kOpencodeSchema)),
      id_("ses_" + id.substr(0, 8) + id.substr(24)) {
  const std::string at = std::to_string(time);
  home_.execute(db_,
                "INSERT OR IGNORE INTO project (id, worktree, vcs, time_created, time_updated, sandboxes)"
                " VALUES ('p1', '/home/ada/workshop', 'git', ?, ?, '[]')",
                {at, at});
  home_.execute(db_,
                "INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated)"
                " VALUES (?, 'p1', 'calm-river', '/home/ada/workshop', ?, 'v1.16.0', ?, ?)",
                {id_, home_.prose_.sentence(4), at, at});
}

std::string OpencodeSession::next_id(const char* prefix) {
  char text[64];
  std::snprintf(text, sizeof text, "%s_%s%08llx", prefix, id_.c_str() + 4, static_cast<unsigned long long>(++serial_));
  return text;
}

void OpencodeSession::part(const std::string& message, std::int64_t time, const std::string& data) {
  const std::string at = std::to_string(time);
  home_.execute(db_, "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", {next_id("prt"), message, id_, at, at, data});
}

void OpencodeSession::write(const Turn& turn) {
  std::int64_t time = turn.time;
  const auto message = [&](const std::string& data) {
    const std::string id = next_id("msg");
    const std::string at = std::to_string(time);
    home_.execute(db_, "INSERT INTO message VALUES (?, ?, ?, ?, ?)", {id, id_, at, at, data});
    return id;
  };
  const std::string user =
      message(R"({"role":"user","time":{"created":)" + std::to_string(time) + R"(},"agent":"build"})");
  part(user, time, R"({"type":"text","text":)" + json_string(turn.prompt) + "}");
  time += 900;
  const std::string assistant = message(
      R"({"parentID":")" + user +
      R"(","role":"assistant","mode":"build","path":{"cwd":"/home/ada/workshop","root":"/"},)" +
      R"("cost":0.01,"tokens":{"input":27,"output":70,"reasoning":0,"cache":{"write":0,"read":20480}},)" +
      R"("modelID":"glm-5","providerID":"zai","time":{"created":)" + std::to_string(time) + R"(},"finish":"stop"})");
  for (const auto& call : turn.calls) {
    ++time;
    part(assistant, time,
         R"({"type":"tool","tool":"bash","callID":"call_)" + home_.prose_.uuid() +
             R"(","state":{"status":"completed","input":{"command":)" + json_string(call.command) + R"(},"output":)" +
             json_string(call.output) + R"(,"title":"","metadata":{"exit":0},"time":{"start":)" + std::to_string(time) +
             R"(,"end":)" + std::to_string(time) + "}}}");
  }
  part(assistant, ++time, R"({"type":"text","text":)" + json_string(turn.answer) + "}");
  home_.execute(db_, "UPDATE session SET time_updated = ? WHERE id = ?", {std::to_string(time), id_});
}

}  // namespace memd::bench
