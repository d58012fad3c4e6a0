#include "bench/retrieval/claude_transcript.hpp"

#include "schemas/ids.hpp"
#include "schemas/json_writer.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace memd::bench {
namespace fs = std::filesystem;

ClaudeTranscript::ClaudeTranscript(const fs::path& home, const std::string& project, int collection, int session)
    : id_(fmt::format("aaaaaaaa-{:04x}-4000-8000-{:012x}", collection, session)),
      uid_(make_session_uid(Platform::claude_code, id_)),
      cwd_("/home/ada/" + project),
      collection_(collection),
      session_(session) {
  const fs::path directory = home / ".claude/projects" / ("-home-ada-" + project);
  fs::create_directories(directory);
  out_.open(directory / (id_ + ".jsonl"), std::ios::binary | std::ios::trunc);
}

std::string ClaudeTranscript::next_uuid() {
  return fmt::format("bbbb{:04x}-{:04x}-4000-8000-{:012x}", collection_, session_, records_++);
}

void ClaudeTranscript::record(std::string_view type, TimeMs time, std::string_view message) {
  const std::string uuid = next_uuid();
  std::string line;
  json::Writer w(line);
  w.begin_object();
  if (parent_.empty())
    w.member_raw("parentUuid", "null");
  else
    w.member("parentUuid", parent_);
  w.member_bool("isSidechain", false);
  w.member("userType", "external");
  w.member("cwd", cwd_);
  w.member("sessionId", id_);
  w.member("version", "2.1.42");
  w.member("gitBranch", "main");
  w.member("type", type);
  w.member_raw("message", message);
  w.member("uuid", uuid);
  w.member("timestamp", format_rfc3339(time));
  w.end_object();
  out_ << line << '\n';
  parent_ = uuid;
}

void ClaudeTranscript::user(std::string_view text, TimeMs time) {
  std::string message;
  json::Writer w(message);
  w.begin_object();
  w.member("role", "user");
  w.member("content", text);
  w.end_object();
  record("user", time, message);
}

void ClaudeTranscript::assistant(std::string_view text, TimeMs time) {
  std::string message;
  json::Writer w(message);
  w.begin_object();
  w.member("model", "claude-opus-4-6");
  w.member("id", fmt::format("msg_{}_{}_{}", collection_, session_, records_));
  w.member("type", "message");
  w.member("role", "assistant");
  w.key("content");
  w.begin_array();
  w.begin_object();
  w.member("type", "text");
  w.member("text", text);
  w.end_object();
  w.end_array();
  w.member_raw("stop_reason", "null");
  w.member_raw("usage",
               R"({"input_tokens":6,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":60})");
  w.end_object();
  record("assistant", time, message);
}

void ClaudeTranscript::finish() {
  out_.close();
  if (!out_) throw std::runtime_error("cannot write the transcript " + id_);
}

}  // namespace memd::bench
