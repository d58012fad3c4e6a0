#include "store/search/words/top_k_evaluator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

namespace memd::search {
namespace {

static_assert(QueryPlan::kMaxTerms < 30);

constexpr double kLeastLengthShare = 0.2;  // of the mean number of words: shorter texts surprise no more

// Returns a lower bound of the length of a document: the sum over the columns of the last known word position.
double least_length(const std::vector<TermHits>& all) {
  std::array<std::int64_t, 4> words{};
  for (const TermHits& hits : all)
    for (std::size_t i = hits.places.size(); i-- > 0;) {
      const auto column = static_cast<std::size_t>(hits.places[i] >> 32);
      if (column < words.size()) words[column] = std::max(words[column], (hits.places[i] & 0xFFFFFFFF) + 1);
      // Places are sorted, so earlier places of the first column cannot raise the bound.
      if (i + 1 == hits.places.size() && column == 0) break;
    }
  return static_cast<double>(std::accumulate(words.begin(), words.end(), std::int64_t{0}));
}

}  // namespace

// The best `count` candidates so far.
class TopKEvaluator::Best {
 public:
  explicit Best(std::size_t count) : count_(count) {}

  std::size_t count() const { return count_; }
  double threshold() const { return threshold_; }  // a candidate with a lower score is not among the best
  bool takes(const LexicalCandidate& c) const { return heap_.size() < count_ || better(c, heap_.front()); }
  void add(const LexicalCandidate& candidate) {
    if (heap_.size() == count_) {
      std::pop_heap(heap_.begin(), heap_.end(), better);
      heap_.pop_back();
    }
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end(), better);
    if (heap_.size() == count_) threshold_ = heap_.front().score;
  }
  std::vector<LexicalCandidate> take() {
    std::sort_heap(heap_.begin(), heap_.end(), better);
    return std::move(heap_);
  }

 private:
  static bool better(const LexicalCandidate& a, const LexicalCandidate& b) {
    return a.score != b.score ? a.score > b.score : a.id > b.id;
  }

  const std::size_t count_;
  double threshold_ = 0;
  std::vector<LexicalCandidate> heap_;  // the worst is at the front
};

TopKEvaluator::TopKEvaluator(FullTextIndex& index, const QueryPlan& plan, QueryLengths& lengths)
    : index_(index),
      lengths_(index, lengths),
      plan_(plan),
      scorer_(plan),
      stretch_(index),
      documents_(PostingStretch::kDocuments),
      touched_(PostingStretch::kDocuments / 64),
      hits_(plan.terms.size()) {
  const auto numbered = [this](const std::vector<TermForm>& forms) {
    std::vector<Form> out;
    for (const TermForm& form : forms)
      if (!form.stems.empty()) out.push_back(stretch_.add(form));
    return out;
  };
  for (std::size_t i = 0; i < plan.terms.size(); ++i) {
    terms_.push_back(numbered(plan.terms[i].forms));
    if (plan.terms[i].drives) driving_ |= 1U << i;
    if (plan.terms[i].required) required_ |= 1U << i;
    idf_.push_back(plan.terms[i].idf * plan.terms[i].found_weight);
    const auto most = static_cast<double>(index.documents());
    absence_.push_back(std::log1p(-(std::min(static_cast<double>(plan.terms[i].frequency), most) + 0.5) / (most + 1)));
  }
  idf_from_.resize(plan.terms.size() + 1);
  for (std::size_t i = plan.terms.size(); i-- > 0;)
    idf_from_[i] = idf_from_[i + 1] + idf_[i];
  for (const QueryIdentifier& identifier : plan.identifiers)
    identifiers_.push_back(numbered(identifier.forms));
  forbidden_ = numbered(plan.forbidden);
}

TopKEvaluator::Ranked TopKEvaluator::best(CandidateFilter& filter, std::size_t count,
                                          std::span<const ExchangeId> also) {
  Best best(count);
  std::unordered_map<ExchangeId, LexicalCandidate> asked_for;
  Wanted wanted{filter, best, asked_for};
  std::vector<ExchangeId> asked(also.begin(), also.end());
  std::sort(asked.begin(), asked.end());
  const auto threshold = [&best] { return best.threshold(); };
  const auto look = [&] {
    const float ahead = promising(wanted);
    for (const bool first : {true, false}) {
      stretch_.rewind();
      each_touched([&](std::uint32_t document) {
        if ((documents_[document].bound > ahead) == first) look_at(document, wanted);
      });
    }
  };
  if (count > 0) each_stretch(filter, asked, threshold, look);
  Ranked out{best.take(), {}};
  for (const ExchangeId id : also) {
    const auto found = asked_for.find(id);
    out.also.push_back(found != asked_for.end() ? found->second : wordless(id));
  }
  return out;
}

