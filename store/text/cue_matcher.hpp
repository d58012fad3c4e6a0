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

// What a cue is a sign of. Each is a section of the data files in store/text/cues, by the same name.
enum class Cue : std::uint8_t {
  // Decisions.
  settled,         // says by itself that something was settled
  contrast,        // settles something only together with `choosing`: what was turned down
  choosing,        // who chose
  undecided,       // asked, offered, imagined, or reported of others
  declined,        // says by itself that a way was turned down
  taken_back,      // says by itself that something settled or done is taken back
  decisions_told,  // above a list of decisions
  reason,          // why
  directs,         // a person says how it is to be done …
  talks,           // … and does not, where this stands too
  reply,           // begins an answer that takes what was offered
  denial,          // begins an answer that turns it down
  offer,           // asks for an answer, without a question mark
  routine,         // what is offered is the next thing to do anyway
  alternatives,    // asks which way to go
  plan_told,       // begins a prompt that hands over an accepted plan
  // Observations. The first eight begin a sentence that is of that type.
  bugfix,
  discovery,
  feature,
  pattern,
  problem,
  refactor,
  solution,
  warning,
  the_problem,  // problem, unless `vague` follows
  vague,
  filler,      // changes nothing at the beginning of a sentence
  unsure,      // guessed, imagined, offered, or said of something else
  no_feature,  // was added, but is nothing the software can do
  rule,        // a person lays one down
  tests_told,  // begins a sentence on how tests went
  tests_pass,
  tests_named,
  tests_not_yet,
  // Summaries.
  open_end,  // work that is left
  preamble,  // begins an answer before it says anything
  role,      // tells an agent what it is to be
  telling,   // makes a sentence worth keeping, or not: by weight
  // Resume packs: what a person wants.
  binding,    // forbids or demands
  wished,     // demands less
  order,      // demands, where it begins a clause
  joint,      // joins clauses
  narrative,  // tells what somebody knows, did or meets with
  asking,     // begins a question
  asked,      // stands in a question
  request,    // begins a polite demand
  to_change,  // demands a change, as a question
  supposed,   // it is so only if
  go_ahead,   // words only to go on
  // Resume packs: how far the work had come.
  trouble,
  mended,
  harmless,      // trouble that is none, or nobody's now
  no_complaint,  // begins a sentence on what was done, will be done or may come
  reports_done,
  ahead,        // work that is left
  promised,     // work put off to a stated moment, or that somebody asked to be reminded of
  announced,    // work that comes next
  announces,    // begins a sentence that does, and says nothing itself
  refers_back,  // begins a sentence that is not understood alone
  // How a session ended: what its agent says at the end.
  carried_out,  // what was asked is done
  unable,       // it could not be done
  unmended,     // something still fails
  untried,      // nobody has tried whether it works
  asks_back,    // stands in a question without whose answer the work cannot go on
  awaits,       // waits for words of the person
  offers,       // offers further work
  // How a session ended: the last words of its person.
  complains,
  praises,
  // The story of a topic.
  reversal,
  fix,
  change,
  fault,
  // What is worth a memory.
  lasting,    // holds beyond the day: a rule, a principle
  passing,    // the next step, a branch, a line: nothing for later
  offering,   // begins a question in front of what is offered
  answering,  // begins an answer, and says nothing itself
  // Searches.
  asks_why,  // asks what was decided, or why
};
inline constexpr std::size_t kCues = static_cast<std::size_t>(Cue::asks_why) + 1;

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

// A pattern that stands in a text.
struct CueHit {
  Cue cue{};
  std::size_t begin = 0;  // bytes of the text, end exclusive
  std::size_t end = 0;
  std::size_t pattern = 0;  // which one; the same for the same line of a data file
  double weight = 0;        // 0 where the data file gives none
};

// Finds the patterns of all data files in one pass over a text. Upper and lower case are one, also in Cyrillic; the
// format of the files stands in en.cues. Every thread may ask.
class CueMatcher {
 public:
  // Texts of data files. Throws std::logic_error, which names the line, where one is not well formed.
  explicit CueMatcher(std::span<const std::string_view> files);

  // Which of `wanted` stand in the text.
  CueSet find(std::string_view text, CueSet wanted) const;
  bool has(std::string_view text, CueSet wanted) const { return next(text, wanted).has_value(); }
  // The first from `from` on; of several that begin there the longest.
  std::optional<CueHit> next(std::string_view text, CueSet wanted, std::size_t from = 0) const;
  // The longest that begins the text, with its first byte.
  std::optional<CueHit> opening(std::string_view text, CueSet wanted) const;
  // Each pattern that stands in the text, once.
  std::vector<CueHit> all(std::string_view text, CueSet wanted) const;

 private:
  static constexpr std::size_t kPairs = 1024;
  struct Pattern {
    Cue cue{};
    bool opens = false;     // stands at the beginning of the text only
    bool whole_end = true;  // its last word ends where it does
    bool goes_on = false;   // a blank and more have to follow
    std::string further;    // has to stand behind it
    double weight = 0;
  };
  // While the files are read.
  struct Branch {
    std::string labels;                   // bytes that lead on
    std::vector<std::uint32_t> branches;  // where they lead to
    std::vector<std::uint32_t> patterns;
  };
  // A branch once all are read: a stretch of `labels_` and `children_`, and one of `ends_`.
  struct Node {
    CueSet below;  // cues of this node and those under it
    std::uint32_t first_child = 0;
    std::uint32_t first_end = 0;
    std::uint16_t children = 0;
    std::uint16_t ends = 0;
  };
  // Where patterns of a set may begin, known from two bytes alone: those that begin a word, and those that may begin
  // inside of one.
  struct Places {
    CueSet wanted;
    std::array<std::uint8_t, 256> first{};     // a bit for either kind
    std::array<std::uint8_t, kPairs> pairs{};  // the same, by five bits of each byte
    const Places* next = nullptr;              // of the same slot
  };

  void read(std::string_view file);
  void add_line(std::string_view line, Cue cue, bool opens);
  void add(std::string_view form, Pattern pattern);
  void freeze();
  // What may begin with these bytes.
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

  // The first: patterns that begin a word; the second: those that may begin inside of one.
  std::deque<Branch> branches_;
  std::vector<Node> nodes_;  // made of the branches
  std::string labels_;
  std::vector<std::uint32_t> children_;
  std::vector<std::uint32_t> ends_;  // patterns
  std::vector<Pattern> patterns_;
  std::vector<std::size_t> lines_of_;                       // of a pattern: where it was read, counted over all files
  std::array<std::array<std::uint32_t, 256>, 2> starts_{};  // children of the first two nodes, by the byte; 0: none
  std::array<Beginnings, 2> beginnings_{};                  // of the first two nodes
  // Made when a set is first asked for, and then never changed.
  mutable std::array<std::atomic<const Places*>, 64> places_{};
  mutable std::mutex making_places_;
  mutable std::vector<std::unique_ptr<Places>> made_places_;  // guarded by making_places_
  std::size_t lines_ = 0;
};

// Of the data files that are part of the program.
const CueMatcher& cues();

}  // namespace memd
