#pragma once

#include "daemon/tools/answer.hpp"
#include "daemon/tools/scope.hpp"
#include "protocol/mcp/tool_registry.hpp"

#include <string>
#include <vector>

namespace memd::tools {

struct SemanticSearchParams : ScopeParams {
  std::string query;
  std::optional<std::string> session_id;
  std::int64_t n_results = 20;
};

struct SearchResultOut {
  std::string exchange_id;
  std::string session_id;
  std::string session_name;
  std::string platform;
  std::string project;
  std::string timestamp;
  double relevance_score = 0;
  std::string snippet;
  std::string user_message;
  std::string assistant_response;
  std::int64_t est_tokens = 0;
  std::string fetch;
};

struct SemanticSearchAnswer : Answer {
  std::string query;
  std::string ranking;
  std::vector<SearchResultOut> results;
  std::optional<std::vector<std::string>> ignored_terms;
};
std::string render_text(const SemanticSearchAnswer& answer);

void add_semantic_search(mcp::ToolRegistry& registry, const ToolServices& services);

// What get_exchange would cost for a hit, from the part of its text that the hit holds.
std::int64_t full_text_tokens(const SearchHit& hit);

}  // namespace memd::tools

namespace memd::mcp {

template <>
struct Describe<tools::SemanticSearchParams> {
  using T = tools::SemanticSearchParams;
  static constexpr auto fields = std::tuple_cat(
      std::make_tuple(
          field("query", &T::query,
                "What to look for: a few telling words, names, error texts, \"exact phrases\", -without.", required,
                length(1, 1000)),
          field("n_results", &T::n_results, "Hits a page, as far as max_tokens allows.", range(1, 50)),
          field("session_id", &T::session_id, "Only this session: id or its first characters.", length(0, 200))),
      tools::kPlatformFields, tools::kTimeFields, tools::kPageFields);
};
template <>
struct Describe<tools::SearchResultOut> {
  using T = tools::SearchResultOut;
  static constexpr auto fields = std::make_tuple(
      field("exchange_id", &T::exchange_id, "For get_exchange."), field("session_id", &T::session_id, "Its session."),
      field("session_name", &T::session_name, "Title."), field("platform", &T::platform, "Agent."),
      field("project", &T::project, "Project."), field("timestamp", &T::timestamp, "When it began, RFC 3339."),
      field("relevance_score", &T::relevance_score, "0 to 1, 1 is best."),
      field("snippet", &T::snippet, "The passage that fits best, matches in «»."),
      field("user_message", &T::user_message, "What was asked; cut where it ends in …"),
      field("assistant_response", &T::assistant_response, "The final answer; cut where it ends in …"),
      field("est_tokens", &T::est_tokens, "Tokens of the full text."),
      field("fetch", &T::fetch, "The call that gives the full text."));
};
template <>
struct Describe<tools::SemanticSearchAnswer> {
  using T = tools::SemanticSearchAnswer;
  static constexpr auto fields =
      std::tuple_cat(std::make_tuple(field("query", &T::query, "As it was asked."),
                                     field("ranking", &T::ranking, "How hits were ranked."),
                                     field("results", &T::results, "Best first."),
                                     field("ignored_terms", &T::ignored_terms, "Words that did not help.")),
                     Describe<tools::Answer>::fields);
};

}  // namespace memd::mcp
