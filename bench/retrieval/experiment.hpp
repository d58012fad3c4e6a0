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
// Of exchanges, where session uids stand among the relevant keys.
Measure session_hit_at(std::size_t k);
// memd says that nothing is relevant; or that, or that its first hit is of low confidence, or it has no hit.
Measure says_nothing_relevant();
Measure says_low_confidence();

// memd says that there is more outside the project it looked at; that another has a better hit; one that is right.
Measure tells_of_more();
Measure tells_of_better();
Measure names_right_project();

// Group of questions of which a memd that says that nothing is relevant is wrong.
inline constexpr const char* kTalkedOf = "talked of";

// Methods, in the order of the tables. also: hybrid with other phrasings in the same call. project and elsewhere:
// hybrid, asked from a directory.
inline constexpr const char* kMethods[] = {"fts5",   "memd", "lexical", "semantic",  "rrf",
                                           "hybrid", "also", "project", "elsewhere", "teacher"};

class RankingCases;
class TeacherVectors;
class TextDump;

// What all parts of one invocation share; pointers may be null and are not owned.
struct Run {
  std::filesystem::path memd;
  const TeacherVectors* teacher = nullptr;  // a further method
  TextDump* texts = nullptr;                // texts are written down, and nothing is asked
  RankingCases* cases = nullptr;            // what is ranked for each question is kept, and nothing is measured
};

// What one method made of the questions; a value for each question, in the order they were asked.
struct MethodRun {
  std::vector<std::vector<double>> values;  // by measure
  std::vector<double> milliseconds;
};

// Questions of one kind, asked of one or several homes by every method there is.
class Experiment {
 public:
  struct Plan {
    std::string name;   // of the part, as --part takes it
    std::string title;  // what is measured
    Unit unit = Unit::exchange;
    std::vector<Measure> measures;
    std::vector<std::string> groups;   // of questions: a table each, in this order
    std::vector<std::string> details;  // further groups, in the JSON only
    bool memd_only = false;            // measures what only memd's answers say
    bool in_project = false;           // asks from Question::directory
  };
  Experiment(Plan plan, const Run& run) : plan_(std::move(plan)), run_(run) {}

  // Asks by every method there is; `memd` is the tool without a mode, for one that has none.
  void ask(IndexedHome& home, const std::vector<Question>& questions);

  const Plan& plan() const { return plan_; }
  const std::vector<Question>& questions() const { return questions_; }
  const std::map<std::string, MethodRun>& runs() const { return runs_; }
  // Indexes of the questions of a group.
  std::vector<std::size_t> members(const std::string& group) const;

 private:
  void ask_memd(SearchTool& tool, const Question& question);
  void add(const std::string& method, const Question& question, const RankedList& list);

  Plan plan_;
  const Run& run_;
  bool told_ = false;
  bool has_also_ = false;  // some question has other phrasings
  std::vector<Question> questions_;
  std::map<std::string, MethodRun> runs_;
};

// Tables on stdout as experiments end, and all of it as one JSON document. Each mean with its 95% interval, and the
// difference to the anchor (memd's lexical mode where there is one, else FTS5) with its own; * marks one beyond noise.
class Report {
 public:
  void add(const Experiment& experiment);
  void write_json(const std::filesystem::path& file) const;  // throws std::runtime_error

 private:
  std::string add_group(const Experiment& experiment, const std::string& group);  // the table

  std::string experiments_;  // JSON objects, with commas between
};

}  // namespace memd::bench
