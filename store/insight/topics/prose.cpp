#include "store/insight/topics/prose.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"
#include "store/text/text_units.hpp"
#include "store/text/words.hpp"

#include <algorithm>

namespace memd::topics {
namespace {

// Particles that act as word boundaries, because Chinese is written without blanks.
constexpr std::u16string_view kParticles = u"的了吗呢吧们这那你他她它我把请就也都";

// Returns the length of a letter of any script; 0 for Hiragana, which joins words, and for quotes, dashes, arrows,
// boxes, emoji and wide punctuation.
std::size_t wide_letter(std::string_view s, std::size_t i) {
  const auto byte = [&](std::size_t k) { return i + k < s.size() ? static_cast<unsigned char>(s[i + k]) : 0U; };
  const unsigned lead = byte(0);
  if (lead >= 0xF0) return 0;
  if (lead >= 0xE0) {
    const unsigned code = ((lead & 0x0FU) << 12) | ((byte(1) & 0x3FU) << 6) | (byte(2) & 0x3FU);
    if ((code >= 0x2000 && code < 0x2C00) || (code >= 0x3000 && code < 0x30A0) || code >= 0xFE00) return 0;
    if (kParticles.find(static_cast<char16_t>(code)) != std::u16string_view::npos) return 0;
    return i + 3 <= s.size() ? 3 : 0;
  }
  if (lead < 0xC3) return 0;  // also U+0080…U+00BF: ° · «
  return i + 2 <= s.size() ? 2 : 0;
}

bool is_joint(char c) { return c == '.' || c == '-' || c == '/' || c == '\'' || c == '_' || c == '@'; }

class LineReader {
 public:
  LineReader(const ReadingPlan& plan, std::vector<ProseToken>& out) : plan_(plan), out_(out) {}

  void read(std::string_view line, float weight) {
    line_ = line;
    weight_ = weight;
    border_ = true;
    in_code_ = false;
    std::size_t i = std::min(line.find_first_not_of(" \t>-*+#|0123456789."), line.size());
    heading_ = line.substr(0, i).find('#') != std::string_view::npos;
    sentence_start_ = true;
    while (i < line.size())
      i = step(i);
  }

 private:
  std::size_t step(std::size_t i) {
    const char c = line_[i];
    if (c == 'h' && is_address(i)) return skip_address(i);
    if (letter(i) > 0) return take(i);
    if (c == '<')
      if (const std::size_t end = tag_end(i)) {
        border_ = true;
        return end;
      }
    if (c == '`') in_code_ = !in_code_;
    if (c == '.' || c == '!' || c == '?' || c == ':' || c == '*') sentence_start_ = true;
    if (c != ' ' && c != '\t' && c != '\r') border_ = true;
    if (ascii::is_non_ascii(c)) {
      ++i;
      while (i < line_.size() && is_utf8_tail(line_, i))
        ++i;
      return i;
    }
    return i + 1;
  }

  std::size_t letter(std::size_t i) const {
    const char c = line_[i];
    if (ascii::is_letter(c) || ascii::is_digit(c) || c == '_') return 1;
    return ascii::is_non_ascii(c) ? wide_letter(line_, i) : 0;
  }

  bool is_address(std::size_t i) const {
    const std::string_view rest = line_.substr(i, 8);
    return rest.starts_with("http://") || rest.starts_with("https://");
  }
  std::size_t skip_address(std::size_t i) {
    border_ = true;
    while (i < line_.size() && line_[i] != ' ' && line_[i] != ')' && line_[i] != '>' && line_[i] != '"' &&
           line_[i] != '`')
      ++i;
    return i;
  }

  // Returns the end of a tag: <b>, </command-name>, <Foo attr="…">; 0 if it is none.
  std::size_t tag_end(std::size_t i) const {
    std::size_t k = i + 1;
    if (k < line_.size() && line_[k] == '/') ++k;
    if (k >= line_.size() || !ascii::is_letter(line_[k])) return 0;
    const std::size_t close = line_.find('>', k);
    return close == std::string_view::npos || close - i > 200 ? 0 : close + 1;
  }

