#pragma once

#include "schemas/timestamp.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

// Test data for searches: public data sets of questions about conversations, read from the files that their authors
// publish, and the names that agents gave to the sessions of a home.
namespace memd::bench {

// LoCoMo (Maharana et al., ACL 2024).

struct LocomoTurn {
  std::string speaker;
  std::string text;
  std::string caption;  // caption of the picture sent with it; empty: none
};
struct LocomoSession {
  int number = 0;
  TimeMs time = 0;
  std::vector<LocomoTurn> turns;
};
struct LocomoQuestion {
  std::string text;
  int category = 0;
  std::vector<std::pair<int, int>> evidence;  // session and turn, both from 1
};
struct LocomoDialog {
  std::string id;
  std::string speaker_a;
  std::vector<LocomoSession> sessions;  // by number
  std::vector<LocomoQuestion> questions;

  const LocomoSession* session(int number) const;
};
// Throws std::exception when the file is not in LoCoMo's format.
std::vector<LocomoDialog> read_locomo(const std::filesystem::path& file);

// LongMemEval (Wu et al., ICLR 2025): an array of questions, each with the sessions it is to be found among.

struct LongMemEvalTurn {
  bool by_user = false;
  std::string text;
};
struct LongMemEvalSession {
  std::string id;
  TimeMs time = 0;
  std::vector<LongMemEvalTurn> turns;
};
struct LongMemEvalQuestion {
  std::string id;
  std::string type;
  std::string text;
  std::vector<LongMemEvalSession> haystack;
  std::vector<std::string> answer_sessions;

  // True for a question without an answer; the sessions that it names are only close to it.
  bool is_abstention() const { return id.ends_with("_abs"); }
};
// Throws std::exception when the text is not in LongMemEval's format.
std::vector<LongMemEvalQuestion> parse_longmemeval(const std::string& json);
std::vector<LongMemEvalQuestion> read_longmemeval(const std::filesystem::path& file);

// Returns the names that agents gave to sessions of a home, each with the uids of its sessions: titles and `summary`
// records of Claude Code, names of Cursor's chats and of Codex's threads. A summary belongs to all sessions that
// contain the record it refers to. Leaves out default names ("New session", "Sent to Chat") and names of missing
// sessions. Throws std::runtime_error.
std::map<std::string, std::set<std::string>> session_names(const std::filesystem::path& home);

// Removes these names' records from a home. Call it on a copy.
void remove_session_names(const std::filesystem::path& home);

}  // namespace memd::bench
