#include "store/search/words/posting_walk.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace memd::search {
namespace {

constexpr ExchangeId kNone = std::numeric_limits<ExchangeId>::max();
static_assert(QueryPlan::kMaxTerms < 30);

}  // namespace

PostingWalk::PostingWalk(FullTextIndex& index, const QueryPlan& plan, KnownLengths& lengths)
    : index_(index),
      lengths_(index, lengths),
      plan_(plan),
      scorer_(plan),
      documents_(kStretch),
      touched_(kStretch / 64),
      hits_(plan.terms.size()) {
  index_.refresh();
  const auto compiled = [this](const std::vector<TermForm>& forms) {
    std::vector<Form> out;
    for (const TermForm& form : forms)
      if (!form.stems.empty()) out.push_back(compile(form));
    return out;
  };
  for (std::size_t i = 0; i < plan.terms.size(); ++i) {
    terms_.push_back(compiled(plan.terms[i].forms));
    if (plan.terms[i].drives) driving_ |= 1U << i;
    if (plan.terms[i].required) required_ |= 1U << i;
  }
  idf_from_.resize(plan.terms.size() + 1);
  for (std::size_t i = plan.terms.size(); i-- > 0;)
    idf_from_[i] = idf_from_[i + 1] + plan.terms[i].idf * plan.terms[i].found_weight;
  for (const QueryIdentifier& identifier : plan.identifiers)
    identifiers_.push_back(compiled(identifier.forms));
  forbidden_ = compiled(plan.forbidden);
}

PostingWalk::Form PostingWalk::compile(const TermForm& form) {
  Form out{{}, form.weight};
  for (const std::string& stem : form.stems) {
    const auto [known, fresh] = word_numbers_.try_emplace(stem, words_.size());
    if (fresh) words_.emplace_back().cursors = index_.find(stem);
    out.words.push_back(known->second);
  }
  return out;
}

ExchangeId PostingWalk::next_document() {
  ExchangeId out = kNone;
  for (const auto& forms : terms_)
    for (const Form& form : forms)
      for (const std::size_t word : form.words)
        for (const PostingCursor& cursor : words_[word].cursors)
          if (!cursor.at_end()) out = std::min(out, cursor.id());
  return out;
}

// The best so far.
class PostingWalk::Best {
 public:
  explicit Best(std::size_t count) : count_(count) {}

  std::size_t count() const { return count_; }
  double threshold() const { return threshold_; }  // what scores less is not among them
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
  std::vector<LexicalCandidate> heap_;  // the worst on top
};

bool PostingWalk::is_hopeful(std::uint32_t document, const Wanted& wanted) const {
  const Document& d = documents_[document];
  const std::uint32_t terms = d.terms & kTerms;
  return terms != 0 && (required_ & ~terms) == 0 && (wanted.filter.is_list() || (terms & driving_) != 0) &&
         d.bound >= wanted.best.threshold() && wanted.filter.may_pass(base_ + document);
}

// Bounds all, and gives what some `count` documents of the stretch may score or more: what these do score spares
// looking at most of the others.
float PostingWalk::promising(const Wanted& wanted) {
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

void PostingWalk::look_at(std::uint32_t document, Wanted& wanted) {
  const Document& d = documents_[document];
  const ExchangeId id = base_ + document;
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
  if (asked) wanted.asked_for.emplace(id, candidate);
  if (among_best) wanted.best.add(candidate);
}

PostingWalk::Ranked PostingWalk::best(CandidateFilter& filter, std::size_t count, std::span<const ExchangeId> also) {
  Best best(count);
  std::unordered_map<ExchangeId, LexicalCandidate> asked_for;
  Wanted wanted{filter, best, asked_for};
  std::vector<ExchangeId> asked(also.begin(), also.end());
  std::sort(asked.begin(), asked.end());
  const auto only = filter.list();
  const auto stretch_from = [&](ExchangeId id) {
    if (only.empty()) return std::max(id, next_document());
    const auto next = std::lower_bound(only.begin(), only.end(), id);
    return next != only.end() ? *next : kNone;
  };
  for (ExchangeId base = stretch_from(filter.first_id()); count > 0 && base <= filter.last_id() && base != kNone;
       base = stretch_from(base_ + kStretch)) {
    load_stretch(base, only, asked, best.threshold());
    const float ahead = promising(wanted);
    for (const bool first : {true, false}) {
      for (Word& word : words_)
        word.at = 0;
      each_touched([&](std::uint32_t document) {
        if ((documents_[document].bound > ahead) == first) look_at(document, wanted);
      });
    }
  }
  Ranked out{best.take(), {}};
  for (const ExchangeId id : also) {
    const auto found = asked_for.find(id);
    out.also.push_back(found != asked_for.end() ? found->second : wordless(id));
  }
  return out;
}

std::vector<LexicalCandidate> PostingWalk::score(std::span<const ExchangeId> ids) {
  std::vector<ExchangeId> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  std::unordered_map<ExchangeId, Match> found;
  for (auto next = terms_.empty() ? sorted.end() : sorted.begin(); next != sorted.end();) {
    load_stretch(*next, sorted, {}, 0);
    for (; next != sorted.end() && *next < base_ + kStretch; ++next) {
      const auto document = static_cast<std::uint32_t>(*next - base_);
      if ((documents_[document].terms & kTerms) == 0 || found.contains(*next)) continue;
      find_hits(document);
      Match& match = found[*next] = this->match(*next);
      match.features.identifier = identifier_share(document);
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

}  // namespace memd::search