  std::size_t take(std::size_t begin) {
    std::size_t i = begin;
    while (i < line_.size()) {
      if (const std::size_t n = letter(i)) {
        i += n;
      } else if (i + 1 < line_.size() && is_joint(line_[i]) && letter(i + 1) > 0) {
        ++i;
      } else if (line_.substr(i, 2) == "::" && i + 2 < line_.size() && letter(i + 2) > 0) {
        i += 2;
      } else {
        break;
      }
    }
    const char before = begin > 0 ? line_[begin - 1] : ' ';
    const bool flag = begin >= 2 && line_.substr(begin - 2, 2) == "--" && (begin == 2 || line_[begin - 3] != '-');
    const bool rooted = before == '/' || before == '~' || before == '\\' || before == '@' || before == '$';
    const bool called = i < line_.size() && line_[i] == '(';
    const std::string_view run = line_.substr(begin, i - begin);
    if (flag && i - begin >= 3 && run.find('/') == std::string_view::npos)
      add(line_.substr(begin - 2, i - begin + 2), TokenShape::identifier);
    else
      add_run(run, rooted, called);
    return i;
  }

  void add_run(std::string_view run, bool rooted, bool called) {
    if (const auto shaped = shape_token(run, called, in_code_);
        shaped && (!rooted || shaped->shape == TokenShape::file_name)) {
      return add(shaped->text, shaped->shape);
    }
    border_ = true;
    // "rewind/resume" is two words; several slashes make a path.
    if (!rooted && std::count(run.begin(), run.end(), '/') == 1 && run.find_first_of(".@_") == std::string_view::npos)
      add_parts(run);
    border_ = true;
    sentence_start_ = false;
  }

  void add_parts(std::string_view run) {
    for (std::size_t begin = 0; begin <= run.size();) {
      const std::size_t end = std::min(run.find('/', begin), run.size());
      border_ = true;
      if (end > begin)
        if (const auto part = shape_token(run.substr(begin, end - begin), false, in_code_))
          add(part->text, part->shape);
      begin = end + 1;
    }
    border_ = true;
  }

  void add(std::string_view text, TokenShape shape) {
    ProseToken t;
    t.text = text;
    t.weight = weight_ * (heading_ ? 1.3F : 1.0F);
    t.shape = shape;
    t.border = border_;
    t.capital = sentence_start_ || heading_;
    t.in_code = in_code_;
    t.from_user = plan_.from_user;
    out_.push_back(t);
    border_ = false;
    sentence_start_ = false;
  }

