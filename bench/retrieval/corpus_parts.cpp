#include "bench/retrieval/corpus_parts.hpp"

#include "bench/retrieval/dataset_parts.hpp"
#include "bench/retrieval/datasets.hpp"
#include "store/db/database.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>

namespace memd::bench {
namespace fs = std::filesystem;
namespace {

boost::json::value read_json(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return boost::json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
}

// Returns exchange ids and session uids of the targets and of exchanges with the same text, because memd shows only one
// of them.
std::set<std::string> targets(const boost::json::array& listed, const std::vector<Document>& documents,
                              const std::string& question) {
  std::set<std::string> keys;
  std::set<std::string_view> texts;
  for (const auto& target : listed) {
    const std::string uid(target.at("session").as_string());
    std::set<std::int64_t> numbers;
    for (const auto& number : target.at("exchanges").as_array())
      numbers.insert(number.as_int64());
    for (const Document& document : documents) {
      if (document.session_uid != uid || numbers.erase(document.number) == 0) continue;
      texts.insert(document.text);
    }
    if (!numbers.empty()) throw std::runtime_error("no such exchange of " + uid + ", for: " + question);
  }
  for (const Document& document : documents) {
    if (!texts.contains(document.text)) continue;
    keys.insert(document.exchange_id);
    keys.insert(document.session_uid);
  }
  return keys;
}

// Reads alternative phrasings by question, as an agent would send them.
std::map<std::string, std::vector<std::string>> read_phrasings(const fs::path& file) {
  std::map<std::string, std::vector<std::string>> out;
  const boost::json::value data = read_json(file);
  for (const auto& one : data.at("phrasings").as_array())
    out[std::string(one.at("question").as_string())] = boost::json::value_to<std::vector<std::string>>(one.at("also"));
  return out;
}

std::vector<Question> read_paraphrases(const fs::path& file, const std::vector<Document>& documents, bool final_split) {
  std::vector<Question> questions;
  const boost::json::value data = read_json(file);
  const auto phrasings = read_phrasings(file.parent_path() / "phrasings.json");
  for (const auto& pair : data.at("pairs").as_array()) {
    const std::string split(pair.at("split").as_string());
    if ((split == "final") != final_split) continue;
    Question question{
        std::string(pair.at("question").as_string()), {split, std::string(pair.at("kind").as_string())}, {}};
    question.relevant = targets(pair.at("targets").as_array(), documents, question.text);
    if (const auto known = phrasings.find(question.text); known != phrasings.end()) question.also = known->second;
    questions.push_back(std::move(question));
  }
  return questions;
}

// Sets the directories that questions are asked from: the project of the right answer, and the largest other one.
void place(std::vector<Question>& questions, const std::vector<Document>& documents) {
  std::map<std::string, std::size_t> exchanges;
  for (const Document& document : documents)
    if (!document.project.empty()) ++exchanges[document.project];
  for (Question& question : questions) {
    for (const Document& document : documents)
      if (question.directory.empty() &&
          (question.relevant.contains(document.exchange_id) || question.relevant.contains(document.session_uid)))
        question.directory = document.project;
    std::size_t most = 0;
    for (const auto& [project, count] : exchanges)
      if (project != question.directory && count > most) {
        question.elsewhere = project;
        most = count;
      }
  }
}

constexpr std::size_t kAskedFrom = 4;  // number of the largest projects to ask from
constexpr const char* kInOwn = "from its own project: less is better";
constexpr const char* kInOther = "from another project: more is better";

std::vector<std::string> largest_projects(const std::vector<Document>& documents) {
  std::map<std::string, std::size_t> exchanges;
  for (const Document& document : documents)
    if (!document.project.empty()) ++exchanges[document.project];
  std::vector<std::string> out;
  for (const auto& [project, count] : exchanges)
    out.push_back(project);
  std::ranges::stable_sort(out, [&](const auto& a, const auto& b) { return exchanges[a] > exchanges[b]; });
  out.resize(std::min(out.size(), kAskedFrom));
  return out;
}

IndexedHome index_copy(const Run& run, const fs::path& home, bool with_names) {
  return {run.memd, [&](const fs::path& copy) {
            copy_history(home, copy);
            if (!with_names) remove_session_names(copy);
          }};
}

// A part of a home's history, served as a separate home.
struct HomePart {
  const char* name;
  bool of_claude;
  int half;  // half of Claude Code's projects; 0: not split
  bool train;
};
constexpr HomePart kHomeParts[] = {{"one", true, 1, true}, {"two", true, 2, false}, {"three", false, 0, false}};

void keep_only(const HomePart& part, const fs::path& home) {
  const fs::path claude = home / ".claude/projects";
  if (!part.of_claude) {
    fs::remove_all(claude);
    return;
  }
  for (const char* other : {".codex", ".config", ".gemini", ".local"})
    fs::remove_all(home / other);
  std::set<fs::path> projects;
  for (const auto& entry : fs::directory_iterator(claude))
    projects.insert(entry.path());
  std::size_t at = 0;
  for (const fs::path& project : projects)
    if ((++at <= projects.size() / 2) != (part.half == 1)) fs::remove_all(project);
}

// Returns the name of the group for a kind and a half.
std::string half_of(const std::string& kind, const std::string& half) { return kind + ", " + half; }

Experiment flagging(std::string name, std::string title, const std::vector<std::string>& kinds, const Run& run) {
  std::vector<std::string> groups;
  for (const std::string& kind : kinds)
    groups.insert(groups.end(), {kind, half_of(kind, "train"), half_of(kind, "test")});
  return {{std::move(name),
           std::move(title),
           Unit::exchange,
           {says_nothing_relevant(), says_low_confidence()},
           std::move(groups),
           {},
           true},
          run};
}

}  // namespace

Experiment ask_known_items(const Run& run, const fs::path& home, const fs::path& phrasings) {
  const auto also = read_phrasings(phrasings);
  std::vector<Question> questions;
  for (auto& [name, sessions] : session_names(home)) {
    Question& question = questions.emplace_back(Question{name, {"all", "test"}, sessions});
    if (const auto known = also.find(name); known != also.end()) question.also = known->second;
  }
  IndexedHome nameless = index_copy(run, home, false);
  place(questions, nameless.documents());
  auto db = sqlite::Database::open(nameless.database(), sqlite::OpenMode::read_only);
  auto& named = db.prepare("SELECT count(*) FROM sessions WHERE title_rank > 0");
  if (!named.step() || named.int64(0) != 0) throw std::runtime_error("names of sessions are left in the home");
  Experiment experiment({"known-items",
                         "names of sessions, not indexed themselves",
                         Unit::session,
                         {hit_at(1), hit_at(5), mean_reciprocal_rank(), tells_of_more()},
                         {"all"},
                         {}},
                        run);
  experiment.ask(nameless, questions);
  return experiment;
}

Experiment ask_paraphrases(const Run& run, const fs::path& home, const fs::path& file, bool final_split) {
  IndexedHome indexed = index_copy(run, home, true);
  auto questions = read_paraphrases(file, indexed.documents(), final_split);
  place(questions, indexed.documents());
  std::set<std::string> kinds;
  for (const Question& question : questions)
    kinds.insert(question.groups.back());
  Experiment experiment({"paraphrases",
                         "what was talked of, in other words",
                         Unit::exchange,
                         {hit_at(1), hit_at(5), mean_reciprocal_rank(), session_hit_at(1), session_hit_at(5),
                          tells_of_more(), says_nothing_relevant()},
                         final_split ? std::vector<std::string>{"final"} : std::vector<std::string>{"train", "test"},
                         {kinds.begin(), kinds.end()}},
                        run);
  experiment.ask(indexed, questions);
  return experiment;
}

Experiment ask_questions(const Run& run, const fs::path& home, const fs::path& file, bool final_split) {
  IndexedHome indexed = index_copy(run, home, true);
  Experiment experiment({"questions",
                         "what was talked of, in its own words",
                         Unit::session,
                         {hit_at(1), hit_at(5), mean_reciprocal_rank(), says_nothing_relevant()},
                         {"exact", "question", "decision"},
                         {}},
                        run);
  experiment.ask(indexed, read_paraphrases(file, indexed.documents(), final_split));
  return experiment;
}

Experiment ask_in_projects(const Run& run, const fs::path& home, const fs::path& questions, bool final_split) {
  Experiment experiment({"in-projects",
                         "asked from the project of what is right, and from others",
                         Unit::exchange,
                         {says_nothing_relevant(), tells_of_better(), names_right_project()},
                         {kInOther, kInOwn},
                         {},
                         true,
                         true},
                        run);
  IndexedHome indexed = index_copy(run, home, true);
  std::map<std::string, std::string> project_of;  // project by exchange
  for (const Document& document : indexed.documents())
    project_of[document.exchange_id] = document.project;
  const std::vector<std::string> largest = largest_projects(indexed.documents());
  std::vector<Question> list;
  for (const char* file : {"paraphrases.json", "questions.json"}) {
    for (Question& question : read_paraphrases(questions / file, indexed.documents(), final_split)) {
      std::set<std::string> own;
      for (const std::string& key : question.relevant)
        if (const auto at = project_of.find(key); at != project_of.end() && !at->second.empty()) own.insert(at->second);
      if (own.empty()) continue;
      question.relevant.insert(own.begin(), own.end());
      std::set<std::string> asked_from(largest.begin(), largest.end());
      asked_from.insert(own.begin(), own.end());
      for (const std::string& project : asked_from) {
        Question& one = list.emplace_back(question);
        one.directory = project;
        one.groups.emplace_back(own.contains(project) ? kInOwn : kInOther);
      }
    }
  }
  experiment.ask(indexed, list);
  return experiment;
}

Experiment ask_other_dialogs(const Run& run, const std::vector<LocomoDialog>& dialogs) {
  const std::string other = "of another dialog: more is better";
  const std::string own = "of the dialog, categories 1–4: less is better";
  const auto half = [](std::size_t dialog) -> std::string { return dialog < kTrainDialogs ? "train" : "test"; };
  Experiment experiment = flagging("negative-locomo", "LoCoMo, an index a dialog", {other, own}, run);
  for (std::size_t i = 0; i < dialogs.size(); ++i) {
    IndexedHome home(run.memd, [&](const fs::path& directory) { write_dialog(directory, dialogs[i], i); });
    std::vector<Question> questions;
    const std::string dialog = "dialog " + std::to_string(i + 1);
    for (const LocomoQuestion& asked : dialogs[i].questions)
      if (asked.category != 5 && !asked.evidence.empty())
        questions.push_back({asked.text, {own, half(i), half_of(own, half(i)), dialog, kTalkedOf}, {}});
    for (const LocomoQuestion& asked : dialogs[(i + 1) % dialogs.size()].questions)
      questions.push_back({asked.text, {other, half(i), half_of(other, half(i)), dialog}, {}});
    experiment.ask(home, questions);
  }
  return experiment;
}

Experiment ask_homes(const Run& run, const fs::path& home, const fs::path& questions) {
  Experiment experiment({"homes",
                         "several homes, what each talks of and what it does not",
                         Unit::exchange,
                         {says_nothing_relevant(), says_low_confidence()},
                         {"never", kTalkedOf, "never, train", "talked of, train", "never, test", "talked of, test"},
                         {},
                         true},
                        run);
  std::vector<std::string> never;
  for (const char* file : {"off_topic.json", "controls.json"}) {
    const boost::json::value data = read_json(questions / file);
    for (const auto& text : data.at("questions").as_array())
      never.emplace_back(text.as_string());
  }
  const auto phrasings = read_phrasings(questions / "phrasings.json");
  boost::json::array pairs;
  for (const char* file : {"paraphrases.json", "questions.json"}) {
    const boost::json::value data = read_json(questions / file);
    const boost::json::array& listed = data.at("pairs").as_array();
    pairs.insert(pairs.end(), listed.begin(), listed.end());
  }
  for (const HomePart& part : kHomeParts) {
    IndexedHome indexed(run.memd, [&](const fs::path& copy) {
      copy_history(home, copy);
      keep_only(part, copy);
    });
    std::set<std::string> sessions;
    for (const Document& document : indexed.documents())
      sessions.insert(document.session_uid);
    std::vector<Question> list;
    const std::string half = part.train ? "train" : "test";
    const auto add = [&](const std::string& text, const std::string& group, const std::string& kind) {
      list.push_back({text, {half, group, group + ", " + half, "home " + std::string(part.name), kind}, {}});
      if (const auto known = phrasings.find(text); known != phrasings.end()) list.back().also = known->second;
    };
    for (const std::string& text : never)
      add(text, "never", "control");
    for (const auto& pair : pairs) {
      const std::string uid(pair.at("targets").at(0).at("session").as_string());
      const std::string text(pair.at("question").as_string());
      const std::string kind(pair.at("kind").as_string());
      if (sessions.contains(uid))
        add(text, kTalkedOf, kind);
      else if (uid.starts_with("claude_code:") != part.of_claude)
        add(text, "never", kind);  // from another project
    }
    experiment.ask(indexed, list);
  }
  return experiment;
}

Experiment ask_off_topic(const Run& run, const fs::path& home, const fs::path& off_topic, const fs::path& paraphrases,
                         bool final_split) {
  const std::string never = "never talked of: more is better";
  const std::string talked = "talked of, in other words: less is better";
  IndexedHome indexed = index_copy(run, home, true);
  std::vector<Question> questions;
  const boost::json::value data = read_json(off_topic);
  for (const auto& text : data.at("questions").as_array()) {
    const std::string half = questions.size() % 2 == 0 ? "train" : "test";
    questions.push_back({std::string(text.as_string()), {never, half, half_of(never, half)}, {}});
  }
  for (Question& question : read_paraphrases(paraphrases, indexed.documents(), final_split)) {
    const std::string half = question.groups.front();
    questions.push_back({question.text, {talked, half, half_of(talked, half), kTalkedOf}, {}});
    questions.back().also = question.also;
  }
  Experiment experiment = flagging("negative-corpus", "a home with real histories", {never, talked}, run);
  experiment.ask(indexed, questions);
  return experiment;
}

}  // namespace memd::bench
