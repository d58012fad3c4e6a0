#include "store/insight/summary/chronicle.hpp"

#include "schemas/base/time.hpp"
#include "store/insight/summary/gist.hpp"
#include "store/insight/summary/salience.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace memd {
namespace {

constexpr std::size_t kTokensOfPhase = 90;        // minimum
constexpr std::size_t kTokensOfShortestLine = 6;  // tokens
constexpr std::size_t kLongestGist = 400;
constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

TimeMs end_of(const SummaryInput& in) { return std::max(in.started_at, in.ended_at); }

std::string heading(std::span<const SummaryInput> phase) {
  std::int64_t calls = 0;
  std::int64_t errors = 0;
  TimeMs end = 0;
  for (const SummaryInput& in : phase) {
    calls += in.tool_calls;
    errors += in.tool_errors;
    end = std::max(end, end_of(in));
  }
  std::string out = format_local_minute(phase.front().started_at);
  const std::string last = format_local_minute(end);
  if (!out.empty() && !last.empty() && last != out)
    out += last.substr(0, 10) == out.substr(0, 10) ? " to " + last.substr(11) : " to " + last;
  if (!phase.front().id.empty()) {
    out += (out.empty() ? "" : ", ") + std::string(phase.front().id);
    if (phase.size() > 1) out += " to " + std::string(phase.back().id);
  }
  out += " (" + std::to_string(phase.size()) + (phase.size() == 1 ? " turn" : " turns");
  if (calls > 0) out += ", " + std::to_string(calls) + (calls == 1 ? " tool call" : " tool calls");
  if (errors > 0) out += ", " + std::to_string(errors) + (errors == 1 ? " error" : " errors");
  return out + ")\n";
}

std::string files_of(std::span<const SummaryInput> phase) {
  constexpr std::size_t kNamed = 6;
  std::vector<std::string_view> names;
  std::set<std::string_view> known;
  for (const SummaryInput& in : phase)
    for (const std::string_view path : in.files_modified)
      if (known.insert(path).second) names.push_back(path.substr(path.rfind('/') + 1));
  if (names.empty()) return {};
  std::string out = "  did: modified ";
  for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i)
    out.append(i == 0 ? "" : ", ").append(names[i]);
  if (names.size() > kNamed) out += " and " + std::to_string(names.size() - kNamed) + " more";
  return out + "\n";
}

// Rates how much a request advances the work; "yes, go on" rates low.
double request_weight(const SummaryInput& in, std::string_view gist) {
  double weight = in.files_modified.empty() ? 0 : 2;
  if (!in.interventions.empty()) weight += 1;
  if (in.tool_errors > 0) weight += 0.5;
  if (gist.size() < 24) weight -= 4;
  return weight + cue_score(gist) + std::min(2.0, static_cast<double>(gist.size()) / 60);
}

}  // namespace

std::vector<Phase> phases_of(std::span<const SummaryInput> exchanges, std::size_t most) {
  if (exchanges.empty()) return {};
  struct Break {
    std::size_t at = 0;  // the first exchange after it
    TimeMs pause = 0;
  };
  std::vector<Break> breaks;
  TimeMs end = end_of(exchanges.front());
  for (std::size_t i = 1; i < exchanges.size(); ++i) {
    const TimeMs start = exchanges[i].started_at;
    if (start == 0) continue;
    const bool other_day = end != 0 && local_day(start) > local_day(end);
    if (other_day || start - end >= kPhasePause) breaks.push_back({i, start - end});
    end = std::max(end, end_of(exchanges[i]));
  }
  std::stable_sort(breaks.begin(), breaks.end(), [](const Break& a, const Break& b) { return a.pause > b.pause; });
  if (breaks.size() >= std::max<std::size_t>(most, 1)) breaks.resize(std::max<std::size_t>(most, 1) - 1);
  std::sort(breaks.begin(), breaks.end(), [](const Break& a, const Break& b) { return a.at < b.at; });
  std::vector<Phase> out;
  std::size_t first = 0;
  for (const Break& b : breaks) {
    out.push_back({first, b.at - first});
    first = b.at;
  }
  out.push_back({first, exchanges.size() - first});
  return out;
}

