#pragma once

#include "schemas/time.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace memd::bench {

// Writes one session the way Claude Code does. Ids are made of the two numbers, so that a run can be repeated and
// sessions of different collections do not collide. Throws std::runtime_error.
class ClaudeTranscript {
 public:
  // `project` is the last part of the working directory.
  ClaudeTranscript(const std::filesystem::path& home, const std::string& project, int collection, int session);

  void user(std::string_view text, TimeMs time);
  void assistant(std::string_view text, TimeMs time);
  void finish();

  const std::string& session_uid() const { return uid_; }

 private:
  void record(std::string_view type, TimeMs time, std::string_view message);
  std::string next_uuid();

  std::string id_;
  std::string uid_;
  std::string cwd_;
  std::string parent_;
  int collection_;
  int session_;
  int records_ = 0;
  std::ofstream out_;
};

}  // namespace memd::bench
