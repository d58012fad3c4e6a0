#include "store/text/token_budget.hpp"

#include "store/text/text_units.hpp"
#include "store/text/token_estimate.hpp"

#include <algorithm>
#include <numeric>

namespace memd {
namespace {

constexpr std::string_view kMark = "…";

// The best place to end text[0, limit): an earlier one is taken only if it keeps most of the text.
struct Border {
  std::size_t at = 0;
  bool whole_line = false;
};

Border best_border(std::string_view text, std::size_t limit, bool in_fence) {
  const std::string_view head = text.substr(0, limit);
  const std::size_t paragraph_floor = limit - limit / 5;
  const std::size_t line_floor = limit - limit / 3;
  if (!in_fence) {
    const std::size_t paragraph = head.rfind("\n\n");
    if (paragraph != std::string_view::npos && paragraph >= paragraph_floor) return {paragraph, true};
  }
  const std::size_t line = head.rfind('\n');
  if (line != std::string_view::npos && (line >= line_floor || (in_fence && line >= limit / 2))) return {line, true};
  if (!in_fence) {
    for (std::size_t i = limit; i-- > line_floor;)
      if (const std::size_t end = sentence_end_at(text, i); end != 0 && end <= limit) return {end, false};
  }
  const std::size_t blank = head.find_last_of(" \t\n");
  if (blank != std::string_view::npos && blank >= limit / 2) return {blank, false};
  return {limit, false};
}

FenceTracker fences_of(std::string_view text) {
  FenceTracker fences;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    fences.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fences;
}

std::string shorten(std::string_view text, std::size_t limit, std::size_t& kept) {
  // A cut inside the opening line of a fence would leave half a fence: the tracker looks at whole lines only.
  const std::size_t line_begin = text.substr(0, limit).rfind('\n');
  const std::size_t whole_lines = line_begin == std::string_view::npos ? 0 : line_begin + 1;
  const bool in_fence = fences_of(text.substr(0, whole_lines)).is_open();
  const Border border = best_border(text, limit, in_fence);
  std::string out(text.substr(0, border.at));
  const std::size_t last = out.find_last_not_of(" \t\r\n");
  out.resize(last == std::string::npos ? 0 : last + 1);
  kept = out.size();
  const FenceTracker fences = fences_of(out);
  if (fences.is_open()) {
    out += "\n…\n";
    out += fences.closing();
  } else {
    if (border.whole_line && !out.empty()) out += '\n';
    out += kMark;
  }
  return out;
}

}  // namespace

CutText cut_to_tokens(std::string_view text, std::size_t max_tokens) {
  CutText out;
  TokenPrefix prefix = prefix_within_tokens(text, max_tokens);
  if (prefix.bytes == text.size()) {
    out.text = text;
    out.tokens = prefix.tokens;
    out.kept_bytes = text.size();
    return out;
  }
  out.cut = true;
  // The mark and a closing fence are not part of the prefix, so what was found may have to give way to them.
  for (std::size_t allowed = max_tokens; allowed > 0; prefix = prefix_within_tokens(text, allowed)) {
    std::size_t kept = 0;
    std::string shorter = shorten(text, prefix.bytes, kept);
    const std::size_t tokens = estimate_tokens(shorter);
    if (tokens <= max_tokens) {
      out.text = std::move(shorter);
      out.tokens = tokens;
      out.kept_bytes = kept;
      break;
    }
    allowed -= std::min(allowed, tokens - max_tokens);
  }
  return out;
}

std::vector<std::size_t> fair_shares(std::size_t budget, std::span<const std::size_t> wanted) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<std::size_t> shares(wanted.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t share = std::min(wanted[order[i]], budget / (order.size() - i));
    shares[order[i]] = share;
    budget -= share;
  }
  return shares;
}

bool TokenBudget::take(std::size_t tokens) {
  if (tokens > remaining()) return false;
  used_ += tokens;
  return true;
}

bool TokenBudget::take_text(std::string_view text) { return take(estimate_tokens(text)); }

CutText TokenBudget::take_cut(std::string_view text, std::size_t at_most) {
  CutText cut = cut_to_tokens(text, std::min(at_most, remaining()));
  used_ += cut.tokens;
  return cut;
}

}  // namespace memd
