#include "store/enrich/embedding/token_match.hpp"

#include "store/search/vectors/kernels.hpp"

#include <algorithm>
#include <cmath>

namespace memd::embedding {
namespace {

// Returns the distinct tokens of the query, without unknown ones.
std::vector<std::uint32_t> tokens_asked(const StaticModel& model, std::string_view question) {
  std::vector<std::uint32_t> out = model.ids(question);
  std::erase_if(out, [&](std::uint32_t id) { return model.tokenizer().is_unknown(id); });
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

TokenMatch::TokenMatch(const StaticModel& model, std::string_view question)
    : model_(model),
      stride_(vectors::row_stride(static_cast<std::size_t>(model.dimension()))),
      question_(tokens_asked(model, question)),
      rows_(stride_ * question_.size()),
      row_(stride_),
      dots_(question_.size()),
      known_(model.tokenizer().size()) {
  float sum = 0;
  for (std::size_t i = 0; i < question_.size(); ++i) {
    const float length = read_row(question_[i]);
    std::copy_n(row_.data(), stride_, rows_.data() + i * stride_);
    inverse_.push_back(length > 0 ? 1 / length : 0);
    shares_.push_back(std::abs(model.token_weight(question_[i])) * length);
    sum += shares_.back();
  }
  for (float& share : shares_)
    share = sum > 0 ? share / sum : 0;
}

float TokenMatch::read_row(std::uint32_t token) {
  std::copy_n(model_.token_codes(token), static_cast<std::size_t>(model_.dimension()), row_.data());
  std::int32_t squares = 0;
  vectors::kernels().dots(row_.data(), 1, row_.data(), 1, stride_, &squares);
  return std::sqrt(static_cast<float>(squares));
}

std::span<const float> TokenMatch::cosines(std::uint32_t token) {
  if (known_[token] == 0) {
    known_[token] = static_cast<std::uint32_t>(cosines_.size()) + 1;
    const float length = read_row(token);
    vectors::kernels().dots(row_.data(), 1, rows_.data(), question_.size(), stride_, dots_.data());
    for (std::size_t i = 0; i < question_.size(); ++i)
      cosines_.push_back(length > 0 ? static_cast<float>(dots_[i]) * inverse_[i] / length : 0);
  }
  return std::span(cosines_).subspan(known_[token] - 1, question_.size());
}

double TokenMatch::compare(std::string_view text) {
  if (question_.empty()) return 0;
  std::vector<float> best(question_.size());
  const std::vector<std::uint32_t> tokens = model_.ids(text);
  // Prefetches, because the rows are scattered over a table larger than the L1 and L2 caches.
  for (const std::uint32_t token : tokens)
    if (known_[token] == 0)
      for (std::size_t at = 0; at < static_cast<std::size_t>(model_.dimension()); at += vectors::kRowAlignment)
        __builtin_prefetch(model_.token_codes(token) + at);
  for (const std::uint32_t token : tokens) {
    const std::span<const float> here = cosines(token);
    for (std::size_t i = 0; i < best.size(); ++i)
      best[i] = std::max(best[i], here[i]);
  }
  double out = 0;
  for (std::size_t i = 0; i < best.size(); ++i)
    out += shares_[i] * best[i];
  return out;
}

}  // namespace memd::embedding
