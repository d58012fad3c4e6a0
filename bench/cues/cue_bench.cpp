// Measures precision and recall of each class of cue: the product's heuristics against sentences labelled by a reader.
//
//   cue_bench DIRECTORY/memd.db [LABELS = test/labels/cues.tsv] [--misses | --cues]
//   cue_bench DIRECTORY/memd.db --sentences
//
// The labels identify sentences by hash, so the store has to hold the history they were drawn from. --misses also
// prints the sentences with another label. --cues prints, for each line of the data files, the number of sentences that
// contain it, and the share of those labelled in the half "dev" that are of its class. --sentences prints all sentences
// with the classes that fire, for drawing samples.
#include "schemas/ascii.hpp"
#include "schemas/embedded.hpp"
#include "schemas/event.hpp"
#include "schemas/hash.hpp"
#include "store/db/database.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/summary/decisions.hpp"
#include "store/insight/summary/observations.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/text_units.hpp"
#include "test/support/labels.hpp"
#include "test/support/source_dir.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using namespace memd;
using test::fields_of;
using test::Share;
using test::shown;

// ---- What the product says of one sentence.

// The classes of a sentence. Each class is detected by the rules that serve it in the product.
enum class CueClass : std::uint8_t {
  decision,      // a decision (summaries, resume packs)
  problem,       // a problem (resume packs)
  solved,        // the end of a problem (resume packs)
  constraint,    // a user's prohibition or demand (resume packs)
  next_step,     // remaining work, from the last message of an agent (resume packs)
  test_outcome,  // the result of tests (observations)
  discovery,     // a finding (observations)
  warning,       // a warning (observations)
};
constexpr std::array kCueClasses{CueClass::decision,  CueClass::problem,      CueClass::solved,    CueClass::constraint,
                                 CueClass::next_step, CueClass::test_outcome, CueClass::discovery, CueClass::warning};
constexpr std::array<std::string_view, kCueClasses.size()> kClassNames{
    "decision", "problem", "solved", "constraint", "next_step", "test_outcome", "discovery", "warning"};
constexpr std::size_t at(CueClass c) { return static_cast<std::size_t>(c); }

std::string_view to_string(CueClass c) { return kClassNames[at(c)]; }

std::optional<CueClass> parse_cue_class(std::string_view name) {
  const auto known = std::find(kClassNames.begin(), kClassNames.end(), name);
  if (known == kClassNames.end()) return std::nullopt;
  return static_cast<CueClass>(known - kClassNames.begin());
}

bool is_observed(ObservationType type, std::string_view sentence) {
  const auto found = find_observations(sentence);
  return std::any_of(found.begin(), found.end(), [&](const FoundObservation& o) { return o.type == type; });
}

// Whether the product assigns the class to `sentence`: one sentence without its list mark.
bool says(CueClass cue_class, std::string_view sentence) {
  switch (cue_class) {
    case CueClass::decision: return !find_decisions(sentence).empty();
    case CueClass::problem: return continuity::problem_cues_in(sentence).cues > 0;
    case CueClass::solved: return continuity::problem_cues_in(sentence).resolved;
    case CueClass::constraint: return continuity::binding_force(sentence) > 0;
    case CueClass::next_step: return continuity::states_next_step(sentence, true);
    case CueClass::test_outcome: return is_observed(ObservationType::success, sentence);
    case CueClass::discovery: return is_observed(ObservationType::discovery, sentence);
    case CueClass::warning: return is_observed(ObservationType::warning, sentence);
  }
  return false;
}

using Classes = std::bitset<kCueClasses.size()>;

// The author of a text: a person, an agent that gives another one a task, or the working agent.
enum class Author { person, task, agent };
constexpr std::array<std::string_view, 3> kAuthors{"person", "task", "agent"};

Classes fired(std::string_view sentence) {
  Classes out;
  for (const CueClass c : kCueClasses)
    out[at(c)] = says(c, sentence);
  return out;
}

// Whether the product looks for the class in sentences of this author.
bool is_asked(CueClass c, Author author) { return (c == CueClass::constraint) == (author != Author::agent); }

// ---- Sentences of a store.

