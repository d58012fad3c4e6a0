#include "store/search/vectors/nearest_exchanges.hpp"

#include <algorithm>

namespace memd::vectors {
namespace {

using Found = NearestExchanges::Found;

bool nearer(const Found& a, const Found& b) {
  if (a.cosine != b.cosine) return a.cosine > b.cosine;
  return a.exchange > b.exchange;
}

bool by_exchange(const Found& a, const Found& b) {
  if (a.exchange != b.exchange) return a.exchange < b.exchange;
  if (a.cosine != b.cosine) return a.cosine > b.cosine;
  return a.row < b.row;
}

}  // namespace

void NearestExchanges::add(ExchangeId exchange, std::uint32_t row, float cosine) {
  found_.push_back({exchange, row, cosine});
  if (found_.size() >= 4 * count_ + 64) compact();
}

void NearestExchanges::compact() {
  std::sort(found_.begin(), found_.end(), by_exchange);
  const auto same = [](const Found& a, const Found& b) { return a.exchange == b.exchange; };
  found_.erase(std::unique(found_.begin(), found_.end(), same), found_.end());
  if (found_.size() < count_) return;
  const auto last = found_.begin() + static_cast<std::ptrdiff_t>(count_) - 1;
  std::nth_element(found_.begin(), last, found_.end(), nearer);
  threshold_ = last->cosine;
  found_.resize(count_);
}

std::vector<Found> NearestExchanges::take() {
  if (count_ == 0) return {};
  compact();
  std::sort(found_.begin(), found_.end(), nearer);
  return std::move(found_);
}

}  // namespace memd::vectors
