#include "store/text/redaction/secret_pattern.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/redaction/literal_scan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace memd::redaction {
namespace {

using Part = SecretPattern::Part;

constexpr std::size_t kNoLimit = 4096;
constexpr std::size_t kLongestGap = 240;
constexpr std::size_t kMostSteps = 4000;
constexpr std::size_t kShortestLater = 3;
constexpr std::size_t kReach = 2048;  // bytes behind an anchor that are unescaped

CharSet set_of(std::string_view chars) {
  CharSet out;
  for (const char c : chars)
    out.set(static_cast<unsigned char>(c));
  return out;
}

template <class F>
CharSet set_where(F&& holds, std::string_view more = "") {
  CharSet out = set_of(more);
  for (int c = 0; c < 256; ++c)
    if (holds(static_cast<char>(c))) out.set(static_cast<std::size_t>(c));
  return out;
}

struct CharClass {
  std::string_view name;
  CharSet set;
};

bool is_solid(char c) { return static_cast<unsigned char>(c) > ' ' && c != '"' && c != '\'' && c != '`' && c != '\\'; }

// Returns the classes that patterns name. The number of a class is its place here.
const std::array<CharClass, kCharClasses>& char_classes() {
  static const auto all = std::to_array<CharClass>({
      {"digit", set_where(ascii::is_digit)},
      {"upper", set_where(ascii::is_upper)},
      {"lower", set_where(ascii::is_lower)},
      {"hex", set_where(ascii::is_hex)},
      {"upnum", set_where([](char c) { return ascii::is_upper(c) || ascii::is_digit(c); })},
      {"lownum", set_where([](char c) { return ascii::is_lower(c) || ascii::is_digit(c); })},
      {"alnum", set_where(ascii::is_alnum)},
      {"word", set_where(ascii::is_word)},
      {"token", set_where(ascii::is_word, "-")},
      {"dotted", set_where(ascii::is_word, "-.")},
      {"padded", set_where(ascii::is_word, "-=")},
      {"base64", set_where(ascii::is_alnum, "+/=")},
      {"path", set_where(ascii::is_word, "-/")},
      {"percent", set_where(ascii::is_word, "-%+/=.~")},
      {"blank", set_of(" \t")},
      {"space", set_where(ascii::is_space)},
      {"quote", set_of("\"'`")},
      {"solid", set_where(is_solid)},
      {"field", set_where(is_solid) & ~set_of(":")},  // between colons
      {"quoted", set_where([](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '"'; })},
      {"markup", set_where([](char c) { return static_cast<unsigned char>(c) > ' ' && c != '<'; })},
  });
  return all;
}

std::size_t number(std::string_view s) {
  std::size_t n = 0;
  if (std::from_chars(s.data(), s.data() + s.size(), n).ec != std::errc{})
    throw std::logic_error("not a number: " + std::string(s));
  return n;
}

// "alnum 20-30", "alnum 20-", "alnum 20", "alnum"
Part class_part(std::string_view written) {
  Part out;
  if (written == "gap") {
    out.what = Part::What::gap;
    return out;
  }
  if (written == "arg") {
    out.what = Part::What::argument;
    return out;
  }
  out.what = Part::What::chars;
  const auto blank = written.find(' ');
  const std::string_view name = written.substr(0, blank);
  const auto& classes = char_classes();
  const auto found = std::find_if(classes.begin(), classes.end(), [&](const CharClass& c) { return c.name == name; });
  if (found == classes.end()) throw std::logic_error("no such class of characters: " + std::string(name));
  out.set = found->set;
  out.cls = static_cast<std::size_t>(found - classes.begin());
  out.least = 1;
  out.most = kNoLimit;
  if (blank == std::string_view::npos) return out;
  const std::string_view range = written.substr(blank + 1);
  const auto dash = range.find('-');
  out.least = out.most = number(range.substr(0, dash));
  if (dash == std::string_view::npos) return out;
  out.most = dash + 1 == range.size() ? kNoLimit : number(range.substr(dash + 1));
  return out;
}

// Bytes that stand as they are, however a text is escaped.
bool is_plain(char c) {
  return ascii::is_word(c) || c == '.' || c == ':' || c == '-' || c == ' ' || c == '~' || c == '*' || c == '=' ||
         c == '$' || c == '@' || c == '+';
}

bool holds(const Part& part, char c) { return part.set.test(static_cast<unsigned char>(c)); }

bool ends_argument(char c) {
  return ascii::is_space(c) || c == '"' || c == '\'' || c == '`' || c == ';' || c == '|' || c == '<' || c == '>';
}

}  // namespace

