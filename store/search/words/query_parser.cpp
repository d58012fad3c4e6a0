#include "store/search/words/query_parser.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/time.hpp"
#include "schemas/base/utf8.hpp"
#include "store/text/time_expression.hpp"
#include "store/text/words.hpp"

#include <boost/regex.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace memd::search {
namespace {

constexpr std::size_t kMaxLines = 200;
constexpr std::size_t kMaxLineBytes = 400;
constexpr std::size_t kMessages = 3;
constexpr std::size_t kFrames = 6;
constexpr auto kFromStart = boost::match_continuous;
constexpr int kTelling = 2;  // least worth of a line that by itself marks a text as error output

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty() && out.size() < kMaxLines) {
    std::string line(ascii::take_until(text, '\n').substr(0, kMaxLineBytes));
    line.erase(0, std::min(line.find_first_not_of(" \t\r|>"), line.size()));
    if (!line.empty()) out.push_back(std::move(line));
  }
  return out;
}

bool holds_any(std::string_view line, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view w) { return line.find(w) != std::string_view::npos; });
}

// Returns whether the line begins with `form`; false if Boost.Regex gives up because of complexity.
bool begins_with(const std::string& line, const boost::regex& form, boost::smatch& match) {
  try {
    return boost::regex_search(line, match, form, kFromStart);
  } catch (const std::runtime_error&) {
    return false;
  }
}

// Returns how certainly the line names the error: 0 (not at all) to 4.
int worth(const std::string& line) {
  static const boost::regex typed(
      R"re(^([\w.:$]*(Error|Exception|Panic|Failure|Fault)|error(\[\w+\])?|fatal( error)?|panic|E[A-Z]{4,}).{0,3}[:(])re",
      boost::regex::optimize);
  static const boost::regex located(R"re(^[^\s:]+:\d+(:\d+)?: (fatal )?error:?)re", boost::regex::optimize);
  boost::smatch match;
  if (begins_with(line, typed, match) || begins_with(line, located, match)) return 4;
  if (holds_any(line, {"Caused by:", "panicked at", "undefined reference", "Sanitizer:", "Segmentation fault"}))
    return 3;
  const std::string low = ascii::lowered(line);
  if (holds_any(low, {"error:", "error ", "exception", "fatal:", "failed:", "assertion"})) return kTelling;
  return holds_any(low, {"failed", "cannot ", "could not ", "unable to", "not found", "denied", "refused"}) ? 1 : 0;
}

// Returns the last path components of the file and function that a line of a trace names; empty: it is no trace.
std::string frame(const std::string& line) {
  static const std::array<boost::regex, 5> kForms{
      boost::regex(R"re(^File "([^"]+)", line \d+(?:, in (\S+))?)re", boost::regex::optimize),
      boost::regex(R"re(^at (?:async )?([^()\s]+) \(([^()]+?):\d+(?::\d+)?\))re", boost::regex::optimize),
      boost::regex(R"re(^at ([\w.$<>]+)\(([\w$]+\.\w+)(?::\d+)?\))re", boost::regex::optimize),
      boost::regex(R"re(^#\d+ +(?:0x[0-9a-fA-F]+ in )?([\w:~<>]+).*?([\w./-]+\.\w+):\d+)re", boost::regex::optimize),
      boost::regex(R"re(^(?:--> |at |in )?([\w./\\-]+\.[A-Za-z]{1,5}):\d+()(?::\d+)?)re", boost::regex::optimize)};
  for (const boost::regex& form : kForms) {
    boost::smatch match;
    if (!begins_with(line, form, match)) continue;
    std::string out;
    for (int i = 1; i < static_cast<int>(match.size()); ++i) {
      const std::string part = match[i];
      if (const auto slash = part.find_last_of("/\\"); !part.empty())
        out.append(out.empty() ? "" : " ").append(slash == std::string::npos ? part : part.substr(slash + 1));
    }
    return out;
  }
  return {};
}

// Replaces the parts of a line that change between occurrences: addresses, UUIDs, times, folders and numbers.
std::string without_places(const std::string& line) {
  static const boost::regex changing(
      R"re(0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}\b|\d{4}-\d\d-\d\d[T ][\d:.,Z+]*|(?:/|\b[A-Za-z]:\\)[^\s:'"()]*[/\\]|:\d+(?::\d+)?|\b\d{4,}\b)re",
      boost::regex::optimize);
  std::string out = boost::regex_replace(line, changing, " ");
  std::replace(out.begin(), out.end(), '"', ' ');
  return out;
}

}  // namespace

