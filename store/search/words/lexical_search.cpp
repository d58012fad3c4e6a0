#include "store/search/words/lexical_search.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"
#include "store/search/words/query_parser.hpp"
#include "store/search/words/top_k_evaluator.hpp"
#include "store/text/cue_matcher.hpp"
#include "store/text/eight_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace memd::search {
namespace {

constexpr std::size_t kScannedBytes = 64 * 1024;  // at the start of each text
constexpr std::size_t kMaxMatches = 400;
constexpr double kRepeat = 0.05;  // weight of a repeated word, as a share of its idf

// White space, or the separator of tool lines (0x1e).
bool is_gap(char c) { return static_cast<unsigned char>(c) <= 0x20; }

// Returns the first word border within 20 bytes from `at`, otherwise the next start of a character.
std::size_t border_after(std::string_view text, std::size_t at, std::size_t limit) {
  for (std::size_t i = at; i < limit && i < at + 20; ++i)
    if (is_gap(text[i])) return i;
  while (at < limit && is_utf8_tail(text[at]))
    ++at;
  return at;
}
std::size_t border_before(std::string_view text, std::size_t at, std::size_t limit) {
  if (at >= text.size()) return text.size();
  for (std::size_t i = at; i > limit && i + 20 > at; --i)
    if (is_gap(text[i])) return i;
  while (at > limit && is_utf8_tail(text[at]))
    --at;
  return at;
}

void append_collapsed(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (!is_gap(c))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
}

}  // namespace

PassageFinder::PassageFinder(const IndexTokenizer& tokenizer, const QueryPlan& plan)
    : tokenizer_(tokenizer), plan_(plan) {
  for (std::size_t i = 0; i < plan.terms.size(); ++i)
    for (const TermForm& form : plan.terms[i].forms)
      for (const std::string& stem : form.stems) {
        terms_.try_emplace(stem, i);
        add_start(stem);
      }
}

// The stemmers keep the first three letters of a word, except that a y can become i (eyed: ei) and that letters can be
// cut off (used: us).
void PassageFinder::add_start(std::string_view stem) {
  using namespace eight_bytes;
  constexpr std::size_t kIOrY = 'i' ^ 'y';
  const std::size_t known = start_of(first_bytes(eight_at(stem, 0), 3));
  const std::size_t cut_off = stem.size() < 3 ? std::size_t{1} << kLetterBits * (3 - stem.size()) : 1;
  for (std::size_t rest = 0; rest < cut_off; ++rest) {
    starts_.set(known | rest);
    for (const std::size_t place : {1U, 2U})
      if (place < stem.size() && stem[place] == 'i') starts_.set((known ^ kIOrY << kLetterBits * (2 - place)) | rest);
  }
}

// Returns an index for the first three bytes of a word, padded with zeros. Capitals have the index of small letters; a
// digit may have that of a letter.
std::size_t PassageFinder::start_of(std::uint64_t three) {
  constexpr std::uint64_t kLetter = (1U << kLetterBits) - 1;
  return (three & kLetter) << 2 * kLetterBits | (three >> 8 & kLetter) << kLetterBits | (three >> 16 & kLetter);
}

void PassageFinder::find_in_word(std::string_view text, std::size_t start, std::size_t end,
                                 std::vector<Match>& out) const {
  tokens_.clear();
  tokenizer_.tokenize_stored(text.substr(start, end - start), tokens_);
  for (const Token& token : tokens_)
    if (const auto term = terms_.find(token.stem); term != terms_.end())
      out.push_back({start + token.start, start + token.end, term->second});
}

