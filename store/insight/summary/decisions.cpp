#include "store/insight/summary/decisions.hpp"

#include "schemas/ascii.hpp"
#include "store/text/script.hpp"
#include "store/text/text_shape.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace memd {
namespace {

constexpr std::uint32_t pack(const char (&s)[5]) {
  std::uint32_t v = 0;
  for (int i = 0; i < 4; ++i)
    v = (v << 8) | static_cast<unsigned char>(s[i]);
  return v;
}

template <std::size_t N>
bool starts_with_any(std::string_view s, const std::array<std::string_view, N>& list) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view w) { return ascii::starts_nocase(s, w); });
}

// Every sentence that states_decision() accepts has one of these.
bool is_cue(std::string_view s, std::uint32_t four) {
  constexpr std::array<std::string_view, 5> kOurs{"go with ", "keep ", "stick with ", "drop ", "avoid "};
  switch (four) {
    case pack("deci"): return ascii::starts_nocase(s, "decided ") || ascii::starts_nocase(s, "decision");
    case pack("goin"): return ascii::starts_nocase(s, "going with ");
    case pack("inst"): return ascii::starts_nocase(s, "instead of ");
    case pack("rath"): return ascii::starts_nocase(s, "rather than ");
    case pack("opte"): return ascii::starts_nocase(s, "opted ");
    case pack("chos"): return ascii::starts_nocase(s, "chose to ");
    case pack("sett"): return ascii::starts_nocase(s, "settled on ");
    case pack("stic"): return ascii::starts_nocase(s, "sticking with ");
    case pack("i'll"): return starts_with_any(s.substr(std::min<std::size_t>(5, s.size())), kOurs);
    case pack("we'l"):
    case pack("let'"): return starts_with_any(s.substr(std::min<std::size_t>(6, s.size())), kOurs);
    default: return false;
  }
}

constexpr std::array<bool, 256> make_cue_start() {
  std::array<bool, 256> t{};
  for (const char c : {'d', 'g', 'i', 'r', 'l', 'w', 'o', 'c', 's', 'D', 'G', 'I', 'R', 'L', 'W', 'O', 'C', 'S'})
    t[static_cast<unsigned char>(c)] = true;
  return t;
}
constexpr auto kCueStart = make_cue_start();

constexpr std::array<bool, 256> make_word() {
  std::array<bool, 256> t{};
  for (int c = 'a'; c <= 'z'; ++c)
    t[static_cast<std::size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c)
    t[static_cast<std::size_t>(c)] = true;
  return t;
}
constexpr auto kWord = make_word();

// Where the next cue begins, from `at`.
std::size_t next_cue(std::string_view s, std::size_t at) {
  const auto is_word = [&](std::size_t i) { return kWord[static_cast<unsigned char>(s[i])]; };
  const std::size_t last = s.size() < 8 ? 0 : s.size() - 8;
  if (at > 0)
    while (at < last && is_word(at - 1) && is_word(at))
      ++at;
  while (at < last) {
    if (kCueStart[static_cast<unsigned char>(s[at])]) {
      std::uint32_t four = 0;
      for (std::size_t k = 0; k < 4; ++k)
        four = (four << 8) | static_cast<unsigned char>(ascii::lower(s[at + k]));
      if (is_cue(s.substr(at), four)) return at;
    }
    while (at < last && is_word(at))
      ++at;
    while (at < last && !is_word(at))
      ++at;
  }
  return s.size();
}

bool has(std::string_view s, std::string_view words) { return s.find(words) != std::string_view::npos; }

template <std::size_t N>
bool decision_has_any(std::string_view s, const std::array<std::string_view, N>& list) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view w) { return has(s, w); });
}

// Says by itself that something was settled.
constexpr std::array<std::string_view, 17> kStrong{
    "decided to ", "decided on ",   "decided against ", "decision: ",       "decision:** ",     "decision is to ",
    "going with ", "i'll go with ", "we'll go with ",   "let's go with ",   "opted for ",       "opted to ",
    "chose to ",   "settled on ",   "sticking with ",   "i'll stick with ", "let's stick with "};
// Settles something only together with what was turned down.
constexpr std::array<std::string_view, 2> kContrast{"instead of ", "rather than "};
constexpr std::array<std::string_view, 15> kChoosing{"i'll ",      "we'll ",    "let's ",  "i will ",     "we will ",
                                                     "i'm using ", "i chose ",  "i used ", "i've used ",  "i switched ",
                                                     "we use ",    "we chose ", "i kept ", "i replaced ", "i moved "};
