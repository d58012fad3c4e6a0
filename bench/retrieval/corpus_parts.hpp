#pragma once

#include "bench/retrieval/datasets.hpp"
#include "bench/retrieval/experiment.hpp"

#include <filesystem>
#include <vector>

// Parts over a home with real histories, and parts that ask for absent content.
namespace memd::bench {

// Asks for the names that agents gave to sessions, in a copy of the home without these names.
Experiment ask_known_items(const Run& run, const std::filesystem::path& home, const std::filesystem::path& phrasings);

// Asks paraphrased questions; `file` is like bench/retrieval/paraphrases.json. With `final_split`, asks only the
// questions of the split "final"; without it, all others.
Experiment ask_paraphrases(const Run& run, const std::filesystem::path& home, const std::filesystem::path& file,
                           bool final_split);

// Asks questions of three kinds in the words of their sessions; `file` is like bench/retrieval/questions.json: names
// and commands as they were typed (exact), what was worked on (question), why and what was decided (decision).
// `final_split` as above.
Experiment ask_questions(const Run& run, const std::filesystem::path& home, const std::filesystem::path& file,
                         bool final_split);

// Asks the same two lists from the project of the right answer and from the largest other ones. Measures how often memd
// says that nothing is relevant, or that another project has something better. `questions` is the directory of the
// lists.
Experiment ask_in_projects(const Run& run, const std::filesystem::path& home, const std::filesystem::path& questions,
                           bool final_split);

// Measures how often memd says that it found nothing, for questions about another dialog and about the dialog itself.
Experiment ask_other_dialogs(const Run& run, const std::vector<LocomoDialog>& dialogs);
// Measures the same for a home: `off_topic` is about subjects that never occurred there, `paraphrases` about some that
// did.
Experiment ask_off_topic(const Run& run, const std::filesystem::path& home, const std::filesystem::path& off_topic,
                         const std::filesystem::path& paraphrases, bool final_split);

// Measures the same for several homes, made of parts of one. Each is asked about its own subjects and about foreign
// ones: off_topic.json, controls.json, and subjects of other platforms.
Experiment ask_homes(const Run& run, const std::filesystem::path& home, const std::filesystem::path& questions);

}  // namespace memd::bench
