#include "store/enrich/topics/topic_extractor.hpp"

#include "schemas/exchange_row.hpp"
#include "store/enrich/topics/lexicon.hpp"
#include "store/search/topic_index.hpp"
#include "store/text/words.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace memd::topics {
namespace {

// A long prompt is a plan or a paste; its start states its subject.
constexpr ReadingPlan kPrompt{3.0F, 800, 0.8F, 8 * 1024, true};
constexpr ReadingPlan kIntervention{2.0F, 400, 0.5F, 2 * 1024, true};
constexpr ReadingPlan kAnswer{1.0F, 2000, 0.6F, 6 * 1024, false};
constexpr ReadingPlan kWork{0.3F, 2048, 0.3F, 2 * 1024, false};

constexpr std::size_t kReranked = 40;
constexpr double kLeastScore = 0.30;
constexpr double kMeaning = 0.8;
constexpr std::size_t kMostNames = 3;  // maximum number of function and file names among the topics of an exchange

double strength(WordGrade grade) {
  switch (grade) {
    case WordGrade::telling: return 1;
    case WordGrade::common: return 0.5;
    case WordGrade::filler: return 0.25;
    case WordGrade::verb:
    case WordGrade::border: return 0;
  }
  return 0;
}

// Rarity is only half of the weight, because the subject of a project is common in its history.
double word_weight(WordGrade grade, double rarity) {
  switch (grade) {
    case WordGrade::telling: return 0.5 + 0.5 * rarity;
    case WordGrade::common: return 0.4 + 0.4 * rarity;
    case WordGrade::filler: return 0.2 + 0.2 * rarity;
    case WordGrade::verb:
    case WordGrade::border: return 0.1;
  }
  return 0;
}

// Returns whether the word is an adjective or participle, which qualifies a subject but does not name one.
bool tells_what_kind(std::string_view word) {
  const WordList& ends = words(WordClass::adjective_end);
  return std::any_of(ends.begin(), ends.end(),
                     [&](const std::string& end) { return word.size() > end.size() + 3 && word.ends_with(end); });
}

std::size_t shared_stems(const PhraseKey& a, const PhraseKey& b) {
  std::size_t shared = 0;
  for (std::size_t i = 0; i < a.length(); ++i)
    for (std::size_t k = 0; k < b.length(); ++k)
      shared += a.stems[i] == b.stems[k] ? 1 : 0;
  return shared;
}

}  // namespace

TopicExtractor::TopicExtractor(sqlite::Database& db, embedding::Embedder* embedder)
    : lexicon_(db), embedder_(embedder) {}

void TopicExtractor::read_title(const std::string& title) {
  title_.clear();
  prose_.clear();
  read_prose(title, {1.0F, 300, 0, 300, false}, prose_);
  for (const ProseToken& t : prose_)
    if (const WordFacts facts = lexicon_.facts(t.text); facts.stem != 0) title_.push_back(facts.stem);
  std::sort(title_.begin(), title_.end());
}

void TopicExtractor::read(const ExchangeRow& e) {
  read_title(e.session_title);
  prose_.clear();
  const std::string_view response = e.assistant_response;
  read_prose(e.user_message, kPrompt, prose_);
  if (!is_made_by_client(e.interventions)) read_prose(e.interventions, kIntervention, prose_);
  read_prose(e.final_answer(), kAnswer, prose_);
  read_prose(response.substr(0, e.answer_begin()), kWork, prose_);
  tokens_.clear();
  for (const ProseToken& t : prose_) {
    WordFacts facts = lexicon_.facts(t.text);
    if (t.in_code && facts.grade == WordGrade::verb) facts.grade = WordGrade::common;  // as in `git rebase`
    tokens_.push_back({t, facts});
  }
}

double TopicExtractor::score(const Phrase& p) {
  const std::size_t n = p.key.length();
  const ProseToken& first = tokens_[p.first].token;
  const ProseToken& last = tokens_[p.first + n - 1].token;
  double strong = 0;
  for (std::size_t k = 0; k < n; ++k)
    strong += strength(tokens_[p.first + k].facts.grade);
  if (strong < (n == 1 ? 1.0 : n == 2 ? 0.75 : 1.25)) return 0;
  if (n == 1 && (first.text.size() < 3 || (!p.named && tells_what_kind(first.text)))) return 0;
  if (n > 1 && last.text.ends_with("ed") && last.shape == TokenShape::word) return 0;

  double s = p.weight / (p.weight + 3);
  if (n > 1) s *= n == 2 ? 1.45 : 1.4;
  if (n == 3 && p.count == 1) s *= 0.75;
  if (n == 1 && !p.named) s *= p.count == 1 ? 0.6 : 0.9;
  if (p.by_user && p.by_agent) s *= 1.25;
  if (first.shape == TokenShape::file_name) s *= 0.7;
  if (first.shape == TokenShape::identifier) s *= 0.8;
  double together = 0;
  bool titled = true;
  for (std::size_t k = 0; k < n; ++k) {
    PhraseKey word;
    word.stems[0] = p.key.stems[k];
    const Phrase* alone = table_.find(word);
    together += alone != nullptr ? p.weight / alone->weight : 1;
    titled = titled && std::binary_search(title_.begin(), title_.end(), p.key.stems[k]);
  }
  if (n > 1) s *= 0.5 + 0.5 * together / static_cast<double>(n);
  if (titled) s *= 1.4;
  if (s < kLeastScore * 0.8) return 0;  // too low whatever its rarity

  double weight = 0;
  std::size_t single = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const WordFacts facts = tokens_[p.first + k].facts;
    const Rarity rarity = lexicon_.rarity(facts);
    if (n == 1 && rarity.share < 0.15) return 0;
    weight += word_weight(facts.grade, rarity.share);
    single += rarity.single ? 1 : 0;
  }
  s *= weight / static_cast<double>(n);
  if (single == n && p.count < 4 && !p.named) s *= 0.8;  // a single occurrence in a long history
  return s;
}

