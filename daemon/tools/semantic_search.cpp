#include "daemon/tools/semantic_search.hpp"

#include "daemon/tools/answer.hpp"
#include "daemon/tools/reading.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/team_asker.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/envelopes.hpp"
#include "schemas/base/error.hpp"
#include "schemas/project_identity.hpp"
#include "schemas/search.hpp"
#include "store/files/git_place.hpp"
#include "store/search/rank/asked_file.hpp"
#include "store/search/words/query_parser.hpp"
#include "store/text/token_budget.hpp"
#include "store/text/words.hpp"

#include <boost/algorithm/string/join.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>

namespace memd::tools {
namespace {

constexpr std::array<SearchMode, 3> kModes{SearchMode::hybrid, SearchMode::lexical, SearchMode::semantic};
constexpr std::array<std::string_view, 3> kConfidence{"low", "medium", "high"};

std::string_view name_of(SearchMode mode) { return kSearchModes[static_cast<std::size_t>(mode)]; }
static_assert(static_cast<std::size_t>(SearchMode::hybrid) == 0 && static_cast<std::size_t>(SearchMode::lexical) == 1 &&
              static_cast<std::size_t>(SearchMode::semantic) == 2);

SearchMode mode_of(std::string_view name) {
  const auto at = std::find(kSearchModes.begin(), kSearchModes.end(), name) - kSearchModes.begin();
  return kModes[static_cast<std::size_t>(at)];
}

constexpr std::size_t kMatchesShown = 8;  // per snippet

double rounded(double x) { return std::round(x * 1000) / 1000; }
// Rounds to two digits. An estimate is never certain, so it becomes neither 0 nor 1. A hit of filters alone is certain:
// it keeps its 1.
double rounded_likelihood(double x) {
  if (x <= 0 || x >= 1) return x;
  return std::clamp(std::round(x * 100) / 100, 0.01, 0.99);
}

std::string two_digits(double value) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%.2f", value);
  return digits;
}

FeaturesOut features_of(const RankingFeatures& f) {
  return {{"bm25", rounded(f.bm25)},
          {"coverage", rounded(f.coverage)},
          {"adjacency", rounded(f.adjacency)},
          {"title", rounded(f.title)},
          {"identifier", rounded(f.identifier)},
          {"brevity", rounded(f.brevity)},
          {"neighbour_turns", rounded(f.neighbour_turns)},
          {"surroundings", rounded(f.surroundings)},
          {"cosine", rounded(f.cosine)},
          {"dense_z", rounded(f.dense_z)},
          {"recency", rounded(f.recency)},
          {"tokens", rounded(f.tokens)},
          {"second_look", rounded(f.second_look)},
          {"surprise", rounded(f.surprise)},
          {"soft_coverage", rounded(f.soft_coverage)},
          {"network_cosine", rounded(f.network_cosine)},
          {"date", rounded(f.date)},
          {"same_project", rounded(f.same_project)},
          {"abandoned", rounded(f.abandoned)},
          {"subagent", rounded(f.subagent)},
          {"decision", rounded(f.decision)},
          {"verbatim", rounded(f.verbatim)}};
}

// Returns the matches that lie entirely in the first `bytes` of the snippet. None if the snippet is not shown byte for
// byte.
std::optional<std::vector<std::int64_t>> matches_within(const SearchHit& hit, std::size_t bytes) {
  if (without_envelopes(hit.snippet) != hit.snippet) return std::nullopt;
  std::vector<std::int64_t> out;
  for (const TextSpan& match : hit.matches) {
    if (match.start + match.length > bytes || out.size() == 2 * kMatchesShown) break;
    out.push_back(static_cast<std::int64_t>(match.start));
    out.push_back(static_cast<std::int64_t>(match.length));
  }
  return unless_empty(std::move(out));
}

SearchResultOut without_texts(const SearchHit& hit, bool by_phrasings) {
  SearchResultOut out;
  static_cast<TurnRefOut&>(out) = turn_ref(hit);
  static_cast<SessionRefOut&>(out) = session_ref(hit.session_uid, hit.session_title, hit.platform, 24);
  out.project = hit.project;
  out.relevance_score = rounded(hit.relevance_score);
  out.confidence = kConfidence[static_cast<std::size_t>(hit.confidence)];
  out.likelihood = rounded_likelihood(hit.likelihood);
  if (by_phrasings) {
    out.found_by.emplace();
    for (std::size_t i = 0; i <= kMostPhrasings; ++i)
      if ((hit.found_by >> i & 1U) != 0) out.found_by->push_back(static_cast<std::int64_t>(i));
  }
  if (hit.copies > 0) out.copies = hit.copies;
  if (hit.is_evicted) out.data_completeness = to_string(DataCompleteness::metadata_only);
  out.matches = matches_within(hit, hit.snippet.size());
  if (hit.features) out.features = features_of(*hit.features);
  return out;
}

constexpr std::size_t kSnippetTokens = 90;
constexpr std::size_t kQuestionTokens = 120;
constexpr std::size_t kAnswerTokens = 400;
constexpr std::size_t kTermsNamed = 12;
// Tokens of text that a page needs room for per hit.
constexpr std::size_t kLeastTextTokens = 90;

// A hit with the tokens of its fields and of its texts, each text up to its maximum. They do not depend on the size of
// the page, so they are counted once. Borrows the hit.
struct PricedHit {
  PricedHit(const SearchHit& found, bool by_phrasings) : hit(found), fields(without_texts(found, by_phrasings)) {
    snippet = most(hit.snippet, kSnippetTokens);
    counted_bytes = 0;
    question = most(hit.user_message, kQuestionTokens);
    answer = most(hit.assistant_response, kAnswerTokens);
    // Estimates the tokens of the whole exchange from the tokens per byte of the counted texts.
    const auto bytes = static_cast<double>(std::max<std::size_t>(counted_bytes, 1));
    const auto tokens = counted_bytes > 0 ? static_cast<double>(question + answer) : 0.25;
    fields.est_tokens = static_cast<std::int64_t>(tokens / bytes * static_cast<double>(hit.text_bytes));
    cost = estimate_tokens(mcp::to_json(fields));
  }