// The lines of a chronicle for a given size.
class Chronicle::Lines {
 public:
  Lines(const Chronicle& of, std::size_t allowed)
      : of_(of),
        allowed_(allowed),
        phases_(phases_of(of.exchanges_, std::max<std::size_t>(allowed / kTokensOfPhase, 1))) {
    const std::size_t lines = phases_.size() * 2 + of.exchanges_.size();
    gist_bytes_ = std::clamp<std::size_t>(allowed * 4 / std::max<std::size_t>(lines, 1), 80, kLongestGist);
  }

  std::string run(std::size_t& mentioned) {
    for (std::size_t p = 0; p < phases_.size(); ++p)
      tell(p);
    std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) { return a.weight > b.weight; });
    TokenBudget budget(allowed_);
    std::vector<const Line*> taken;
    std::vector<bool> opened(phases_.size());
    for (const Line& line : lines_) {
      if (line.order > 0 && !opened[line.phase]) continue;
      if (budget.remaining() < kTokensOfShortestLine) break;
      if (!budget.take(estimate_tokens(line.text) + 1)) continue;
      if (line.order == 0) opened[line.phase] = true;
      taken.push_back(&line);
    }
    std::sort(taken.begin(), taken.end(), [](const Line* a, const Line* b) {
      return std::pair(a->phase, a->order) < std::pair(b->phase, b->order);
    });
    std::string out;
    for (const Line* line : taken)
      out += line->text;
    for (std::size_t p = 0; p < phases_.size(); ++p)
      mentioned += opened[p] ? phases_[p].count : 0;
    return out;
  }

 private:
  // An optional line.
  struct Line {
    std::size_t phase = 0;
    std::size_t order = 0;  // inside the phase
    double weight = 0;      // higher ones are taken first
    std::string text;
  };

  void add(std::size_t phase, std::size_t order, double weight, std::string text) {
    if (!text.empty()) lines_.push_back({phase, order, weight, std::move(text)});
  }

  void tell(std::size_t p) {
    const auto phase = of_.exchanges_.subspan(phases_[p].first, phases_[p].count);
    const auto gists = std::span(of_.gists_).subspan(phases_[p].first, phases_[p].count);
    // Newer phases rank slightly higher when there is not enough room for all.
    const double age = static_cast<double>(p) / static_cast<double>(phases_.size());
    add(p, 0, 100 + age, heading(phase));
    const std::size_t last_order = phase.size() * 2 + 4;
    std::string_view before;
    for (std::size_t i = 0; i < phase.size(); ++i) {
      const std::string& asked = gists[i].asked;
      if (asked.empty() || asked == before) continue;
      const double weight = before.empty() ? 80 + age : 20 + gists[i].weight;
      add(p, 1 + i * 2, weight, (before.empty() ? "  asked: " : "  then: ") + shortened(asked, gist_bytes_) + "\n");
      before = asked;
      if (i + 1 < phase.size() && !gists[i].result.empty() && !gists[i].result.ends_with('?'))
        add(p, 2 + i * 2, 10 + gists[i].weight / 2, "    " + shortened(gists[i].result, gist_bytes_) + "\n");
    }
    add(p, last_order, 60 + age, files_of(phase));
    const auto last =
        std::find_if(gists.rbegin(), gists.rend(), [](const ExchangeGist& t) { return !t.result.empty(); });
    if (last != gists.rend())
      add(p, last_order + 1, 70 + age, "  ended: " + shortened(last->result, gist_bytes_) + "\n");
  }

  const Chronicle& of_;
  std::size_t allowed_;
  std::vector<Phase> phases_;
  std::size_t gist_bytes_ = kGistBytes;
  std::vector<Line> lines_;
};