std::int64_t TopKEvaluator::count_with_all(CandidateFilter& filter) {
  const std::uint32_t all = (1U << terms_.size()) - 1;
  std::int64_t out = 0;
  const auto count = [&] {
    stretch_.rewind();
    each_touched([&](std::uint32_t document) {
      const ExchangeId id = stretch_.base() + document;
      if ((documents_[document].terms & all) != all || id > filter.last_id() || !filter.may_pass(id)) return;
      const bool holds_all =
          find_hits(document) && std::ranges::all_of(hits_, [](const TermHits& hits) { return hits.weight > 0; });
      if (holds_all && filter.passes(id)) ++out;
    });
  };
  each_stretch(
      filter, {}, [] { return 0.0; }, count);
  return out;
}

std::vector<LexicalCandidate> TopKEvaluator::score(std::span<const ExchangeId> ids) {
  std::vector<ExchangeId> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  std::unordered_map<ExchangeId, Match> found;
  for (auto next = terms_.empty() ? sorted.end() : sorted.begin(); next != sorted.end();) {
    load_stretch(*next, sorted, {}, 0);
    for (; next != sorted.end() && *next < stretch_.base() + PostingStretch::kDocuments; ++next) {
      const auto document = static_cast<std::uint32_t>(*next - stretch_.base());
      if ((documents_[document].terms & kTerms) == 0 || found.contains(*next)) continue;
      find_hits(document);
      Match& match = found[*next] = this->match(*next);
      match.features.identifier = identifier_share(document);
      match.features.surprise = surprise(*next);
    }
  }
  std::vector<LexicalCandidate> out;
  for (const ExchangeId id : ids) {
    const auto match = found.find(id);
    out.push_back(match != found.end()
                      ? LexicalCandidate{id, match->second.score, match->second.features, match->second.terms}
                      : wordless(id));
  }
  return out;
}

template <class Threshold, class Visit>
void TopKEvaluator::each_stretch(CandidateFilter& filter, std::span<const ExchangeId> also, Threshold&& threshold,
                                 Visit&& visit) {
  const auto only = filter.list();
  const auto stretch_from = [&](ExchangeId id) {
    if (only.empty()) return std::max(id, stretch_.next_document(terms_));
    const auto next = std::lower_bound(only.begin(), only.end(), id);
    return next != only.end() ? *next : PostingStretch::kNone;
  };
  for (ExchangeId base = stretch_from(filter.first_id()); base <= filter.last_id() && base != PostingStretch::kNone;
       base = stretch_from(stretch_.base() + PostingStretch::kDocuments)) {
    load_stretch(base, only, also, threshold());
    visit();
  }
}

void TopKEvaluator::load_stretch(ExchangeId base, std::span<const ExchangeId> only, std::span<const ExchangeId> also,
                                 double threshold) {
  index_.throw_if_stopped();
  each_touched([this](std::uint32_t document) { documents_[document] = {}; });
  for (const std::uint32_t document : marked_)
    documents_[document] = {};
  marked_.clear();
  std::fill(touched_.begin(), touched_.end(), 0);
  stretch_.begin(base);
  mark(only, kListed);
  mark(also, kAlso);
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const bool alone = only.empty() && plan_.terms[i].drives && scorer_.bound(idf_from_[i] + kRounding) >= threshold;
    for (const Form& form : terms_[i]) {
      stretch_.load(form, !alone);
      stretch_.each_document(form, [&](const Entry& entry) { touch(i, form, entry); });
    }
  }
  // The remaining words are needed only for marked documents.
  stretch_.load_all(true);
}

void TopKEvaluator::mark(std::span<const ExchangeId> sorted, std::uint32_t flag) {
  const auto from = std::lower_bound(sorted.begin(), sorted.end(), stretch_.base());
  for (auto id = from; id != sorted.end() && *id < stretch_.base() + PostingStretch::kDocuments; ++id) {
    marked_.push_back(static_cast<std::uint32_t>(*id - stretch_.base()));
    documents_[marked_.back()].terms |= flag;
    stretch_.want(marked_.back());
  }
}

void TopKEvaluator::touch(std::size_t term, const Form& form, const Entry& entry) {
  Document& d = documents_[entry.document];
  const double idf = idf_[term];
  if (d.softness == 0) {
    const auto words = static_cast<double>(lengths_.cached_words(stretch_.base() + entry.document));
    d.softness = static_cast<float>(MatchScorer::softness(words / index_.mean_length()));
  }
  d.bm25 += static_cast<float>(
      idf * MatchScorer::saturated(form.weight * static_cast<double>(stretch_.most_occurrences(entry)), d.softness));
  if ((d.terms & 1U << term) != 0) return;
  touched_[entry.document / 64] |= std::uint64_t{1} << entry.document % 64;
  d.terms |= 1U << term;
  stretch_.want(entry.document);
  d.found_idf += static_cast<float>(idf);
}

