#include "store/insight/continuity/text_content.hpp"

#include "schemas/base/ascii.hpp"
#include "store/insight/continuity/sentences.hpp"
#include "store/text/code_names.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace memd::continuity {
namespace {

constexpr std::size_t kStem = 6;
constexpr std::size_t kFewestWords = 3;

std::vector<std::string> subject_stems(std::string_view text) {
  const std::string normalized = normalized_sentence(text);
  std::vector<std::string> out;
  for (std::size_t at = 1; at < normalized.size();) {
    const std::size_t end = normalized.find(' ', at);
    const std::string_view word = std::string_view(normalized).substr(at, end - at);
    if (word.size() > 2 && !is_stop_word(word)) out.emplace_back(word.substr(0, kStem));
    at = end + 1;
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

TextContent::TextContent(std::string_view text) : text_(ascii::one_line(text)) {
  while (!text.empty())
    if (auto stems = subject_stems(ascii::take_until(text, '\n')); stems.size() >= kFewestWords)
      lines_.push_back(std::move(stems));
}

bool TextContent::has_name(std::string_view name) const { return names(text_, name); }

bool TextContent::has_command(std::string_view line) const {
  if (line.find(' ') != std::string_view::npos) return names(text_, line);
  for (const char* mark : {"`", "$ "})
    if (names(text_, mark + std::string(line))) return true;
  return false;
}

bool TextContent::has_file(std::string_view path) const {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return names(text_, path);
  const auto before = path.rfind('/', slash - 1);
  return names(text_, path.substr(before == std::string_view::npos ? 0 : before + 1));
}

bool TextContent::has_sentence(std::string_view sentence) const {
  const auto stems = subject_stems(sentence);
  if (stems.size() < kFewestWords) return names(text_, sentence);
  return std::any_of(lines_.begin(), lines_.end(), [&](const std::vector<std::string>& line) {
    std::vector<std::string> shared;
    std::set_intersection(stems.begin(), stems.end(), line.begin(), line.end(), std::back_inserter(shared));
    return shared.size() * 10 >= stems.size() * 7;
  });
}

std::int64_t leave_out(WorkingState& state, const TextContent& said) {
  std::size_t gone = 0;
  for (auto* list : {&state.goal, &state.constraints, &state.decisions, &state.directions, &state.said, &state.problems,
                     &state.next_steps})
    gone += std::erase_if(*list, [&](const ExtractedSentence& t) { return said.has_sentence(t.text); });
  gone += std::erase_if(state.files, [&](const WorkingFile& f) { return said.has_file(f.path); });
  gone += std::erase_if(state.commands, [&](const CommandUse& c) { return said.has_command(c.line); });
  gone += std::erase_if(state.names, [&](const WorkingName& n) { return said.has_name(n.text); });
  if (state.last_words && said.has_sentence(state.last_words->text)) {
    state.last_words.reset();
    ++gone;
  }
  return static_cast<std::int64_t>(gone);
}

}  // namespace memd::continuity