void TopicExtractor::weigh_by_meaning(const ExchangeRow& e, std::vector<Candidate>& candidates) {
  constexpr std::size_t kRead = 1500;
  const std::string whole = e.user_message.substr(0, kRead) + "\n" + std::string(e.final_answer().substr(0, kRead));
  std::vector<std::string> names;
  for (const Candidate& c : candidates)
    names.push_back(spelling(*c.phrase));
  std::vector<std::string_view> texts{whole};
  texts.insert(texts.end(), names.begin(), names.end());
  const auto vectors = embedder_->embed(texts, embedding::Purpose::document, {});
  if (!vectors || vectors->size() != texts.size()) return;  // the words alone decide
  const embedding::Vector& about = vectors->front();
  std::vector<double> cosines;
  double mean = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const embedding::Vector& v = (*vectors)[i + 1];
    double& cosine = cosines.emplace_back(0);
    for (std::size_t k = 0; k < std::min(v.size(), about.size()); ++k)
      cosine += static_cast<double>(v[k]) * about[k];
    mean += cosine / static_cast<double>(candidates.size());
  }
  // Relative to the other candidates, because the similarity of names and texts differs from model to model.
  for (std::size_t i = 0; i < candidates.size(); ++i)
    candidates[i].score *= std::clamp(1 + kMeaning * (cosines[i] - mean), 0.5, 1.5);
}

// Chooses greedily. Candidates that share words with chosen ones lose score; candidates with a subset or superset of a
// chosen one's words are dropped.
std::vector<TopicExtractor::Candidate> TopicExtractor::choose(std::vector<Candidate> left) const {
  std::vector<Candidate> chosen;
  std::size_t names = 0;
  while (chosen.size() < kMostTopics) {
    const auto best = std::max_element(left.begin(), left.end(), [](const Candidate& a, const Candidate& b) {
      return a.score != b.score ? a.score < b.score : a.phrase->first > b.phrase->first;
    });
    if (best == left.end() || best->score < kLeastScore) break;
    const Candidate taken = *best;
    left.erase(best);
    const bool name = tokens_[taken.phrase->first].token.shape != TokenShape::word;
    if (name && ++names > kMostNames) continue;
    chosen.push_back(taken);
    for (Candidate& c : left) {
      const std::size_t shared = shared_stems(c.phrase->key, taken.phrase->key);
      if (shared == 0) continue;
      const bool nested = shared == std::min(c.phrase->key.length(), taken.phrase->key.length());
      c.score *= nested ? 0 : shared == 1 ? 0.65 : 0.3;
    }
  }
  return chosen;
}

std::string TopicExtractor::spelling(const Phrase& p) const { return spelling_of(tokens_, p); }

std::vector<TopicMention> TopicExtractor::extract(const ExchangeRow& exchange) {
  std::vector<TopicMention> out;
  if (is_made_by_client(exchange.user_message)) return out;
  lexicon_.refresh();
  read(exchange);
  collect_phrases(tokens_, table_);
  std::vector<Candidate> candidates;
  for (const Phrase& p : table_.phrases())
    if (const double s = score(p); s >= kLeastScore * 0.8) candidates.push_back({&p, s});
  const auto better = [](const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score > b.score : a.phrase->first < b.phrase->first;
  };
  const std::size_t kept = std::min(candidates.size(), kReranked);
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept), candidates.end(),
                    better);
  candidates.resize(kept);
  if (embedder_ != nullptr && !candidates.empty()) weigh_by_meaning(exchange, candidates);
  for (const Candidate& c : choose(std::move(candidates))) {
    std::string stems;
    for (std::size_t k = 0; k < c.phrase->key.length(); ++k)
      stems += (k > 0 ? " " : "") + lexicon_.stem(c.phrase->key.stems[k]);
    // "auto-commit" is one word in some texts and two in others.
    const bool said = std::any_of(
        out.begin(), out.end(), [&](const TopicMention& m) { return holds(m.stems, stems) || holds(stems, m.stems); });
    if (!said) out.push_back({spelling(*c.phrase), std::min(1.0, std::round(c.score * 100) / 100), std::move(stems)});
  }
  return out;
}

}  // namespace memd::topics
