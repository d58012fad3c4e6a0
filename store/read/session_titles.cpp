#include "store/read/session_titles.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/session_head.hpp"
#include "store/db/database.hpp"
#include "store/db/rows.hpp"
#include "store/insight/summary/salience.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/words.hpp"

#include <algorithm>

namespace memd::queries {
namespace {

constexpr std::size_t kTitleCharacters = 80;
constexpr std::size_t kShortHeading = 20;

std::string_view first_line(std::string_view text) {
  text = ascii::trimmed(text);
  return ascii::trimmed(text.substr(0, text.find_first_of("\r\n")));
}

// Removes and returns the next non-blank line that is no code fence; empty at the end.
std::string_view take_line(std::string_view& text) {
  while (!(text = ascii::trimmed(text)).empty()) {
    const std::string_view line = first_line(text);
    text.remove_prefix(line.size());
    if (!line.starts_with("```") && !line.starts_with("~~~")) return line;
  }
  return {};
}

// Returns the text of a Markdown heading; empty when the line is no heading.
std::string_view heading(std::string_view line) {
  const auto marks = std::min(line.find_first_not_of('#'), line.size());
  return marks > 0 && marks < line.size() && line[marks] == ' ' ? ascii::trimmed(line.substr(marks))
                                                                : std::string_view();
}

// Returns the first informative words. A line that ends with a colon, or a heading as short as "User Input", needs the
// text it introduces.
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

constexpr char kBetweenPrompts = 30;
constexpr char kBeforeResult = 29;
constexpr char kBeforeSharer = 28;
constexpr std::size_t kFewestWords = 2;  // that tell what an informative prompt is about

bool begins_as(std::string_view text, WordClass of) {
  constexpr std::size_t kLongest = 100;
  const std::string lower = ascii::lowered(text.substr(0, kLongest));
  return std::ranges::any_of(words(of), [&](const std::string& beginning) { return lower.starts_with(beginning); });
}

// Returns the line without words at its start that say nothing, at most 80 characters of it.
std::string clipped(std::string_view line) {
  const auto& leads = words(WordClass::title_lead);
  for (auto lead = leads.begin(); lead != leads.end();) {
    const std::string_view rest = ascii::trimmed(line.substr(std::min(lead->size(), line.size())));
    const bool leads_on = !rest.empty() && ascii::lowered(line.substr(0, lead->size())) == *lead;
    if (leads_on) line = rest;
    lead = leads_on ? leads.begin() : std::next(lead);
  }
  return shortened_to_characters(std::string(line), kTitleCharacters);
}

bool is_bare_command(std::string_view title) {
  return title.starts_with('/') && title.find_first_of(" \t") == std::string_view::npos &&
         title.find('/', 1) == std::string_view::npos;
}

bool is_bare_tag(std::string_view title) {
  return title.starts_with('<') && title.find_first_of(" \t>") == title.size() - 1 && title.ends_with('>');
}

// Returns the text without the elements that a client put in front of it: <loaded_context>…</loaded_context>. Their
// names are of several words, unlike the markup that people write about. Of an element around the whole text, and of
// one whose tag has a line of its own, the tag is removed.
std::string_view without_wrappers(std::string_view text) {
  while ((text = ascii::trimmed(text)).starts_with('<')) {
    const auto name_end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-", 1);
    const auto tag_end = text.find('>');
    if (name_end == std::string_view::npos || tag_end == std::string_view::npos || name_end == 1) break;
    const std::string_view name = text.substr(1, name_end - 1);
    const std::string close = "</" + std::string(name) + ">";
    std::string_view inside = text.substr(tag_end + 1);
    const bool own_line = inside.starts_with('\n') || inside.starts_with('\r');
    const auto end = inside.find(close);
    std::string_view rest;
    if (end != std::string_view::npos) {
      rest = ascii::trimmed(inside.substr(end + close.size()));
      inside = inside.substr(0, end);
    }
    const bool of_client = name.find_first_of("_-") != std::string_view::npos;
    if (of_client && !rest.empty())
      text = rest;
    else if ((own_line || (rest.empty() && end != std::string_view::npos)) && !ascii::trimmed(inside).empty())
      text = inside;
    else
      break;
  }
  return text;
}

std::string title_of_prompt(std::string_view prompt) {
  prompt = without_wrappers(prompt);
  std::string_view rest = prompt;
  const auto words_of = [](std::string_view text) {
    return text.substr(std::min(text.find_first_not_of("# \t\r\n"), text.size()));
  };
  while (begins_as(words_of(rest), WordClass::empty_line))
    if (take_line(rest).empty()) return clipped(first_words(prompt));
  return clipped(first_words(ascii::trimmed(rest).empty() ? prompt : rest));
}

}  // namespace

bool is_informative(std::string_view title) {
  return !title.empty() && !is_bare_command(title) && !is_bare_tag(title) && !begins_as(title, WordClass::empty_title);
}

std::string session_title(std::string_view stored, std::string_view told) {
  if (const auto at = told.find(kBeforeSharer); at != std::string_view::npos)
    return std::string(told.substr(at + 1)) + ": " + session_title(stored, told.substr(0, at));
  if (is_informative(stored)) return clipped(stored);
  const auto end = std::min(told.find(kBeforeResult), told.size());
  std::string first;
  for (std::string_view prompts = told.substr(0, end); !prompts.empty();) {
    const std::string_view prompt = ascii::take_until(prompts, kBetweenPrompts);
    std::string title = title_of_prompt(prompt);
    if (telling_words(title) >= kFewestWords && is_informative(title)) return title;
    if (first.empty()) first = std::move(title);
  }
  const std::string result = end < told.size() ? clipped(first_words(told.substr(end + 1))) : std::string();
  if (is_informative(result) && (first.empty() || !is_informative(first))) return result;
  return stored.empty() ? first : clipped(stored);
}

void read_head(const sqlite::Statement& q, SessionHead& head) {
  head.session_title = session_title(q.text(0), q.text(1));
  sqlite::read_from(q, 2, head.session_pk, head.session_uid, head.platform, head.project);
}

}  // namespace memd::queries
