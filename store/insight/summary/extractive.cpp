#include "store/insight/summary/extractive.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "store/insight/summary/salience.hpp"
#include "store/text/text_units.hpp"
#include "store/text/token_budget.hpp"

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
  std::size_t tokens = 0;   // 0: not computed yet
  std::uint64_t words = 0;  // hash of its words
  std::size_t first_term = 0;
  std::size_t end_of_terms = 0;
};

// The candidates that a summary consists of.
struct Selection {
  std::vector<std::size_t> best_first;
  std::vector<bool> taken;
};

constexpr std::size_t kUnitLimit = 1200;        // bytes; a longer one is a paste
constexpr std::size_t kUnitsPerMessage = 4000;  // bounds the work on pasted logs

bool keeps_lines(UnitKind kind) { return kind == UnitKind::code || kind == UnitKind::table; }

std::string shown(const TextUnit& unit) {
  return keeps_lines(unit.kind) ? std::string(unit.text) : ascii::one_line(unit.text);
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

}  // namespace

class Extract::Ranking {
 public:
  Ranking(std::span<const SummaryInput> exchanges, std::string_view focus) : exchanges_(exchanges) {
    collect();
    score(focus);
    frame_tokens_.reserve(exchanges_.size());
    for (const SummaryInput& in : exchanges_)
      frame_tokens_.push_back(estimate_tokens(in.label) + estimate_tokens(tool_facts(in)) + 3);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate& c = candidates_[i];
      const bool paste = c.unit.kind != UnitKind::code && c.unit.text.size() > kUnitLimit;
      if (c.score > 0 && !paste) order_.push_back(i);
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return candidates_[a].score > candidates_[b].score; });
  }

  std::size_t source_tokens() const { return source_tokens_; }

  ExtractiveSummary summary(double ratio, std::size_t max_tokens) const {
    ExtractiveSummary out;
    out.source_tokens = source_tokens_;
    const auto by_ratio = static_cast<std::size_t>(static_cast<double>(source_tokens_) * ratio);
    const std::size_t allowed = std::min(max_tokens, std::max(by_ratio, kLeastSummaryTokens));
    out.capped = max_tokens < by_ratio;
    Selection chosen = choose(allowed, allowed);
    render(chosen, out);
    // Token counts of pieces are rounded up one by one; the remainder is distributed in a second pass.
    if (out.tokens > 0 && out.tokens + allowed / 32 < allowed) {
      chosen = choose(std::min(allowed * allowed / out.tokens, allowed + allowed / 2), allowed);
      render(chosen, out);
    }
    while (out.tokens > allowed && drop_weakest(chosen))
      render(chosen, out);
    if (out.text.empty() || out.tokens > allowed) fall_back(out, allowed);
    return out;
  }

 private:
  void collect() {
    for (std::size_t i = 0; i < exchanges_.size(); ++i) {
      const SummaryInput& in = exchanges_[i];
      const std::size_t offset = std::min(in.answer_offset, in.assistant_response.size());
      const std::size_t first_term = terms_.size();
      add(i, Speaker::user, in.user_message, 1.6, 2.6);
      add(i, Speaker::intervention, in.interventions, 1.8, 0.6);
      add(i, Speaker::assistant, in.assistant_response.substr(0, offset), 0.0, 0.2);
      add(i, Speaker::assistant, in.assistant_response.substr(offset), 1.0, 1.4);
      weights_.add_document(std::span(terms_).subspan(first_term));
      source_tokens_ += memd::source_tokens(in);
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
      c.first_term = terms_.size();
      for (const std::uint64_t term : content_terms(unit.text.substr(0, kUnitLimit)))
        terms_.push_back(weights_.number_of(term));
      c.end_of_terms = terms_.size();
      candidates_.push_back(c);
      ++position;
    }
  }

  void score(std::string_view focus_words) {
    std::unordered_set<std::uint32_t> focus;
    for (const std::uint64_t term : content_terms(focus_words))
      focus.insert(weights_.number_of(term));
    for (Candidate& c : candidates_) {
      const auto terms = std::span(terms_).subspan(c.first_term, c.end_of_terms - c.first_term);
      c.score += 2.0 * weights_.overlap(terms);
      if (c.unit.kind == UnitKind::code || c.unit.kind == UnitKind::table)
        c.score -= 2.5;
      else
        c.score += cue_score(c.unit.text);
      if (c.unit.kind == UnitKind::heading) c.score -= 0.8;
      if (c.unit.kind == UnitKind::bullet) c.score -= 0.2;
      if (c.unit.text.size() < 12) c.score -= 1.0;
      if (!focus.empty() &&
          std::any_of(terms.begin(), terms.end(), [&](std::uint32_t term) { return focus.contains(term); }))
        c.score += 2.0;
      if (c.exchange + 1 == exchanges_.size()) c.score += 0.5;
    }
  }

  // Computed on demand, because most candidates are never examined.
  void price(Candidate& c) const {
    if (c.tokens != 0) return;
    if (c.unit.text.size() > 20 * kUnitLimit) {
      c.tokens = c.unit.text.size();  // never taken
      return;
    }
    const std::string text = shown(c.unit);
    c.tokens = estimate_tokens(text) + 1;
    c.words = hash64(text);
  }

  // Returns the best candidates within `nominal` tokens, with no single one above `largest`.
  Selection choose(std::size_t nominal, std::size_t largest) const {
    Selection out;
    out.taken.assign(candidates_.size(), false);
    TokenBudget budget(nominal);
    std::vector<std::uint8_t> opened(exchanges_.size());
    std::unordered_set<std::uint64_t> said;
    for (const std::size_t i : order_) {
      Candidate& c = candidates_[i];
      if (budget.remaining() < 8) break;
      price(c);
      const std::uint8_t speaker_bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(c.speaker));
      std::size_t cost = c.tokens;
      if (opened[c.exchange] == 0) cost += frame_tokens_[c.exchange];
      if ((opened[c.exchange] & speaker_bit) == 0) cost += 5;
      if (cost > std::min(budget.remaining(), largest)) continue;
      if (!said.insert(c.words).second) continue;
      budget.take(cost);
      opened[c.exchange] |= speaker_bit;
      out.taken[i] = true;
      out.best_first.push_back(i);
    }
    return out;
  }

  static bool drop_weakest(Selection& chosen) {
    if (chosen.best_first.size() <= 1) return false;
    chosen.taken[chosen.best_first.back()] = false;
    chosen.best_first.pop_back();
    return true;
  }

  void render(const Selection& chosen, ExtractiveSummary& summary) const {
    std::string out;
    std::size_t mentioned = 0;
    const Candidate* last = nullptr;
    std::size_t last_index = 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate& c = candidates_[i];
      if (!chosen.taken[i]) continue;
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

  // Used when no piece fits: takes the start of the last request, cut.
  void fall_back(ExtractiveSummary& out, std::size_t allowed) const {
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
  mutable std::vector<Candidate> candidates_;  // token counts are computed on first use
  std::vector<std::uint32_t> terms_;           // of all candidates, by their numbers
  std::vector<std::size_t> order_;             // eligible candidates, best first
  std::vector<std::size_t> frame_tokens_;
  TermWeights weights_;
  std::size_t source_tokens_ = 0;
};

std::size_t source_tokens(const SummaryInput& in) {
  if (in.tokens != 0) return in.tokens;
  return estimate_tokens(in.user_message) + estimate_tokens(in.interventions) + estimate_tokens(in.assistant_response);
}

Extract::Extract(std::span<const SummaryInput> exchanges, std::string_view focus)
    : ranking_(std::make_unique<Ranking>(exchanges, focus)) {}
Extract::~Extract() = default;
Extract::Extract(Extract&&) noexcept = default;
Extract& Extract::operator=(Extract&&) noexcept = default;

ExtractiveSummary Extract::summary(double ratio, std::size_t max_tokens) const {
  return ranking_->summary(ratio, max_tokens);
}
std::size_t Extract::source_tokens() const { return ranking_->source_tokens(); }

ExtractiveSummary summarize(std::span<const SummaryInput> exchanges, const SummaryLimits& limits) {
  return Extract(exchanges, limits.focus).summary(limits.ratio, limits.max_tokens);
}

}  // namespace memd
