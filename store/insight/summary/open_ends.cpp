#include "store/insight/summary/open_ends.hpp"

#include "schemas/ascii.hpp"
#include "store/insight/summary/gist.hpp"
#include "store/text/plain_text.hpp"
#include "store/text/text_units.hpp"

#include <algorithm>
#include <array>

namespace memd {
namespace {

constexpr std::size_t kReadOfAnswer = 16 * 1024;
constexpr std::size_t kOpenEndsLongestSentence = 600;
constexpr std::size_t kAnswers = 2;  // the last ones

constexpr auto kOpenCues = std::to_array<std::string_view>(
    {"not yet",       "still need",   "still to do",    "still todo",       "next step",
     "todo",          "to-do",        "left to do",     "remaining work",   "remains to",
     "remaining:",    "follow-up",    "follow up",      "didn't get to",    "did not get to",
     "unresolved",    "out of scope", "will need to",   "needs to be done", "not implemented",
     "still failing", "still fails",  "left for later", "deferred"});

bool is_open(std::string_view low, bool last) {
  if (low.ends_with('?') || low.ends_with("？")) return last;
  return std::any_of(kOpenCues.begin(), kOpenCues.end(),
                     [&](std::string_view cue) { return low.find(cue) != std::string_view::npos; });
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
      if (words.ends_with(':') || !is_open(ascii::lowered(words), last)) continue;
      out.push_back({i, shortened(std::move(words), kGistBytes)});
    }
  }
  return out;
}

}  // namespace memd
