#include "store/text/text_chunks.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/utf8.hpp"

#include <algorithm>
#include <utility>

namespace memd::enrichment {
namespace {

// bytes; up to this length a prompt shares a chunk with the start of its answer, because together they are more
// informative.
constexpr std::size_t kShortPrompt = kChunkBytes * 2 / 3;

bool is_fence(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line.starts_with("```") || line.starts_with("~~~");
}

constexpr std::string_view kIdeographicEnds[] = {"。", "！", "？"};

bool ends_sentence(std::string_view text, std::size_t end) {
  const std::string_view before = text.substr(0, end);
  return before.ends_with('.') || before.ends_with('?') || before.ends_with('!') ||
         std::any_of(std::begin(kIdeographicEnds), std::end(kIdeographicEnds),
                     [&](std::string_view stop) { return before.ends_with(stop); });
}

// A position at which a piece may end, and whether it is inside a code block.
struct Place {
  std::size_t at = 0;  // 0: nowhere
  bool code = false;
};

class Cutter {
 public:
  Cutter(std::string_view text, std::size_t limit) : rest_(ascii::trimmed(text)), limit_(limit) {}

  // Returns the next piece; empty after the last one.
  std::string_view next() {
    if (rest_.size() <= limit_) return std::exchange(rest_, {});
    const Place end = end_of_stretch();
    const std::string_view piece = ascii::trimmed(rest_.substr(0, end.at));
    at_line_start_ = end.at > 0 && (rest_[end.at] == '\n' || rest_[end.at - 1] == '\n');
    code_ = end.code;
    rest_ = ascii::trimmed(rest_.substr(end.at));
    return piece;
  }

  // What next() has not returned yet, and a way to replace it by a text that begins alike.
  std::string_view rest() const { return rest_; }
  void continue_with(std::string_view text) { rest_ = ascii::trimmed(text); }

 private:
  // Returns the last position of the best kind. Reads nothing after `limit_`.
  Place end_of_stretch() {
    paragraph_ = sentence_ = {};
    fence_ = 0;
    bool code = code_;
    std::size_t line = 0;
    for (std::size_t end = line_end(line); end <= limit_; end = line_end(line)) {
      look_at(line, end, code);
      line = end + 1;
    }
    // The end of a line counts as the end of a sentence, so only the last line is searched for others.
    if (const std::size_t at = last_sentence(line)) sentence_ = {at, code};
    if (code && fence_ >= limit_ / 4) return {fence_, false};
    for (const std::size_t share : {2U, 4U})
      for (const Place& place : {paragraph_, sentence_})
        if (place.at >= limit_ / share) return place;
    if (const Place word = last_word(); word.at > 0) return word;
    std::size_t at = limit_;
    while (at > 1 && is_utf8_tail(rest_[at]))
      --at;
    return {at, code};
  }

  // Returns the position of the first line end from `line` on; more than limit_ if the line is longer.
  std::size_t line_end(std::size_t line) const {
    if (line > limit_) return limit_ + 1;
    const std::size_t found = rest_.substr(line, limit_ + 1 - line).find('\n');
    return found == std::string_view::npos ? limit_ + 1 : line + found;
  }

  bool is_fence_at(std::size_t line, std::size_t end) const {
    return (line > 0 || at_line_start_) && is_fence(rest_.substr(line, end - line));
  }

  // Examines a whole line. `code`: whether it is inside a code block, then whether the next one is.
  void look_at(std::size_t line, std::size_t end, bool& code) {
    if (is_fence_at(line, end)) {
      code = !code;
      if (code)
        fence_ = line;
      else
        paragraph_ = {end, false};
    } else if (!code && line > 0 && ascii::trimmed(rest_.substr(line, end - line)).empty()) {
      paragraph_ = {line, false};
    }
    if (end > 0) sentence_ = {end, code};
  }

