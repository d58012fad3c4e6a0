#include "store/insight/summary/gist.hpp"

#include "schemas/base/ascii.hpp"
#include "store/insight/summary/salience.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>

namespace memd {
namespace {

constexpr std::size_t kReadOfText = 6 * 1024;
constexpr std::size_t kLongestSentence = 1200;  // bytes; a longer one is a paste
constexpr std::size_t kTelling = 24;            // bytes; a shorter one says little alone ("Yes.", "Done!")

bool is_quoted(const TextUnit& unit) {
  return unit.kind == UnitKind::code || unit.kind == UnitKind::table || unit.text.size() > kLongestSentence ||
         unit.text.front() == '<';
}

std::string without_colon(std::string text) {
  while (!text.empty() && (text.back() == ':' || text.back() == ' '))
    text.pop_back();
  return text;
}

}  // namespace

std::string request_gist(std::string_view user_message, std::size_t most_bytes) {
  const std::string_view read = user_message.substr(0, kReadOfText);
  std::string out;
  std::string role;  // the role given to the agent, not a task
  for (const TextUnit& unit : split_units(read)) {
    if (is_quoted(unit)) continue;
    std::string words = plain_sentence(unit.text);
    if (words.empty()) continue;
    if (out.empty() && cues().opening(words, Cue::role)) {
      role = std::move(words);
      continue;
    }
    const bool announced = out.ends_with(':');
    if (!out.empty()) out += ' ';
    out += words;
    if (out.size() >= most_bytes || (out.size() >= kTelling && !out.ends_with(':'))) break;
    if (announced && unit.kind != UnitKind::heading) break;
  }
  if (out.empty()) out = std::move(role);
  return shortened(without_colon(std::move(out)), most_bytes);
}

std::string result_gist(std::string_view final_answer, std::size_t most_bytes) {
  std::string best;
  double best_score = -10;
  std::size_t position = 0;
  for (const TextUnit& unit : split_units(final_answer.substr(0, kReadOfText))) {
    if (is_quoted(unit) || unit.kind == UnitKind::heading) continue;
    std::string words = plain_sentence(unit.text);
    if (words.empty()) continue;
    double score = cue_score(words) + 1.2 / static_cast<double>(1 + position);
    if (unit.kind == UnitKind::bullet) score -= 0.8;
    if (words.size() < kTelling) score -= 1.5;
    if (words.ends_with(':')) score -= 1.2;
    if (words.ends_with('?')) score -= 1.8;  // cancels the cue of a question; an offer is no result
    if (cues().opening(words, Cue::preamble)) score -= 1.5;
    ++position;
    if (score <= best_score) continue;
    best_score = score;
    best = std::move(words);
  }
  return shortened(without_colon(std::move(best)), most_bytes);
}

namespace {

constexpr std::size_t kReadOfAnswer = 16 * 1024;
constexpr std::size_t kOpenEndsLongestSentence = 600;
constexpr std::size_t kAnswers = 2;  // number of last answers

bool is_open(std::string_view words, bool last) {
  if (ends_in_question_mark(words)) return last;
  return cues().has(words, Cue::open_end);
}

}  // namespace

std::vector<OpenEnd> find_open_ends(std::span<const SummaryInput> exchanges) {
  std::vector<OpenEnd> out;
  for (std::size_t i = exchanges.size() - std::min(kAnswers, exchanges.size()); i < exchanges.size(); ++i) {
    const SummaryInput& in = exchanges[i];
    const bool last = i + 1 == exchanges.size();
    const std::string_view answer = in.final_answer();
    if (answer.empty()) {
      const std::string asked = request_gist(in.user_message);
      if (last && !asked.empty() && in.tool_calls == 0) out.push_back({i, "Not answered: " + asked});
      continue;
    }
    for (const TextUnit& unit : split_units(answer.substr(0, kReadOfAnswer))) {
      if (out.size() == kMostOpenEnds) return out;
      if (unit.kind == UnitKind::code || unit.kind == UnitKind::table || unit.text.size() > kOpenEndsLongestSentence)
        continue;
      std::string words = plain_sentence(unit.text);
      if (words.ends_with(':') || !is_open(words, last)) continue;
      out.push_back({i, shortened(std::move(words), kGistBytes)});
    }
  }
  return out;
}

}  // namespace memd
