#include "store/text/redaction/private_text.hpp"

#include "schemas/ascii.hpp"
#include "store/text/redaction/escaped_text.hpp"

#include <algorithm>

namespace memd::redaction {
namespace {

constexpr std::string_view kOpen = "<private>";
constexpr std::string_view kClose = "</private>";
constexpr std::string_view kMarker = "#private";
constexpr int kDeepest = 4;  // JSON in JSON in …

bool begins_with(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && ascii::equal_nocase(text.substr(0, word.size()), word);
}

// Where a marker stands that the text begins with, or npos.
std::size_t find_marker(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (ascii::is_space(text[at])) {
      ++at;
      continue;
    }
    if (text[at] != '<') break;
    std::size_t end = at + 1;
    while (end < text.size() && (ascii::is_word(text[end]) || text[end] == '-'))
      ++end;
    if (end == at + 1 || end == text.size() || text[end] != '>') break;
    at = end + 1;
  }
  const std::string_view rest = text.substr(at);
  const bool there =
      begins_with(rest, kMarker) && (rest.size() == kMarker.size() || !ascii::is_word(rest[kMarker.size()]));
  return there ? at : std::string_view::npos;
}

void find_in_plain(std::string_view text, std::vector<Secret>& out) {
  const std::size_t marker = find_marker(text);
  const std::size_t end = std::min(marker, text.size());
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = text.find('<'); at < end; at = text.find('<', at + 1)) {
    const std::string_view rest = text.substr(at);
    if (begins_with(rest, kOpen)) {
      if (depth++ == 0) begin = at;
    } else if (depth > 0 && begins_with(rest, kClose) && --depth == 0) {
      out.push_back({begin, at + kClose.size(), kPrivate});
    }
  }
  if (depth > 0) out.push_back({begin, text.size(), kPrivate});
  if (depth == 0 && end < text.size()) out.push_back({end, text.size(), kPrivate});
}

bool is_framed_as_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  const char last = text[text.find_last_not_of(" \t\r\n")];
  return (text[first] == '{' && last == '}') || (text[first] == '[' && last == ']');
}

void find(std::string_view text, bool is_json, int depth, std::vector<Secret>& out);

// Of each string of a JSON text. True: an opening tag stands outside of them, so the text is none.
bool find_in_strings(std::string_view text, int depth, std::vector<Secret>& out) {
  Unescaped inside;
  std::vector<Secret> found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' && begins_with(text.substr(i), kOpen)) return true;
    if (text[i] != '"') continue;
    const std::size_t begin = i + 1;
    for (i = begin; i < text.size() && text[i] != '"';)
      i += text[i] == '\\' ? escape_length(text.substr(i)) : 1;
    const std::string_view string = text.substr(begin, std::min(i, text.size()) - begin);
    if (!may_be_private(string)) continue;
    unescape(string, inside);
    found.clear();
    find(inside.text, is_framed_as_json(inside.text), depth, found);
    for (const Secret& s : found)
      out.push_back({begin + inside.origin[s.begin], begin + inside.origin[s.end], s.kind});
  }
  return false;
}

void find(std::string_view text, bool is_json, int depth, std::vector<Secret>& out) {
  const std::size_t before = out.size();
  if (is_json && depth < kDeepest && !find_in_strings(text, depth + 1, out)) return;
  out.resize(before);
  find_in_plain(text, out);
}

}  // namespace

// Looks for the letter of the word that is rarest in texts.
bool may_be_private(std::string_view bytes) {
  constexpr std::string_view kWord = "private";
  constexpr std::size_t kRarest = kWord.find('v');
  for (const char letter : {'v', 'V'})
    for (std::size_t at = bytes.find(letter); at != std::string_view::npos; at = bytes.find(letter, at + 1)) {
      if (at <= kRarest || !ascii::equal_nocase(bytes.substr(at - kRarest, kWord.size()), kWord)) continue;
      // "<private>", and "</private>" is nothing without it; "#private"; escaped, they end in 3c and 23.
      const std::string_view before = bytes.substr(0, at - kRarest);
      if (before.ends_with('<') || before.ends_with('#') || before.ends_with("23") || before.ends_with("3c") ||
          before.ends_with("3C"))
        return true;
    }
  return false;
}

void find_private(std::string_view text, std::vector<Secret>& out) {
  if (may_be_private(text)) find(text, is_framed_as_json(text), 0, out);
}

void find_private_in_line(std::string_view line, std::vector<Secret>& out) {
  if (!may_be_private(line)) return;
  const std::size_t first = line.find_first_not_of(" \t");
  const bool is_json =
      first != std::string_view::npos && std::string_view("{[\"").find(line[first]) != std::string_view::npos;
  find(line, is_json, 0, out);
}

}  // namespace memd::redaction