  // Returns where the last sentence inside the line that starts at `line` ends; 0: nowhere.
  std::size_t last_sentence(std::size_t line) const {
    for (std::size_t i = limit_; i >= std::max<std::size_t>(line, 1); --i) {
      if (is_utf8_tail(rest_[i])) continue;
      if ((ascii::is_space(rest_[i]) || is_utf8_tail(rest_[i - 1])) && ends_sentence(rest_, i)) return i;
    }
    return 0;
  }

  // Returns the last whitespace inside a line.
  Place last_word() const {
    Place out;
    bool code = code_;
    for (std::size_t line = 0; line <= limit_;) {
      const std::size_t end = line_end(line);
      for (std::size_t i = end - 1; i >= std::max<std::size_t>(line, 1) && i < end; --i) {
        if (!ascii::is_space(rest_[i])) continue;
        out = {i, code};
        break;
      }
      if (end <= limit_ && is_fence_at(line, end)) code = !code;
      line = end + 1;
    }
    return out;
  }

  std::string_view rest_;
  const std::size_t limit_;
  bool code_ = false;  // rest_ starts inside a code block
  bool at_line_start_ = true;
  Place paragraph_;
  Place sentence_;
  std::size_t fence_ = 0;  // start of the last code block
};

// Calls visit(chunk) for each piece of the prompt and the answer together, until it returns false; then returns false.
template <class Visit>
bool each_piece_of_both(std::string_view prompt, std::string_view answer, Visit& visit) {
  // Copies more of a long answer than a piece that begins in the prompt can reach.
  std::size_t copied = std::min(answer.size(), 2 * kChunkBytes);
  while (copied < answer.size() && ascii::is_space(answer[copied - 1]))
    ++copied;
  const std::string both = std::string(prompt).append("\n\n").append(answer.substr(0, copied));
  const std::size_t answer_at = prompt.size() + 2;
  bool in_copy = copied < answer.size();
  Cutter cutter(both, kChunkBytes);
  while (true) {
    if (in_copy) {
      const auto at = static_cast<std::size_t>(cutter.rest().data() - both.data());
      if (at >= answer_at) {
        cutter.continue_with(answer.substr(at - answer_at));
        in_copy = false;
      }
    }
    const std::string_view piece = cutter.next();
    if (piece.empty()) return true;
    if (!visit(piece)) return false;
  }
}

// Calls visit(chunk) for each chunk, in order, until it returns false. The chunks are valid during the call.
template <class Visit>
void each_chunk(const ChunkedTexts& texts, Visit visit) {
  const auto goes_on = [&](std::string_view text) {
    Cutter cutter(text, kChunkBytes);
    for (std::string_view chunk = cutter.next(); !chunk.empty(); chunk = cutter.next())
      if (!visit(chunk)) return false;
    return true;
  };
  const std::string_view answer = texts.assistant_response.substr(texts.answer_begin);
  if (texts.user_message.size() <= kShortPrompt) {
    if (!each_piece_of_both(texts.user_message, answer, visit)) return;
  } else if (!goes_on(texts.user_message) || !goes_on(answer)) {
    return;
  }
  if (goes_on(texts.interventions)) goes_on(texts.assistant_response.substr(0, texts.answer_begin));
}

}  // namespace

std::vector<TextChunk> chunks_of(const ExchangeRow& exchange) {
  std::vector<TextChunk> out;
  each_chunk({exchange.user_message, exchange.assistant_response, exchange.interventions, exchange.answer_begin()},
             [&](std::string_view chunk) {
               out.push_back({std::string(chunk), hash64(chunk)});
               return true;
             });
  return out;
}

std::string chunk_at(const ChunkedTexts& texts, std::size_t number) {
  std::string out;
  each_chunk(texts, [&, at = std::size_t{0}](std::string_view chunk) mutable {
    if (at++ < number) return true;
    out = chunk;
    return false;
  });
  return out;
}

std::vector<std::string_view> cut(std::string_view text, std::size_t limit) {
  std::vector<std::string_view> out;
  Cutter cutter(text, limit);
  for (std::string_view piece = cutter.next(); !piece.empty(); piece = cutter.next())
    out.push_back(piece);
  return out;
}

}  // namespace memd::enrichment