  const SearchHit& hit;
  SearchResultOut fields;
  std::size_t cost = 0;
  std::size_t snippet = 0;
  std::size_t question = 0;
  std::size_t answer = 0;

 private:
  std::size_t most(std::string_view text, std::size_t limit) {
    const TokenPrefix prefix = prefix_within_tokens(text, limit);
    counted_bytes += prefix.bytes;
    return prefix.bytes < text.size() ? limit : prefix.tokens;
  }
  std::size_t counted_bytes = 0;
};

constexpr std::size_t kLeastFieldTokens = 60;  // of the fields of a hit, as JSON
constexpr std::size_t kTokensPerEscape = 33;   // a page leaves one of so many tokens for what JSON escapes in its texts

// Returns whether a page of `tokens` has room for some text of each of its `hits`, whose fields take `fields` tokens
// together. A single hit always fits.
bool has_room(std::size_t hits, std::size_t fields, std::size_t tokens) {
  return hits == 1 || fields + kLeastTextTokens * hits <= tokens;
}

// Returns the first hits, as many as a page of `limit` tokens can show.
std::vector<PricedHit> priced(std::span<const SearchHit> found, bool by_phrasings, std::size_t limit) {
  std::vector<PricedHit> out;
  std::size_t fields = 0;
  for (const SearchHit& hit : found) {
    fields += out.emplace_back(hit, by_phrasings).cost;
    if (has_room(out.size(), fields, limit)) continue;
    out.pop_back();
    break;
  }
  return out;
}

constexpr double kMemoryShare = 0.3;  // of a page, at most
constexpr std::size_t kMemoryTokens = 150;

// Returns the memories as results, as many as fit their share of `tokens`.
std::vector<SearchResultOut> memory_results(std::span<const catalog::MemoryHit> hits, bool explain,
                                            std::size_t tokens) {
  std::vector<SearchResultOut> out;
  std::size_t left = static_cast<std::size_t>(kMemoryShare * static_cast<double>(tokens));
  for (const catalog::MemoryHit& hit : hits) {
    const FoundMemoryOut found = found_memory(hit);
    SearchResultOut one;
    static_cast<FoundOut&>(one) = found;
    one.session_name = found.title;
    one.timestamp = found.updated;
    one.est_tokens = static_cast<std::int64_t>(hit.content.size() / 4);
    one.fetch = found.fetch;
    one.memory = found.memory;
    if (explain && hit.features) one.features = features_of(*hit.features);
    const std::size_t fixed = estimate_tokens(mcp::to_json(one));
    if (fixed > left) break;
    one.assistant_response = cut_to_tokens(hit.content, std::min(kMemoryTokens, left - fixed)).text;
    left -= std::min(left, estimate_tokens(mcp::to_json(one)));
    out.push_back(std::move(one));
  }
  return out;
}

// Inserts memories into the page: those of high confidence first, the others by score.
void put_memories(std::vector<SearchResultOut> memories, std::vector<SearchResultOut>& page) {
  auto behind = page.begin();
  for (SearchResultOut& one : memories) {
    if (one.confidence != kConfidence.back())
      behind = std::find_if(behind, page.end(), [&](const SearchResultOut& r) {
        return r.source == kFromExchange && r.relevance_score < one.relevance_score;
      });
    behind = page.insert(behind, std::move(one)) + 1;
  }
}

// Returns whether `page` does not begin with the results of `than`, or has a shorter text for one of them.
bool says_less(const std::vector<SearchResultOut>& page, const std::vector<SearchResultOut>& than) {
  for (std::size_t i = 0; i < than.size(); ++i)
    if (i >= page.size() || page[i].exchange_id != than[i].exchange_id || page[i].fetch != than[i].fetch ||
        page[i].snippet.size() < than[i].snippet.size() || page[i].user_message.size() < than[i].user_message.size() ||
        page[i].assistant_response.size() < than[i].assistant_response.size())
      return true;
  return false;
}

// Fills a page and shares the tokens left for texts among its hits; snippets first, because they show why it is a hit.
// Tokens beyond `limit` make texts longer but add no hits.
std::vector<SearchResultOut> fill_page(std::span<const PricedHit> hits, std::size_t tokens, std::size_t limit) {
  std::vector<SearchResultOut> page;
  std::vector<std::size_t> snippets;
  std::vector<std::size_t> messages;
  std::size_t fixed = 0;
  for (const PricedHit& hit : hits) {
    if (!has_room(page.size() + 1, fixed + hit.cost, std::min(tokens, limit))) break;
    fixed += hit.cost;
    page.push_back(hit.fields);
    snippets.push_back(hit.snippet);
    messages.push_back(hit.question);
    messages.push_back(hit.answer);
  }
  std::size_t left = tokens - std::min(tokens, fixed + tokens / kTokensPerEscape);
  const auto snippet_shares = fair_shares(left * 2 / 3, snippets);
  for (const std::size_t share : snippet_shares)
    left -= share;
  const auto message_shares = fair_shares(left, messages);
  for (std::size_t i = 0; i < page.size(); ++i) {
    CutText snippet = cut_to_tokens(hits[i].hit.snippet, snippet_shares[i]);
    page[i].snippet = std::move(snippet.text);
    page[i].matches = matches_within(hits[i].hit, snippet.kept_bytes);
    page[i].user_message = cut_to_tokens(hits[i].hit.user_message, message_shares[2 * i]).text;
    page[i].assistant_response = cut_to_tokens(hits[i].hit.assistant_response, message_shares[2 * i + 1]).text;
  }
  return page;
}

BetterElsewhereOut better_elsewhere(const BetterElsewhere& hit) {
  return {hit.project, format_exchange_id(hit.id), rounded_likelihood(hit.likelihood)};
}

AnswerText told(const BetterElsewhereOut& better) {
  AnswerText out = better.project.empty()
                       ? AnswerText("A better match is in no project: ")
                       : AnswerText("A better match is in project ").add(AnswerText::Name{better.project}, ": ");
  return out.add(AnswerText::Id{better.exchange_id}, ", likely ", AnswerText::Id{two_digits(better.likelihood)}, ".");
}

// Puts what others shared among the hits of the store, of which the next page begins with those that have no room.
void add_team(TeamAsker::Found team, std::size_t limit, SearchAnswer& found, Answer& frame) {
  lead_with(frame, team.left_out);
  const auto fits = [](const SearchHit& hit) { return hit.confidence != Confidence::low; };
  if (std::ranges::any_of(team.hits, fits)) found.nothing_relevant = found.weak = false;
  const auto has_words = [](const SearchHit& hit) { return hit.features->coverage > 0; };
  if (std::ranges::any_of(team.hits, has_words))
    found.unknown_terms.clear(), found.ignored_terms.clear();  // they say so of the store alone
  for (SearchHit& hit : team.hits) {
    const auto is_behind = [&](const SearchHit& other) { return other.relevance_score < hit.relevance_score; };
    found.hits.insert(std::ranges::find_if(found.hits, is_behind), std::move(hit));
  }
  const auto is_of_store = [](const SearchHit& hit) { return hit.id != 0; };
  const auto end = found.hits.begin() + static_cast<std::ptrdiff_t>(std::min(limit, found.hits.size()));
  found.more = found.more || std::any_of(end, found.hits.end(), is_of_store);
  found.hits.erase(end, found.hits.end());
}

Result<SemanticSearchAnswer> run(const ToolServices& services, const SemanticSearchParams& params,
                                 mcp::ToolContext& context) {
  if (ascii::one_line(params.query).find_first_not_of(' ') == std::string::npos)
    return Error(Errc::invalid_argument, "query: is blank, send some text");
  const std::string directory = caller_directory(params, context);
  if (services.working_in && !directory.empty()) services.working_in(directory);
  SearchQuery query;
  query.now = services.clock.now();
  query.asked = search::parse_query(params.query, query.now);
  ScopeParams asked = params;
  // A question that names a project sets the scope itself.
  asked.all_projects |= !query.asked.project.empty();
  MEMD_TRY_ASSIGN(Scope scope, resolve_scope(services, asked,
                                             {Capability::semantic_search, params.session_id.value_or(""), &context}));
  const std::string kind = asked_observation(params);
  scope.filter.observed = parse_observation_type(kind);
  const std::string also = boost::algorithm::join(params.also, "\n");
  const auto question = question_key({"semantic_search", params.query, also, params.mode, directory, kind, scope.key});
  MEMD_TRY_ASSIGN(const PageCursor at, decode_cursor(params.cursor, question));
  MEMD_TRY_ASSIGN(const auto reader, lease_reader(services, context.stop));
  query.also = params.also;
  query.filter = scope.filter;
  MEMD_TRY_ASSIGN(const auto file, reader->ask(search::AskedFileQuery{params.query, scope.filter}));
  const std::size_t limit = token_limit(services, params);
  // A page has no room for more hits. But where a file is named, a later hit may move to the front.
  const std::size_t room = std::max<std::size_t>(limit / (kLeastTextTokens + kLeastFieldTokens), 1);
  query.limit = static_cast<int>(params.n_results);
  if (!file && room < static_cast<std::size_t>(params.n_results)) query.load_at_most = static_cast<int>(room);
  query.offset = static_cast<int>(at.offset);
  query.mode = mode_of(params.mode);
  query.explain = params.explain;
  query.count_outside = scope.narrowed;
  query.count_matching = params.count && at.offset == 0 && query.mode != SearchMode::semantic;
  if (!directory.empty()) query.near_project = project_identity(files::repository_of(directory)).key;
  context.stage(0, 2, query.mode == SearchMode::lexical ? "searching" : "embedding the question");
  std::vector<TeamAsker::Asking<team::TeamHit>> askings;
  if (services.team != nullptr && at.offset == 0) askings = services.team->ask(*reader, scope, query);
  query.explain = query.explain || !askings.empty();
  MEMD_TRY_ASSIGN(SearchAnswer found, reader->search(query, [&] { context.stage(1, 2, "searching"); }));
  if (file) search::rank_up(found.hits, *file);

  FoundMemories memories;
  if (at.offset == 0) {
    const MemoryQuestion about{scope, query.asked, query.mode, kind, names_platforms(params), query.near_project};
    MEMD_TRY_ASSIGN(memories, find_memories(services, *reader, about));
  }

  Answer frame = answer_for(scope);
  if (!askings.empty())
    add_team(services.team->found(*reader, std::move(askings), query, found.hits),
             static_cast<std::size_t>(params.n_results), found, frame);
  if (!params.explain)
    for (SearchHit& hit : found.hits)
      hit.features.reset();
  std::optional<BetterElsewhereOut> better;
  if (found.outside) {
    frame.outside = found.outside->count;
    const auto surely = [](const catalog::MemoryHit& hit) { return hit.confidence == Confidence::high; };
    if (found.outside->better && std::ranges::none_of(memories.hits, surely))
      better = better_elsewhere(*found.outside->better);
  }
  if (better) lead_with(frame, told(*better));
  const bool no_exchange_fits = found.nothing_relevant;
  if (!memories.hits.empty()) found.nothing_relevant = false;  // they answer the question
  lead_with(frame, search_notice(found, query.mode, scope));
  found.weak = found.weak && memories.hits.empty();
  if (found.weak) frame.notice.say(kWeakMatches);
  if (no_exchange_fits && !memories.hits.empty()) frame.notice.say("No turn fits well, but memories do.");
  if (!memories.notice.empty()) frame.notice.say(memories.notice);
  if (file) {
    const std::string name = echo_of(file->name);
    frame.notice.say(AnswerText::Echo{name}, " was changed in ", counted_words(file->exchanges, "turn"),
                     ", which rank higher here; the newest is ",
                     AnswerText::Id{format_exchange_id(file->changed.front())}, ". All of them: file_history(path=\"",
                     AnswerText::Echo{name}, "\").");
  }
  tell_evicted(frame.notice, std::ranges::count_if(found.hits, &SearchHit::is_evicted));
  std::vector<std::string> ignored;
  for (const std::string& term : found.ignored_terms)
    if (ignored.size() < kTermsNamed && !is_stop_word(term) &&
        std::ranges::find(found.unknown_terms, term) == found.unknown_terms.end())
      ignored.push_back(echo_of(term));
  std::vector<std::string> unknown;
  for (const std::string& term : found.unknown_terms)
    if (unknown.size() < kTermsNamed) unknown.push_back(echo_of(term));
  std::vector<std::string> missing;
  for (const std::string& term : found.missing_terms)
    if (missing.size() < kTermsNamed && !is_stop_word(term)) missing.push_back(echo_of(term));
  const std::vector<PricedHit> hits = priced(found.hits, !query.also.empty(), limit);
  // `as_in`: the page gets no more results than this answer has.
  const auto page_of = [&](std::size_t tokens, const SemanticSearchAnswer* as_in) {
    std::span<const catalog::MemoryHit> about = memories.hits;
    std::span<const PricedHit> offered = hits;
    if (as_in != nullptr) {
      const auto is_memory = [](const SearchResultOut& r) { return r.source == kFromMemory; };
      const auto remembered = static_cast<std::size_t>(std::ranges::count_if(as_in->results, is_memory));
      about = about.first(remembered);
      offered = offered.first(as_in->results.size() - remembered);
    }
    const auto remembered = memory_results(about, params.explain, tokens);
    std::size_t left = tokens;
    for (const SearchResultOut& one : remembered)
      left -= std::min(left, estimate_tokens(mcp::to_json(one)));
    SemanticSearchAnswer out{frame,
                             echo_of(params.query),
                             std::string(name_of(found.mode)),
                             no_exchange_fits && remembered.empty(),
                             found.weak ? std::optional(true) : std::nullopt,
                             unless_empty(missing),
                             better,
                             found.matching,
                             fill_page(offered, left, limit),
                             std::nullopt,
                             std::nullopt};
    if (!ignored.empty()) out.ignored_terms = ignored;
    if (!unknown.empty()) out.unknown_words = unknown;
    const bool all = out.results.size() == found.hits.size();
    const auto of_store = std::ranges::count_if(std::span(found.hits).first(out.results.size()),
                                                [](const SearchHit& hit) { return hit.id != 0; });
    const auto shown = of_store + (all ? found.left_out : 0);
    if (found.more || !all) out.next = encode_cursor({at.offset + shown, 0}, question);
    put_memories(remembered, out.results);
    return out;
  };
  const auto build = [&](std::size_t tokens, const SemanticSearchAnswer* structured) {
    SemanticSearchAnswer out = page_of(tokens, nullptr);
    if (structured != nullptr && says_less(out.results, structured->results)) return page_of(tokens, structured);
    return out;
  };
  return fit_answer<SemanticSearchAnswer>(limit, frame, build, TextRoom::its_own);
}

}  // namespace

