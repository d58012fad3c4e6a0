#include "store/insight/summary/decisions.hpp"

#include "store/text/cue_matcher.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>

namespace memd {
namespace {

constexpr CueSet kSigns = Cue::settled | Cue::contrast;
constexpr std::size_t kShortestDecision = 16;  // bytes

bool states_decision(std::string_view sentence) {
  if (sentence.size() < kShortestDecision || sentence.find('?') != std::string_view::npos) return false;
  const CueSet found = cues().find(sentence, kSigns | Cue::choosing | Cue::undecided);
  if (found.has(Cue::undecided)) return false;
  return found.has(Cue::settled) || (found.has(Cue::contrast) && found.has(Cue::choosing));
}

// The sentence around `at`, inside its line.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

Span sentence_around(std::string_view text, std::size_t at) {
  const std::size_t line_break = text.rfind('\n', at);
  std::size_t begin = line_break == std::string_view::npos || at == 0 ? 0 : line_break + 1;
  const std::size_t line_end = std::min(text.find('\n', at), text.size());
  constexpr std::size_t kReach = 2000;  // a line of megabytes is no prose
  if (at - begin > kReach) begin = at - kReach;
  const std::size_t reach_end = std::min(line_end, at + kReach);
  const std::string_view line = text.substr(0, reach_end);
  for (std::size_t i = begin; i < reach_end;) {
    const std::size_t end = may_end_sentence(line[i]) ? sentence_end_at(line, i) : 0;
    if (end == 0) {
      ++i;
    } else if (end > at) {
      return {begin, end};
    } else {
      begin = i = end;
    }
  }
  return {begin, reach_end};
}

std::string presented(std::string_view sentence) {
  constexpr std::string_view kMarks = " \t\r-*+•>#";
  const std::size_t begin = sentence.find_first_not_of(kMarks);
  if (begin == std::string_view::npos) return {};
  sentence.remove_prefix(begin);
  sentence = sentence.substr(0, sentence.find_last_not_of(" \t\r") + 1);
  if (sentence.size() <= kDecisionBytes) return std::string(sentence);
  constexpr std::string_view kEllipsis = "…";
  std::size_t limit = kDecisionBytes - kEllipsis.size();
  const std::size_t blank = sentence.rfind(' ', limit);
  if (blank != std::string_view::npos && blank > limit / 2) limit = blank;
  while (limit > 0 && is_utf8_tail(sentence, limit))
    --limit;
  return std::string(sentence.substr(0, limit)) + std::string(kEllipsis);
}

// Tells whether a place stands in a code block; asked with growing positions only.
class CodeBlocks {
 public:
  explicit CodeBlocks(std::string_view text) : text_(text) {}

  bool contain(std::size_t at) {
    while (line_ < at) {
      const std::size_t end = std::min(text_.find('\n', line_), text_.size());
      if (end >= at) break;
      fences_.line(text_.substr(line_, end - line_));
      line_ = end + 1;
    }
    return fences_.is_open();
  }

 private:
  std::string_view text_;
  FenceTracker fences_;
  std::size_t line_ = 0;
};

}  // namespace

std::vector<std::string> find_decisions(std::string_view text) {
  std::vector<std::string> found;
  CodeBlocks code(text);
  std::size_t from = 0;
  while (found.size() < kDecisionsPerText) {
    const auto sign = cues().next(text, kSigns, from);
    if (!sign) break;
    if (code.contain(sign->begin)) {
      from = std::min(text.find('\n', sign->begin), text.size());
      continue;
    }
    const Span span = sentence_around(text, sign->begin);
    const std::string_view sentence = text.substr(span.begin, span.end - span.begin);
    if (states_decision(sentence)) {
      std::string line = presented(sentence);
      if (!line.empty() && std::find(found.begin(), found.end(), line) == found.end()) found.push_back(std::move(line));
    }
    from = std::max(span.end, sign->end);
  }
  return found;
}

}  // namespace memd