// Tokenizes only words that start like a word of the query, and those that are not ASCII.
void PassageFinder::find(std::string_view text, std::vector<Match>& out) const {
  using namespace eight_bytes;
  for (std::size_t at = 0; at < text.size() && out.size() < kMaxMatches;) {
    std::uint64_t eight = eight_at(text, at);
    const std::uint64_t begins = word_bytes(eight) | (eight & kHigh);
    at += bytes_before(begins);
    if (begins == 0) continue;
    const std::size_t start = at;
    const std::uint64_t first = eight_at(text, at);
    std::uint64_t others = 0;  // bytes that are not ASCII
    for (std::uint64_t ends = 0; ends == 0;) {
      eight = eight_at(text, at);
      ends = ~(word_bytes(eight) | eight) & kHigh;
      const std::size_t size = bytes_before(ends);
      others |= first_bytes(eight, size) & kHigh;
      at += size;
    }
    if (others != 0 || starts_[start_of(first_bytes(first, std::min<std::size_t>(at - start, 3)))])
      find_in_word(text, start, at, out);
  }
}

PassageFinder::Window PassageFinder::best_window(const std::vector<Match>& matches) const {
  Window best;
  std::vector<bool> seen(plan_.terms.size());
  for (std::size_t i = 0; i < matches.size(); ++i) {
    std::fill(seen.begin(), seen.end(), false);
    Window here{0, i, i};
    for (std::size_t j = i; j < matches.size() && matches[j].end <= matches[i].start + kBytes; ++j) {
      const double idf = plan_.terms[matches[j].term].idf;
      here.worth += seen[matches[j].term] ? kRepeat * idf : idf;
      seen[matches[j].term] = true;
      here.last = j;
    }
    if (here.worth > best.worth) best = here;
  }
  return best;
}

Passage PassageFinder::best(const std::array<std::string_view, 4>& texts) const {
  Passage out;
  std::size_t chosen = 0;
  Window window;
  std::vector<Match> matches;
  std::vector<Match> candidates;
  for (std::size_t column = 0; column < texts.size(); ++column) {
    candidates.clear();
    find(texts[column].substr(0, kScannedBytes), candidates);
    const Window found = best_window(candidates);
    if (found.worth <= window.worth) continue;
    window = found;
    matches.swap(candidates);
    chosen = column;
  }
  if (matches.empty())
    while (chosen + 1 < texts.size() && texts[chosen].empty())
      ++chosen;

  const std::string_view text = texts[chosen];
  const std::size_t first = matches.empty() ? 0 : matches[window.first].start;
  std::size_t last = first;
  for (std::size_t i = window.first; i < matches.size() && i <= window.last; ++i)
    last = std::max(last, matches[i].end);
  const std::size_t spare = kBytes - std::min(kBytes, last - first);
  const std::size_t from = first > spare / 3 ? border_after(text, first - spare / 3, first) : 0;
  const std::size_t to = border_before(text, std::max(last, std::min(text.size(), from + kBytes)), last);

  if (from > 0) out.text = "…";
  std::size_t at = from;
  for (std::size_t i = window.first; i < matches.size() && i <= window.last;) {
    append_collapsed(out.text, text.substr(at, matches[i].start - at));
    const std::size_t start = matches[i].start;
    // Matches of pairs of characters overlap, so they are merged into one.
    for (at = start; i < matches.size() && i <= window.last && matches[i].start <= at; ++i)
      at = std::max(at, matches[i].end);
    out.matches.push_back({out.text.size(), at - start});
    out.text += text.substr(start, at - start);
  }
  append_collapsed(out.text, text.substr(at, to - at));
  while (!out.text.empty() && out.text.back() == ' ')
    out.text.pop_back();
  if (to < text.size()) out.text += "…";
  return out;
}

namespace {

constexpr std::size_t kReranked = 200;  // best candidates by text that are ranked again with title and date
constexpr double kSpeakingTitle = 0.6;  // least share of the query's weight in a title that is a hit by itself
constexpr std::size_t kByTitle = 20;    // most sessions found by title
constexpr double kTitleScore = 0.5;     // score of a title with all terms
constexpr double kDateWeight = 0.15;

// Returns 1 inside the range, halved for each length of the range (at least a day) outside it.
double date_match(const TimeRange& range, TimeMs time) {
  if (time >= range.start && time < range.end) return 1;
  const TimeMs away = time < range.start ? range.start - time : time - range.end;
  return std::exp2(-static_cast<double>(away) / static_cast<double>(std::max(range.end - range.start, kMsPerDay)));
}

}  // namespace

