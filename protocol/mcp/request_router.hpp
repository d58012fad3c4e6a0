#pragma once

#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/call.hpp"
#include "protocol/mcp/request_params.hpp"
#include "protocol/mcp/revision.hpp"
#include "protocol/mcp/running_calls.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "protocol/mcp/subscriptions.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace memd::mcp {

// Routes the requests of one connection by era and method: answers a request, makes it a call, or passes it to the
// subscriptions. Stores the result of the handshake. Loop thread. Borrows everything.
class RequestRouter {
 public:
  RequestRouter(const ServerProfile& profile, RunningCalls& calls, SubscriptionMethods& subscriptions,
                ClientRoots& roots, ReplyWriter& replies)
      : profile_(profile), calls_(calls), subscriptions_(subscriptions), roots_(roots), replies_(replies) {}

  // `batch`: null for a request outside a batch.
  void handle(jsonrpc::Request& request, std::shared_ptr<BatchReply> batch);
  void handle(const jsonrpc::Notification& notification);

  bool takes_batches() const { return legacy_ && has_batches(*legacy_); }
  // Sends a log message of level error, if the client has requested that level.
  void log_to_client(std::string_view message);

 private:
  using Batch = std::shared_ptr<BatchReply>;

  void route_legacy(jsonrpc::Request& request, Batch batch);
  void route_modern(jsonrpc::Request& request, const ModernMeta& meta, Batch batch);
  void initialize(const jsonrpc::Request& request, const Batch& batch);
  void set_log_level(const jsonrpc::Request& request, const Batch& batch);
  void list_tools(const jsonrpc::Request& request, Revision revision, const Batch& batch);
  void call_tool(jsonrpc::Request& request, Revision revision, ClientOffers offers, Batch batch);
  // Calls a method about resources, prompts or completion. Returns false when the method is none of these or not
  // offered.
  bool call_offered(jsonrpc::Request& request, Revision revision, Batch& batch);
  void call_extension(jsonrpc::Request& request, const ExtensionMethod& method, Batch batch);

  const ServerProfile& profile_;
  RunningCalls& calls_;
  SubscriptionMethods& subscriptions_;
  ClientRoots& roots_;
  ReplyWriter& replies_;

  std::optional<Revision> legacy_;  // agreed on by initialize
  ClientOffers legacy_offers_;      // what the client offered there
  std::optional<int> log_level_;    // index into the protocol's levels; none until logging/setLevel
};

}  // namespace memd::mcp