bool inside_word(std::string_view text, std::size_t begin, std::size_t floor) {
  if (begin == floor || !ascii::is_word(text[begin - 1])) return false;
  if (begin >= floor + 6 && text[begin - 6] == '\\' && text[begin - 5] == 'u') return false;
  if (text[begin - 1] == '_') return false;
  return begin < floor + 2 || text[begin - 2] != '\\';
}

SecretPattern::SecretPattern(std::string_view written, bool any_case) : any_case_(any_case) {
  std::string literal;
  const auto end_literal = [&] {
    if (literal.empty()) return;
    Part part;
    part.text = any_case ? ascii::lowered(literal) : literal;
    parts_.push_back(part);
    literal.clear();
  };
  for (std::size_t i = 0; i < written.size(); ++i) {
    const char c = written[i];
    if (c == '\\' && i + 1 < written.size()) {
      const char quoted = written[++i];
      literal += quoted == 'n' ? '\n' : quoted == 't' ? '\t' : quoted;
    } else if (c == '<') {
      end_literal();
      const auto close = written.find('>', i);
      if (close == std::string_view::npos) throw std::logic_error("a class without its end: " + std::string(written));
      parts_.push_back(class_part(written.substr(i + 1, close - i - 1)));
      i = close;
    } else if (c == '{' || c == '}') {
      end_literal();
      Part part;
      part.what = c == '{' ? Part::What::open : Part::What::close;
      parts_.push_back(part);
    } else {
      literal += c;
    }
  }
  end_literal();
  for (const Part& part : parts_) {
    const bool plain =
        part.what == Part::What::literal
            ? std::all_of(part.text.begin(), part.text.end(), [](char c) { return is_plain(c) && c != ' '; })
            : part.what == Part::What::chars && !part.set.test(' ') && !part.set.test('"');
    is_word_ = is_word_ && plain;
  }
  find_ends();
  choose_anchor();
  choose_later();
}

CharSet SecretPattern::first_of(const Part& part) const {
  if (part.what == Part::What::chars && part.least > 0) return part.set;
  if (part.what != Part::What::literal) return CharSet().set();
  CharSet out;
  out.set(static_cast<unsigned char>(part.text.front()));
  if (any_case_) out.set(static_cast<unsigned char>(ascii::upper(part.text.front())));
  return out;
}

void SecretPattern::find_ends() {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].what == Part::What::gap && p + 1 < parts_.size()) parts_[p].set = first_of(parts_[p + 1]);
    if (parts_[p].what != Part::What::chars) continue;
    std::size_t next = p + 1;
    while (next < parts_.size() && (parts_[next].what == Part::What::open || parts_[next].what == Part::What::close))
      ++next;
    if (next == parts_.size()) continue;
    if ((first_of(parts_[next]) & parts_[p].set).none()) parts_[p].ends_within = next - p;
  }
}

bool SecretPattern::can_be_found() const { return !anchor_.text.empty() || anchor_.is_run; }

