#include "daemon/cli/pages.hpp"

namespace memd::cli {
namespace {

// Merges an exchange that continues on the next page: its further events are appended.
bool joins_exchange(tools::ExchangeOut& before, const tools::ExchangeOut& e) {
  if (before.exchange_id != e.exchange_id) return false;
  before.complete = e.complete;
  if (!e.events) return true;
  if (!before.events) before.events.emplace();
  before.events->insert(before.events->end(), e.events->begin(), e.events->end());
  return true;
}

}  // namespace

ListOf<tools::GetExchangeAnswer, tools::ExchangeOut> exchange_list() {
  return {"exchanges", &tools::GetExchangeAnswer::exchanges, joins_exchange};
}

Pages<tools::GetExchangeAnswer> exchange_pages() {
  return {"get_exchange", [](const tools::GetExchangeAnswer&) { return std::int64_t{0}; },
          [](tools::GetExchangeAnswer& all, tools::GetExchangeAnswer& page) {
            for (tools::ExchangeOut& e : page.exchanges)
              if (all.exchanges.empty() || !joins_exchange(all.exchanges.back(), e))
                all.exchanges.push_back(std::move(e));
          }};
}

}  // namespace memd::cli
