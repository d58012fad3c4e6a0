#pragma once

#include "schemas/time.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

// Public data sets of questions about conversations, read from the files their authors publish.
namespace memd::bench {

// LoCoMo (Maharana et al., ACL 2024).

struct LocomoTurn {
  std::string speaker;
  std::string text;
  std::string caption;  // of the picture sent with it; empty: none
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
// Throws std::exception when the file is none of LoCoMo's.
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

  // Nothing answers it, though it names sessions it is near to.
  bool is_abstention() const { return id.ends_with("_abs"); }
};
// Throws std::exception when the text is none of LongMemEval's.
std::vector<LongMemEvalQuestion> parse_longmemeval(const std::string& json);
std::vector<LongMemEvalQuestion> read_longmemeval(const std::filesystem::path& file);

}  // namespace memd::bench