  const ReadingPlan& plan_;
  std::vector<ProseToken>& out_;
  std::string_view line_;
  float weight_ = 0;
  bool border_ = true;
  bool heading_ = false;
  bool sentence_start_ = true;
  bool in_code_ = false;
};

// Returns whether the line is from a log, listing, diff or stack trace: more punctuation than letters, or a known
// prefix.
bool is_printout(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return true;
  const std::string_view s = line.substr(begin);
  for (const std::string_view start : {"at ", "@@ ", "+++ ", "diff --", "$ ", "commit ", "File \"", "=== ", "--- FAIL"})
    if (s.starts_with(start) && start != "at ") return true;
  if (s.starts_with("at ") && s.find_first_of("(/") != std::string_view::npos) return true;
  if (s[0] == '"' && s.find("\":") != std::string_view::npos) return true;  // of a JSON document
  if (const std::size_t colon = s.find(": "); s.ends_with(',') && colon < s.find(' ')) return true;
  if (s.size() < 24) return false;
  const auto letters = std::count_if(s.begin(), s.end(),
                                     [](char c) { return ascii::is_letter(c) || c == ' ' || ascii::is_non_ascii(c); });
  return static_cast<std::size_t>(letters) * 10 < s.size() * 7;
}

// Elements in which clients wrap text that is not the user's; they are removed with their content.
constexpr std::string_view kClientElements =
    " local-command-stdout local-command-stderr local-command-caveat "
    "system-reminder environment_details environment_context user_instructions ide_opened_file ide_selection "
    "bash-stdout bash-stderr task-notification user-prompt-submit-hook INSTRUCTIONS attached_files "
    "system_notification permissions tool_use_error instructions skill slash_commands ";

struct Cut {
  std::size_t begin = std::string_view::npos;
  std::size_t end = std::string_view::npos;
};

// Returns the first client element at or after `at`.
Cut client_element(std::string_view text, std::size_t at) {
  for (std::size_t i = text.find('<', at); i != std::string_view::npos; i = text.find('<', i + 1)) {
    const std::string_view rest = text.substr(i + 1, 32);  // longer than any of them
    const std::string name(rest.substr(0, rest.find_first_of(" >")));
    if (name.empty() || name.size() == rest.size() || kClientElements.find(" " + name + " ") == std::string_view::npos)
      continue;
    const std::string closing = "</" + name + ">";
    const std::size_t close = text.find(closing, i);
    return {i, close == std::string_view::npos ? text.size() : close + closing.size()};
  }
  return {};
}

}  // namespace

bool is_made_by_client(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  text.remove_prefix(begin);
  for (const std::string_view start :
       {"This session is being continued from a previous conversation",
        "Your task is to create a detailed summary of the", "Caveat: The messages below were generated",
        "[Request interrupted by user", "<local-command-", "<environment_context>", "<user_instructions>",
        "# AGENTS.md instructions", "Base directory for this skill:"})
    if (text.starts_with(start)) return true;
  return false;
}

void read_prose(std::string_view text, const ReadingPlan& plan, std::vector<ProseToken>& out) {
  text = text.substr(0, plan.most_bytes);
  LineReader reader(plan, out);
  FenceTracker fences;
  std::size_t read = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Cut cut = client_element(text, at);
    const std::string_view piece = text.substr(at, std::min(cut.begin, text.size()) - at);
    for (std::size_t i = 0; i < piece.size();) {
      const std::size_t end = std::min(piece.find('\n', i), piece.size());
      const std::string_view line = piece.substr(i, end - i);
      const bool in_fence = fences.is_open();
      fences.line(line);
      if (!in_fence && !fences.is_open() && !is_printout(line)) {
        reader.read(line, read < plan.head_bytes ? plan.head : plan.rest);
        read += line.size() + 1;
      }
      i = end + 1;
    }
    at = cut.begin == std::string_view::npos ? text.size() : cut.end;
  }
}

