#include "store/insight/continuity/pack.hpp"

#include "schemas/ids.hpp"
#include "store/insight/continuity/file_list.hpp"
#include "store/text/code_names.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace memd::continuity {
namespace {

constexpr std::size_t kQuotes = 3;  // of a string in an array
constexpr std::size_t kIdTokens = 10;
constexpr std::size_t kAtOnce = 3;  // the request, the current goal and the last words must fit together
constexpr std::size_t kLeastTold = 40;
constexpr std::size_t kUsualCommand = 48;  // tokens; a longer line that ran once is rarely run again unchanged
constexpr std::int64_t kOften = 3;         // runs of a command that neither builds nor checks
constexpr std::size_t kCommandLines = 4;   // a session with many different lines tries things out

std::string with_id(std::string_view text, ExchangeId id) {
  return std::string(text) + (id == 0 ? "" : " [" + format_exchange_id(id) + "]");
}

std::size_t cost_of(std::string_view line) {
  // A line break takes two characters in JSON.
  return estimate_tokens(line) + kQuotes + static_cast<std::size_t>(std::count(line.begin(), line.end(), '\n'));
}

std::string_view words_for(TestOutcome outcome) {
  switch (outcome) {
    case TestOutcome::passed: return "passed";
    case TestOutcome::failed: return "FAILED";
    case TestOutcome::failed_before: return "failed before";
    case TestOutcome::unknown: return "ran, result unknown";
  }
  return {};
}

// A sentence for the pack, with the rank of its part's first item. Later items of a part rank lower.
struct Candidate {
  double rank = 0;
  const ExtractedSentence* told = nullptr;
  std::vector<std::string>* list = nullptr;
  std::optional<std::string>* single = nullptr;
};

class Packer {
 public:
  Packer(const WorkingState& state, std::size_t tokens, const Shares& shares)
      : state_(state), budget_(tokens), shares_(shares), files_(state, budget_) {}

  Pack pack() {
    const std::size_t told = share(shares_.told);
    add_told(told, std::max(told / kAtOnce, kLeastTold));
    out_.left_out += files_.add_files(share(shares_.files));
    add_commands(share(shares_.commands), kUsualCommand);
    add_names();
    add_commands(budget_.remaining(), budget_.max());
    add_told(budget_.remaining(), budget_.max());
    finish();
    return std::move(out_);
  }

 private:
  std::size_t share(double part) const {
    return std::min(budget_.remaining(), static_cast<std::size_t>(part * static_cast<double>(budget_.max())));
  }