Chronicle::Chronicle(std::span<const SummaryInput> exchanges) : exchanges_(exchanges) {
  gists_.reserve(exchanges.size());
  for (const SummaryInput& in : exchanges) {
    ExchangeGist gist{request_gist(in.user_message, kLongestGist), result_gist(in.final_answer(), kLongestGist), 0};
    gist.weight = request_weight(in, gist.asked);
    gists_.push_back(std::move(gist));
    source_tokens_ += source_tokens(in);
  }
}

std::size_t Chronicle::allowed(double ratio, std::size_t max_tokens) const {
  const auto by_ratio = static_cast<std::size_t>(static_cast<double>(source_tokens_) * ratio);
  return std::min(max_tokens, std::max(by_ratio, kLeastSummaryTokens));
}

ExtractiveSummary Chronicle::finished(std::string text, double ratio, std::size_t max_tokens) const {
  CutText cut = cut_to_tokens(text, allowed(ratio, max_tokens));
  ExtractiveSummary out;
  out.text = std::move(cut.text);
  out.tokens = cut.tokens;
  out.source_tokens = source_tokens_;
  out.exchanges_mentioned = exchanges_.size();
  out.capped = static_cast<double>(max_tokens) < static_cast<double>(source_tokens_) * ratio;
  return out;
}

// Used when no line fits whole.
std::string Chronicle::least() const {
  for (const ExchangeGist& gist : gists_)
    if (!gist.asked.empty()) return "Asked: " + gist.asked;
  for (const ExchangeGist& gist : gists_)
    if (!gist.result.empty()) return "Ended: " + gist.result;
  return gists_.empty() ? std::string() : heading(exchanges_);
}

ExtractiveSummary Chronicle::by_phase(double ratio, std::size_t max_tokens) const {
  std::size_t mentioned = 0;
  std::string text = Lines(*this, allowed(ratio, max_tokens)).run(mentioned);
  ExtractiveSummary out = finished(text.empty() ? least() : std::move(text), ratio, max_tokens);
  out.exchanges_mentioned = mentioned;
  // The form may be shorter than either limit.
  if (out.capped) out.capped = by_phase(ratio, kUnlimited).text != out.text;
  return out;
}

ExtractiveSummary Chronicle::abstract(std::span<const std::string> decisions, double ratio,
                                      std::size_t max_tokens) const {
  std::vector<const ExchangeGist*> asked;  // distinct
  std::set<std::string_view> known;
  std::string_view ended;
  for (const ExchangeGist& gist : gists_) {
    if (!gist.asked.empty() && known.insert(gist.asked).second) asked.push_back(&gist);
    if (!gist.result.empty()) ended = gist.result;
  }
  // Takes the outline first, then fills the remaining tokens.
  TokenBudget budget(allowed(ratio, max_tokens));
  const auto line = [&](std::string_view head, std::string_view gist) {
    const std::string text = std::string(head) + shortened(std::string(gist), kGistBytes) + "\n";
    return !gist.empty() && budget.take(estimate_tokens(text) + 1) ? text : std::string();
  };
  const std::string begin = asked.empty() ? "" : line("Asked: ", asked.front()->asked);
  const std::string end = line("Ended: ", ended);
  std::string settled;
  for (const std::string& decision : decisions)
    settled += line("Decided: ", decision);
  if (!asked.empty()) asked.erase(asked.begin());
  std::vector<const ExchangeGist*> weightiest = asked;
  std::stable_sort(weightiest.begin(), weightiest.end(),
                   [](const ExchangeGist* a, const ExchangeGist* b) { return a->weight > b->weight; });
  std::map<const ExchangeGist*, std::string> then;
  for (const ExchangeGist* gist : weightiest)
    if (gist->weight > 0) then[gist] = line("Then: ", gist->asked);
  std::string text = begin;
  for (const ExchangeGist* gist : asked)
    if (const auto it = then.find(gist); it != then.end()) text += it->second;
  text += settled + end;
  ExtractiveSummary out = finished(text.empty() ? least() : std::move(text), ratio, max_tokens);
  if (out.capped) out.capped = abstract(decisions, ratio, kUnlimited).text != out.text;
  return out;
}

}  // namespace memd
