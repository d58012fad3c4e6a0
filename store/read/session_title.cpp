#include "store/read/sessions.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>

namespace memd::queries {
namespace {

constexpr std::size_t kTitleCharacters = 80;
constexpr std::size_t kShortHeading = 20;
constexpr std::string_view kSpace = " \t\r\n\v\f";

std::string_view inside_tag(std::string_view text, std::string_view name) {
  const std::string open = "<" + std::string(name) + ">";
  const auto start = text.find(open);
  if (start == std::string_view::npos) return {};
  const auto rest = text.substr(start + open.size());
  return ascii::trimmed(rest.substr(0, rest.find("</" + std::string(name) + ">")));
}

std::string_view first_line(std::string_view text) {
  text = ascii::trimmed(text);
  return ascii::trimmed(text.substr(0, text.find_first_of("\r\n")));
}

// The next line with something on it, fences of code aside; empty at the end.
std::string_view take_line(std::string_view& text) {
  while (!(text = ascii::trimmed(text)).empty()) {
    const std::string_view line = first_line(text);
    text.remove_prefix(line.size());
    if (!line.starts_with("```") && !line.starts_with("~~~")) return line;
  }
  return {};
}

// Of a Markdown heading its words; empty when the line is none.
std::string_view heading(std::string_view line) {
  const auto marks = std::min(line.find_first_not_of('#'), line.size());
  return marks > 0 && marks < line.size() && line[marks] == ' ' ? ascii::trimmed(line.substr(marks))
                                                                : std::string_view();
}

// A line that ends with a colon, or a heading as short as "User Input", says nothing without what it introduces.
std::string first_words(std::string_view text) {
  const std::string_view line = take_line(text);
  const std::string_view head = heading(line);
  std::string out(head.empty() ? line : head);
  const bool short_heading = !head.empty() && head.size() <= kShortHeading;
  if (!out.ends_with(':') && !short_heading) return out;
  const std::string_view next = take_line(text);
  const std::string_view next_head = heading(next);
  if (next.empty() || (short_heading && !next_head.empty())) return out;
  return out.append(out.ends_with(':') ? " " : ": ").append(next_head.empty() ? next : next_head);
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
      return std::string(ascii::trimmed(line.substr(0, i))) + "…";
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
  return clipped(first_words(first_prompt));
}

}  // namespace memd::queries
