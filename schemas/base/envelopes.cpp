#include "schemas/base/envelopes.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace memd {
namespace {

// Tags between which memd and the clients of agents put text for a model, with "-" for "_". Names that are common in
// code (user, parameter, output) are not among them.
constexpr std::array<std::string_view, 22> kEnvelopes{"history",           "system",
                                                      "system-reminder",   "system-message",
                                                      "function-results",  "function-result",
                                                      "function-call",     "function-calls",
                                                      "functions",         "tool-results",
                                                      "tool-result",       "tool-call",
                                                      "tool-calls",        "tool-use",
                                                      "tool-response",     "tool-responses",
                                                      "tool-output",       "invoke",
                                                      "user-query",        "task-notification",
                                                      "user-instructions", "environment-context"};
constexpr std::string_view kPrefix = "antml:";

constexpr char32_t kBroken = 0xFFFD;

constexpr bool is_in(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

bool is_bidi_control(char32_t c) { return is_in(c, 0x202A, 0x202E) || is_in(c, 0x2066, 0x2069); }
bool is_variation(char32_t c) {
  return is_in(c, 0xFE00, 0xFE0F) || is_in(c, 0xE0100, 0xE01EF) || is_in(c, 0x180B, 0x180F);
}
bool is_joiner(char32_t c) { return c == 0x200C || c == 0x200D || c == 0x034F; }
bool is_bidi_mark(char32_t c) { return c == 0x200E || c == 0x200F || c == 0x061C; }
bool is_tag_letter(char32_t c) { return is_in(c, 0xE0000, 0xE007F); }

// Characters without a shape that no text needs.
bool is_unseen(char32_t c) {
  return c == 0x00AD || c == 0x200B || is_in(c, 0x2060, 0x2065) || is_in(c, 0x206A, 0x206F) || c == 0xFEFF ||
         c == 0x180E || c == 0x17B4 || c == 0x17B5 || c == 0x3164 || c == 0xFFA0 || is_in(c, 0xFFF9, 0xFFFB) ||
         is_in(c, 0x1D173, 0x1D17A) || is_tag_letter(c);
}

bool may_be_unseen(char32_t c) {
  return is_unseen(c) || is_variation(c) || is_joiner(c) || is_bidi_mark(c) || is_bidi_control(c);
}

bool is_of_complex_script(char32_t c) {
  return is_in(c, 0x0590, 0x1FFF) || is_in(c, 0x2C80, 0x2DFF) || is_in(c, 0xA640, 0xABFF) || is_in(c, 0xFB1D, 0xFDFF) ||
         is_in(c, 0xFE70, 0xFEFC) || is_in(c, 0x10800, 0x11FFF);
}
bool is_pictograph(char32_t c) { return is_in(c, 0x2190, 0x2BFF) || is_in(c, 0x1F000, 0x1FAFF); }
bool is_right_to_left(char32_t c) {
  return is_in(c, 0x0590, 0x08FF) || is_in(c, 0xFB1D, 0xFDFF) || is_in(c, 0xFE70, 0xFEFC);
}
bool is_ideograph(char32_t c) {
  return is_in(c, 0x3400, 0x9FFF) || is_in(c, 0xF900, 0xFAFF) || is_in(c, 0x20000, 0x3FFFF);
}

// Returns whether a character without a shape has a task between its neighbours. `before`: the last character that
// stayed.
bool is_needed(char32_t c, char32_t before, char32_t after) {
  if (is_variation(c))
    return is_pictograph(before) || is_ideograph(before) || is_of_complex_script(before) || before == 0x00A9 ||
           before == 0x00AE || before == 0x203C || before == 0x2049 || before == 0x2122 || before == 0x2139 ||
           before == 0x3030 || before == 0x303D || before == 0x3297 || before == 0x3299 ||
           (c == 0xFE0F && (is_in(before, '0', '9') || before == '#' || before == '*'));
  if (is_joiner(c))
    return (is_of_complex_script(before) && !may_be_unseen(after)) ||
           (c == 0x200D && (is_pictograph(before) || is_variation(before)) && is_pictograph(after));
  if (is_bidi_mark(c)) return is_right_to_left(before) || is_right_to_left(after);
  return false;
}

// Returns the bytes of the tag letters of a flag (England: a black flag, "gbeng", an end) after the flag at `at`; 0: it
// is followed by none, or by something else that is written in tag letters.
std::size_t flag_letters(std::string_view text, std::size_t at) {
  constexpr std::size_t kMost = 6;
  const std::size_t begin = at;
  for (std::size_t n = 0; n <= kMost; ++n) {
    const CodePoint c = code_point_at(text, at);
    at += c.length;
    if (c.code == 0xE007F) return n >= 2 ? at - begin : 0;
    if (!is_in(c.code, 0xE0061, 0xE007A) && !is_in(c.code, 0xE0030, 0xE0039)) return 0;
  }
  return 0;
}

bool opens_tag(char32_t c) {
  constexpr std::array<char32_t, 12> kLike{0xFF1C, 0xFE64, 0x02C2, 0x1438, 0x2329, 0x3008,
                                           0x27E8, 0x276C, 0x276E, 0x29FC, 0x2A1E, 0x227A};
  return c == '<' || std::find(kLike.begin(), kLike.end(), c) != kLike.end();
}
bool closes_tag(char32_t c) {
  constexpr std::array<char32_t, 9> kLike{0xFF1E, 0xFE65, 0x02C3, 0x1433, 0x232A, 0x3009, 0x27E9, 0x276D, 0x276F};
  return c == '>' || c == '/' || std::find(kLike.begin(), kLike.end(), c) != kLike.end();
}
bool is_slash(char32_t c) { return c == '/' || c == '\\' || c == 0xFF0F || c == 0x2215 || c == 0x2044 || c == 0x29F8; }
bool is_blank(char32_t c) {
  return c == ' ' || is_in(c, '\t', '\r') || c == 0x00A0 || c == 0x1680 || is_in(c, 0x2000, 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000 || c == 0x2800;
}

// Returns the ASCII character that `c` looks like, in lower case, with "-" for "_"; `c` if it is none.
char32_t folded(char32_t c) {
  constexpr std::array<std::pair<char32_t, char>, 26> kLike{{
      {0x0430, 'a'}, {0x0441, 'c'}, {0x0435, 'e'}, {0x04BB, 'h'}, {0x0456, 'i'}, {0x0458, 'j'}, {0x043E, 'o'},
      {0x0440, 'p'}, {0x0455, 's'}, {0x0443, 'y'}, {0x0445, 'x'}, {0x0501, 'd'}, {0x051B, 'q'}, {0x051D, 'w'},
      {0x03BF, 'o'}, {0x03C1, 'p'}, {0x03C5, 'u'}, {0x03BD, 'v'}, {0x0131, 'i'}, {0x0261, 'g'}, {0x217C, 'l'},
      {0x0442, 't'}, {0x043C, 'm'}, {0x03B9, 'i'}, {0x03C4, 't'}, {0x2170, 'i'},
  }};
  if (is_in(c, 0xFF01, 0xFF5E)) c -= 0xFF00 - 0x20;
  if (is_in(c, 0x1D400, 0x1D6A3))
    c = (c - 0x1D400) % 52 < 26 ? 'a' + (c - 0x1D400) % 26 : 'a' + ((c - 0x1D400) % 52 - 26);
  if (is_in(c, 0x24B6, 0x24E9)) c = 'a' + (c - 0x24B6) % 26;
  if (is_in(c, 'A', 'Z')) return c + ('a' - 'A');
  if (is_in(c, 0x0410, 0x042F)) c += 0x20;
  if (is_in(c, 0x0400, 0x040F)) c += 0x50;
  if (c == '_' || is_in(c, 0x2010, 0x2015) || c == 0x2212 || c == 0xFE58 || c == 0xFE63) return '-';
  const auto* const found = std::find_if(kLike.begin(), kLike.end(), [c](const auto& like) { return like.first == c; });
  return found == kLike.end() ? c : static_cast<char32_t>(found->second);
}

// Reads what follows the opening sign of a tag, without the characters that are not seen.
class TagReader {
 public:
  TagReader(std::string_view text, std::size_t at) : text_(text), at_(at) { pass_unseen(); }

  char32_t next() const { return code_point_at(text_, at_).code; }
  void take() {
    at_ += code_point_at(text_, at_).length;
    pass_unseen();
  }
  bool take_blanks() {
    const std::size_t from = at_;
    while (is_blank(next()))
      take();
    return at_ > from;
  }
  // Takes letters, digits, "-", ":" and ".".
  std::string take_name() {
    constexpr std::size_t kLongest = 40;
    std::string out;
    for (char32_t c = folded(next()); out.size() < kLongest && c < 0x80; c = folded(next())) {
      if (!ascii::is_alnum(static_cast<char>(c)) && c != '-' && c != ':' && c != '.') break;
      out += static_cast<char>(c);
      take();
    }
    return out;
  }

 private:
  void pass_unseen() {
    for (CodePoint c = code_point_at(text_, at_); c.length > 0; c = code_point_at(text_, at_)) {
      const bool control = (c.code < 0x20 && !is_blank(c.code)) || is_in(c.code, 0x7F, 0x9F) || c.code == kBroken;
      const bool combines = is_in(c.code, 0x0300, 0x036F) || is_in(c.code, 0x20D0, 0x20FF);
      if (!control && !combines && !may_be_unseen(c.code)) return;
      at_ += c.length;
    }
  }

  std::string_view text_;
  std::size_t at_;
};

// Returns whether the text after an opening sign makes it that of an envelope.
bool is_envelope(std::string_view text, std::size_t behind_sign) {
  TagReader tag(text, behind_sign);
  if (folded(tag.next()) == '|') {  // <|im_start|>, a special token
    tag.take();
    return !tag.take_name().empty() && folded(tag.next()) == '|';
  }
  bool spaced = tag.take_blanks();
  const bool ends = is_slash(tag.next());
  if (ends) {
    tag.take();
    tag.take_blanks();
  }
  const std::string name = tag.take_name();
  if (name.starts_with(kPrefix)) return true;
  if (std::find(kEnvelopes.begin(), kEnvelopes.end(), name) == kEnvelopes.end()) return false;
  if (!spaced || ends) return true;
  tag.take_blanks();  // "a < history && b" is code
  return closes_tag(tag.next());
}

bool is_ordinary(char c) { return static_cast<unsigned char>(c) < 0x80 && c != '<'; }

}  // namespace

void append_without_envelopes(std::string& out, std::string_view text) {
  char32_t before = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t run = i;
    while (run < text.size() && is_ordinary(text[run]))
      ++run;
    out.append(text, i, run - i);
    if (run > i) before = static_cast<unsigned char>(text[run - 1]);
    i = run;
    if (i == text.size()) break;
    const CodePoint c = code_point_at(text, i);
    const std::string_view bytes = text.substr(i, c.length);
    i += c.length;
    if (opens_tag(c.code) && is_envelope(text, i)) {
      out += "‹";
    } else if (is_bidi_control(c.code)) {
      out += "\xEF\xBF\xBD";
    } else if (may_be_unseen(c.code)) {
      if (is_unseen(c.code) || !is_needed(c.code, before, code_point_at(text, i).code)) continue;
      out += bytes;
    } else {
      out += bytes;
      constexpr char32_t kBlackFlag = 0x1F3F4;
      if (c.code != kBlackFlag) {
        before = c.code;
        continue;
      }
      const std::size_t letters = flag_letters(text, i);
      out.append(text, i, letters);
      i += letters;
    }
    before = c.code;
  }
}

std::string without_envelopes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  append_without_envelopes(out, text);
  return out;
}

}  // namespace memd