std::optional<ErrorSignature> error_signature(std::string_view text) {
  const auto lines = lines_of(text);
  if (lines.size() < 2) return std::nullopt;
  struct Message {
    int worth;
    std::string text;
  };
  std::vector<Message> messages;
  std::vector<std::string> frames;
  for (const std::string& line : lines) {
    const int w = worth(line);
    if (w > 0) messages.push_back({w, without_places(line)});
    if (std::string f = frame(line); !f.empty() && (frames.empty() || frames.back() != f))
      frames.push_back(std::move(f));
  }
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message& a, const Message& b) { return a.worth > b.worth; });
  if (messages.empty() || (messages.front().worth < kTelling && frames.empty())) return std::nullopt;
  if (lines.size() < 3 && frames.empty() && messages.front().worth < kTelling + 1) return std::nullopt;
  ErrorSignature out;
  const int least = std::min(messages.front().worth, kTelling + 1);
  for (Message& m : messages)
    if (out.messages.size() < kMessages && m.worth >= least &&
        std::find(out.messages.begin(), out.messages.end(), m.text) == out.messages.end())
      out.messages.push_back(std::move(m.text));
  // Python names the innermost frame last, the others first.
  if (text.find("most recent call last") != std::string_view::npos) std::reverse(frames.begin(), frames.end());
  frames.resize(std::min(frames.size(), kFrames));
  out.frames = std::move(frames);
  return out;
}

