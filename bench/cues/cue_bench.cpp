// Precision and recall of each class of cue: what the product's heuristics say of sentences that a reader has judged.
//
//   cue_bench DIRECTORY/memd.db [LABELS = test/labels/cues.tsv] [--misses]
//   cue_bench DIRECTORY/memd.db --sentences
//
// The labels name sentences by hash: the store has to hold the history they were drawn from. --misses also prints the
// sentences that were judged otherwise. --sentences prints all sentences with the classes that fire, to draw from.
#include "schemas/hash.hpp"
#include "store/db/database.hpp"
#include "store/insight/continuity/evidence.hpp"
#include "store/insight/summary/decisions.hpp"
#include "store/insight/summary/observations.hpp"
#include "store/insight/summary/open_ends.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using namespace memd;

constexpr std::array<std::string_view, 8> kClasses{"decision",  "problem",      "solved",    "constraint",
                                                   "next_step", "test_outcome", "discovery", "warning"};
enum Class : std::size_t { decision, problem, solved, constraint, next_step, test_outcome, discovery, warning };
using Classes = std::bitset<kClasses.size()>;

// Who wrote a text: a person, an agent that sets a task for another one, or the agent that works.
enum class Voice { person, task, agent };
constexpr std::array<std::string_view, 3> kVoices{"person", "task", "agent"};

// ---- What the product says of one sentence.

bool observed(std::string_view sentence, std::initializer_list<ObservationType> types) {
  const auto found = find_observations(sentence);
  return std::any_of(found.begin(), found.end(), [&](const FoundObservation& o) {
    return std::find(types.begin(), types.end(), o.type) != types.end();
  });
}

// The past of a session that holds these messages and nothing else.
continuity::SessionPast past_of(continuity::Speaker speaker, std::initializer_list<std::string_view> texts) {
  continuity::SessionPast past;
  past.exchanges.emplace_back();
  for (const std::string_view text : texts)
    past.texts.push_back({speaker, text, 0, 0});
  return past;
}

constexpr std::string_view kNeutral = "Here is the file.";
constexpr std::string_view kTrouble = "The parser of the second format is broken on empty lines.";

Classes fired(std::string_view sentence, Voice voice) {
  using continuity::Speaker;
  Classes out;
  continuity::WorkingState state;
  if (voice != Voice::agent) {
    continuity::find_constraints(past_of(Speaker::user, {sentence}), state);
    out[constraint] = !state.constraints.empty() || !find_rules(sentence).empty();
    return out;
  }
  out[decision] = !find_decisions(sentence).empty();
  continuity::find_problems(past_of(Speaker::agent, {sentence, kNeutral}), state);
  out[problem] = !state.problems.empty() || observed(sentence, {ObservationType::problem});
  continuity::WorkingState after_trouble;
  continuity::find_problems(past_of(Speaker::agent, {kTrouble, sentence, kNeutral}), after_trouble);
  out[solved] =
      after_trouble.problems.empty() || observed(sentence, {ObservationType::bugfix, ObservationType::solution});
  continuity::find_next_steps(past_of(Speaker::agent, {sentence, kNeutral}), state);
  std::array<SummaryInput, 2> answers;
  answers[0].assistant_response = sentence;
  answers[1].assistant_response = kNeutral;
  out[next_step] = !state.next_steps.empty() || !find_open_ends(answers).empty();
  out[test_outcome] = observed(sentence, {ObservationType::success});
  out[discovery] = observed(sentence, {ObservationType::discovery});
  out[warning] = observed(sentence, {ObservationType::warning});
  return out;
}

// Whose sentences the product asks for a class.
bool is_asked(std::size_t of_class, Voice voice) { return (of_class == constraint) == (voice != Voice::agent); }

// ---- Sentences of a store.