void SecretPattern::choose_run() {
  std::size_t run = 0;
  std::size_t first = 0;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    const bool literal = part.what == Part::What::literal;
    if (literal && std::all_of(part.text.begin(), part.text.end(), ascii::is_alnum)) {
      run += part.text.size();
    } else if (part.what == Part::What::chars && (part.set & ~set_where(ascii::is_alnum)).none()) {
      run += part.least;
    } else if (part.what == Part::What::open || part.what == Part::What::close) {
    } else {
      // A run begins behind a sign, not behind what may be a part of it.
      if (!literal) return;
      run = 0;
      first = p + 1;
      if (ascii::is_alnum(part.text.back())) return;
    }
    if (run >= kLongRun) {
      anchor_ = {{}, first, 0, true};
      run_ = run_at(first);
      return;
    }
  }
}

SecretPattern::Run SecretPattern::run_at(std::size_t part) const {
  const auto is_brace = [](const Part& p) { return p.what == Part::What::open || p.what == Part::What::close; };
  Run out;
  std::size_t before = part;
  while (before > 0 && is_brace(parts_[before - 1]))
    --before;
  if (before > 0 && parts_[before - 1].what == Part::What::literal) out.before = parts_[before - 1].text.back();
  for (bool has_first = false; part < parts_.size(); ++part) {
    const Part& p = parts_[part];
    if (is_brace(p)) continue;
    const bool literal = p.what == Part::What::literal;
    if (literal && !ascii::is_alnum(p.text.front())) {
      out.behind = p.text.front();
      break;
    }
    if (literal ? !std::all_of(p.text.begin(), p.text.end(), ascii::is_alnum)
                : p.what != Part::What::chars || (p.set & ~set_where(ascii::is_alnum)).any())
      break;
    if (!has_first) out.first |= literal ? set_of(p.text.substr(0, 1)) : p.set;
    if (!has_first && literal && any_case_) out.first.set(static_cast<unsigned char>(ascii::upper(p.text.front())));
    has_first = has_first || literal || p.least > 0;
    out.least += literal ? p.text.size() : p.least;
  }
  return out;
}

void SecretPattern::choose_anchor() {
  // Chooses the first literal that is long enough. The parts before it are then matched only once.
  for (std::size_t p = 0; p < parts_.size() && parts_[p].what != Part::What::gap && anchor_.text.empty(); ++p) {
    const std::string& text = parts_[p].text;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() && is_plain(text[end]))
        ++end;
      if (end - i >= 3 && end - i > anchor_.text.size()) anchor_ = {text.substr(i, end - i), p, i, false};
      i = end + 1;
    }
  }
  // Three characters stand everywhere; a long run does not.
  if (anchor_.text.size() <= 3 || (anchor_.text.size() == 4 && anchor_.text.back() == '.')) choose_run();
}

void SecretPattern::choose_later() {
  for (std::size_t p = anchor_.part + 1; p < parts_.size(); ++p) {
    const std::string& text = parts_[p].text;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() && ascii::is_alnum(text[end]))
        ++end;
      if (end - i > later_.size()) later_ = ascii::lowered(text.substr(i, end - i));
      i = end + 1;
    }
  }
}

// Escape sequences are of punctuation. Letters and digits look the same with them.
bool SecretPattern::may_go_on(std::string_view behind) const {
  return later_.size() < kShortestLater || has_nocase(behind, later_);
}

bool SecretPattern::literal_at(const std::string& literal, std::string_view text, std::size_t at) const {
  if (at > text.size() || text.size() - at < literal.size()) return false;
  if (!any_case_) return text.substr(at, literal.size()) == literal;
  return std::equal(literal.begin(), literal.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, char b) { return a == ascii::lower(b); });
}

