#pragma once

#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/call.hpp"
#include "protocol/mcp/resource_watch.hpp"
#include "protocol/mcp/running_calls.hpp"
#include "protocol/mcp/server_profile.hpp"

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::mcp {

// Notifications that subscriptions/listen can request.
struct SubscriptionFilter {
  bool resources_list_changed = false;
  std::vector<std::string> resources;  // URIs

  std::string to_json() const;
};
// Returns nullopt when `notifications` is no filter.
std::optional<SubscriptionFilter> read_filter(const boost::json::value& notifications);

// The subscriptions of one connection, in both eras. Formats the notifications of changes. Loop thread. Borrows
// the hub and registers the watches there.
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

// The methods of one connection that begin and end subscriptions, in both eras, and the notifications they bring. A
// worker looks up the version of a resource before the client is told that it is watched, so no change is missed.
// Loop thread. Borrows everything.
class SubscriptionMethods {
 public:
  SubscriptionMethods(const ServerProfile& profile, SubscriptionHub& hub, RunningCalls& calls, ReplyWriter& replies)
      : profile_(profile), calls_(calls), replies_(replies), subscriptions_(hub) {}

  // Legacy era.
  void subscribe(jsonrpc::Request& request, Revision revision, std::shared_ptr<BatchReply> batch);
  void unsubscribe(const jsonrpc::Request& request, const std::shared_ptr<BatchReply>& batch);
  // `call` lists resources: when it succeeds, the client is told of changes to the list.
  void watch_list_with(Call& call);

  // Stateless era: subscriptions/listen opens a stream.
  void listen(jsonrpc::Request& request);
  bool has_stream(const std::string& id) const { return subscriptions_.has(id); }
  bool close_stream(const std::string& id) { return subscriptions_.close(id); }

  // The next `count` requests to subscribe repeat those of an earlier connection (kResuming).
  void expect_resumed(std::int64_t count) { resuming_ = count; }

  void tell_resources_changed(const SubscriptionHub::Changes& changes);
  // Tells the client of each stream that it has ended.
  void end_streams();
  void clear() { subscriptions_.clear(); }

 private:
  bool take_resumed();

  const ServerProfile& profile_;
  RunningCalls& calls_;
  ReplyWriter& replies_;
  Subscriptions subscriptions_;
  std::int64_t resuming_ = 0;
};

}  // namespace memd::mcp
