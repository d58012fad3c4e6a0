#include "adapters/codex/script_text.hpp"

#include "adapters/json/json_text.hpp"
#include "schemas/ascii.hpp"

#include <algorithm>

namespace memd::codex {
namespace {

constexpr std::size_t kMostCommands = 32;

bool is_escaped(std::string_view text, std::size_t at) {
  std::size_t slashes = 0;
  while (slashes < at && text[at - slashes - 1] == '\\')
    ++slashes;
  return slashes % 2 == 1;
}

std::size_t end_of_string(std::string_view text, std::size_t from, char quote) {
  while (from < text.size() && text[from] != quote)
    from += text[from] == '\\' ? 2 : 1;
  return from < text.size() ? from : std::string_view::npos;
}

// Where the value of a "cmd" property starts; npos when the word is something else.
std::size_t value_behind(std::string_view script, std::size_t word) {
  constexpr std::size_t kWord = 3;
  if (word > 0 && ascii::is_word(script[word - 1])) return std::string_view::npos;
  std::size_t at = word + kWord;
  const auto skip_blanks = [&] { at = std::min(script.find_first_not_of(" \t\r\n", at), script.size()); };
  if (at < script.size() && (script[at] == '"' || script[at] == '\'')) ++at;
  skip_blanks();
  if (at >= script.size() || script[at] != ':') return std::string_view::npos;
  ++at;
  skip_blanks();
  return at < script.size() ? at : std::string_view::npos;
}

}  // namespace

std::vector<std::string> script_commands(std::string_view script) {
  std::vector<std::string> commands;
  for (auto word = script.find("cmd"); word != std::string_view::npos && commands.size() < kMostCommands;
       word = script.find("cmd", word + 1)) {
    const auto at = value_behind(script, word);
    if (at == std::string_view::npos || std::string_view("\"'`").find(script[at]) == std::string_view::npos) continue;
    const auto end = end_of_string(script, at + 1, script[at]);
    if (end == std::string_view::npos) break;
    std::string command;
    json::append_unescaped(script.substr(at + 1, end - at - 1), command);
    if (!json::trimmed(command).empty()) commands.push_back(std::move(command));
    word = end;
  }
  return commands;
}

std::string string_around(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && (text[begin - 1] != '"' || is_escaped(text, begin - 1)))
    --begin;
  const auto end = begin == 0 ? std::string_view::npos : end_of_string(text, begin, '"');
  std::string out;
  if (end != std::string_view::npos && end >= at) json::append_unescaped(text.substr(begin, end - begin), out);
  return out;
}

}  // namespace memd::codex
