#include "store/search/words/query_parser.hpp"

#include "schemas/ascii.hpp"
#include "schemas/time.hpp"
#include "schemas/utf8.hpp"
#include "store/text/error_signature.hpp"
#include "store/text/stop_words.hpp"
#include "store/text/time_expression.hpp"

#include <algorithm>
#include <iterator>

namespace memd::search {
namespace {

constexpr std::string_view kQuotes[] = {"“", "”", "„", "「", "」", "『", "』"};

// Control characters and damaged bytes become spaces; typographic quotes become plain ones.
std::string cleaned(std::string_view text) {
  std::string out;
  out.reserve(std::min(text.size(), kMaxQueryBytes));
  text = text.substr(0, kMaxQueryBytes);
  while (!text.empty()) {
    const std::size_t n = ascii::is_beyond(text[0]) ? utf8_length(text) : 1;
    const auto character = text.substr(0, std::max<std::size_t>(n, 1));
    if (n == 0 || (n == 1 && static_cast<unsigned char>(text[0]) <= 0x20) || text[0] == 0x7F)
      out += ' ';
    else if (character == "\u3000")
      out += ' ';
    else if (std::find(std::begin(kQuotes), std::end(kQuotes), character) != std::end(kQuotes))
      out += '"';
    else
      out += character;
    text.remove_prefix(character.size());
  }
  return out;
}

// One blank-separated piece, quotes taken off.
struct Piece {
  bool minus = false;
  std::string_view key;  // in front of ':', empty when the piece has none
  std::string_view value;
  bool quoted = false;
  std::string_view whole;
};

class Cutter {
 public:
  explicit Cutter(std::string_view text) : rest_(text) {}

  bool next(Piece& piece) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    if (rest_.empty()) return false;
    piece = {};
    const std::string_view start = rest_;
    // "-" excludes only in front of a word: "--flag" and a lonely "-" are text.
    if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != '-' && rest_[1] != ' ') {
      piece.minus = true;
      rest_.remove_prefix(1);
    }
    const auto stop = std::min(rest_.find_first_of(" \""), rest_.size());
    const auto colon = rest_.substr(0, stop).find(':');
    if (colon != std::string_view::npos && colon + 1 == stop && stop < rest_.size() && rest_[stop] == '"') {
      piece.key = rest_.substr(0, colon);
      rest_.remove_prefix(stop);
    }
    if (rest_[0] == '"' && take_quoted(piece)) {
      piece.whole = start.substr(0, start.size() - rest_.size());
      return true;
    }
    if (rest_[0] == '"') rest_.remove_prefix(1);  // never closed: no quote
    const auto end = std::min(rest_.find_first_of(" \""), rest_.size());
    piece.value = rest_.substr(0, end);
    rest_.remove_prefix(end);
    piece.whole = start.substr(0, start.size() - rest_.size());
    if (const auto at = piece.value.find(':'); piece.key.empty() && at != std::string_view::npos) {
      piece.key = piece.value.substr(0, at);
      piece.value.remove_prefix(at + 1);
    }
    return true;
  }

 private:
  bool take_quoted(Piece& piece) {
    const auto close = rest_.find('"', 1);
    if (close == std::string_view::npos) return false;
    piece.value = rest_.substr(1, close - 1);
    piece.quoted = true;
    rest_.remove_prefix(close + 1);
    return true;
  }

  std::string_view rest_;
};

bool is_bare_date(std::string_view s) { return s.size() == 10; }

// False: the piece is no filter, so it is text.
bool take_filter(const Piece& piece, ParsedQuery& out) {
  if (piece.key.empty() || piece.value.empty() || piece.minus) return false;
  const std::string key = ascii::lowered(piece.key);
  if (key == "path" || key == "file") {
    out.paths.push_back(ascii::lowered(piece.value));
  } else if (key == "tool") {
    out.tools.push_back(ascii::lowered(piece.value));
  } else if (key == "project") {
    out.project = piece.value;
  } else if (key == "platform") {
    const auto platform = parse_platform(ascii::lowered(piece.value));
    if (!platform) return false;
    out.platforms.push_back(*platform);
  } else if (key == "since" || key == "until") {
    const auto time = parse_local_time(piece.value);
    if (!time) return false;
    if (key == "since")
      out.since = *time;
    else
      out.until = is_bare_date(piece.value) ? day_start(local_day(*time) + 1) : *time;
  } else {
    return false;
  }
  return true;
}

ParsedQuery parse_pieces(std::string_view clean) {
  ParsedQuery out;
  Cutter cutter(clean);
  for (Piece piece; cutter.next(piece);) {
    if (take_filter(piece, out)) continue;
    const bool phrase = piece.quoted && piece.key.empty();
    QueryText words{std::string(phrase ? piece.value : piece.whole.substr(piece.minus ? 1 : 0)), phrase};
    std::erase(words.text, '"');
    if (words.text.find_first_not_of(' ') == std::string::npos) continue;
    (piece.minus ? out.excluded : out.wanted).push_back(std::move(words));
  }
  // "-O2" alone asks for O2.
  if (out.wanted.empty() && !out.has_filters()) {
    out.wanted = std::move(out.excluded);
    out.excluded.clear();
  }
  return out;
}

// Takes a relative time out of the words: they say when, not what.
std::optional<TimeRange> take_time(std::string& clean, TimeMs now) {
  const auto found = find_time_expression(clean, now);
  if (!found) return std::nullopt;
  const auto quotes = std::count(clean.begin(), clean.begin() + static_cast<std::ptrdiff_t>(found->first), '"');
  if (quotes % 2 != 0 || (found->first > 0 && clean[found->first - 1] == ':')) return std::nullopt;
  if (found->relative)
    std::fill(clean.begin() + static_cast<std::ptrdiff_t>(found->first),
              clean.begin() + static_cast<std::ptrdiff_t>(found->end), ' ');
  return found->range;
}

bool asks_nothing(const QueryText& piece) {
  std::string word = ascii::lowered(piece.text);
  std::erase_if(word, [](char c) { return c == '?' || c == '.' || c == ',' || c == '!'; });
  return !piece.quoted &&
         (word.empty() || is_stop_word(word) || word == "work" || word == "worked" || word == "happened");
}

}  // namespace

ParsedQuery parse_query(std::string_view text, TimeMs now) {
  std::string clean = cleaned(text);
  if (const auto signature = error_signature(text.substr(0, kMaxQueryBytes))) {
    ParsedQuery out = parse_pieces(clean);
    out.is_error_output = true;
    out.excluded.clear();
    out.wanted.clear();
    for (const auto* parts : {&signature->messages, &signature->frames})
      for (const std::string& part : *parts)
        out.wanted.push_back({cleaned(part), false});
    return out;
  }
  const auto time = take_time(clean, now);
  ParsedQuery out = parse_pieces(clean);
  out.preferred = time;
  if (time && std::all_of(out.wanted.begin(), out.wanted.end(), asks_nothing)) {
    out.wanted.clear();
    out.since = std::max(out.since, time->start);
    out.until = out.until > 0 ? std::min(out.until, time->end) : time->end;
  }
  return out;
}

}  // namespace memd::search
