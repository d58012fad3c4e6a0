#include "store/text/redaction/secret_file.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/ids.hpp"
#include "store/text/redaction/named_value.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace memd::redaction {
namespace {

constexpr std::size_t kShortest = 8;
constexpr std::size_t kLongestSecret = 256;
constexpr std::size_t kShortestHex = 16;
constexpr std::size_t kBefore = 32;  // bytes in which a command or a name tells that a path is opened

bool separates(char c) {
  return ascii::is_space(c) || is_quote_mark(c) || ascii::is_non_ascii(c) ||
         std::string_view("=:,;<>()[]{}|\\").find(c) != std::string_view::npos;
}

// us-east-1
bool is_joined(std::string_view v) {
  bool digits_only = false;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const bool begins = i == 0 || v[i - 1] == '-' || v[i - 1] == '_';
    if (v[i] == '-' || v[i] == '_') continue;
    if (begins)
      digits_only = ascii::is_digit(v[i]);
    else if (digits_only != ascii::is_digit(v[i]))
      return false;
  }
  return v.find_first_of("-_") != std::string_view::npos;
}

// What is written there besides secrets: paths, addresses, versions, names with a number.
bool is_secret_word(std::string_view v, bool is_value, LookAhead& ahead) {
  if (v.size() < kShortest || v.size() > kLongestSecret || is_placeholder(v, ahead)) return false;
  if (std::string_view("/.~-#@").find(v.front()) != std::string_view::npos) return false;
  const Shape s = ahead.shape_of(v);
  if (s.letters == 0 || v.find('@') != std::string_view::npos) return false;
  if (is_uuid(v)) return is_value;
  if (std::all_of(v.begin(), v.end(), ascii::is_hex)) return is_value && v.size() >= kShortestHex && s.digits >= 3;
  if (v.find_first_of("./") != std::string_view::npos && (ahead.wordiness(v) > 0.4 || v.find("..") < v.size()))
    return false;
  if (is_joined(v) || (ascii::is_digit(v.front()) && v.size() > 4 && v[4] == '-')) return false;  // a date
  return is_token_like(v, kShortest, ahead) || is_random(v, kShortest, ahead) ||
         (is_value && s.digits > 0 && v.find_first_of("!#$%^*?") != std::string_view::npos);
}

}  // namespace

bool opens_secret_file(std::string_view text, std::size_t at, std::size_t length) {
  // The whole path.
  const auto is_of_path = [](char c) { return ascii::is_word(c) || std::string_view("./~-+@").find(c) < 6; };
  std::size_t end = at + length;
  while (end < text.size() && is_of_path(text[end]))
    ++end;
  std::size_t begin = at;
  while (begin > 0 && at - begin < kLongestSecret && is_of_path(text[begin - 1]))
    --begin;
  constexpr std::array<std::string_view, 6> kPatterns{".example", ".sample", ".template", ".dist", ".test", ".tmpl"};
  const std::string_view name = text.substr(at, end - at);
  if (begin == 0 || std::any_of(kPatterns.begin(), kPatterns.end(),
                                [&](std::string_view p) { return name.find(p) != std::string_view::npos; }))
    return false;
  if (ascii::is_alnum(name.front()) && at > begin && text[at - 1] != '/') return false;
  const std::string_view rest = name.substr(length);  // an ending; of "secrets.y", too
  if (!rest.empty() && rest.front() != '.' && (name[length - 2] != '.' || rest.size() > 3)) return false;
  const std::string_view before = text.substr(begin - std::min(begin, kBefore), std::min(begin, kBefore));
  // "file_path": "…"
  if (before.back() == '"') {
    const auto colon = before.find_last_not_of("\\\" ");
    if (colon == std::string_view::npos || before[colon] != ':') return false;
    const std::string_view member = before.substr(0, before.find_last_not_of("\\\" ", colon - 1) + 1);
    const std::string low = ascii::lowered(member.substr(member.size() - std::min<std::size_t>(member.size(), 8)));
    return low.ends_with("path") || low.ends_with("file") || low.ends_with("filename");
  }
  // cat …, > …
  constexpr std::array<std::string_view, 10> kCommands{"cat ",  "bat ", "less ", "more ", "head ",
                                                       "tail ", "tee ", "type ", "> ",    "File: "};
  std::string_view words = before;
  for (std::size_t option = words.rfind(" -"); option != std::string_view::npos && words.size() - option < 8;
       option = words.rfind(" -"))
    words = words.substr(0, option + 1);
  return std::any_of(kCommands.begin(), kCommands.end(), [&](std::string_view c) {
    return words.ends_with(c) && (words.size() == c.size() || !ascii::is_word(words[words.size() - c.size() - 1]));
  });
}

void find_in_secret_file(std::string_view text, LookAhead& ahead, std::vector<Secret>& out) {
  for (std::size_t i = 0; i < text.size();) {
    if (separates(text[i])) {
      // The n of "\n…" belongs to the escape sequence.
      i += text[i] == '\\' && i + 1 < text.size() && std::string_view("nrt").find(text[i + 1]) < 3 ? 2 : 1;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && !separates(text[i]))
      ++i;
    std::size_t end = i;
    while (end > begin && text[end - 1] == '.')
      --end;
    std::size_t before = begin;
    while (before > 0 && (text[before - 1] == ' ' || is_quote_mark(text[before - 1])))
      --before;
    const bool is_value = before > 0 && (text[before - 1] == '=' || text[before - 1] == ':');
    if (is_secret_word(text.substr(begin, end - begin), is_value, ahead)) out.push_back({begin, end, "secret"});
  }
}

}  // namespace memd::redaction
