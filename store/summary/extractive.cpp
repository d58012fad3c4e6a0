#include "store/summary/extractive.hpp"

#include "store/summary/salience.hpp"
#include "store/summary/token_budget.hpp"
#include "store/summary/token_estimate.hpp"

#include <algorithm>
#include <unordered_set>

namespace memd {
namespace {

enum class Speaker : std::uint8_t { user, intervention, assistant };

struct Candidate {
  std::size_t exchange = 0;
  Speaker speaker = Speaker::user;
  TextUnit unit;
  double score = 0;
  std::size_t tokens = 0;
  bool taken = false;
};

constexpr std::size_t kUnitLimit = 1200;        // bytes; a longer sentence is a paste, not a sentence
constexpr std::size_t kUnitsPerMessage = 4000;  // bounds the work on pasted logs

std::string one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : c;
  }
  return out;
}

bool keeps_lines(UnitKind kind) { return kind == UnitKind::code || kind == UnitKind::table; }

std::string shown(const TextUnit& unit) {
  return keeps_lines(unit.kind) ? std::string(unit.text) : one_line(unit.text);
}

std::string tool_facts(const SummaryInput& in) {
  if (in.tool_calls == 0 && in.files_modified.empty()) return {};
  std::string out = "(" + std::to_string(in.tool_calls) + (in.tool_calls == 1 ? " tool call" : " tool calls");
  if (in.tool_errors > 0) out += ", " + std::to_string(in.tool_errors) + (in.tool_errors == 1 ? " error" : " errors");
  if (!in.files_modified.empty()) {
    constexpr std::size_t kFiles = 5;
    out += "; modified ";
    for (std::size_t i = 0; i < std::min(kFiles, in.files_modified.size()); ++i) {
      if (i > 0) out += ", ";
      out += in.files_modified[i];
    }
    if (in.files_modified.size() > kFiles) out += " and " + std::to_string(in.files_modified.size() - kFiles) + " more";
  }
  return out + ")";
}

std::string_view name_of(Speaker s) {
  switch (s) {
    case Speaker::user: return "User: ";
    case Speaker::intervention: return "User, meanwhile: ";
    case Speaker::assistant: return "Assistant: ";
  }
  return "";
}

class Extractor {
 public:
  Extractor(std::span<const SummaryInput> exchanges, const SummaryLimits& limits)
      : exchanges_(exchanges), limits_(limits) {}

  ExtractiveSummary run() {
    collect();
    score();
    ExtractiveSummary out;
    out.source_tokens = source_tokens_;
    const auto by_ratio = static_cast<std::size_t>(static_cast<double>(source_tokens_) * limits_.ratio);
    // Below this a summary says nothing; the ratio is for long histories.
    constexpr std::size_t kFloor = 60;
    const std::size_t allowed = std::min(limits_.max_tokens, std::max(by_ratio, kFloor));
    out.capped = limits_.max_tokens < by_ratio;
    choose(allowed, allowed);
    render(out);
    // Prices of pieces are rounded up one by one; what that left over is given out once more.
    if (out.tokens > 0 && out.tokens < allowed) {
      choose(std::min(allowed * allowed / out.tokens, allowed + allowed / 2), allowed);
      render(out);
    }
    while (out.tokens > allowed && drop_weakest())
      render(out);
    if (out.text.empty() || out.tokens > allowed) fall_back(out, allowed);
    return out;
  }

 private:
  void collect() {
    for (std::size_t i = 0; i < exchanges_.size(); ++i) {
      const SummaryInput& in = exchanges_[i];
      const std::size_t offset = std::min(in.answer_offset, in.assistant_response.size());
      add(i, Speaker::user, in.user_message, 1.6, 2.6);
      add(i, Speaker::intervention, in.interventions, 1.8, 0.6);
      add(i, Speaker::assistant, in.assistant_response.substr(0, offset), 0.0, 0.2);
      add(i, Speaker::assistant, in.assistant_response.substr(offset), 1.0, 1.4);
      std::vector<std::uint64_t> terms = content_terms(in.user_message);
      const auto answer = content_terms(in.assistant_response);
      terms.insert(terms.end(), answer.begin(), answer.end());
      weights_.add_document(terms);
      source_tokens_ +=
          estimate_tokens(in.user_message) + estimate_tokens(in.interventions) + estimate_tokens(in.assistant_response);
    }
    weights_.finish();
  }

  void add(std::size_t exchange, Speaker speaker, std::string_view text, double base, double first) {
    std::size_t position = 0;
    for (const TextUnit& unit : split_units(text)) {
      if (position == kUnitsPerMessage) break;
      Candidate c;
      c.exchange = exchange;
      c.speaker = speaker;
      c.unit = unit;
      c.score = base + first / static_cast<double>(1 + position);
      candidates_.push_back(c);
      ++position;
    }
  }

