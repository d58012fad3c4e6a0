#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// The meaning of a cue. Each is a section with the same name in the data files in store/text/cues.
enum class Cue : std::uint8_t {
  // Decisions.
  decided,       // says that a decision was taken
  settled,       // states a decision by itself
  contrast,      // the rejected option; a decision only together with `choosing`
  choosing,      // who chose
  undecided,     // asked, offered, imagined, or reported of others
  declined,      // rejects an option by itself
  taken_back,    // reverses a decision or a change by itself
  reason,        // why
  chooses,       // the user settles something …
  talks,         // … unless this occurs too
  reply,         // starts an answer that accepts an offer
  offer,         // asks for an answer, without a question mark
  routine,       // the offer is the obvious next step anyway
  alternatives,  // asks which option to take
  plan_told,     // starts a prompt that contains an accepted plan
  points,        // stands for what was named before
  momentary,     // about the agent's next work only
  // Observations. The first eight start a sentence of that type.
  bugfix,
  discovery,
  feature,
  pattern,
  problem,
  refactor,
  solution,
  warning,
  the_problem,  // starts a `problem` unless `vague` follows
  vague,
  filler,      // ignored at the start of a sentence
  unsure,      // guessed, hypothetical, offered, or about something else
  no_feature,  // was added, but is not a feature of the software
  rule,        // the user sets a rule
  tests_told,  // starts a sentence on test results
  tests_pass,
  tests_named,
  tests_not_yet,
  // Summaries.
  open_end,  // remaining work
  preamble,  // starts an answer without content
  role,      // assigns a role to an agent
  telling,   // raises or lowers the value of a sentence, by weight
  // Resume packs: the user's wishes.
  binding,    // forbids or demands
  limits,     // sets a limit or keeps something as it is
  wished,     // asks for something
  order,      // demands something at the start of a clause
  joint,      // joins clauses
  narrative,  // reports what somebody knows, did or encountered
  asking,     // starts a question
  asked,      // occurs in a question
  request,    // starts a polite demand
  to_change,  // demands a change, as a question
  supposed,   // conditional
  go_ahead,   // only tells the agent to go on
  // Resume packs: the state of the work.
  trouble,
  mended,
  harmless,      // a problem that is harmless or no longer relevant
  no_complaint,  // starts a sentence on what was done, will be done or may come
  reports_done,
  ahead,        // remaining work
  promised,     // work deferred to a stated moment, or with a requested reminder
  announced,    // the next work
  announces,    // starts a sentence that announces something and has no content itself
  refers_back,  // starts a sentence that cannot be understood alone
  // Outcome of a session: the agent's last message.
  carried_out,  // the request was carried out
  unable,       // it could not be done
  unmended,     // something still fails
  untried,      // the result was not tested
  asks_back,    // occurs in a question that blocks the work until it is answered
  awaits,       // waits for a message of the user
  offers,       // offers further work
  // Outcome of a session: the user's last message.
  complains,
  praises,
  // The story of a topic.
  reversal,
  fix,
  change,
  fault,
  // Value for a memory.
  lasting,    // holds beyond the day: a rule, a principle
  passing,    // the next step, a branch, a line: of no later use
  offering,   // starts a question that precedes an offer
  answering,  // starts an answer and has no content itself
  // Searches.
  asks_why,  // asks for a decision or its reason
  recalls,   // refers to earlier work
};
inline constexpr std::size_t kCues = static_cast<std::size_t>(Cue::recalls) + 1;

class CueSet {
 public:
  constexpr CueSet() = default;
  constexpr CueSet(Cue cue) { bits_[word_of(cue)] = bit_of(cue); }
  constexpr bool has(Cue cue) const { return (bits_[word_of(cue)] & bit_of(cue)) != 0; }
  constexpr bool empty() const { return (bits_[0] | bits_[1]) == 0; }
  constexpr CueSet& operator|=(CueSet other) {
    for (std::size_t i = 0; i < bits_.size(); ++i)
      bits_[i] |= other.bits_[i];
    return *this;
  }
  friend constexpr CueSet operator|(CueSet a, CueSet b) { return a |= b; }
  friend constexpr CueSet operator&(CueSet a, CueSet b) {
    for (std::size_t i = 0; i < a.bits_.size(); ++i)
      a.bits_[i] &= b.bits_[i];
    return a;
  }
  friend constexpr bool operator==(CueSet, CueSet) = default;
  constexpr std::uint64_t hash() const { return (bits_[0] ^ (bits_[1] * 0x9E3779B97F4A7C15)) * 0x9E3779B97F4A7C15; }

 private:
  static constexpr std::size_t word_of(Cue cue) { return static_cast<std::size_t>(cue) / 64; }
  static constexpr std::uint64_t bit_of(Cue cue) { return std::uint64_t{1} << (static_cast<unsigned>(cue) % 64); }