LexicalSearch::LexicalSearch(sqlite::Database& db)
    : db_(db), tokenizer_(db.handle()), statistics_(db), names_(db), titles_(db), places_(db) {}

LexicalQuestion LexicalSearch::understand(const SearchQuery& query, QueryLengths& lengths) {
  LexicalQuestion out;
  out.lengths = &lengths;
  places_.forget();
  out.typed = query.asked;
  static const CueMatcher kWhy = cues_of(Cue::asks_why);
  out.asks_why = kWhy.has(query.asked.text, Cue::asks_why);
  statistics_.refresh();
  titles_.refresh();
  out.plan = plan_query(out.typed, {tokenizer_, statistics_, names_, titles_});
  return out;
}

LexicalQuestion LexicalSearch::understand_also(const std::string& text, const SearchQuery& query,
                                               const LexicalQuestion& first) {
  LexicalQuestion out;
  out.lengths = first.lengths;
  out.asks_why = first.asks_why;
  out.typed = parse_query(text, query.now, Operators::as_words);
  out.typed.excluded = first.typed.excluded;
  out.plan = plan_query(out.typed, {tokenizer_, statistics_, names_, titles_});
  return out;
}

LexicalSearch::Found LexicalSearch::candidates(const LexicalQuestion& question, CandidateFilter& filter,
                                               std::size_t count, std::span<const ExchangeId> also) {
  if (question.filters_alone()) return {newest(question, filter, count), {}};
  if (question.plan.empty()) return {{}, score(question, also)};
  const Shares titles = titles_.shares(question.plan);
  // Always ranks the same number again, so that a longer list begins with the shorter one.
  TopKEvaluator evaluator(statistics_.index(), question.plan, *question.lengths);
  auto [out, scored] = evaluator.best(filter, std::max(count, kReranked), also);
  add_session_features(question.typed, titles, scored);
  std::vector<Candidate> rest(out.begin() + static_cast<std::ptrdiff_t>(std::min(out.size(), kReranked)), out.end());
  out.resize(std::min(out.size(), kReranked));
  const double least = out.size() == kReranked ? out.back().score : 0;
  add_session_features(question.typed, titles, out);
  std::unordered_set<ExchangeId> titled;
  for (const Candidate& candidate : by_title(question, titles, out, filter))
    if (candidate.score >= least) {
      titled.insert(candidate.id);
      out.push_back(candidate);
    }
  std::stable_sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  for (const Candidate& candidate : rest)
    if (!titled.contains(candidate.id)) out.push_back(candidate);
  out.resize(std::min(out.size(), count));
  return {std::move(out), std::move(scored)};
}

std::int64_t LexicalSearch::count_matching(const LexicalQuestion& question, CandidateFilter& filter) {
  if (question.filters_alone()) return std::ssize(newest(question, filter, std::numeric_limits<std::size_t>::max()));
  if (question.plan.empty() || !question.plan.unknown.empty()) return 0;
  return TopKEvaluator(statistics_.index(), question.plan, *question.lengths).count_with_all(filter);
}

std::vector<LexicalCandidate> LexicalSearch::score(const LexicalQuestion& question, std::span<const ExchangeId> ids) {
  std::vector<LexicalCandidate> out = TopKEvaluator(statistics_.index(), question.plan, *question.lengths).score(ids);
  if (!question.plan.terms.empty()) add_session_features(question.typed, titles_.shares(question.plan), out);
  return out;
}