namespace {

constexpr std::size_t kLongestIdentifier = 40;
constexpr std::size_t kLongestWord = 32;
constexpr std::size_t kSyllable = 3;  // bytes of a Hangul one

bool is_letter(char c) { return ascii::is_letter(c) || static_cast<unsigned char>(c) >= 0x80; }

std::size_t count_of(std::string_view s, bool (*is)(char)) {
  return static_cast<std::size_t>(std::count_if(s.begin(), s.end(), is));
}

bool has_inner_capital(std::string_view s) {
  for (std::size_t i = 1; i < s.size(); ++i)
    if (ascii::is_upper(s[i]) && ascii::is_lower(s[i - 1])) return true;
  return false;
}

// Returns whether it is random or a number: 7fe2d1a, 2026-01-22-0bdbfa06, a1b2c3d4e5.
bool is_random(std::string_view s) {
  const std::size_t digits = count_of(s, ascii::is_digit);
  if (digits == 0) return false;
  const std::size_t letters = count_of(s, is_letter);
  if (letters == 0) return true;
  if (s.size() >= 6 && count_of(s, ascii::is_hex) + count_of(s, [](char c) { return c == '-'; }) == s.size())
    return true;
  if (letters == 1) return true;  // v2, 10s, 3x
  if (ascii::is_digit(s[0]) && letters <= 2 * kSyllable && static_cast<unsigned char>(s.back()) >= 0x80)
    return true;  // 7월
  return digits >= 4 && digits * 3 >= letters;
}

// ENT-212
bool is_ticket(std::string_view s) {
  const std::size_t dash = s.find('-');
  if (dash < 2 || dash == std::string_view::npos || dash > 10 || s.size() - dash > 7 || s.size() - dash < 2)
    return false;
  return std::all_of(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(dash), ascii::is_upper) &&
         std::all_of(s.begin() + static_cast<std::ptrdiff_t>(dash) + 1, s.end(), ascii::is_digit);
}

// Removes a Korean particle: 데이터를 and 데이터 are one word. Keeps an ending that may be part of the noun.
std::string_view without_particle(std::string_view word) {
  if (ascii::is_letter(word[0])) {  // encoder가
    const auto wide =
        std::find_if(word.begin(), word.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    const auto length = static_cast<std::size_t>(wide - word.begin());
    const bool hangul = word.size() > length && static_cast<unsigned char>(word[length]) >= 0xEA &&
                        static_cast<unsigned char>(word[length]) <= 0xED;
    return hangul && word.size() - length <= 3 * kSyllable ? word.substr(0, length) : word;
  }
  if (static_cast<unsigned char>(word[0]) < 0xEA) return word;
  for (const std::string& end : words(WordClass::particle))
    if (word.ends_with(end) && word.size() >= end.size() + 2 * kSyllable)
      return word.substr(0, word.size() - end.size());
  return word;
}

bool names_nothing(std::string_view word) {
  const WordList& endings = words(WordClass::ending);
  return std::any_of(endings.begin(), endings.end(), [&](const std::string& end) { return word.ends_with(end); });
}

std::optional<ShapedToken> as_identifier(std::string_view run) {
  const std::size_t first = run.find_first_not_of('_');
  if (first == std::string_view::npos) return std::nullopt;
  run.remove_prefix(first);
  run = run.substr(0, run.find_last_not_of('_') + 1);
  if (run.size() < 3 || run.size() > kLongestIdentifier || count_of(run, is_letter) < 3) return std::nullopt;
  return ShapedToken{run, TokenShape::identifier};
}

std::optional<ShapedToken> as_word(std::string_view run) {
  if (names_nothing(run)) return std::nullopt;
  run = without_particle(run);
  if (run.size() < 2 || run.size() > kLongestWord * (static_cast<unsigned char>(run[0]) >= 0x80 ? 2 : 1))
    return std::nullopt;
  return ShapedToken{run, TokenShape::word};
}

std::optional<ShapedToken> shape_word(std::string_view run, bool called, bool in_code) {
  if (is_ticket(run)) return ShapedToken{run, TokenShape::identifier};
  if (is_random(run)) return std::nullopt;
  const std::size_t dashes = count_of(run, [](char c) { return c == '-'; });
  if (dashes > 3) return std::nullopt;  // a branch, a slug, a UUID
  const bool underscore = run.find('_') != std::string_view::npos;
  const bool dots = run.find('.') != std::string_view::npos || run.find("::") != std::string_view::npos;
  if (count_of(run, [](char c) { return c == '.'; }) > 2) return std::nullopt;
  if (underscore || dots || (has_inner_capital(run) && dashes == 0) || (called && in_code)) return as_identifier(run);
  return as_word(run);
}

}  // namespace

bool is_file_name(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size() || name.size() > kLongestIdentifier) return false;
  if (count_of(name.substr(0, dot), is_letter) < 2) return false;
  return words(WordClass::file_ending).has(name.substr(dot + 1));
}

std::optional<ShapedToken> shape_token(std::string_view run, bool called, bool in_code) {
  // Most words have only letters, and those need no look at their signs.
  if (std::all_of(run.begin(), run.end(), ascii::is_letter))
    return (called && in_code) || has_inner_capital(run) ? as_identifier(run) : as_word(run);
  if (run.ends_with("'s") || run.ends_with("'S")) run.remove_suffix(2);
  if (run.find('@') != std::string_view::npos) return std::nullopt;
  const std::size_t slash = run.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? run : run.substr(slash + 1);
  if (is_file_name(last)) {
    if (is_random(last.substr(0, last.rfind('.')))) return std::nullopt;
    return ShapedToken{last, TokenShape::file_name};
  }
  if (slash != std::string_view::npos) return std::nullopt;
  if (run.find('\'') != std::string_view::npos) return std::nullopt;  // don't, it'll
  return shape_word(run, called, in_code);
}

}  // namespace memd::topics
