#pragma once

#include "bench/retrieval/datasets.hpp"
#include "bench/retrieval/experiment.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

// Parts over public data sets. Their conversations are written as transcripts of Claude Code and served by a memd.
namespace memd::bench {

// The dialogs before this one are for fitting weights, the others for testing.
inline constexpr std::size_t kTrainDialogs = 3;

// Writes the sessions of a dialog as transcripts; speaker A is the user. Returns session uids by session number.
std::map<int, std::string> write_dialog(const std::filesystem::path& home, const LocomoDialog& dialog,
                                        std::size_t collection);

// Searches for evidence turns: each turn is an exchange, all dialogs share one index.
Experiment ask_locomo_turns(const Run& run, const std::vector<LocomoDialog>& dialogs);
// Searches for evidence sessions among those of the dialog, or among those of all dialogs in one index.
Experiment ask_locomo_sessions(const Run& run, const std::vector<LocomoDialog>& dialogs, bool all_in_one);

// Makes an index for each question.
Experiment ask_longmemeval(const Run& run, const std::vector<LongMemEvalQuestion>& questions);

}  // namespace memd::bench
