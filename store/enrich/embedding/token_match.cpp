#include "store/enrich/embedding/token_match.hpp"

#include "store/search/vectors/kernels.hpp"

#include <algorithm>
#include <cmath>

namespace memd::embedding {
namespace {

float row_length(const std::int8_t* codes, std::size_t dimension) {
  std::int64_t squares = 0;
  for (std::size_t i = 0; i < dimension; ++i)
    squares += std::int64_t{codes[i]} * codes[i];
  return std::sqrt(static_cast<float>(squares));
}

// A token that cannot be spelled says nothing; one that comes twice is asked for once.
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
      dots_(question_.size()) {
  const auto dimension = static_cast<std::size_t>(model.dimension());
  float sum = 0;
  for (std::size_t i = 0; i < question_.size(); ++i) {
    const std::int8_t* const codes = model.token_codes(question_[i]);
    std::copy_n(codes, dimension, rows_.data() + i * stride_);
    const float length = row_length(codes, dimension);
    inverse_.push_back(length > 0 ? 1 / length : 0);
    shares_.push_back(std::abs(model.token_weight(question_[i])) * length);
    sum += shares_.back();
  }
  for (float& share : shares_)
    share = sum > 0 ? share / sum : 0;
}

std::span<const float> TokenMatch::cosines(std::uint32_t token) {
  const auto [at, fresh] = known_.try_emplace(token, cosines_.size());
  if (fresh) {
    const auto dimension = static_cast<std::size_t>(model_.dimension());
    const std::int8_t* const codes = model_.token_codes(token);
    std::copy_n(codes, dimension, row_.data());
    const float length = row_length(codes, dimension);
    vectors::kernels().dots(row_.data(), rows_.data(), question_.size(), stride_, dots_.data());
    for (std::size_t i = 0; i < question_.size(); ++i)
      cosines_.push_back(length > 0 ? static_cast<float>(dots_[i]) * inverse_[i] / length : 0);
  }
  return {cosines_.data() + at->second, question_.size()};
}

double TokenMatch::compare(std::string_view text) {
  if (question_.empty()) return 0;
  std::vector<float> best(question_.size());
  for (const std::uint32_t token : model_.ids(text)) {
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
