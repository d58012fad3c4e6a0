#pragma once

#include "schemas/base/time.hpp"
#include "store/raw/frame_codec.hpp"
#include "store/raw/raw_file.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace memd::test {

// A home directory with transcripts of Claude Code, written turn by turn. `word` is in the thinking, the command, its
// path and its result.
class TranscriptHome {
 public:
  // Homes whose sessions meet in one store need different numbers: ids of records follow from them.
  explicit TranscriptHome(int first_record = 0) : records_(first_record) {}
  static std::string session_id(int n) {
    char text[40];
    std::snprintf(text, sizeof text, "%08d-1111-4111-8111-111111111111", n);
    return text;
  }
  std::filesystem::path transcript(const std::string& project, int session) const {
    std::string folder = project;
    for (char& c : folder)
      if (c == '/') c = '-';
    return dir_ / (".claude/projects/" + folder + "/" + session_id(session) + ".jsonl");
  }
  std::filesystem::path subagent(const std::string& project, int session) const {
    return std::filesystem::path(
               transcript(project, session).string().substr(0, transcript(project, session).string().size() - 6)) /
           "subagents/agent-a1b2c3d.jsonl";
  }
  const std::filesystem::path& path() const { return dir_.path(); }
  std::filesystem::path history() const { return dir_ / ".claude/history.jsonl"; }

  // Appends a prompt and all the work that follows. `prompt` and `answer` are written verbatim.
  void turn(const std::string& project, int session, TimeMs at, const std::string& word, const std::string& prompt,
            const std::string& answer) {
    const std::filesystem::path file = transcript(project, session);
    const std::string id = "t" + std::to_string(++records_);
    append(file, project, session, at, "user", {{"role", "user"}, {"content", prompt}});
    append(file, project, session, at + 1000, "assistant",
           {{"id", "m" + id},
            {"role", "assistant"},
            {"model", "m"},
            {"content", boost::json::array{boost::json::object{{"type", "thinking"}, {"thinking", "about " + word}},
                                           boost::json::object{{"type", "text"}, {"text", answer}},
                                           boost::json::object{{"type", "tool_use"},
                                                               {"id", id},
                                                               {"name", "Bash"},
                                                               {"input", {{"command", "cat /w/" + word + ".txt"}}}}}}});
    append(file, project, session, at + 2000, "user",
           {{"role", "user"},
            {"content", boost::json::array{boost::json::object{
                            {"type", "tool_result"}, {"tool_use_id", id}, {"content", "it says " + word}}}}});
  }
  // Appends an edit of a file to the newest turn: two lines in the place of one.
  void edit(const std::string& project, int session, TimeMs at, const std::string& path) {
    const std::filesystem::path file = transcript(project, session);
    const std::string id = "t" + std::to_string(++records_);
    append(file, project, session, at, "assistant",
           {{"id", "m" + id},
            {"role", "assistant"},
            {"model", "m"},
            {"content", boost::json::array{boost::json::object{
                            {"type", "tool_use"},
                            {"id", id},
                            {"name", "Edit"},
                            {"input", {{"file_path", path}, {"old_string", "a"}, {"new_string", "b\nc"}}}}}}});
    append(file, project, session, at + 1000, "user",
           {{"role", "user"},
            {"content", boost::json::array{boost::json::object{
                            {"type", "tool_result"}, {"tool_use_id", id}, {"content", "The file was updated."}}}}});
  }
  void title(const std::string& project, int session, const std::string& text) {
    append_file(transcript(project, session),
                boost::json::serialize(boost::json::value{
                    {"type", "custom-title"}, {"customTitle", text}, {"sessionId", session_id(session)}}) +
                    "\n");
  }
  void subagent_says(const std::string& project, int session, TimeMs at, const std::string& text) {
    append(subagent(project, session), project, session, at, "user", {{"role", "user"}, {"content", text}},
           {{"isSidechain", true}, {"agentId", "a1b2c3d"}});
  }
  void typed(const std::string& project, int session, TimeMs at, const std::string& text) {
    append_file(history(), boost::json::serialize(boost::json::value{{"display", text},
                                                                     {"pastedContents", boost::json::object()},
                                                                     {"timestamp", at},
                                                                     {"project", project},
                                                                     {"sessionId", session_id(session)}}) +
                               "\n");
  }

 private:
  void append(const std::filesystem::path& file, const std::string& project, int session, TimeMs at,
              const std::string& type, boost::json::value message, boost::json::object more = {}) {
    char uuid[40];
    std::snprintf(uuid, sizeof uuid, "00000000-0000-4000-8000-%012d", ++records_);
    more["uuid"] = uuid;
    more["timestamp"] = format_rfc3339(at);
    more["cwd"] = project;
    more["sessionId"] = session_id(session);
    more["version"] = "2.1.7";
    more["gitBranch"] = "main";
    more["type"] = type;
    more["requestId"] = "r" + std::to_string(records_);
    more["message"] = std::move(message);
    append_file(file, boost::json::serialize(more) + "\n");
  }

  TempDir dir_;
  int records_;
};

// Returns all paths and bytes of the files below a directory, and the unpacked frames of the raw layer.
inline std::string everything_below(const std::filesystem::path& directory) {
  std::string out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    out += entry.path().string() + "\n";
    if (entry.is_regular_file()) out += bytes_of(entry.path());
  }
  raw::FrameCodec codec;
  for (const auto& name : raw::raw_file_names(directory / "raw")) {
    const std::string file = bytes_of(directory / "raw" / name);
    const auto scan = raw::scan_frames(file, name, {});
    EXPECT_TRUE(scan) << name;
    if (!scan) continue;
    for (const auto& f : scan->frames) {
      if (f.frame.content_size == 0) continue;
      const auto content =
          codec.unpack(f.frame.packed_content(std::string_view(file).substr(f.offset)), f.frame.header.content_bytes());
      EXPECT_TRUE(content) << name;
      if (content) out += *content;
    }
  }
  return out;
}

}  // namespace memd::test
