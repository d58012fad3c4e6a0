#include "bench/synthetic/sessions.hpp"

#include <cstdio>
#include <stdexcept>

namespace memd::bench {
namespace fs = std::filesystem;

namespace {

std::ofstream open_log(const fs::path& file) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary | std::ios::app);
  if (!out) throw std::runtime_error("cannot write " + file.string());
  return out;
}

// Replaces a file as editors do: writes beside it, then renames.
void replace_file(const fs::path& file, const std::string& text) {
  const fs::path beside = file.string() + ".new";
  {
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    out << text;
    if (!out) throw std::runtime_error("cannot write " + beside.string());
  }
  fs::rename(beside, file);
}

constexpr const char* kFolder = "/home/ada/workshop";

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

ClaudeCodeSession::ClaudeCodeSession(const fs::path& home, Prose& prose, std::string id)
    : prose_(prose),
      id_(std::move(id)),
      out_(open_log(home / ".claude/projects/-home-ada-workshop" / (id_ + ".jsonl"))) {}

void ClaudeCodeSession::record(const std::string& type, std::int64_t time, const std::string& message) {
  const std::string uuid = prose_.uuid();
  out_ << R"({"parentUuid":)" << (parent_.empty() ? "null" : json_string(parent_))
       << R"(,"isSidechain":false,"userType":"external","cwd":")" << kFolder << R"(","sessionId":")" << id_
       << R"(","version":"2.1.42","gitBranch":"main","type":")" << type << R"(","message":)" << message
       << R"(,"uuid":")" << uuid << R"(","timestamp":")" << rfc3339(time) << "\"}\n";
  parent_ = uuid;
}

void ClaudeCodeSession::write(const Turn& turn) {
  record("user", turn.time, R"({"role":"user","content":)" + json_string(turn.prompt) + "}");
  std::int64_t time = turn.time;
  const auto assistant = [&](const std::string& block) {
    const std::string id = prose_.uuid();
    record("assistant", time += 900,
           R"({"model":"claude-opus-4-6","id":"msg_)" + id + R"(","type":"message","role":"assistant","content":[)" +
               block + R"(],"stop_reason":null,"usage":{"input_tokens":6,"cache_creation_input_tokens":1200,)" +
               R"("cache_read_input_tokens":24000,"output_tokens":135}})");
  };
  for (const auto& call : turn.calls) {
    const std::string id = "toolu_" + prose_.uuid();
    assistant(R"({"type":"tool_use","id":")" + id + R"(","name":"Bash","input":{"command":)" +
              json_string(call.command) + "}}");
    record("user", time += 400,
           R"({"role":"user","content":[{"tool_use_id":")" + id + R"(","type":"tool_result","content":)" +
               json_string(call.output) + "}]}");
  }
  assistant(R"({"type":"text","text":)" + json_string(turn.answer) + "}");
}

CodexSession::CodexSession(const fs::path& home, Prose& prose, const std::string& id, std::int64_t time)
    : prose_(prose),
      out_(open_log(home / ".codex/sessions/2026/08/01" / ("rollout-2026-08-01T00-00-00-" + id + ".jsonl"))) {
  line(time, "session_meta",
       R"({"id":")" + id + R"(","timestamp":")" + rfc3339(time) + R"(","cwd":")" + kFolder +
           R"(","originator":"codex-tui","cli_version":"0.146.0","source":"cli","git":{"branch":"main"}})");
}

void CodexSession::line(std::int64_t time, const std::string& type, const std::string& payload) {
  out_ << R"({"timestamp":")" << rfc3339(time) << R"(","type":")" << type << R"(","payload":)" << payload << "}\n";
}

void CodexSession::write(const Turn& turn) {
  std::int64_t time = turn.time;
  const std::string turn_id = prose_.uuid();
  line(time, "turn_context", R"({"turn_id":")" + turn_id + R"(","cwd":")" + kFolder + R"(","model":"gpt-5.2-codex"})");
  const auto message = [&](const char* role, const char* part, const std::string& text) {
    line(++time, "response_item",
         R"({"type":"message","id":"msg_)" + prose_.uuid() + R"(","role":")" + role + R"(","content":[{"type":")" +
             part + R"(","text":)" + json_string(text) + "}]}");
  };
  message("user", "input_text", turn.prompt);
  line(++time, "event_msg", R"({"type":"user_message","message":)" + json_string(turn.prompt) + R"(,"images":[]})");
  for (const auto& call : turn.calls) {
    const std::string id = "call_" + prose_.uuid();
    line(++time, "response_item",
         R"({"type":"function_call","id":"fc_)" + prose_.uuid() + R"(","name":"exec_command","arguments":)" +
             json_string(R"({"cmd":)" + json_string(call.command) + "}") + R"(,"call_id":")" + id + "\"}");
    line(++time, "response_item",
         R"({"type":"function_call_output","call_id":")" + id + R"(","output":)" + json_string(call.output) + "}");
  }
  line(++time, "event_msg", R"({"type":"agent_message","message":)" + json_string(turn.answer) + "}");
  message("assistant", "output_text", turn.answer);
  total_tokens_ += 1100;
  line(++time, "event_msg",
       R"({"type":"token_count","info":{"total_token_usage":{"input_tokens":)" + std::to_string(total_tokens_ - 100) +
           R"(,"cached_input_tokens":0,"output_tokens":100,"reasoning_output_tokens":0,"total_tokens":)" +
           std::to_string(total_tokens_) +
           R"(},"last_token_usage":{"input_tokens":1000,"cached_input_tokens":600,"output_tokens":100,)" +
           R"("reasoning_output_tokens":0,"total_tokens":1100}}})");
}

