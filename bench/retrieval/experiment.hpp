#pragma once

#include "bench/retrieval/indexed_home.hpp"
#include "bench/retrieval/question.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace memd::bench {

struct Measure {
  std::string name;
  std::function<double(const RankedList&, Unit, const std::set<std::string>& relevant)> value;
};
Measure recall_at(std::size_t k);
Measure ndcg_at(std::size_t k);
Measure hit_at(std::size_t k);
Measure mean_reciprocal_rank();
// For rankings of exchanges whose relevant keys include session uids.
Measure session_hit_at(std::size_t k);
// Measures of negative answers: memd says that nothing is relevant; or that, or its first hit has low confidence, or
// there is no hit.
Measure says_nothing_relevant();
Measure says_low_confidence();

// Measures of hints to other projects: memd says that there is more outside the searched project; that another one has
// a better hit; and that one is right.
Measure tells_of_more();
Measure tells_of_better();
Measure names_right_project();

// Group of questions for which the answer "nothing is relevant" is wrong.
inline constexpr const char* kTalkedOf = "talked of";

// Methods, in the order of the tables. once: hybrid without the second look. also: hybrid with further phrasings in the
// same call. project and elsewhere: hybrid, asked from a directory.
inline constexpr const char* kMethods[] = {"fts5",   "memd", "lexical", "semantic",  "rrf",    "once",
                                           "hybrid", "also", "project", "elsewhere", "teacher"};

class RankingCases;
class TeacherVectors;
class TextDump;

// Inputs shared by all parts of one invocation. Pointers may be null and are not owned.
struct Run {
  std::filesystem::path memd;
  const TeacherVectors* teacher = nullptr;  // if set, one more method
  TextDump* texts = nullptr;                // if set, texts are written and nothing is asked
  RankingCases* cases = nullptr;            // if set, the ranked candidates are recorded and nothing is measured
};

// The results of one method: a value for each question, in the order they were asked.
struct MethodRun {
  std::vector<std::vector<double>> values;  // by measure
  std::vector<double> milliseconds;
};

// Questions of one kind, asked in one or several homes by every available method.
class Experiment {
 public:
  struct Plan {
    std::string name;   // name of the part, as for --part
    std::string title;  // description of the measurement
    Unit unit = Unit::exchange;
    std::vector<Measure> measures;
    std::vector<std::string> groups;   // groups of questions: a table each, in this order
    std::vector<std::string> details;  // further groups, in the JSON only
    bool memd_only = false;            // measures something that only memd's answers contain
    bool in_project = false;           // asks from Question::directory
  };
  Experiment(Plan plan, const Run& run) : plan_(std::move(plan)), run_(run) {}

  // Asks by every available method. `memd` is the tool without the argument `mode`, for a memd that lacks it.
  void ask(IndexedHome& home, const std::vector<Question>& questions);

  const Plan& plan() const { return plan_; }
  const std::vector<Question>& questions() const { return questions_; }
  const std::map<std::string, MethodRun>& runs() const { return runs_; }
  // Returns the indexes of the questions of a group.
  std::vector<std::size_t> members(const std::string& group) const;

 private:
  void ask_once(SearchTool& tool, const std::vector<Question>& questions);
  void ask_memd(SearchTool& tool, const Question& question);
  void add(const std::string& method, const Question& question, const RankedList& list);

  Plan plan_;
  const Run& run_;
  bool told_ = false;
  bool has_also_ = false;  // some question has alternative phrasings
  std::vector<Question> questions_;
  std::map<std::string, MethodRun> runs_;
};

// Prints tables to stdout as experiments end, and writes everything as one JSON document. Each mean has its 95%
// interval, and so has its difference to the anchor (memd's lexical mode if present, else FTS5); * marks a significant
// difference.
class Report {
 public:
  void add(const Experiment& experiment);
  void write_json(const std::filesystem::path& file) const;  // throws std::runtime_error

 private:
  std::string add_group(const Experiment& experiment, const std::string& group);  // returns the table

  std::string experiments_;  // JSON objects, with commas between
};

}  // namespace memd::bench
