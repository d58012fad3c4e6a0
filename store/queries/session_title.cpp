#include "store/queries/sessions.hpp"

namespace memd::queries {
namespace {

constexpr std::size_t kTitleCharacters = 80;
constexpr std::string_view kSpace = " \t\r\n\v\f";

std::string_view trim(std::string_view s) {
  const auto first = s.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(kSpace) - first + 1);
}

std::string_view inside_tag(std::string_view text, std::string_view name) {
  const std::string open = "<" + std::string(name) + ">";
  const auto start = text.find(open);
  if (start == std::string_view::npos) return {};
  const auto rest = text.substr(start + open.size());
  return trim(rest.substr(0, rest.find("</" + std::string(name) + ">")));
}

std::string_view first_line(std::string_view text) {
  text = trim(text);
  return trim(text.substr(0, text.find_first_of("\r\n")));
}

std::string clipped(std::string_view line) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool starts_character = (static_cast<unsigned char>(line[i]) & 0xC0) != 0x80;
    if (starts_character && ++characters == kTitleCharacters && i + 1 < line.size()) {
      // This character is replaced by the ellipsis unless it is the last one.
      std::size_t next = i + 1;
      while (next < line.size() && (static_cast<unsigned char>(line[next]) & 0xC0) == 0x80)
        ++next;
      if (next == line.size()) break;
      return std::string(trim(line.substr(0, i))) + "…";
    }
  }
  return std::string(line);
}

}  // namespace

std::string session_title(std::string_view stored, std::string_view first_prompt) {
  if (!stored.empty()) return std::string(stored);
  if (const auto command = inside_tag(first_prompt, "command-name"); !command.empty()) {
    std::string typed(command.front() == '/' ? "" : "/");
    typed += command;
    if (const auto args = first_line(inside_tag(first_prompt, "command-args")); !args.empty())
      typed.append(" ").append(args);
    return clipped(typed);
  }
  return clipped(first_line(first_prompt));
}

}  // namespace memd::queries
