#pragma once

#include "protocol/mcp/resource_watch.hpp"

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::mcp {

// What a subscriptions/listen may ask for.
struct SubscriptionFilter {
  bool tools_list_changed = false;
  bool resources_list_changed = false;
  std::vector<std::string> resources;  // URIs

  std::string to_json() const;
};
// nullopt: `notifications` is no filter.
std::optional<SubscriptionFilter> read_filter(const boost::json::value& notifications);

// Remembers what one connection watches, in both eras, and writes the lines that tell it of changes. Loop thread.
// Borrows the hub and keeps it informed.
class Subscriptions {
 public:
  explicit Subscriptions(SubscriptionHub& hub) : hub_(hub) {}
  ~Subscriptions() { clear(); }
  Subscriptions(const Subscriptions&) = delete;

  // Stateless era: a stream is named by the id (JSON text) of the request that opened it. `versions`: of the filter's
  // resources and of the list.
  void open(const std::string& id, SubscriptionFilter filter, const SubscriptionHub::Versions& versions);
  bool close(const std::string& id);
  bool has(const std::string& id) const { return streams_.contains(id); }
  std::size_t streams() const { return streams_.size(); }
  std::optional<std::string> any_stream() const;

  // Legacy era: one set of URIs and the list of resources.
  void subscribe(const std::string& uri, std::uint64_t version);
  void unsubscribe(const std::string& uri);
  void watch_list(std::uint64_t version);
  bool watches_list() const { return legacy_list_; }

  std::size_t resources() const;  // watched URIs
  void clear();

  std::vector<std::string> tools_changed(bool legacy) const;
  std::vector<std::string> changed(const SubscriptionHub::Changes& changes) const;

 private:
  void leave(const SubscriptionFilter& filter);

  SubscriptionHub& hub_;
  std::map<std::string, SubscriptionFilter> streams_;
  std::vector<std::string> legacy_;  // URIs
  bool legacy_list_ = false;
};

// memd's own pump sends this to a new daemon: the next `count` requests to subscribe, or to list resources, repeat
// those of an earlier connection. The client is then told of each watched resource once: it may have missed a change.
inline constexpr std::string_view kResuming = "notifications/memd/resuming";
std::string resuming_line(std::size_t count);

// The `_meta` of a message on the stream `id`: `"io.modelcontextprotocol/subscriptionId"`.
std::string subscription_meta(std::string_view id);

}  // namespace memd::mcp
