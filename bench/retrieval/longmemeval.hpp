#pragma once

#include "bench/retrieval/experiment.hpp"
#include "schemas/time.hpp"

#include <filesystem>
#include <string>
#include <vector>

// LongMemEval (Wu et al., ICLR 2025), in the file format of its authors: an array of questions, each with the
// sessions it is to be found among.
namespace memd::bench {

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

// An index a question.
Experiment ask_longmemeval(const Run& run, const std::vector<LongMemEvalQuestion>& questions);

}  // namespace memd::bench