struct Sentence {
  std::string platform;
  std::string session;  // native id
  std::string root;     // native id of the main session
  std::int64_t exchange = 0;
  Author author{};
  std::string text;  // on one line
};

void for_each_sentence(sqlite::Database& db, const std::function<void(const Sentence&)>& take) {
  std::unordered_map<std::string, std::pair<std::string, std::string>> sessions;  // uid: native id, uid of the parent
  auto& s = db.prepare("SELECT uid, native_id, parent_uid FROM sessions");
  while (s.step())
    sessions[s.str(0)] = {s.str(1), s.str(2)};
  s.reset();
  const auto root_of = [&](std::string uid) {
    for (int depth = 0; depth < 16; ++depth) {
      const auto it = sessions.find(uid);
      if (it == sessions.end()) break;
      if (it->second.second.empty() || !sessions.contains(it->second.second)) return it->second.first;
      uid = it->second.second;
    }
    return uid;
  };
  auto& q = db.prepare(
      "SELECT uid, platform, exchange_number, origin, coalesce(user_message, ''), coalesce(interventions, ''),"
      " coalesce(assistant_response, '') FROM exchanges JOIN sessions USING (session_pk)"
      " ORDER BY uid, exchange_number");
  while (q.step()) {
    Sentence out;
    out.platform = q.str(1);
    out.session = sessions[q.str(0)].first;
    out.root = root_of(q.str(0));
    out.exchange = q.int64(2);
    const auto origin = static_cast<Origin>(q.int64(3));
    const bool by_client = origin == Origin::injected || origin == Origin::none || origin == Origin::shell;
    const bool by_agent = origin == Origin::parent_agent || origin == Origin::plan;
    const auto cut = [&](std::string_view text, Author author) {
      out.author = author;
      for (const TextUnit& unit : split_units(text)) {
        if (unit.kind != UnitKind::sentence && unit.kind != UnitKind::bullet) continue;
        out.text = ascii::one_line(unit.text);
        take(out);
      }
    };
    if (!by_client) cut(q.text(4), by_agent ? Author::task : Author::person);
    cut(q.text(5), Author::person);
    cut(q.text(6), Author::agent);
  }
  q.reset();
}

std::string joined(const Classes& classes) {
  std::string out;
  for (const CueClass c : kCueClasses)
    if (classes[at(c)]) out.append(out.empty() ? "" : ",").append(to_string(c));
  return out.empty() ? "-" : out;
}

// Returns the half of a session. A session and its subagents are in the same half.
std::string_view half_of(std::string_view root) { return hash64(root) % 2 == 0 ? "dev" : "held"; }

void print_sentences(sqlite::Database& db) {
  for_each_sentence(db, [](const Sentence& s) {
    std::printf("%016llx\t%s\t%s\t%s\t%lld\t%s\t%s\t%s\n", static_cast<unsigned long long>(hash64(s.text)),
                std::string(half_of(s.root)).c_str(), s.platform.c_str(), s.session.c_str(),
                static_cast<long long>(s.exchange), std::string(kAuthors[static_cast<std::size_t>(s.author)]).c_str(),
                joined(fired(s.text)).c_str(), s.text.c_str());
  });
}

// ---- What the reader said.

enum class Stratum { random, fired, loose };

struct Label {
  Stratum stratum{};
  std::string drawn_for;  // the class, if the stratum is not random
  bool held = false;
  Classes classes;
  bool announced = false;  // announces the speaker's immediate next action
  bool found = false;

  // Whether the label counts neither for nor against the class. An announcement is a next step only until the next
  // message. Passing tests suggest that a problem is solved but do not say so.
  bool is_neutral(CueClass c) const {
    if (classes[at(c)]) return false;
    return (c == CueClass::next_step && announced) || (c == CueClass::solved && classes[at(CueClass::test_outcome)]);
  }
};

Label parse_label(const std::vector<std::string_view>& fields) {
  Label out;
  const std::string_view stratum = fields[0];
  out.stratum = stratum == "random" ? Stratum::random : stratum.starts_with("fired") ? Stratum::fired : Stratum::loose;
  if (const auto colon = stratum.find(':'); colon != std::string_view::npos) out.drawn_for = stratum.substr(colon + 1);
  out.held = fields[1] == "held";
  for (const std::string_view name : fields_of(fields[7], ',')) {
    if (const auto c = parse_cue_class(name)) out.classes.set(at(*c));
    out.announced = out.announced || name == "announced";
  }
  return out;
}