  void score() {
    const std::vector<std::uint64_t> focus_terms = content_terms(limits_.focus);
    const std::unordered_set<std::uint64_t> focus(focus_terms.begin(), focus_terms.end());
    for (Candidate& c : candidates_) {
      const auto terms = content_terms(c.unit.text.substr(0, kUnitLimit));
      c.score += 2.0 * weights_.overlap(terms);
      if (c.unit.kind == UnitKind::code || c.unit.kind == UnitKind::table)
        c.score -= 2.5;
      else
        c.score += cue_score(c.unit.text);
      if (c.unit.kind == UnitKind::heading) c.score -= 0.8;
      if (c.unit.kind == UnitKind::bullet) c.score -= 0.2;
      if (c.unit.text.size() < 12) c.score -= 1.0;
      for (const std::uint64_t t : terms)
        if (focus.contains(t)) {
          c.score += 2.0;
          break;
        }
      if (c.exchange + 1 == exchanges_.size()) c.score += 0.5;
      c.tokens = c.unit.text.size() > 20 * kUnitLimit ? c.unit.text.size() : estimate_tokens(shown(c.unit)) + 1;
    }
  }

  // Takes the best that `nominal` tokens buy; no single piece above `largest`.
  void choose(std::size_t nominal, std::size_t largest) {
    std::vector<std::size_t> order(candidates_.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return candidates_[a].score > candidates_[b].score; });
    TokenBudget budget(nominal);
    taken_.clear();
    for (Candidate& c : candidates_)
      c.taken = false;
    opened_.assign(exchanges_.size(), 0);
    std::unordered_set<std::string> said;
    for (const std::size_t i : order) {
      Candidate& c = candidates_[i];
      if (c.score <= 0 || budget.remaining() < 8) break;
      if (c.unit.kind != UnitKind::code && c.unit.text.size() > kUnitLimit) continue;
      const std::uint8_t speaker_bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(c.speaker));
      std::size_t price = c.tokens;
      if (opened_[c.exchange] == 0) price += frame_tokens(c.exchange);
      if ((opened_[c.exchange] & speaker_bit) == 0) price += 5;
      if (price > std::min(budget.remaining(), largest)) continue;
      if (!said.insert(one_line(c.unit.text)).second) continue;
      budget.take(price);
      opened_[c.exchange] |= speaker_bit;
      c.taken = true;
      taken_.push_back(i);
    }
  }

  std::size_t frame_tokens(std::size_t exchange) const {
    const SummaryInput& in = exchanges_[exchange];
    return estimate_tokens(in.label) + estimate_tokens(tool_facts(in)) + 3;
  }

  bool drop_weakest() {
    if (taken_.size() <= 1) return false;
    candidates_[taken_.back()].taken = false;
    taken_.pop_back();
    return true;
  }

  void render(ExtractiveSummary& summary) const {
    std::string out;
    std::size_t mentioned = 0;
    const Candidate* last = nullptr;
    std::size_t last_index = 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate& c = candidates_[i];
      if (!c.taken) continue;
      const bool new_exchange = last == nullptr || last->exchange != c.exchange;
      if (new_exchange) {
        close(out, last);
        ++mentioned;
        if (!exchanges_[c.exchange].label.empty()) out += std::string(exchanges_[c.exchange].label) + "\n";
      }
      if (new_exchange || last->speaker != c.speaker) {
        if (!new_exchange) out += '\n';
        out += name_of(c.speaker);
        if (keeps_lines(c.unit.kind)) out += '\n';
      } else {
        const bool own_line = c.unit.kind != UnitKind::sentence || last->unit.kind != UnitKind::sentence;
        out += own_line ? "\n" : last_index + 1 == i ? " " : " … ";
      }
      out += shown(c.unit);
      last = &c;
      last_index = i;
    }
    close(out, last);
    summary.tokens = estimate_tokens(out);
    summary.exchanges_mentioned = mentioned;
    summary.text = std::move(out);
  }

  void close(std::string& out, const Candidate* last) const {
    if (last == nullptr) return;
    out += '\n';
    if (const std::string facts = tool_facts(exchanges_[last->exchange]); !facts.empty()) out += facts + '\n';
  }

  // Nothing fits whole: the beginning of what was asked last, shortened.
  void fall_back(ExtractiveSummary& out, std::size_t allowed) {
    out.text.clear();
    out.tokens = 0;
    out.exchanges_mentioned = 0;
    for (std::size_t i = exchanges_.size(); i-- > 0;) {
      const SummaryInput& in = exchanges_[i];
      const bool asked = !in.user_message.empty();
      const std::string_view text = asked ? in.user_message : in.assistant_response;
      if (text.empty()) continue;
      std::string line(in.label);
      if (!line.empty()) line += '\n';
      line += asked ? "User: " : "Assistant: ";
      line += text.substr(0, 64 * 1024);
      const CutText cut = cut_to_tokens(line, allowed);
      out.text = cut.text;
      out.tokens = cut.tokens;
      out.exchanges_mentioned = cut.text.empty() ? 0 : 1;
      return;
    }
  }

  std::span<const SummaryInput> exchanges_;
  SummaryLimits limits_;
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> taken_;  // best first
  std::vector<std::uint8_t> opened_;
  TermWeights weights_;
  std::size_t source_tokens_ = 0;
};

}  // namespace

ExtractiveSummary summarize(std::span<const SummaryInput> exchanges, const SummaryLimits& limits) {
  return Extractor(exchanges, limits).run();
}

}  // namespace memd
