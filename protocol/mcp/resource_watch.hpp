#pragma once

#include "protocol/mcp/executors.hpp"
#include "protocol/mcp/resource_registry.hpp"
#include "protocol/mcp/subscription_hub.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

namespace memd::mcp {

// Looks, after something was committed, at what clients watch, and says what has changed. Hints that come close
// together are one look, and looks begin `interval` apart: a resource that changes all the time is told of once in
// that time. Costs nothing while nobody watches. On the loop, but for hint().
class ResourceWatch {
 public:
  using Tell = std::function<void(const SubscriptionHub::Changes&)>;
  // `resources` may be null: there is never anything to look at.
  ResourceWatch(boost::asio::io_context& loop, const Executors& executors, const ResourceRegistry* resources,
                SubscriptionHub& hub, Tell tell, std::chrono::milliseconds interval = std::chrono::seconds(1));

  // Something may have changed. From any thread, cheap.
  void hint();
  void stop();

 private:
  void schedule();
  void look();

  const Executors& executors_;
  const ResourceRegistry* const resources_;
  SubscriptionHub& hub_;
  const Tell tell_;
  const std::chrono::milliseconds interval_;
  boost::asio::steady_timer timer_;
  std::optional<std::chrono::steady_clock::time_point> last_look_;
  std::atomic<bool> hinted_{false};
  bool looking_ = false;
  int retries_ = 0;
  std::stop_source stop_;
};

// Looks at them all, on a worker. What cannot be told is left open, what is gone has a version of its own.
SubscriptionHub::Versions find_versions(const ResourceRegistry& resources, SubscriptionHub::Versions wanted,
                                        bool with_list, std::stop_token stop);

}  // namespace memd::mcp
