#pragma once

#include "bench/synthetic/prose.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;

// Simulated agents. Each writes sessions into a home directory in its own format and manner (appended lines, rewritten
// documents, rows in a database in WAL mode), with synthetic text. Failures throw std::runtime_error.
namespace memd::bench {

struct Turn {
  struct Call {
    std::string command;
    std::string output;
  };
  std::int64_t time = 0;  // Unix ms
  std::string prompt;
  std::vector<Call> calls;
  std::string answer;
};
// Makes a turn. `weight` scales the length: 1 is a short turn of some 2 kB, 10 one with long tool output.
Turn make_turn(Prose& prose, std::int64_t time, std::size_t weight);

class SyntheticSession {
 public:
  virtual ~SyntheticSession() = default;
  virtual void write(const Turn& turn) = 0;
  virtual void flush() {}  // for agents that rewrite their file, so that many turns can be written at once
};

inline constexpr std::array<std::string_view, 6> kSyntheticAgents{"claude_code", "codex",    "cursor",
                                                                  "cline",       "opencode", "gemini"};

// All agents of one home. Sessions must not outlive it.
class SyntheticHome {
 public:
  SyntheticHome(std::filesystem::path home, std::uint64_t seed);
  ~SyntheticHome();
  SyntheticHome(const SyntheticHome&) = delete;
  SyntheticHome& operator=(const SyntheticHome&) = delete;

  std::unique_ptr<SyntheticSession> start(std::string_view agent, std::int64_t time);
  Prose& prose() { return prose_; }
  // Databases commit after each turn unless told otherwise.
  void begin_bulk();
  void end_bulk();
  std::uint64_t bytes() const;                      // size of all files
  int busy_errors() const { return busy_errors_; }  // how often a writing agent had to wait for a lock

 private:
  friend class CursorSession;
  friend class OpencodeSession;
  sqlite3* database(const std::filesystem::path& file, const char* schema);
  void execute(sqlite3* db, const char* sql, const std::vector<std::string>& values);

  std::filesystem::path home_;
  Prose prose_;
  std::vector<std::pair<std::filesystem::path, sqlite3*>> databases_;
  bool bulk_ = false;
  int busy_errors_ = 0;
};

std::string rfc3339(std::int64_t time_ms);

}  // namespace memd::bench
