#pragma once

#include "schemas/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace memd::vectors {

// Where the chunks of an exchange lie: consecutive rows of one segment.
struct RowRange {
  std::uint32_t first = 0;  // segment · kSegmentRows + row
  std::uint32_t count = 0;
  bool operator==(const RowRange&) const = default;
};

// A map from exchanges to their rows. Copies are cheap and share what did not change; a copy that others read is never
// written to.
class ExchangeTable {
 public:
  struct Change {
    ExchangeId exchange = 0;
    std::optional<RowRange> rows;  // nullopt: the exchange is gone
  };

  std::optional<RowRange> find(ExchangeId exchange) const;
  std::size_t size() const { return size_; }
  std::size_t memory() const { return (base_->capacity() + recent_->capacity()) * sizeof(Entry); }

  // At most one change an exchange, in any order.
  void apply(std::vector<Change> changes);

  // Calls f(exchange, rows) in the order of exchanges.
  template <class F>
  void for_each(F f) const {
    auto recent = recent_->begin();
    for (const Entry& e : *base_) {
      for (; recent != recent_->end() && recent->exchange < e.exchange; ++recent)
        if (recent->count != kGone) f(recent->exchange, RowRange{recent->first, recent->count});
      if (recent == recent_->end() || recent->exchange != e.exchange) f(e.exchange, RowRange{e.first, e.count});
    }
    for (; recent != recent_->end(); ++recent)
      if (recent->count != kGone) f(recent->exchange, RowRange{recent->first, recent->count});
  }

 private:
  struct Entry {
    ExchangeId exchange;
    std::uint32_t first;
    std::uint32_t count;
  };
  using Entries = std::vector<Entry>;
  static constexpr std::uint32_t kGone = UINT32_MAX;

  static const Entry* find(const Entries& entries, ExchangeId exchange);
  static std::shared_ptr<const Entries> merged(const Entries& old, const Entries& recent, bool keep_gone);

  // Sorted. What is in recent_ overrides base_, so that a small change does not copy everything.
  std::shared_ptr<const Entries> base_ = std::make_shared<Entries>();
  std::shared_ptr<const Entries> recent_ = base_;
  std::size_t size_ = 0;
};

}  // namespace memd::vectors