struct Sentence {
  std::string platform;
  std::string session;  // native id
  std::string root;     // native id of the main session
  std::int64_t exchange = 0;
  Voice voice{};
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
    const auto cut = [&](std::string_view text, Voice voice) {
      out.voice = voice;
      for (const TextUnit& unit : split_units(text)) {
        if (unit.kind != UnitKind::sentence && unit.kind != UnitKind::bullet) continue;
        out.text = one_line(unit.text);
        take(out);
      }
    };
    if (!by_client) cut(q.text(4), by_agent ? Voice::task : Voice::person);
    cut(q.text(5), Voice::person);
    cut(q.text(6), Voice::agent);
  }
  q.reset();
}

std::string joined(const Classes& classes) {
  std::string out;
  for (std::size_t c = 0; c < kClasses.size(); ++c)
    if (classes[c]) out.append(out.empty() ? "" : ",").append(kClasses[c]);
  return out.empty() ? "-" : out;
}

// Sessions go to one half or the other as a whole, with their subagents.
std::string_view half_of(std::string_view root) { return hash64(root) % 2 == 0 ? "dev" : "held"; }

void print_sentences(sqlite::Database& db) {
  for_each_sentence(db, [](const Sentence& s) {
    std::printf("%016llx\t%s\t%s\t%s\t%lld\t%s\t%s\t%s\n", static_cast<unsigned long long>(hash64(s.text)),
                std::string(half_of(s.root)).c_str(), s.platform.c_str(), s.session.c_str(),
                static_cast<long long>(s.exchange), std::string(kVoices[static_cast<std::size_t>(s.voice)]).c_str(),
                joined(fired(s.text, s.voice)).c_str(), s.text.c_str());
  });
}

// ---- What the reader said.

enum class Stratum { random, fired, loose };

struct Label {
  Stratum stratum{};
  std::string drawn_for;  // the class, of a stratum that is not random
  bool held = false;
  Classes classes;
  bool found = false;
};

std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(separator, at), line.size());
    out.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

Label parse_label(const std::vector<std::string_view>& fields) {
  Label out;
  const std::string_view stratum = fields[0];
  out.stratum = stratum == "random" ? Stratum::random : stratum.starts_with("fired") ? Stratum::fired : Stratum::loose;
  if (const auto colon = stratum.find(':'); colon != std::string_view::npos) out.drawn_for = stratum.substr(colon + 1);
  out.held = fields[1] == "held";
  for (const std::string_view name : fields_of(fields[7], ',')) {
    const auto it = std::find(kClasses.begin(), kClasses.end(), name);
    if (it != kClasses.end()) out.classes.set(static_cast<std::size_t>(it - kClasses.begin()));
  }
  return out;
}

// By the hash of the sentence.
std::unordered_map<std::uint64_t, Label> read_labels(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::unordered_map<std::uint64_t, Label> out;
  for (std::string line; std::getline(file, line);) {
    const auto fields = fields_of(line, '\t');
    if (line.empty() || line.front() == '#' || fields.front() == "stratum") continue;
    if (fields.size() != 9) throw std::runtime_error("not a label: " + line);
    out[std::stoull(std::string(fields[6]), nullptr, 16)] = parse_label(fields);
  }
  return out;
}

// ---- The comparison.

struct Share {
  int of = 0;
  int all = 0;

  void count(bool hit) {
    ++all;
    of += hit ? 1 : 0;
  }
};

// "75% 3/4 (30–95)": with the 95% interval of Wilson.
std::string shown(const Share& share) {
  if (share.all == 0) return "–";
  constexpr double kZ = 1.96;
  const double n = share.all;
  const double p = share.of / n;
  const double middle = (p + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double reach = kZ * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n)) / (1 + kZ * kZ / n);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.0f%% %d/%d (%.0f–%.0f)", 100 * p, share.of, share.all,
                100 * std::max(0.0, middle - reach), 100 * std::min(1.0, middle + reach));
  return text.data();
}