AnswerText render_text(const SemanticSearchAnswer& a) {
  using Echo = AnswerText::Echo;
  HistoryText body;
  for (const SearchResultOut& r : a.results) {
    if (r.memory) {
      body.add("memory ", r.memory->slug, "  ", short_time(r.timestamp), "  ", r.memory->type, ", ", r.memory->scope,
               "  \"", r.session_name, "\"  score ", two_digits(r.relevance_score), " (", r.confidence, ")");
      add_memory_marks(body, *r.memory);
      body.add("\n");
      if (!r.snippet.empty()) body.add("  ", ascii::one_line(r.snippet), "\n");
      if (!r.assistant_response.empty()) body.add("  Text: ", ascii::one_line(r.assistant_response), "\n");
      continue;
    }
    body.add(r.exchange_id, "  ", short_time(r.timestamp), "  ", r.project, "  \"", r.session_name, "\"  score ",
             two_digits(r.relevance_score), " (", r.confidence);
    if (r.likelihood) body.add(", likely ", two_digits(*r.likelihood));
    body.add(")");
    if (r.copies) body.add("  and ", *r.copies, " more with the same text");
    if (r.found_by) {
      body.add("  found by");
      for (const std::int64_t i : *r.found_by)
        body.add(" ", i);
    }
    if (r.abandoned_for) add_abandoned(body, *r.abandoned_for);
    body.add("  ~", r.est_tokens, " tokens  session ", r.session_id);
    if (r.data_completeness) body.add("  (first lines only)");
    body.add("\n");
    if (r.features) {
      body.add("  Ranked by:");
      for (const auto& [name, value] : *r.features)
        if (value != 0) body.add(" ", name, " ", two_digits(value));
      body.add("\n");
    }
    if (!r.snippet.empty()) body.add("  ", ascii::one_line(r.snippet), "\n");
    if (!r.user_message.empty()) body.add("  User: ", ascii::one_line(r.user_message), "\n");
    if (!r.assistant_response.empty()) body.add("  Assistant: ", ascii::one_line(r.assistant_response), "\n");
  }
  AnswerText out;
  out.add(answer_header(a));
  if (a.unknown_words) {
    out.add("Nowhere in this history:");
    for (const std::string& word : *a.unknown_words)
      out.add(" ", Echo{ascii::one_line(word)});
    out.add(".\n");
  }
  if (a.missing_words) {
    out.add("The best hits lack:");
    for (const std::string& word : *a.missing_words)
      out.add(" ", Echo{ascii::one_line(word)});
    out.add(".\n");
  }
  out.add(counted_words(std::ssize(a.results), "hit"), " for \"", Echo{ascii::one_line(a.query)}, "\", best first (",
          AnswerText::Id{a.ranking}, " ranking).\n");
  out.quote(body);
  const auto first = std::ranges::find(a.results, kFromExchange, &SearchResultOut::source);
  const auto remembered = std::ranges::find(a.results, kFromMemory, &SearchResultOut::source);
  if (remembered != a.results.end() && remembered->fetch) out.add("Memory: ", Echo{*remembered->fetch}, ".\n");
  if (first != a.results.end())
    out.add("Full text: get_exchange(ids=[\"", AnswerText::Id{first->exchange_id},
            "\"]), with around=1 for what came before and after.\n");
  if (std::any_of(a.results.begin(), a.results.end(), [](const SearchResultOut& r) { return r.found_by.has_value(); }))
    out.add("Found by: 0 is query, the others are of also.\n");
  if (a.ignored_terms) {
    out.add("Words that did not help:");
    for (const std::string& t : *a.ignored_terms)
      out.add(" ", Echo{ascii::one_line(t)});
    out.add("\n");
  }
  return out.add(answer_footer(a));
}

void add_semantic_search(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "semantic_search";
  info.title = "Search past conversations";
  info.description =
      "Search past conversations of any coding agent on this machine (chats, transcripts, previous sessions): "
      "find what we, Claude or others said, tried, explained or decided; have we seen this error before "
      "and how was it fixed (observation=bugfix); how do we build, test or deploy here, the exact command used. Use "
      "it first when the question is about earlier work. Searches by words and by meaning and says how sure "
      "each hit is; get_exchange gives the good ones whole.";
  info.always_shown = true;
  registry.add<SemanticSearchParams, SemanticSearchAnswer>(
      std::move(info), [services](const SemanticSearchParams& p, mcp::ToolContext& c) { return run(services, p, c); });
}

}  // namespace memd::tools
