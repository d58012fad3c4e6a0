#include "store/insight/summary/open_ends.hpp"

#include "store/insight/summary/gist.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>

namespace memd {
namespace {

constexpr std::size_t kReadOfAnswer = 16 * 1024;
constexpr std::size_t kOpenEndsLongestSentence = 600;
constexpr std::size_t kAnswers = 2;  // the last ones

bool is_open(std::string_view words, bool last) {
  if (words.ends_with('?') || words.ends_with("？")) return last;
  return cues().has(words, Cue::open_end);
}

}  // namespace

std::vector<OpenEnd> find_open_ends(std::span<const SummaryInput> exchanges) {
  std::vector<OpenEnd> out;
  for (std::size_t i = exchanges.size() - std::min(kAnswers, exchanges.size()); i < exchanges.size(); ++i) {
    const SummaryInput& in = exchanges[i];
    const bool last = i + 1 == exchanges.size();
    const std::string_view answer =
        in.assistant_response.substr(std::min(in.answer_offset, in.assistant_response.size()));
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