struct Score {
  // Of the sentences that fire: those drawn at random, and those drawn because they fire for this class.
  Share precision;
  Share recall;        // of the positives drawn at random
  Share loose_recall;  // of the positives drawn by loose words, which leave out what fired when they were drawn
};
using Scores = std::array<std::array<Score, 2>, kClasses.size()>;  // class, held

void count(Scores& scores, const Label& label, const Classes& fires, Voice voice) {
  for (std::size_t c = 0; c < kClasses.size(); ++c) {
    if (!is_asked(c, voice)) continue;
    Score& score = scores[c][label.held ? 1 : 0];
    const bool counts = label.stratum == Stratum::random || label.drawn_for == kClasses[c];
    if (fires[c] && counts && label.stratum != Stratum::loose) score.precision.count(label.classes[c]);
    if (!label.classes[c]) continue;
    if (label.stratum == Stratum::random) score.recall.count(fires[c]);
    if (label.stratum == Stratum::loose) score.loose_recall.count(fires[c]);
  }
}

Share operator+(const Share& a, const Share& b) { return {a.of + b.of, a.all + b.all}; }

void print(const Scores& scores) {
  std::puts("| class | half | precision | recall | recall, loose words |\n|---|---|---|---|---|");
  for (std::size_t c = 0; c < kClasses.size(); ++c) {
    const auto& [dev, held] = scores[c];
    const Score both{dev.precision + held.precision, dev.recall + held.recall, dev.loose_recall + held.loose_recall};
    for (const auto& [half, score] : {std::pair("dev", dev), std::pair("held", held), std::pair("both", both)})
      std::printf("| %s | %s | %s | %s | %s |\n", std::string(kClasses[c]).c_str(), half,
                  shown(score.precision).c_str(), shown(score.recall).c_str(), shown(score.loose_recall).c_str());
  }
}

void print_misses(const Sentence& s, const Label& label, const Classes& fires) {
  for (std::size_t c = 0; c < kClasses.size(); ++c)
    if (is_asked(c, s.voice) && fires[c] != label.classes[c])
      std::printf("%s %s %s: %s\n", label.held ? "held" : "dev", fires[c] ? "wrongly" : "missed",
                  std::string(kClasses[c]).c_str(), s.text.c_str());
}

void compare(sqlite::Database& db, const std::string& labels_file, bool misses) {
  auto labels = read_labels(labels_file);
  Scores scores{};
  std::array<int, kClasses.size()> said_by_others{};
  int found = 0;
  for_each_sentence(db, [&](const Sentence& s) {
    const auto it = labels.find(hash64(s.text));
    if (it == labels.end() || it->second.found) return;
    it->second.found = true;
    ++found;
    const Classes fires = fired(s.text, s.voice);
    count(scores, it->second, fires, s.voice);
    for (std::size_t c = 0; c < kClasses.size(); ++c)
      said_by_others[c] += it->second.classes[c] && !is_asked(c, s.voice) ? 1 : 0;
    if (misses) print_misses(s, it->second, fires);
  });
  print(scores);
  std::printf("\n%d of %zu labelled sentences are in the store. Said by those who are not asked:", found,
              labels.size());
  for (std::size_t c = 0; c < kClasses.size(); ++c)
    std::printf(" %s %d", std::string(kClasses[c]).c_str(), said_by_others[c]);
  std::puts("");
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  const auto given = [&](std::string_view name) {
    return std::find(arguments.begin(), arguments.end(), name) != arguments.end();
  };
  if (arguments.empty()) {
    std::fputs("usage: cue_bench DIRECTORY/memd.db [LABELS] [--misses | --sentences]\n", stderr);
    return 2;
  }
  try {
    auto db = sqlite::Database::open(std::string(arguments[0]), sqlite::OpenMode::read_only);
    const bool named = arguments.size() > 1 && !arguments[1].starts_with("--");
    if (given("--sentences"))
      print_sentences(db);
    else
      compare(db, named ? std::string(arguments[1]) : MEMD_SOURCE_DIR "/test/labels/cues.tsv", given("--misses"));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cue_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
