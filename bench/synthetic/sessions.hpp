#pragma once

#include "bench/synthetic/agents.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

// One class for each agent. The adapters' docs describe how each agent writes.
namespace memd::bench {

class ClaudeCodeSession : public SyntheticSession {
 public:
  ClaudeCodeSession(const std::filesystem::path& home, Prose& prose, std::string id);
  void write(const Turn& turn) override;
  void flush() override { out_.flush(); }

 private:
  void record(const std::string& type, std::int64_t time, const std::string& message);
  Prose& prose_;
  std::string id_;
  std::string parent_;
  std::ofstream out_;
};

class CodexSession : public SyntheticSession {
 public:
  CodexSession(const std::filesystem::path& home, Prose& prose, const std::string& id, std::int64_t time);
  void write(const Turn& turn) override;
  void flush() override { out_.flush(); }

 private:
  void line(std::int64_t time, const std::string& type, const std::string& payload);
  Prose& prose_;
  std::ofstream out_;
  std::int64_t total_tokens_ = 0;
};

class ClineSession : public SyntheticSession {
 public:
  ClineSession(const std::filesystem::path& home, std::int64_t time);
  void write(const Turn& turn) override;
  void flush() override;

 private:
  void say(std::int64_t time, const std::string& what, const std::string& text);
  std::filesystem::path task_;
  std::string ui_;
  std::string api_;
  int turns_ = 0;
};

class GeminiSession : public SyntheticSession {
 public:
  GeminiSession(const std::filesystem::path& home, Prose& prose, std::string id, std::int64_t time);
  void write(const Turn& turn) override;
  void flush() override;

 private:
  Prose& prose_;
  std::filesystem::path file_;
  std::string id_;
  std::int64_t started_;
  std::int64_t updated_;
  std::string messages_;
};

class CursorSession : public SyntheticSession {
 public:
  CursorSession(SyntheticHome& home, std::string id, std::int64_t time);
  void write(const Turn& turn) override;

 private:
  void bubble(int type, std::int64_t time, const std::string& fields);
  SyntheticHome& home_;
  sqlite3* db_;
  std::string id_;
  std::int64_t started_;
  std::string headers_;
  std::string title_;
};

class OpencodeSession : public SyntheticSession {
 public:
  OpencodeSession(SyntheticHome& home, const std::string& id, std::int64_t time);
  void write(const Turn& turn) override;

 private:
  std::string next_id(const char* prefix);
  void part(const std::string& message, std::int64_t time, const std::string& data);
  SyntheticHome& home_;
  sqlite3* db_;
  std::string id_;
  std::int64_t serial_ = 0;
};

}  // namespace memd::bench
