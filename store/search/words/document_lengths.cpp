#include "store/search/words/document_lengths.hpp"

namespace memd::search {

void DocumentLengths::follow(sqlite::Database& writer) {
  clear();
  {
    const std::lock_guard lock(mutex_);
    following_ = true;
  }
  writer.observe("exchanges_fts_docsize", this);
}

std::atomic<std::uint32_t>* DocumentLengths::slot(ExchangeId id) const noexcept {
  const auto number = static_cast<std::uint64_t>(id) / kStretch;
  if (number >= stretches_.size()) return nullptr;
  Stretch* const stretch = stretches_[number].load(std::memory_order_acquire);
  return stretch != nullptr ? &(*stretch)[static_cast<std::uint64_t>(id) % kStretch] : nullptr;
}

std::uint32_t DocumentLengths::find(ExchangeId id) const noexcept {
  const auto* const words = slot(id);
  return words != nullptr ? words->load(std::memory_order_relaxed) : 0;
}

void DocumentLengths::insert(std::uint64_t state, std::span<const Length> read) {
  const std::lock_guard lock(mutex_);
  if (!following_ || state != state_.load(std::memory_order_relaxed)) return;
  for (const auto& [id, words] : read) {
    const auto number = static_cast<std::uint64_t>(id) / kStretch;
    if (number >= stretches_.size()) continue;
    if (stretches_[number].load(std::memory_order_relaxed) == nullptr)
      stretches_[number].store(owned_.emplace_back(std::make_unique<Stretch>()).get(), std::memory_order_release);
    slot(id)->store(words, std::memory_order_relaxed);
  }
}

void DocumentLengths::clear() {
  const std::lock_guard lock(mutex_);
  state_.fetch_add(1, std::memory_order_acq_rel);
  for (const auto& stretch : owned_)
    for (auto& words : *stretch)
      words.store(0, std::memory_order_relaxed);
}

void DocumentLengths::committed() {
  if (pending_.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    state_.fetch_add(1, std::memory_order_acq_rel);
    for (const ExchangeId id : pending_)
      if (auto* const words = slot(id)) words->store(0, std::memory_order_relaxed);
  }
  pending_.clear();
}

void DocumentLengths::closed() {
  clear();
  const std::lock_guard lock(mutex_);
  following_ = false;
}

QueryLengths::~QueryLengths() {
  if (!read_.empty()) shared_->insert(state_, read_);
}

}  // namespace memd::search
