#pragma once

#include "schemas/ids.hpp"
#include "store/db/database.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace memd::search {

// Cache of the number of words exchanges_fts has for each exchange that a reader of this process looked up: 4 bytes an
// exchange, in blocks of 65,536. The writing connection reports its changes; without a writer in this process
// nothing is cached. Thread-safe; must outlive the writing connection.
class DocumentLengths : public sqlite::RowObserver {
 public:
  using Length = std::pair<ExchangeId, std::uint32_t>;

  // Observes the writing connection. Changes made by other processes are not seen.
  void follow(sqlite::Database& writer);

  std::uint32_t find(ExchangeId id) const noexcept;  // 0: not known
  // Changes whenever lengths in the store change.
  std::uint64_t state() const noexcept { return state_.load(std::memory_order_acquire); }
  // Stores lengths that were read in a transaction that began after `state` was read. Ignores them when something has
  // changed since.
  void insert(std::uint64_t state, std::span<const Length> read);
  void clear();  // the store was replaced by another

  void changed(std::int64_t rowid) override { pending_.push_back(rowid); }
  void committed() override;
  void rolled_back() override { pending_.clear(); }
  void closed() override;

 private:
  static constexpr std::size_t kStretch = 1 << 16;
  using Stretch = std::array<std::atomic<std::uint32_t>, kStretch>;
  std::atomic<std::uint32_t>* slot(ExchangeId id) const noexcept;  // null: out of range, or nothing cached there

  std::mutex mutex_;  // guards all changes
  std::atomic<std::uint64_t> state_{0};
  std::array<std::atomic<Stretch*>, 1024> stretches_{};  // exchanges beyond are not cached
  std::vector<std::unique_ptr<Stretch>> owned_;          // guarded by mutex_
  bool following_ = false;                               // guarded by mutex_: a writer is followed
  std::vector<ExchangeId> pending_;                      // writer's thread only: changed, not yet committed
};

// The lengths one query uses. Construct it before the transaction of the query begins. One thread; `shared` must
// outlive it.
class QueryLengths {
 public:
  explicit QueryLengths(DocumentLengths* shared = nullptr)
      : shared_(shared), state_(shared != nullptr ? shared->state() : 0) {}
  ~QueryLengths();
  QueryLengths(const QueryLengths&) = delete;
  QueryLengths& operator=(const QueryLengths&) = delete;

  std::uint32_t find(ExchangeId id) const noexcept { return shared_ != nullptr ? shared_->find(id) : 0; }
  void add(ExchangeId id, std::uint32_t words) {
    if (shared_ != nullptr) read_.emplace_back(id, words);
  }

 private:
  DocumentLengths* const shared_;
  const std::uint64_t state_;
  std::vector<DocumentLengths::Length> read_;
};

}  // namespace memd::search
