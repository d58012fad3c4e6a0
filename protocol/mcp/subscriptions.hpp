#pragma once

#include "protocol/mcp/subscription_hub.hpp"

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::mcp {

// What a subscriptions/listen asks for and gets; all else is not offered.
struct SubscriptionFilter {
  bool tools_list_changed = false;
  bool resources_list_changed = false;
  std::vector<std::string> resources;  // URIs

  std::string to_json() const;
};
// nullopt when `notifications` is no filter.
std::optional<SubscriptionFilter> read_filter(const boost::json::value& notifications);

// What one connection has asked to be told of, in both eras, and the lines that tell it. Reports to the hub, which has
// to outlive it. Loop thread.
class Subscriptions {
 public:
  explicit Subscriptions(SubscriptionHub& hub) : hub_(hub) {}
  ~Subscriptions() { clear(); }
  Subscriptions(const Subscriptions&) = delete;

  // Stateless era: streams by the id (JSON text) of the request that opened them. `versions` are those of the filter's
  // resources and of the list.
  void open(const std::string& id, SubscriptionFilter filter, const SubscriptionHub::Versions& versions);
  bool close(const std::string& id);
  bool has(const std::string& id) const { return streams_.contains(id); }
  std::size_t streams() const { return streams_.size(); }
  std::optional<std::string> any_stream() const;

  // Legacy: one set of URIs, and the lists, which every client that has shaken hands is told of.
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

// Of memd's own pump to a daemon that takes over from another: the next `count` requests to subscribe, or for a list
// whose changes are told, are of a client that sent them before. What it watches is told of once, for nobody knows what
// went by in between.
inline constexpr std::string_view kResuming = "notifications/memd/resuming";
std::string resuming_line(std::size_t count);

// `"io.modelcontextprotocol/subscriptionId"` with the id, as the `_meta` of a message on its stream.
std::string subscription_meta(std::string_view id);

}  // namespace memd::mcp