  std::vector<Candidate> told_candidates() {
    constexpr double kFurther = 0.78;
    std::vector<Candidate> out;
    const auto add_list = [&](const std::vector<ExtractedSentence>& from, double rank, std::vector<std::string>& to) {
      for (const ExtractedSentence& t : from) {
        out.push_back({rank, &t, &to, nullptr});
        rank *= kFurther;
      }
    };
    add_list(state_.goal, 10, out_.goal);
    add_list(state_.constraints, 5, out_.constraints);
    add_list(state_.next_steps, 4.6, out_.next_steps);
    add_list(state_.problems, 4, out_.problems);
    add_list(state_.decisions, 4, out_.decisions);
    add_list(state_.directions, 4, out_.said);
    add_list(state_.said, 3.6, out_.said);
    add_list(state_.running, 3, out_.running);
    if (state_.last_words) out.push_back({9, &*state_.last_words, nullptr, &out_.last_words});
    if (state_.last_error) out.push_back({4.3, &*state_.last_error, nullptr, &out_.last_error});
    std::stable_sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) { return a.rank > b.rank; });
    return out;
  }

  // Cuts goals and last words to `longest` tokens.
  void add_told(std::size_t tokens, std::size_t longest) {
    if (tests_.empty() && out_.tests.empty()) add_tests(tokens);
    for (const Candidate& c : told_candidates()) {
      if (taken_.contains(c.told)) continue;
      std::string line = with_id(c.told->text, c.told->exchange);
      std::size_t cost = cost_of(line);
      const bool first_goal = c.list == &out_.goal && out_.goal.empty();
      const bool may_be_cut = first_goal || c.list == &out_.goal || c.single == &out_.last_words;
      // A cut sentence is better than none. The last words usually announce the next step.
      const std::size_t most = first_goal                     ? std::min(tokens, longest)
                               : c.single == &out_.last_words ? std::min(tokens, longest * kAtOnce / 2)
                                                              : longest;
      if (cost > most && may_be_cut && most > kIdTokens + 2) {
        line = with_id(cut_to_tokens(c.told->text, most - kIdTokens).text, c.told->exchange);
        cost = cost_of(line);
      }
      if (cost > tokens || !budget_.take(cost)) continue;
      tokens -= cost;
      taken_.insert(c.told);
      if (c.list != nullptr)
        c.list->push_back(std::move(line));
      else
        *c.single = std::move(line);
    }
  }

  void add_tests(std::size_t& tokens) {
    constexpr std::size_t kPart = 5;
    std::size_t left = tokens / kPart;
    bool passed = false;  // one is listed
    const bool is_known =
        std::ranges::any_of(state_.tests, [](const TestState& t) { return t.outcome != TestOutcome::unknown; });
    for (std::size_t i = 0; i < state_.tests.size(); ++i) {
      const TestState& t = state_.tests[i];
      // The newest run that passed says more than all others that are over, and than those that told nothing.
      if (t.outcome == TestOutcome::failed_before || (t.outcome == TestOutcome::unknown && is_known) ||
          (t.outcome == TestOutcome::passed && std::exchange(passed, true))) {
        tests_.insert(i);
        ++over_;
        continue;
      }
      std::string line = with_id(std::string(words_for(t.outcome)) + ": " + t.line, t.exchange);
      const std::size_t cost = cost_of(line);
      if (cost > left || !budget_.take(cost)) continue;
      left -= cost;
      tokens -= cost;
      tests_.insert(i);
      out_.tests.push_back(std::move(line));
    }
  }

  void add_commands(std::size_t tokens, std::size_t longest) {
    constexpr std::size_t kNewGroup = 12;
    for (const CommandUse& c : state_.commands) {
      if (c.test && tests_.contains(*c.test)) taken_.insert(&c);  // listed among the tests
      if (taken_.contains(&c) || command_lines_ == kCommandLines) continue;
      auto group = std::find_if(out_.commands.begin(), out_.commands.end(),
                                [&](const CommandGroup& g) { return g.exchange == c.exchange; });
      std::string line = (c.failed ? "(failed) " : "") + c.shown;
      if (!c.whole && !line.ends_with("…")) line += "…";
      const std::size_t cost = cost_of(line) + (group == out_.commands.end() ? kNewGroup : 0);
      const bool seldom = c.checks || c.builds ? c.runs < 2 && cost > kUsualCommand : c.runs < kOften;
      if ((seldom && !c.failed) || cost > longest || cost > tokens || (!c.whole && longest < budget_.max()) ||
          !budget_.take(cost))
        continue;
      tokens -= cost;
      taken_.insert(&c);
      ++command_lines_;
      if (group == out_.commands.end()) group = out_.commands.insert(group, {c.exchange, {}});
      group->lines.push_back(std::move(line));
    }
  }

  void add_names() {
    std::unordered_set<std::string> said = names_said();
    std::size_t tokens = share(shares_.names);
    const NameWeights& w = kWeights.names;
    const double room = static_cast<double>(budget_.max()) / w.least_likely_tokens;
    const double least = w.least_likely / (room * room * room);
    for (const WorkingName& n : state_.names) {
      if (said.contains(n.text)) continue;
      if (n.likelihood() >= least && files_.add_name(n, tokens))
        note_name(n.text, said);
      else
        ++out_.left_out;
    }
    out_.files = files_.lines();
  }

  static void note_name(std::string_view name, std::unordered_set<std::string>& said) {
    said.emplace(name);
    for (auto dot = name.find_first_of(".:"); dot != std::string_view::npos; dot = name.find_first_of(".:")) {
      name.remove_prefix(dot + 1);  // "store.Reader" covers "Reader" too
      said.emplace(name);
    }
  }

  // Returns the names that the pack contains so far.
  std::unordered_set<std::string> names_said() const {
    std::unordered_set<std::string> said;
    const auto note = [&](std::string_view text) {
      for_each_code_name(text, [&](std::string_view name) { note_name(name, said); });
    };
    const std::vector<std::string> files = files_.lines();
    for (const auto* list : {&out_.goal, &out_.constraints, &out_.decisions, &out_.said, &out_.problems,
                             &out_.next_steps, &out_.running, &out_.tests, &files})
      for (const std::string& line : *list)
        note(line);
    for (const CommandGroup& g : out_.commands)
      for (const std::string& line : g.lines)
        note(line);
    for (const auto* text : {&out_.last_error, &out_.last_words})
      if (*text) note(**text);
    return said;
  }

  void finish() {
    std::sort(out_.commands.begin(), out_.commands.end(),
              [](const CommandGroup& a, const CommandGroup& b) { return a.exchange > b.exchange; });
    const std::size_t told = state_.goal.size() + state_.constraints.size() + state_.next_steps.size() +
                             state_.problems.size() + state_.decisions.size() + state_.directions.size() +
                             state_.said.size() + state_.running.size() + (state_.last_words ? 1 : 0) +
                             (state_.last_error ? 1 : 0);
    const std::size_t wanted = told + state_.commands.size() + state_.tests.size();
    out_.left_out += static_cast<std::int64_t>(wanted - std::min(wanted, taken_.size() + out_.tests.size() + over_));
  }

  const WorkingState& state_;
  TokenBudget budget_;
  const Shares shares_;
  FileList files_;
  Pack out_;
  std::unordered_set<const void*> taken_;
  std::unordered_set<std::size_t> tests_;  // indices into state_.tests of those that were taken, or are over
  std::size_t over_ = 0;                   // tests that are over
  std::size_t command_lines_ = 0;
};

}  // namespace

Pack make_pack(const WorkingState& state, std::size_t tokens, const Shares& shares) {
  return Packer(state, tokens, shares).pack();
}

}  // namespace memd::continuity
