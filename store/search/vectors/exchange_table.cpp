#include "store/search/vectors/exchange_table.hpp"

#include <algorithm>

namespace memd::vectors {
namespace {

constexpr std::size_t kMaxRecent = 4096;

}  // namespace

const ExchangeTable::Entry* ExchangeTable::find(const Entries& entries, ExchangeId exchange) {
  const auto at = std::lower_bound(entries.begin(), entries.end(), exchange,
                                   [](const Entry& e, ExchangeId id) { return e.exchange < id; });
  return at != entries.end() && at->exchange == exchange ? &*at : nullptr;
}

std::optional<RowRange> ExchangeTable::find(ExchangeId exchange) const {
  const Entry* found = find(*recent_, exchange);
  if (!found) found = find(*base_, exchange);
  if (!found || found->count == kGone) return std::nullopt;
  return RowRange{found->first, found->count};
}

void ExchangeTable::apply(std::vector<Change> changes) {
  if (changes.empty()) return;
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.exchange < b.exchange; });
  Entries entries;
  entries.reserve(changes.size());
  for (const Change& c : changes) {
    if (find(c.exchange)) --size_;
    if (c.rows) ++size_;
    entries.push_back(c.rows ? Entry{c.exchange, c.rows->first, c.rows->count} : Entry{c.exchange, 0, kGone});
  }
  recent_ = merged(*recent_, entries, true);
  if (recent_->size() <= kMaxRecent) return;
  base_ = merged(*base_, *recent_, false);
  recent_ = std::make_shared<Entries>();
}

std::shared_ptr<const ExchangeTable::Entries> ExchangeTable::merged(const Entries& old, const Entries& recent,
                                                                    bool keep_gone) {
  auto out = std::make_shared<Entries>();
  out->reserve(old.size() + recent.size());
  auto a = old.begin();
  for (const Entry& b : recent) {
    for (; a != old.end() && a->exchange < b.exchange; ++a)
      out->push_back(*a);
    if (a != old.end() && a->exchange == b.exchange) ++a;
    if (keep_gone || b.count != kGone) out->push_back(b);
  }
  out->insert(out->end(), a, old.end());
  return out;
}

}  // namespace memd::vectors
