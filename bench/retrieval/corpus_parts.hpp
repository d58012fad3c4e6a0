#pragma once

#include "bench/retrieval/datasets.hpp"
#include "bench/retrieval/experiment.hpp"

#include <filesystem>
#include <vector>

// Parts over a home with real histories, and those that ask for what is not there.
namespace memd::bench {

// Names that agents gave to sessions, asked of a copy of the home without them.
Experiment ask_known_items(const Run& run, const std::filesystem::path& home, const std::filesystem::path& phrasings);

// Questions in other words, `file` as in bench/retrieval/paraphrases.json. Questions of the split "final" are asked
// only with `final_split`, and then alone.
Experiment ask_paraphrases(const Run& run, const std::filesystem::path& home, const std::filesystem::path& file,
                           bool final_split);

// Questions of three kinds in the words of their sessions, `file` as in bench/retrieval/questions.json: names and
// commands as they were typed (exact), what was worked on (question), why and what was decided (decision). The split
// "final" as above.
Experiment ask_questions(const Run& run, const std::filesystem::path& home, const std::filesystem::path& file,
                         bool final_split);

// The same two lists, asked from the project of what is right and from the largest others: how often memd says that
// nothing is relevant, or that another project has something better. `questions` is the directory of the lists.
Experiment ask_in_projects(const Run& run, const std::filesystem::path& home, const std::filesystem::path& questions,
                           bool final_split);

// How often memd says that it found nothing: questions about another dialog, and about the dialog itself.
Experiment ask_other_dialogs(const Run& run, const std::vector<LocomoDialog>& dialogs);
// The same of a home: `off_topic` is about what was never talked of there, `paraphrases` about what was.
Experiment ask_off_topic(const Run& run, const std::filesystem::path& home, const std::filesystem::path& off_topic,
                         const std::filesystem::path& paraphrases, bool final_split);

// The same of several homes, made of parts of one. What a part talks of is asked there; what is foreign to it:
// off_topic.json, controls.json, and what other platforms talk of.
Experiment ask_homes(const Run& run, const std::filesystem::path& home, const std::filesystem::path& questions);

}  // namespace memd::bench