// Reads the labels, by hash of the sentence.
std::unordered_map<std::uint64_t, Label> read_labels(const std::string& path) {
  std::unordered_map<std::uint64_t, Label> out;
  test::for_each_label(path, 9, [&](const std::vector<std::string_view>& fields) {
    out[std::stoull(std::string(fields[6]), nullptr, 16)] = parse_label(fields);
  });
  return out;
}

// ---- The comparison.

struct Score {
  // Over the sentences that fire: those drawn at random, and those drawn because they fire for this class.
  Share precision;
  Share recall;        // over positives drawn at random
  Share loose_recall;  // over positives drawn by loose words, without those that fired when drawn
};
using Scores = std::array<std::array<Score, 2>, kCueClasses.size()>;  // class, held

void count(Scores& scores, const Label& label, const Classes& fires, Author author) {
  for (const CueClass c : kCueClasses) {
    if (!is_asked(c, author) || label.is_neutral(c)) continue;
    Score& score = scores[at(c)][label.held ? 1 : 0];
    const bool fires_by_chance =
        label.stratum == Stratum::random || (label.stratum == Stratum::fired && label.drawn_for == to_string(c));
    if (fires[at(c)] && fires_by_chance) score.precision.count(label.classes[at(c)]);
    if (!label.classes[at(c)]) continue;
    if (label.stratum == Stratum::random) score.recall.count(fires[at(c)]);
    if (label.stratum == Stratum::loose) score.loose_recall.count(fires[at(c)]);
  }
}

void print(const Scores& scores) {
  std::puts("| class | half | precision | recall | recall, loose words |\n|---|---|---|---|---|");
  for (const CueClass c : kCueClasses) {
    const auto& [dev, held] = scores[at(c)];
    const Score both{dev.precision + held.precision, dev.recall + held.recall, dev.loose_recall + held.loose_recall};
    for (const auto& [half, score] : {std::pair("dev", dev), std::pair("held", held), std::pair("both", both)})
      std::printf("| %s | %s | %s | %s | %s |\n", std::string(to_string(c)).c_str(), half,
                  shown(score.precision).c_str(), shown(score.recall).c_str(), shown(score.loose_recall).c_str());
  }
}

void print_misses(const Sentence& s, const Label& label, const Classes& fires) {
  for (const CueClass c : kCueClasses)
    if (is_asked(c, s.author) && !label.is_neutral(c) && fires[at(c)] != label.classes[at(c)])
      std::printf("%s %s %s: %s\n", label.held ? "held" : "dev", fires[at(c)] ? "wrongly" : "missed",
                  std::string(to_string(c)).c_str(), s.text.c_str());
}

void compare(sqlite::Database& db, const std::string& labels_file, bool misses) {
  auto labels = read_labels(labels_file);
  Scores scores{};
  std::array<int, kCueClasses.size()> said_by_others{};
  int found = 0;
  for_each_sentence(db, [&](const Sentence& s) {
    const auto it = labels.find(hash64(s.text));
    if (it == labels.end() || it->second.found) return;
    it->second.found = true;
    ++found;
    const Classes fires = fired(s.text);
    count(scores, it->second, fires, s.author);
    for (const CueClass c : kCueClasses)
      said_by_others[at(c)] += it->second.classes[at(c)] && !is_asked(c, s.author) ? 1 : 0;
    if (misses) print_misses(s, it->second, fires);
  });
  print(scores);
  std::printf("\n%d of %zu labelled sentences are in the store. Said by those who are not asked:", found,
              labels.size());
  for (const CueClass c : kCueClasses)
    std::printf(" %s %d", std::string(to_string(c)).c_str(), said_by_others[at(c)]);
  std::puts("");
}

// ---- Single cues.

// One line of a data file. Its index in the list is CueHit::pattern.
struct CueLine {
  std::string section;
  std::string words;
  int sentences = 0;  // sentences of the store that contain it
  Share of_class;     // among the labelled ones in the half "dev"
};