constexpr std::array<std::string_view, 8> kKeeping{"i'll keep the ", "let's keep the ", "we'll keep the ",
                                                   "let's drop ",    "i'll keep it ",   "let's keep it ",
                                                   "we'll keep it ", "let's avoid "};
// Asked, offered, imagined or reported of others.
constexpr std::array<std::string_view, 30> kUndecided{"should we",
                                                      "should i",
                                                      "shall ",
                                                      "would you",
                                                      "do you ",
                                                      "want me to",
                                                      "could ",
                                                      "might ",
                                                      "if you",
                                                      "if we",
                                                      "unless ",
                                                      "whether ",
                                                      "perhaps",
                                                      "maybe",
                                                      "not decided",
                                                      "undecided",
                                                      "haven't decided",
                                                      "hasn't decided",
                                                      "to be decided",
                                                      "before we decide",
                                                      "before going with",
                                                      "can be decided",
                                                      "you've decided",
                                                      "you decided",
                                                      "you chose",
                                                      "going with the flow",
                                                      "keep going",
                                                      "option a",
                                                      "option b",
                                                      "you can "};

bool states_decision(std::string_view sentence) {
  if (sentence.size() < 16) return false;
  const std::string low = ascii::lowered(sentence);
  if (low.find('?') != std::string::npos || decision_has_any(low, kUndecided)) return false;
  if (decision_has_any(low, kStrong) || decision_has_any(low, kKeeping)) return true;
  return decision_has_any(low, kContrast) && decision_has_any(low, kChoosing);
}

// Russian, Chinese, Japanese, Korean: settled, and asked, offered or imagined.
constexpr auto kSettled = std::to_array<std::string_view>({"решил использовать",
                                                           "решили использовать",
                                                           "решено использовать",
                                                           "решил не ",
                                                           "решили не ",
                                                           "решено не ",
                                                           "решил оставить",
                                                           "решили оставить",
                                                           "решено оставить",
                                                           "остановился на ",
                                                           "остановились на ",
                                                           "决定使用",
                                                           "决定采用",
                                                           "决定不",
                                                           "决定用",
                                                           "决定改",
                                                           "决定保留",
                                                           "決定使用",
                                                           "決定採用",
                                                           "最终选择",
                                                           "ことにした",
                                                           "ことにしました",
                                                           "に決めた",
                                                           "に決めました",
                                                           "を採用しました",
                                                           "기로 했",
                                                           "기로 결정",
                                                           "기로 하겠",
                                                           "로 결정했",
                                                           "로 정했"});
constexpr auto kOpen =
    std::to_array<std::string_view>({"?", "？", "吗", "如果", "是否", "建议", "もし", "でしょうか", "ますか", "까요",
                                     "나요", "만약", "если ", "стоит ли ", "может быть"});

std::size_t next_settled(std::string_view s, std::size_t at) {
  std::size_t out = s.size();
  for (const std::string_view cue : kSettled)
    out = std::min(out, s.substr(0, out).find(cue, at));
  return out;
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
  const auto add = [&](std::string_view sentence) {
    std::string line = presented(sentence);
    if (!line.empty() && std::find(found.begin(), found.end(), line) == found.end()) found.push_back(std::move(line));
  };
  CodeBlocks code(text);
  for (std::size_t at = next_cue(text, 0); at < text.size() && found.size() < kDecisionsPerText;) {
    if (code.contain(at)) {
      const std::size_t line_end = std::min(text.find('\n', at), text.size());
      at = next_cue(text, line_end);
      continue;
    }
    const Span span = sentence_around(text, at);
    const std::string_view sentence = text.substr(span.begin, span.end - span.begin);
    if (states_decision(sentence)) add(sentence);
    at = next_cue(text, std::max(span.end, at + 1));
  }
  if (!tokenizer::has_other_scripts(text)) return found;
  const std::string small = tokenizer::small_cyrillic(text);
  CodeBlocks code_again(text);
  for (std::size_t at = next_settled(small, 0); at < text.size() && found.size() < kDecisionsPerText;) {
    const Span span = sentence_around(text, at);
    const std::string_view sentence = std::string_view(small).substr(span.begin, span.end - span.begin);
    if (!code_again.contain(at) && !decision_has_any(sentence, kOpen))
      add(text.substr(span.begin, span.end - span.begin));
    at = next_settled(small, std::max(span.end, at + 1));
  }
  return found;
}

}  // namespace memd