void LexicalSearch::add_session_features(const ParsedQuery& typed, const Shares& titles,
                                         std::span<Candidate> candidates) {
  if (titles.empty() && !typed.preferred) return;
  for (Candidate& candidate : candidates) {
    const ExchangePlace* const place = places_.find(candidate.id);
    if (place == nullptr) continue;
    if (const auto title = titles.find(place->session); title != titles.end()) candidate.features.title = title->second;
    if (typed.preferred) candidate.features.date = date_match(*typed.preferred, place->started_at);
    candidate.score += MatchScorer::kTitleWeight * candidate.features.title + kDateWeight * candidate.features.date;
  }
}

// Returns the first exchanges of sessions whose titles match the query and of which no exchange is in `found`.
std::vector<LexicalCandidate> LexicalSearch::by_title(const LexicalQuestion& question, const Shares& titles,
                                                      std::span<const Candidate> found, CandidateFilter& filter) {
  std::vector<std::pair<double, std::int64_t>> speaking;
  for (const auto& [session, share] : titles)
    if (share >= kSpeakingTitle) speaking.emplace_back(share, session);
  std::vector<Candidate> out;
  const bool required = std::any_of(question.plan.terms.begin(), question.plan.terms.end(),
                                    [](const Term& term) { return term.required; });
  if (speaking.empty() || required) return out;
  std::sort(speaking.rbegin(), speaking.rend());
  speaking.resize(std::min(speaking.size(), kByTitle));
  std::unordered_set<std::int64_t> shown;
  for (const Candidate& candidate : found)
    if (const ExchangePlace* const place = places_.find(candidate.id)) shown.insert(place->session);
  auto& first = db_.prepare("SELECT exchange_pk FROM exchanges WHERE session_pk = ?1 ORDER BY exchange_number LIMIT 1");
  for (const auto& [share, session] : speaking) {
    if (shown.contains(session)) continue;
    const ExchangeId id = first.bind(session).value_or(0);
    if (id == 0 || !filter.passes(id) || is_excluded(question, id)) continue;
    Candidate& candidate = out.emplace_back(Candidate{id, kTitleScore * share, {}, 0});
    add_session_features(question.typed, titles, std::span(&candidate, 1));
  }
  return out;
}

bool LexicalSearch::is_excluded(const LexicalQuestion& question, ExchangeId id) {
  if (question.plan.excluded.empty()) return false;
  return db_
      .query("SELECT 1 FROM exchanges_fts WHERE exchanges_fts MATCH ?1 AND rowid = ?2", question.plan.excluded, id)
      .any();
}

std::vector<LexicalCandidate> LexicalSearch::newest(const LexicalQuestion& question, CandidateFilter& filter,
                                                    std::size_t count) {
  std::vector<Candidate> out;
  const auto take = [&](ExchangeId id) {
    if (filter.passes(id) && !is_excluded(question, id)) out.push_back({id, 1.0, {}, 0});
  };
  // The exchanges of a list may all be old. After reading as many rows as the list has, switches to reading the list.
  std::size_t steps = filter.is_list() ? filter.list().size() : std::numeric_limits<std::size_t>::max();
  auto& q = db_.query(
      "SELECT exchange_pk FROM exchanges WHERE started_at >= ?1 AND started_at < ?2"
      " ORDER BY started_at DESC, exchange_pk DESC",
      filter.since(), filter.until());
  while (out.size() < count && steps > 0 && q.step()) {
    --steps;
    take(q.int64(0));
  }
  if (steps == 0 && out.size() < count) {
    out.clear();
    std::vector<std::pair<TimeMs, ExchangeId>> listed;
    for (const ExchangeId id : filter.list())
      if (const ExchangePlace* const place = places_.find(id)) listed.emplace_back(place->started_at, id);
    std::sort(listed.rbegin(), listed.rend());
    for (auto it = listed.begin(); it != listed.end() && out.size() < count; ++it)
      take(it->second);
  }
  q.reset();
  return out;
}

}  // namespace memd::search