bool SecretPattern::forward(std::size_t p, std::string_view text, std::size_t at, Found& found,
                            LookAhead& ahead) const {
  if (++found.steps > kMostSteps) return false;
  if (p == parts_.size()) {
    if (!found.marked) found.end = at;
    return true;
  }
  const Part& part = parts_[p];
  switch (part.what) {
    case Part::What::literal:
      // The last line may have no end.
      if (at == text.size() && p + 1 == parts_.size() && part.text == "\n") return true;
      return literal_at(part.text, text, at) && forward(p + 1, text, at + part.text.size(), found, ahead);
    case Part::What::open:
      found.begin = at;
      found.marked = true;
      return forward(p + 1, text, at, found, ahead);
    case Part::What::close: found.end = at; return forward(p + 1, text, at, found, ahead);
    case Part::What::chars: {
      if (at >= text.size()) {  // asking `ahead` here would make it forget the last run
        if (part.least > 0) return false;
        return forward(p + 1, text, at, found, ahead);
      }
      std::size_t end = ahead.end_of(LookAhead::kFirstClass + part.cls, at, at + std::min(part.most, text.size() - at),
                                     [&](std::size_t i) { return !holds(part, text[i]); });
      if (end - at < part.least) return false;
      // A token that is longer than its kind is another one.
      if (p + 1 == parts_.size() && part.most < kNoLimit && end < text.size() && holds(part, text[end])) return false;
      if (forward(p + 1, text, end, found, ahead)) return true;
      if (part.ends_within > 0) {  // no other end can do; they count as tried
        found.steps += part.ends_within * (end - at - part.least);
        return false;
      }
      while (end > at + part.least)
        if (forward(p + 1, text, --end, found, ahead)) return true;
      return false;
    }
    case Part::What::argument: {
      if (at >= text.size()) return false;
      const char quote = text[at];
      std::size_t end = at;
      std::size_t begin = at;
      if (quote == '"' || quote == '\'') {
        begin = at + 1;
        end = ahead.end_of(quote == '"' ? LookAhead::kDoubleQuoted : LookAhead::kSingleQuoted, begin, text.size(),
                           [&](std::size_t i) { return text[i] == quote || text[i] == '\n'; });
        if (end == text.size() || text[end] == '\n') return false;
        at = end + 1;
      } else {
        while (end < text.size() && !ends_argument(text[end]))
          end += text[end] == '\\' && end + 1 < text.size() ? 2 : 1;
        end = at = std::min(end, text.size());
      }
      if (end == begin || !forward(p + 1, text, at, found, ahead)) return false;
      found.begin = begin;
      found.end = end;
      found.marked = true;
      return true;
    }
    case Part::What::gap:
      for (std::size_t end = at; end <= text.size() && end - at <= kLongestGap; ++end) {
        if (end < text.size() && !holds(part, text[end]))
          ++found.steps;  // the next part cannot begin here
        else if (forward(p + 1, text, end, found, ahead))
          return true;
        if (end < text.size() && (text[end] == '\n' || text[end] == '|')) return false;
      }
      return false;
  }
  return false;
}

bool SecretPattern::backward(std::size_t p, std::string_view text, std::size_t& at, std::size_t floor, Found& found,
                             LookAhead& ahead) const {
  while (p-- > 0) {
    const Part& part = parts_[p];
    switch (part.what) {
      case Part::What::literal:
        if (at - floor < part.text.size() || !literal_at(part.text, text, at - part.text.size())) return false;
        at -= part.text.size();
        break;
      case Part::What::open:
        found.begin = at;
        found.marked = true;
        break;
      case Part::What::close: found.end = at; break;
      case Part::What::chars: {
        const std::size_t first =
            ahead.begin_of(LookAhead::kFirstClass + part.cls, at, at - std::min(part.most, at - floor),
                           [&](std::size_t i) { return !holds(part, text[i]); });
        if (at - first < part.least) return false;
        at = first;
        break;
      }
      default: return false;
    }
  }
  return true;
}

