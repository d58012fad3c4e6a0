#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/found_memories.hpp"
#include "daemon/tools/observed.hpp"
#include "daemon/tools/scope_params.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::tools {

struct SemanticSearchParams : ScopeParams {
  std::string query;
  std::vector<std::string> also;
  std::optional<std::string> session_id;
  std::int64_t n_results = 20;
  std::string mode = "hybrid";
  std::optional<std::string> observation;
  std::optional<std::string> kind;  // its former name; see asked_observation()
  bool explain = false;
};

// Most phrasings that a call may send besides the question.
inline constexpr std::size_t kMostPhrasings = 4;

inline constexpr std::array<std::string_view, 3> kSearchModes{"hybrid", "lexical", "semantic"};

// Name and value of each of a hit's RankingFeatures.
using FeaturesOut = std::vector<std::pair<std::string, double>>;

struct SearchResultOut : FoundOut, SessionRefOut, TurnRefOut {
  std::optional<double> likelihood;  // not of a memory
  std::optional<std::vector<std::int64_t>> matches;
  std::string user_message;
  std::string assistant_response;
  std::int64_t est_tokens = 0;
  std::optional<std::vector<std::int64_t>> found_by;
  std::optional<std::int64_t> copies;
  std::optional<std::string> data_completeness;
  std::optional<FeaturesOut> features;
  std::optional<MemoryRefOut> memory;
  std::optional<std::string> fetch;  // of a memory
};

struct BetterElsewhereOut {
  std::string project;
  std::string exchange_id;
  double likelihood = 0;
};

// The sentence of a weak answer for a model; a person gets the command that asks again.
inline constexpr char kWeakMatches[] = "Weak matches: ask again with `also`: names, commands, error text.";

struct SemanticSearchAnswer : Answer {
  std::string query;
  std::string ranking;
  bool nothing_relevant = false;
  std::optional<bool> weak;
  std::optional<std::vector<std::string>> missing_words;
  std::optional<BetterElsewhereOut> better_elsewhere;
  std::vector<SearchResultOut> results;
  std::optional<std::vector<std::string>> ignored_terms;
  std::optional<std::vector<std::string>> unknown_words;
};
AnswerText render_text(const SemanticSearchAnswer& answer);

void add_semantic_search(mcp::ToolRegistry& registry, const ToolServices& services);

}  // namespace memd::tools

MEMD_DESCRIBE(memd::tools::SemanticSearchParams,
              field<&T::query>("A question, names, error text, \"exact phrase\", -without.", required, length(1, 8000)),
              field<&T::also>("The same in 2 to 4 other wordings.", max_items(tools::kMostPhrasings), length(1, 1000)),
              tools::kDescribedDirectoryFields, tools::kDescribedPlatformFields, tools::kDescribedTimeFields,
              field<&T::session_id>("Only this session: id or its beginning.", length(0, 200)),
              field<&T::observation>("Only turns with such an observation, see list_observations.",
                                     one_of(tools::kObservationChoices), choices_unlisted),
              field<&T::kind>(one_of(tools::kObservationChoices), unlisted),
              field<&T::mode>(one_of(tools::kSearchModes)), field<&T::n_results>(clamped(1, 50)),
              field<&T::explain>("Say what each hit was ranked by.", unlisted), tools::kDescribedPageFields);
MEMD_DESCRIBE(
    memd::tools::SearchResultOut,
    field<&T::source>("exchange, or memory: a file that people own; then exchange_id is empty."),
    field<&T::exchange_id>("For get_exchange."), plain<&T::session_id, &T::session_name, &T::platform, &T::project>(),
    field<&T::timestamp>("When it began, RFC 3339."), field<&T::relevance_score>("0 to 1, 1 is best."),
    field<&T::confidence>("high, medium or low, by likelihood; low: check it before you rely on it."),
    field<&T::likelihood>("0 to 1, that it is about what was asked; absent: of a memory."),
    field<&T::snippet>("The passage that fits best."),
    field<&T::matches>("Words of the query in the snippet: first byte, length, and so on for each."),
    field<&T::user_message>("What was asked; cut where it ends in …"),
    field<&T::assistant_response>("The final answer; cut where it ends in …"),
    field<&T::est_tokens>("Tokens of the full text."),
    field<&T::found_by>("With also: 0 is query, 1 the first of also, …"),
    field<&T::copies>("Further turns with the same text that this one stands for."),
    field<&T::data_completeness>(
        "metadata_only: retention dropped its texts, only the first lines are left; absent: they are there."),
    field<&T::abandoned_for>(tools::kAbandonedFor),
    field<&T::features>(
        "What it was ranked by, for explain. cosine: nearness in meaning, dense_z: in deviations from the mean of "
        "all texts; the others are shares from 0 to 1."),
    field<&T::memory>(), field<&T::fetch>("The call that gives the memory whole."));
MEMD_DESCRIBE(memd::tools::BetterElsewhereOut, field<&T::project>("Its directory; empty: it has none."),
              field<&T::exchange_id>("For get_exchange."), field<&T::likelihood>("As that of a result."));
MEMD_DESCRIBE_ANSWER(memd::tools::SemanticSearchAnswer, field<&T::query>("As it was asked."),
                     field<&T::ranking>("hybrid, lexical (words alone) or semantic."),
                     field<&T::nothing_relevant>("True: nothing is likely to be about the query; what is given is just "
                                                 "the nearest."),
                     field<&T::weak>("True: ask again with also."),
                     field<&T::missing_words>("When weak: words of the query that the best results lack."),
                     field<&T::better_elsewhere>(
                         "A clearly better match in another project than all results: it was probably discussed there. "
                         "Absent: none."),
                     field<&T::results>("Best first."), field<&T::ignored_terms>("Words that did not help."),
                     field<&T::unknown_words>("Words of the query that occur nowhere in the history."));
