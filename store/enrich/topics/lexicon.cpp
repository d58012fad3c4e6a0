#include "store/enrich/topics/lexicon.hpp"

#include <algorithm>
#include <cmath>

namespace memd::topics {
namespace {

constexpr std::size_t kRememberedWords = 60'000;

// A store that is young knows little of how rare a word is: it counts as if these exchanges were there before, which
// hold words of each grade at the rate that is usual. So a topic does not change much while the store grows.
constexpr double kUsualExchanges = 1000;
constexpr double usual_with(WordGrade grade) {
  switch (grade) {
    case WordGrade::border:
    case WordGrade::verb: return 400;
    case WordGrade::filler: return 250;
    case WordGrade::common: return 60;
    case WordGrade::telling: return 2;
  }
  return 2;
}
std::string joined(const std::vector<search::Token>& tokens) {
  std::string out;
  for (const search::Token& t : tokens)
    out.append(out.empty() ? "" : " ").append(t.stem);
  return out;
}

constexpr double kRarest = 6.9;  // ln(1000): beyond that, rare says odd rather than telling

}  // namespace

Lexicon::Lexicon(sqlite::Database& db) : tokenizer_(db.handle()), statistics_(db) {
  for (const GradedWords& list : graded_words()) {
    tokens_.clear();
    tokenizer_.tokenize(list.words, tokens_);
    for (search::Token& t : tokens_)
      grades_.insert_or_assign(std::move(t.stem), list.grade);
  }
  stems_.emplace_back();
}

void Lexicon::refresh() {
  statistics_.refresh();
  const std::int64_t now = statistics_.documents();
  if (words_.size() < kRememberedWords && now >= documents_ && now - documents_ <= documents_ / 10) return;
  documents_ = now;
  words_.clear();
  ids_.clear();
  stems_.resize(1);
}

WordFacts Lexicon::facts(std::string_view word) {
  if (const auto known = words_.find(word); known != words_.end()) return known->second;
  const WordFacts facts = look_up(word);
  words_.emplace(word, facts);
  return facts;
}

WordFacts Lexicon::look_up(std::string_view word) {
  WordFacts out;
  tokens_.clear();
  tokenizer_.tokenize(word, tokens_);
  if (tokens_.empty()) return out;
  if (tokens_.size() == 1)
    if (const auto grade = grades_.find(tokens_[0].stem); grade != grades_.end()) out.grade = grade->second;
  const auto [it, fresh] = ids_.try_emplace(joined(tokens_), static_cast<StemId>(stems_.size()));
  if (fresh) stems_.push_back({it->first});
  out.stem = it->second;
  return out;
}

Rarity Lexicon::rarity(WordFacts word) {
  Stem& stem = stems_[word.stem];
  if (stem.documents < 0) {
    stem.documents = INT64_MAX;
    for (std::size_t begin = 0; begin < stem.text.size();) {
      const std::size_t end = std::min(stem.text.find(' ', begin), stem.text.size());
      const std::string_view part = std::string_view(stem.text).substr(begin, end - begin);
      stem.documents = std::min(stem.documents, statistics_.document_frequency(part));
      begin = end + 1;
    }
  }
  const double all = static_cast<double>(documents_) + kUsualExchanges;
  const double with = static_cast<double>(stem.documents) + usual_with(word.grade);
  return {static_cast<float>(std::clamp(std::log(all / with) / kRarest, 0.0, 1.0)), stem.documents <= 1};
}

std::string stems_of(const search::IndexTokenizer& tokenizer, std::string_view topic) {
  std::vector<search::Token> tokens;
  tokenizer.tokenize(topic, tokens);
  return joined(tokens);
}

}  // namespace memd::topics
