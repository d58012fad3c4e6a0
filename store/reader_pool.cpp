#include "store/reader_pool.hpp"

#include "schemas/base/error.hpp"
#include "store/search/vectors/semantic_index.hpp"
#include "store/search/words/document_lengths.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace memd {

ReaderPool::ReaderPool(std::filesystem::path database, std::size_t capacity,
                       std::shared_ptr<search::SemanticIndex> semantic,
                       std::shared_ptr<search::DocumentLengths> lengths)
    : database_(std::move(database)),
      semantic_(std::move(semantic)),
      lengths_(std::move(lengths)),
      capacity_(capacity) {
  if (capacity_ == 0) throw std::invalid_argument("a reader pool needs a capacity");
  idle_.reserve(capacity_);
}

ReaderPool::~ReaderPool() = default;

Result<ReaderPool::Lease> ReaderPool::acquire(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  const bool free = returned_.wait_until(lock, deadline, [&] { return !idle_.empty() || made_ < capacity_; });
  if (!free)
    return Error(Errc::unavailable, "all " + std::to_string(capacity_) + " readers of the store are busy: try again");
  if (idle_.empty()) {
    auto reader = std::make_unique<Reader>(database_, semantic_, lengths_);
    ++made_;
    return Lease(*this, std::move(reader));
  }
  auto reader = std::move(idle_.back());
  idle_.pop_back();
  return Lease(*this, std::move(reader));
}

void ReaderPool::close_idle() {
  std::vector<std::unique_ptr<Reader>> closed;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  while (idle_.size() > 1) {
    closed.push_back(std::move(idle_.front()));
    idle_.erase(idle_.begin());
    --made_;
  }
}

ReaderPool::Lease::Lease(ReaderPool& pool, std::unique_ptr<Reader> reader) : pool_(&pool), reader_(std::move(reader)) {}
ReaderPool::Lease::Lease(Lease&&) noexcept = default;

ReaderPool::Lease& ReaderPool::Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    give_back();
    pool_ = other.pool_;
    reader_ = std::move(other.reader_);
  }
  return *this;
}

ReaderPool::Lease::~Lease() { give_back(); }

void ReaderPool::Lease::give_back() noexcept {
  if (!reader_) return;
  reader_->watch({});
  {
    const std::lock_guard lock(pool_->mutex_);
    pool_->idle_.push_back(std::move(reader_));  // within the reserved capacity
  }
  pool_->returned_.notify_one();
}

}  // namespace memd