bool SecretPattern::may_be_escaped(std::string_view text, std::size_t at) const {
  if (is_word_ || anchor_.text.empty()) return false;
  const std::string& literal = parts_[anchor_.part].text;
  const std::size_t end = at + anchor_.text.size();
  const std::size_t behind = anchor_.offset + anchor_.text.size();
  if (anchor_.offset > 0 && (at == 0 || text[at - 1] != literal[anchor_.offset - 1])) return false;
  if (behind < literal.size() && end < text.size() && text[end] != literal[behind] && text[end] != '\\') return false;
  if (behind == literal.size() && end < text.size() && text[end] != '\\') {
    bool may_follow = false;
    for (std::size_t p = anchor_.part + 1; p < parts_.size() && !may_follow; ++p) {
      const Part& next = parts_[p];
      if (next.what == Part::What::open || next.what == Part::What::close) continue;
      if (next.what == Part::What::literal) {
        may_follow = next.text.front() == text[end];
        break;
      }
      may_follow = next.what != Part::What::chars || holds(next, text[end]);
      if (next.what == Part::What::chars && next.least > 0) break;
    }
    if (!may_follow) return false;
  }
  if (!fits_to_backslash(text, at - anchor_.offset)) return false;
  // An argument right behind it begins with its quotation mark.
  std::size_t next = anchor_.part + 1;
  while (behind == literal.size() && next < parts_.size() &&
         (parts_[next].what == Part::What::open || (parts_[next].what == Part::What::chars && parts_[next].least == 0)))
    ++next;
  const std::string_view near = text.substr(end, kLongestGap);
  if (behind == literal.size() && next < parts_.size() && parts_[next].what == Part::What::argument) {
    const bool is_piped = next + 1 < parts_.size() && parts_.back().what == Part::What::literal;
    return near.starts_with('\\') &&
           (!is_piped || near.find('|') != std::string_view::npos ||
            parts_.back().text.find('|') == std::string_view::npos) &&
           may_go_on(text.substr(end, kReach));
  }
  return near.find('\\') != std::string_view::npos && may_go_on(text.substr(end, kReach));
}

// Returns whether the text from the anchor's literal on, which begins at `at`, fits as far as no escape sequence
// changes it; true where that is not clear.
bool SecretPattern::fits_to_backslash(std::string_view text, std::size_t at) const {
  for (std::size_t p = anchor_.part; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    switch (part.what) {
      case Part::What::open:
      case Part::What::close: break;
      case Part::What::literal:
        for (const char c : part.text) {
          if (at >= text.size()) return false;
          if (text[at] == '\\') return true;
          if ((any_case_ ? ascii::lower(text[at]) : text[at]) != c) return false;
          ++at;
        }
        break;
      case Part::What::chars: {
        std::size_t end = at;
        while (end < text.size() && end - at < part.most && text[end] != '\\' && holds(part, text[end]))
          ++end;
        if (end == text.size() || text[end] == '\\') return true;
        if (end - at < part.least) return false;
        if (part.ends_within == 0) return true;  // there may be other ends
        at = end;
        break;
      }
      case Part::What::argument: {
        const bool is_last =
            p + 1 == parts_.size() || (p + 2 == parts_.size() && parts_[p + 1].what == Part::What::close);
        return !is_last || at >= text.size() || text[at] == '\\';
      }
      case Part::What::gap: return true;
    }
  }
  return true;
}

std::optional<Secret> SecretPattern::match(std::string_view text, std::size_t at, std::size_t floor,
                                           LookAhead& ahead) const {
  Found found;
  if (!anchor_.is_run) {
    if (at - floor < anchor_.offset) return std::nullopt;
    at -= anchor_.offset;
    if (!literal_at(parts_[anchor_.part].text, text, at)) return std::nullopt;
  }
  std::size_t begin = at;
  if (!backward(anchor_.part, text, begin, floor, found, ahead)) return std::nullopt;
  // Before what may be long is looked at: a run of letters may hold any number of begins.
  if (ascii::is_word(text[begin]) && inside_word(text, begin, floor)) return std::nullopt;
  if (!forward(anchor_.part, text, at, found, ahead)) return std::nullopt;
  if (!found.marked) found.begin = begin;
  if (found.end <= found.begin) return std::nullopt;
  return Secret{found.begin, found.end, {}};
}

}  // namespace memd::redaction
