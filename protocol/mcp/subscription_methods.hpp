#pragma once

#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/call.hpp"
#include "protocol/mcp/running_calls.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "protocol/mcp/subscriptions.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace memd::mcp {

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

  void tell_tools_changed(bool shook_hands);
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