namespace {

constexpr std::string_view kQuotes[] = {"“", "”", "„", "「", "」", "『", "』"};

// Returns the first kMaxQueryBytes with control characters and invalid UTF-8 as spaces, and typographic quotes as `"`.
std::string cleaned(std::string_view text) {
  std::string out;
  out.reserve(std::min(text.size(), kMaxQueryBytes));
  text = text.substr(0, kMaxQueryBytes);
  while (!text.empty()) {
    const std::size_t n = ascii::is_non_ascii(text[0]) ? utf8_length(text) : 1;
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

// One blank-separated piece of the query.
struct Piece {
  bool minus = false;
  std::string_view key;    // before ':'; empty: none
  std::string_view value;  // without quotes
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
    // "-" excludes only directly before a word: "--flag" and a single "-" are text.
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
    if (rest_[0] == '"') rest_.remove_prefix(1);  // never closed, so not a quote
    const auto end = std::min(rest_.find_first_of(" \""), rest_.size());
    piece.value = rest_.substr(0, end);
    rest_.remove_prefix(end);
    piece.whole = start.substr(0, start.size() - rest_.size());
    if (piece.key.empty() && piece.value.find(':') != std::string_view::npos)
      piece.key = ascii::take_until(piece.value, ':');
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

std::vector<Piece> cut(std::string_view text) {
  std::vector<Piece> out;
  Cutter cutter(text);
  for (Piece piece; cutter.next(piece);)
    out.push_back(piece);
  return out;
}

bool is_bare_date(std::string_view s) { return s.size() == 10; }

// Recognises "file:///tmp/a", "file:main.go:12", `"path:x",`.
bool looks_pasted(std::string_view value) {
  const auto colon = value.find(':');
  const bool position = colon != std::string_view::npos && colon != 1;  // 1: "C:\\…"
  return value.starts_with("//") || position || std::string_view(",;)]}").find(value.back()) != std::string_view::npos;
}

// Adds the piece to `out` if it is a filter; false: it is text.
bool take_filter(const Piece& piece, ParsedQuery& out) {
  if (piece.key.empty() || piece.value.empty() || piece.minus) return false;
  if (!piece.quoted && piece.key != "since" && piece.key != "until" && looks_pasted(piece.value)) return false;
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

constexpr std::size_t kLeastExcluded = 3;  // bytes of a word without quotes
constexpr std::size_t kNearProgram = 3;    // pieces after the name of a program: "git commit file -amend"

bool is_letters(std::string_view word) {
  return std::ranges::all_of(word, [](char c) { return ascii::is_letter(c) || ascii::is_non_ascii(c); });
}
bool has_form_of_exclusion(const Piece& piece) {
  return piece.minus &&
         (piece.quoted || (piece.key.empty() && piece.value.size() >= kLeastExcluded && is_letters(piece.value)));
}
bool is_option(const Piece& piece) {
  return !has_form_of_exclusion(piece) && piece.whole.size() > 1 && piece.whole[0] == '-' && piece.whole != "--";
}
bool is_capitals(const Piece& piece) {
  return piece.whole.size() > 1 && std::ranges::all_of(piece.whole, ascii::is_upper);
}
bool names_program(const Piece& piece) {
  const std::string name = ascii::lowered(piece.whole);
  return words(WordClass::subcommand).has(name) || words(WordClass::program).has(name);
}

// Returns for each piece whether it is an exclusion.
std::vector<bool> exclusions(const std::vector<Piece>& pieces) {
  std::vector<bool> out(pieces.size());
  const bool options = std::ranges::any_of(pieces, is_option);
  std::size_t since_program = kNearProgram + 1;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    since_program = names_program(pieces[i]) ? 0 : since_program + 1;
    if (i == 0) continue;
    const bool of_command = options || since_program <= kNearProgram;
    const bool behind_not = i > 1 && pieces[i - 1].whole == "NOT" && !is_capitals(pieces[i - 2]);
    out[i] = behind_not ? !is_capitals(pieces[i]) && !pieces[i].minus : has_form_of_exclusion(pieces[i]) && !of_command;
  }
  return out;
}

ParsedQuery parse_pieces(std::string_view clean, Operators operators) {
  ParsedQuery out;
  const std::vector<Piece> pieces = cut(clean);
  std::vector<bool> excludes(pieces.size());
  if (operators == Operators::read) excludes = exclusions(pieces);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (operators == Operators::read && !excludes[i] && take_filter(piece, out)) {
      out.operators.emplace_back(piece.whole);
      continue;
    }
    if (piece.whole == "NOT" && i + 1 < pieces.size() && excludes[i + 1]) continue;
    const bool phrase = piece.quoted && piece.key.empty();
    QueryText words{std::string(phrase ? piece.value : piece.whole.substr(piece.minus ? 1 : 0)), phrase};
    std::erase(words.text, '"');
    if (words.text.find_first_not_of(' ') == std::string::npos) continue;
    if (excludes[i]) out.operators.push_back((piece.minus ? "" : "NOT ") + std::string(piece.whole));
    (excludes[i] ? out.excluded : out.wanted).push_back(std::move(words));
  }
  return out;
}

// Returns the time that the text mentions. Blanks out a relative time ("last week"), because its words are no content.
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

std::string joined(const std::vector<QueryText>& pieces) {
  std::string out;
  for (const QueryText& piece : pieces)
    out.append(out.empty() ? "" : " ").append(piece.text);
  return out;
}

ParsedQuery parse_query(std::string_view text, TimeMs now, Operators operators) {
  std::string clean = cleaned(text);
  if (lines_of(text.substr(0, kMaxQueryBytes)).size() > 1) operators = Operators::as_words;
  ParsedQuery out;
  if (const auto signature = error_signature(text.substr(0, kMaxQueryBytes))) {
    for (const auto* parts : {&signature->messages, &signature->frames})
      for (const std::string& part : *parts) {
        std::string words = cleaned(part);
        std::erase(words, '"');
        if (words.find_first_not_of(' ') != std::string::npos) out.wanted.push_back({std::move(words), false});
      }
    out.text = text;
    out.meaning = joined(out.wanted);
    return out;
  }
  const std::string whole = clean;
  const auto time = take_time(clean, now);
  out = parse_pieces(clean, operators);
  out.text = text;
  out.meaning = joined(clean == whole ? out.wanted : parse_pieces(whole, operators).wanted);
  out.preferred = time;
  if (time && std::all_of(out.wanted.begin(), out.wanted.end(), asks_nothing)) {
    out.wanted.clear();
    out.since = std::max(out.since, time->start);
    out.until = out.until > 0 ? std::min(out.until, time->end) : time->end;
  }
  return out;
}

}  // namespace memd::search