// Returns the lines in the order of CueMatcher's numbers.
std::vector<CueLine> cue_lines() {
  std::vector<CueLine> out;
  std::string section;
  for (const auto& file : embedded::cue_files())
    for (const std::string_view raw : fields_of(file.text, '\n')) {
      const std::string_view line = ascii::trimmed(raw);
      if (line.empty() || line.front() == '#') continue;
      if (line.front() == '[')
        section = line.substr(1, line.find_first_of(" ]") - 1);
      else
        out.push_back({section, std::string(line), 0, {}});
    }
  return out;
}

// Returns the class that a section of the data files supports, or guards against false positives.
std::optional<CueClass> class_of(std::string_view section) {
  constexpr auto kClassOfSection =
      std::to_array<std::pair<std::string_view, CueClass>>({{"settled", CueClass::decision},
                                                            {"contrast", CueClass::decision},
                                                            {"choosing", CueClass::decision},
                                                            {"undecided", CueClass::decision},
                                                            {"declined", CueClass::decision},
                                                            {"taken_back", CueClass::decision},
                                                            {"decisions_told", CueClass::decision},
                                                            {"trouble", CueClass::problem},
                                                            {"harmless", CueClass::problem},
                                                            {"no_complaint", CueClass::problem},
                                                            {"mended", CueClass::solved},
                                                            {"binding", CueClass::constraint},
                                                            {"wished", CueClass::constraint},
                                                            {"order", CueClass::constraint},
                                                            {"narrative", CueClass::constraint},
                                                            {"asking", CueClass::constraint},
                                                            {"request", CueClass::constraint},
                                                            {"ahead", CueClass::next_step},
                                                            {"announced", CueClass::next_step},
                                                            {"announces", CueClass::next_step},
                                                            {"tests_told", CueClass::test_outcome},
                                                            {"tests_pass", CueClass::test_outcome},
                                                            {"tests_named", CueClass::test_outcome},
                                                            {"tests_not_yet", CueClass::test_outcome},
                                                            {"discovery", CueClass::discovery},
                                                            {"warning", CueClass::warning}});
  for (const auto& [name, c] : kClassOfSection)
    if (name == section) return c;
  return std::nullopt;
}

void print_cues(sqlite::Database& db, const std::string& labels_file) {
  const auto labels = read_labels(labels_file);
  std::vector<CueLine> lines = cue_lines();
  CueSet all;
  for (std::size_t cue = 0; cue < kCues; ++cue)
    all |= static_cast<Cue>(cue);
  for_each_sentence(db, [&](const Sentence& s) {
    const auto label = labels.find(hash64(s.text));
    for (const CueHit& hit : cues().all(s.text, all)) {
      CueLine& line = lines.at(hit.pattern);
      ++line.sentences;
      const auto c = class_of(line.section);
      if (c && label != labels.end() && !label->second.held && is_asked(*c, s.author) && !label->second.is_neutral(*c))
        line.of_class.count(label->second.classes[at(*c)]);
    }
  });
  std::puts("section\tcue\tsentences\tclass\tof the class, of judged ones (dev)");
  for (const CueLine& line : lines) {
    const auto c = class_of(line.section);
    std::printf("%s\t%s\t%d\t%s\t%s\n", line.section.c_str(), line.words.c_str(), line.sentences,
                c ? std::string(to_string(*c)).c_str() : "–", shown(line.of_class).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  const auto given = [&](std::string_view name) {
    return std::find(arguments.begin(), arguments.end(), name) != arguments.end();
  };
  if (arguments.empty()) {
    std::fputs("usage: cue_bench DIRECTORY/memd.db [LABELS] [--misses | --cues | --sentences]\n", stderr);
    return 2;
  }
  try {
    auto db = sqlite::Database::open(std::string(arguments[0]), sqlite::OpenMode::read_only);
    const bool named = arguments.size() > 1 && !arguments[1].starts_with("--");
    const std::string labels =
        named ? std::string(arguments[1]) : (test::source_dir() / "test/labels/cues.tsv").string();
    if (given("--sentences"))
      print_sentences(db);
    else if (given("--cues"))
      print_cues(db, labels);
    else
      compare(db, labels, given("--misses"));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cue_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