ClineSession::ClineSession(const fs::path& home, std::int64_t time)
    : task_(home / ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks" / std::to_string(time)) {
  fs::create_directories(task_);
}

void ClineSession::say(std::int64_t time, const std::string& what, const std::string& text) {
  ui_ += (ui_.empty() ? R"({"ts":)" : R"(,{"ts":)") + std::to_string(time) + R"(,"type":"say","say":")" + what +
         R"(","text":)" + json_string(text) + R"(,"conversationHistoryIndex":)" + std::to_string(turns_ * 2 - 1) +
         R"(,"modelInfo":{"providerId":"anthropic","modelId":"claude-sonnet-4-5-20250929","mode":"act"}})";
}

void ClineSession::write(const Turn& turn) {
  std::int64_t time = turn.time;
  say(time, turns_ == 0 ? "text" : "user_feedback", turn.prompt);
  say(++time, "api_req_started", R"({"request":"…","tokensIn":10,"tokensOut":595,"cacheWrites":900,"cacheReads":0})");
  api_ += (api_.empty() ? "" : ",") + (R"({"role":"user","content":[{"type":"text","text":)" +
                                       json_string((turns_ == 0 ? "<task>\n" : "<feedback>\n") + turn.prompt +
                                                   (turns_ == 0 ? "\n</task>" : "\n</feedback>")) +
                                       "}]}");
  for (const auto& call : turn.calls) {
    say(++time, "command", call.command);
    say(++time, "command_output", call.output);
  }
  say(++time, "text", turn.answer);
  api_ += R"(,{"role":"assistant","content":[{"type":"text","text":)" + json_string(turn.answer) + "}]}";
  ++turns_;
}

void ClineSession::flush() {
  replace_file(task_ / "api_conversation_history.json", "[" + api_ + "]");
  replace_file(task_ / "ui_messages.json", "[" + ui_ + "]");
}

GeminiSession::GeminiSession(const fs::path& home, Prose& prose, std::string id, std::int64_t time)
    : prose_(prose), id_(std::move(id)), started_(time), updated_(time) {
  const fs::path chats = home / ".gemini/tmp/workshop/chats";
  fs::create_directories(chats);
  file_ = chats / ("session-2026-01-10T20-00-" + id_.substr(0, 8) + ".json");
}

void GeminiSession::write(const Turn& turn) {
  const auto head = [&](const char* type, std::int64_t time) {
    return (messages_.empty() ? "" : ",\n") +
           (R"({"id":")" + prose_.uuid() + R"(","timestamp":")" + rfc3339(time) + R"(","type":")" + type + "\"");
  };
  messages_ += head("user", turn.time) + R"(,"content":)" + json_string(turn.prompt) + "}";
  updated_ = turn.time + 2000;
  messages_ += head("gemini", updated_) + R"(,"content":)" + json_string(turn.answer) + R"(,"toolCalls":[)";
  bool first = true;
  for (const auto& call : turn.calls) {
    const std::string id = "run_shell_command-" + prose_.uuid();
    messages_ += (first ? "" : ",") + (R"({"id":")" + id + R"(","name":"run_shell_command","args":{"command":)" +
                                       json_string(call.command) + R"(},"result":[{"functionResponse":{"id":")" + id +
                                       R"(","name":"run_shell_command","response":{"output":)" +
                                       json_string(call.output) + R"(}}}],"status":"success"})");
    first = false;
  }
  messages_ += R"(],"tokens":{"input":1200,"output":105,"cached":400,"thoughts":0,"tool":0,"total":1305},)"
               R"("model":"gemini-2.5-flash"})";
}

void GeminiSession::flush() {
  replace_file(file_, R"({"sessionId":")" + id_ + R"(","projectHash":"workshop","startTime":")" + rfc3339(started_) +
                          R"(","lastUpdated":")" + rfc3339(updated_) + "\",\"messages\":[\n" + messages_ + "\n]}");
}

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