  std::array<std::uint64_t, 2> bits_{};
  static_assert(kCues <= 128);
};
constexpr CueSet operator|(Cue a, Cue b) { return CueSet(a) | CueSet(b); }

// An occurrence of a pattern in a text.
struct CueHit {
  Cue cue{};
  std::size_t begin = 0;  // byte offset in the text; end is exclusive
  std::size_t end = 0;
  std::size_t pattern = 0;  // id of the pattern, one per line of a data file
  double weight = 0;        // 0 if the data file gives none
};

// Finds the patterns of all data files in one pass over a text. Ignores case, also in Cyrillic. en.cues describes the
// format of the files. Thread-safe.
class CueMatcher {
 public:
  // Parses the texts of data files; `only`: the patterns of these cues. Throws std::logic_error with the line
  // if one is malformed.
  explicit CueMatcher(std::span<const std::string_view> files, std::optional<CueSet> only);

  // Returns the cues of `wanted` that occur in the text.
  CueSet find(std::string_view text, CueSet wanted) const;
  bool has(std::string_view text, CueSet wanted) const { return next(text, wanted).has_value(); }
  // Returns the first hit at or after `from`; of several that start there, the longest.
  std::optional<CueHit> next(std::string_view text, CueSet wanted, std::size_t from = 0) const;
  // Returns the longest hit that starts at the first byte of the text.
  std::optional<CueHit> opening(std::string_view text, CueSet wanted) const;
  // Returns each pattern that occurs in the text, once.
  std::vector<CueHit> all(std::string_view text, CueSet wanted) const;

 private:
  static constexpr std::size_t kPairs = 1024;
  struct Pattern {
    Cue cue{};
    bool opens = false;                // matches only at the start of the text
    bool whole_end = true;             // its last word must end where the pattern does
    bool goes_on = false;              // a blank and more text must follow
    std::vector<std::string> further;  // one of these must stand further on; empty: nothing has to
    double weight = 0;
  };
  // A trie node while the files are read.
  struct Branch {
    std::string labels;                   // bytes of the outgoing edges
    std::vector<std::uint32_t> branches;  // their targets
    std::vector<std::uint32_t> patterns;
  };
  // A trie node after all files are read: ranges of `labels_` and `children_`, and one of `ends_`.
  struct Node {
    CueSet below;  // cues of this node and its descendants
    std::uint32_t first_child = 0;
    std::uint32_t first_end = 0;
    std::uint16_t children = 0;
    std::uint16_t ends = 0;
  };
  // Positions at which patterns of a set may start, decided from two bytes: patterns that start at a word, and patterns
  // that may start inside one.
  struct Places {
    CueSet wanted;
    std::array<std::uint8_t, 256> first{};     // one bit for each of the two kinds
    std::array<std::uint8_t, kPairs> pairs{};  // the same, by five bits of each of two bytes
    const Places* next = nullptr;              // next entry in the same slot
  };

  void read(std::string_view file);
  void add_line(std::string_view line, Cue cue, bool opens);
  void add(std::string_view form, Pattern pattern);
  void freeze();
  // The cues that may start with given bytes.
  struct Beginnings {
    std::array<CueSet, 256> first{};
    std::array<CueSet, kPairs> pairs{};
  };
  void note_beginnings(Beginnings& beginnings, char first, const Node& node) const;
  const Places& places_of(CueSet wanted) const;
  std::uint32_t child_of(const Node& node, char label) const;
  template <class F>
  void walk(std::uint32_t node, std::string_view text, std::size_t begin, std::size_t at, CueSet wanted, F& f) const;
  template <class F>
  void at_place(std::string_view text, std::size_t at, unsigned roots, const Places& places, F& f) const;
  template <class F, class Enough>
  void scan(std::string_view text, std::size_t from, CueSet wanted, F& f, Enough enough) const;

  // Root 0: patterns that start at a word. Root 1: patterns that may start inside one.
  std::deque<Branch> branches_;
  std::vector<Node> nodes_;  // built from branches_
  std::string labels_;
  std::vector<std::uint32_t> children_;
  std::vector<std::uint32_t> ends_;  // patterns
  std::vector<Pattern> patterns_;
  std::vector<std::size_t> lines_of_;                       // by pattern: its line, counted over all files
  std::array<std::array<std::uint32_t, 256>, 2> starts_{};  // children of the two roots by byte; 0: none
  std::array<Beginnings, 2> beginnings_{};                  // of the two roots
  // Created at the first query of a set, then immutable.
  mutable std::array<std::atomic<const Places*>, 64> places_{};
  mutable std::mutex making_places_;
  mutable std::vector<std::unique_ptr<Places>> made_places_;  // guarded by making_places_
  const std::optional<CueSet> only_;
  std::size_t lines_ = 0;
};

// Returns the matcher of the built-in data files.
const CueMatcher& cues();
// Makes one of some cues, which takes a fraction of the time of the first cues().
CueMatcher cues_of(CueSet only);

}  // namespace memd
