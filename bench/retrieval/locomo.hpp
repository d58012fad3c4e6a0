#pragma once

#include "bench/retrieval/experiment.hpp"
#include "schemas/time.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

// LoCoMo (Maharana et al., ACL 2024), in the file format of its authors.
namespace memd::bench {

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

// Dialogs before this one are there to fit weights on, the others to judge them.
inline constexpr std::size_t kTrainDialogs = 3;

// The sessions of a dialog as transcripts, speaker A the user; session uids by session number.
std::map<int, std::string> write_dialog(const std::filesystem::path& home, const LocomoDialog& dialog,
                                        std::size_t collection);

// Every turn of all dialogs an exchange, all in one index. Evidence turns are looked for.
Experiment ask_locomo_turns(const Run& run, const std::vector<LocomoDialog>& dialogs);
// Every session a transcript. Evidence sessions are looked for: among those of the dialog, and
// among those of all dialogs in one index.
Experiment ask_locomo_sessions(const Run& run, const std::vector<LocomoDialog>& dialogs, bool all_in_one);

}  // namespace memd::bench