bool TopKEvaluator::is_hopeful(std::uint32_t document, const Wanted& wanted) const {
  const Document& d = documents_[document];
  const std::uint32_t terms = d.terms & kTerms;
  return terms != 0 && (required_ & ~terms) == 0 && (wanted.filter.is_list() || (terms & driving_) != 0) &&
         d.bound >= wanted.best.threshold() && wanted.filter.may_pass(stretch_.base() + document);
}

// Computes the bounds and returns a bound that at most `count` documents of the stretch exceed; -1: all exceed it.
// These are scored first, because their scores raise the threshold that excludes most of the others.
float TopKEvaluator::promising(const Wanted& wanted) {
  std::vector<float> bounds;
  each_touched([&](std::uint32_t document) {
    Document& d = documents_[document];
    d.bound = static_cast<float>(scorer_.bound(d.found_idf + kRounding, d.bm25 + kRounding, d.terms & kTerms));
    if (is_hopeful(document, wanted)) bounds.push_back(d.bound);
  });
  if (bounds.size() <= wanted.best.count()) return -1;
  const auto last = bounds.begin() + static_cast<std::ptrdiff_t>(wanted.best.count());
  std::nth_element(bounds.begin(), last, bounds.end(), std::greater<>());
  return *last;
}

void TopKEvaluator::look_at(std::uint32_t document, Wanted& wanted) {
  const Document& d = documents_[document];
  const ExchangeId id = stretch_.base() + document;
  const bool asked = (d.terms & kAlso) != 0;
  const bool hopeful = id <= wanted.filter.last_id() && is_hopeful(document, wanted);
  if (!asked && !hopeful) return;
  const bool allowed = find_hits(document);
  if (!asked && (!allowed || scorer_.match(hits_, least_length_ratio(id)).score < wanted.best.threshold())) return;
  const Match match = this->match(id);
  LexicalCandidate candidate{id, match.score, match.features, match.terms};
  const bool among_best =
      hopeful && allowed && candidate.score > 0 && wanted.best.takes(candidate) && wanted.filter.passes(id);
  if (!asked && !among_best) return;
  candidate.features.identifier = identifier_share(document);
  candidate.features.surprise = surprise(id);
  if (asked) wanted.asked_for.emplace(id, candidate);
  if (among_best) wanted.best.add(candidate);
}

bool TopKEvaluator::find_hits(std::uint32_t document) {
  const std::uint32_t present = documents_[document].terms;
  bool all_required = true;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    TermHits& hits = hits_[i];
    hits.weight = 0;
    hits.places.clear();
    if ((present & 1U << i) == 0) continue;
    int forms = 0;
    for (const Form& form : terms_[i])
      forms += stretch_.holds(form, document, &hits) ? 1 : 0;
    if (forms > 1) std::sort(hits.places.begin(), hits.places.end());
    all_required &= !plan_.terms[i].required || forms > 0;
  }
  return all_required && std::none_of(forbidden_.begin(), forbidden_.end(),
                                      [&](const Form& form) { return stretch_.holds(form, document, nullptr); });
}

double TopKEvaluator::identifier_share(std::uint32_t document) {
  if (identifiers_.empty()) return 0;
  const auto found = std::count_if(identifiers_.begin(), identifiers_.end(), [&](const std::vector<Form>& forms) {
    return std::any_of(forms.begin(), forms.end(),
                       [&](const Form& form) { return stretch_.holds(form, document, nullptr); });
  });
  return static_cast<double>(found) / static_cast<double>(identifiers_.size());
}

double TopKEvaluator::surprise(ExchangeId id) {
  // The number of distinct words in a text grows with this power of its length.
  constexpr double kDistinct = 0.75;
  const double length =
      std::max(kLeastLengthShare, std::pow(static_cast<double>(lengths_.words(id)) / index_.mean_length(), kDistinct));
  double out = 0;
  for (std::size_t i = 0; i < hits_.size(); ++i)
    if (hits_[i].weight > 0) out -= std::log(-std::expm1(length * absence_[i])) * plan_.terms[i].found_weight;
  return out;
}

// Avoids a query for the length: when it is not cached, uses the lower bound from the positions.
double TopKEvaluator::least_length_ratio(ExchangeId id) const {
  const std::int64_t known = lengths_.cached_words(id);
  return (known != 0 ? static_cast<double>(known) : least_length(hits_)) / index_.mean_length();
}

Match TopKEvaluator::match(ExchangeId id) {
  const std::int64_t words = lengths_.words(id);
  Match out = scorer_.match(hits_, static_cast<double>(words) / index_.mean_length());
  out.features.brevity = brevity_of(words);
  return out;
}

LexicalCandidate TopKEvaluator::wordless(ExchangeId id) {
  LexicalCandidate out{id, 0, {}, 0};
  out.features.brevity = brevity_of(lengths_.words(id));
  return out;
}

}  // namespace memd::search
