#pragma once

#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/call.hpp"
#include "protocol/mcp/client_requests.hpp"
#include "protocol/mcp/request_router.hpp"
#include "protocol/mcp/running_calls.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "protocol/mcp/server_state.hpp"
#include "protocol/mcp/subscriptions.hpp"
#include "protocol/transport/line_transport.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace memd::mcp {

// One connection of one client, in either era: parses lines into messages and decides when the connection ends.
// Loop thread; handlers run on workers, many at once, and their results come back through the loop. Owns its transport.
// A session has finished, and may be destroyed, when the transport has closed and the last handler has returned.
// `on_finished` is then called on the loop.
class Session final : private transport::LineTransport::Handler, private RunningCalls::Owner {
 public:
  Session(std::unique_ptr<transport::LineTransport> transport, const ServerProfile& profile, ServerState& state,
          const Executors& executors, std::function<void()> on_finished);
  ~Session();

  void start();
  // Sets ToolContext::directory of the calls that follow. The client's end of the connection may also state it
  // (kWorkingDirectory).
  void set_directory(std::string directory) { calls_.set_directory(std::move(directory)); }
  // Does not block: cancels running calls and answers them with an error, ends subscriptions, writes what is queued,
  // closes the connection.
  void stop();
  // Reads no more, and stops when everything that was read is answered.
  void drain();
  void abort();  // the connection ends now
  void notify_resources_changed(const SubscriptionHub::Changes& changes);
  // RunningCalls::beat().
  bool beat() { return calls_.beat(); }

 private:
  void on_line(std::string_view line) override;
  void on_oversized_line(const transport::LineEnds& ends) override;
  void on_end_of_input() override;
  void on_closed() override;

  void on_full() override { transport_->set_reading(false); }
  void on_returned() override;
  void on_failure(std::string_view what) override { router_.log_to_client(what); }

  void handle_batch(jsonrpc::Batch& batch);
  void close_when_drained();
  void report_when_finished();

  const std::unique_ptr<transport::LineTransport> transport_;
  const std::function<void()> on_finished_;
  jsonrpc::MessageParser parser_;
  ReplyWriter replies_;
  ClientRequests client_requests_;
  ClientRoots client_roots_;
  RunningCalls calls_;
  SubscriptionMethods subscriptions_;
  RequestRouter router_;
  bool input_ended_ = false;
  bool stopping_ = false;
  bool draining_ = false;
};

}  // namespace memd::mcp
