#include "daemon/models/circuit_breaker.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace memd::provider {
namespace {

constexpr int kHopelessIsLike = 5;  // failures that a hopeless one counts as
constexpr int kMostDoublings = 20;

double random_share() {
  thread_local std::minstd_rand engine(std::random_device{}());
  return std::uniform_real_distribution<double>(0, 1)(engine);
}

CircuitBreaker::Options with_chance(CircuitBreaker::Options options) {
  if (!options.chance) options.chance = random_share;
  return options;
}

}  // namespace

CircuitBreaker::CircuitBreaker(Options options) : options_(with_chance(std::move(options))) {}

std::optional<CircuitBreaker::Open> CircuitBreaker::open() const {
  const std::lock_guard lock(mutex_);
  if (failures_ == 0 || options_.now() >= until_) return std::nullopt;
  return Open{reason_, until_};
}

void CircuitBreaker::succeeded() {
  const std::lock_guard lock(mutex_);
  failures_ = 0;
  reason_.clear();
}

void CircuitBreaker::failed(std::string reason, bool hopeless, std::optional<Milliseconds> asked_for) {
  const std::lock_guard lock(mutex_);
  ++failures_;
  if (hopeless) failures_ = std::max(failures_, kHopelessIsLike);
  const auto doubled = options_.first * (std::int64_t{1} << std::min(failures_ - 1, kMostDoublings));
  const auto most = std::min<Milliseconds>(doubled, options_.longest);
  Milliseconds wait(static_cast<std::int64_t>(static_cast<double>(most.count()) * (0.5 + options_.chance() / 2)));
  if (asked_for) wait = std::max(wait, std::min(*asked_for, options_.longest_asked_for));
  reason_ = std::move(reason);
  until_ = options_.now() + wait;
}

}  // namespace memd::provider
