#include "store/text/redaction/look_ahead.hpp"

#include "schemas/base/ascii.hpp"

namespace memd::redaction {

bool LookAhead::any_digit(std::string_view value) {
  return any(kDigit, value, [&](std::size_t i) { return ascii::is_digit(text_[i]); });
}

const ValueCounts& LookAhead::counts_of(std::string_view value) {
  const std::size_t begin = place_of(value);
  const std::size_t end = begin + value.size();
  std::size_t nearest = 0;
  std::size_t least = value.size();
  for (std::size_t i = 0; i < counts_.size() && counts_[i]; ++i)
    if (const std::size_t bytes = counts_[i]->bytes_to(begin, end); bytes < least) nearest = i, least = bytes;
  if (least == value.size()) {
    nearest = counts_.size() - 1;
    counts_[nearest] = std::make_unique<ValueCounts>(text_);
  }
  std::rotate(counts_.begin(), counts_.begin() + static_cast<std::ptrdiff_t>(nearest),
              counts_.begin() + static_cast<std::ptrdiff_t>(nearest) + 1);
  looked_at_ += least;
  counts_.front()->move_to(begin, end);
  return *counts_.front();
}

Shape LookAhead::shape_of(std::string_view value) {
  return value.size() < kLong ? redaction::shape_of(value) : counts_of(value).shape();
}

double LookAhead::wordiness(std::string_view value) {
  return value.size() < kLong ? redaction::wordiness(value) : counts_of(value).wordiness();
}

double LookAhead::entropy(std::string_view value) {
  return value.size() < kLong ? redaction::entropy(value) : counts_of(value).entropy();
}

}  // namespace memd::redaction
