#include "daemon/tools/file_reason.hpp"

#include "daemon/tools/answer.hpp"
#include "schemas/ascii.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace memd::tools {
namespace {

constexpr std::size_t kReadOfAnswer = 64 * 1024;  // from its end
constexpr std::size_t kLeastWords = 4;

bool is_name_byte(char c) { return ascii::is_word(c) || c == '-'; }

bool names(std::string_view text, std::string_view name) {
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const auto behind = at + name.size();
    const bool begins = at == 0 || !is_name_byte(text[at - 1]);
    if (begins && (behind == text.size() || !is_name_byte(text[behind]))) return true;
  }
  return false;
}

std::size_t words_of(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')) + 1;
}

}  // namespace

std::string_view base_name(std::string_view path) {
  const auto slash = path.find_last_of("/\\");
  return slash == std::string_view::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

std::string said_of_files(const FileUse& use) {
  std::string_view response = use.assistant_response;
  if (response.size() > kReadOfAnswer) {
    response.remove_prefix(response.size() - kReadOfAnswer);
    while (!response.empty() && (static_cast<unsigned char>(response.front()) & 0xC0U) == 0x80U)
      response.remove_prefix(1);
  }
  std::vector<std::string_view> wanted;
  for (const auto& file : use.files)
    wanted.push_back(base_name(file.path));
  std::string short_one;
  const bool named = std::any_of(wanted.begin(), wanted.end(),
                                 [&](std::string_view name) { return response.find(name) != std::string_view::npos; });
  if (named) {
    const auto units = split_units(response);
    for (auto it = units.rbegin(); it != units.rend(); ++it) {
      if (it->kind == UnitKind::code || it->kind == UnitKind::heading || it->kind == UnitKind::table) continue;
      if (std::none_of(wanted.begin(), wanted.end(), [&](std::string_view name) { return names(it->text, name); }))
        continue;
      std::string line = ascii::one_line(it->text);
      // "`a.c`:" speaks of it in what follows.
      if (line.ends_with(':') && it != units.rbegin() && std::prev(it)->kind != UnitKind::code)
        line += " " + ascii::one_line(std::prev(it)->text);
      const bool says_something = words_of(line) >= kLeastWords && !line.ends_with(':');
      if (says_something) return line;
      if (short_one.empty()) short_one = std::move(line);
    }
  }
  for (const TextUnit& unit : split_units(use.said_before))
    if (unit.kind == UnitKind::sentence || unit.kind == UnitKind::bullet) return ascii::one_line(unit.text);
  return short_one;
}

}  // namespace memd::tools
