#pragma once

#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/client_requests.hpp"
#include "protocol/mcp/executors.hpp"
#include "protocol/mcp/request_meta.hpp"
#include "protocol/mcp/revision.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "protocol/mcp/server_state.hpp"
#include "protocol/mcp/subscriptions.hpp"
#include "protocol/transport/line_transport.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace memd::mcp {

struct Call;        // a request being worked on
struct BatchReply;  // the answers of a batch, collected

// One connection of one client, in either era. Lives on the loop thread; handlers run on workers, many at once, and
// their results come back through the loop. Owns its transport. It has finished, and may be destroyed, when the
// transport has closed and the last handler has returned: `on_finished` says so, from the loop.
class Session final : private transport::LineTransport::Handler {
 public:
  Session(std::unique_ptr<transport::LineTransport> transport, const ServerProfile& profile, ServerState& state,
          const Executors& executors, std::function<void()> on_finished);
  ~Session();

  void start();
  // Does not block: running calls are cancelled and answered with an error, subscriptions are ended, what is queued is
  // written, the connection is closed.
  void stop();
  void abort();  // the connection ends now
  void notify_tools_changed();
  void notify_resources_changed(const SubscriptionHub::Changes& changes);
  // Tells of calls that have said nothing for a while that they are alive. False: there is none left that may need it.
  bool beat();

 private:
  void on_line(std::string_view line) override;
  void on_oversized_line() override;
  void on_end_of_input() override;
  void on_closed() override;

  void handle(jsonrpc::Request& request, std::shared_ptr<BatchReply> batch);
  void handle(jsonrpc::Notification& notification);
  void handle_batch(jsonrpc::Batch& batch);

  void handle_initialize(const jsonrpc::Request& request, const std::shared_ptr<BatchReply>& batch);
  void handle_legacy(jsonrpc::Request& request, std::shared_ptr<BatchReply> batch);
  void handle_modern(jsonrpc::Request& request, const ModernMeta& meta, std::shared_ptr<BatchReply> batch);
  void handle_set_level(const jsonrpc::Request& request, const std::shared_ptr<BatchReply>& batch);
  void handle_tools_list(const jsonrpc::Request& request, Revision revision, const std::shared_ptr<BatchReply>& batch);
  void handle_tools_call(jsonrpc::Request& request, Revision revision, bool can_sample,
                         std::shared_ptr<BatchReply> batch);
  bool handle_offered(jsonrpc::Request& request, Revision revision, std::shared_ptr<BatchReply>& batch);
  void handle_subscribe(jsonrpc::Request& request, std::shared_ptr<BatchReply> batch);
  void handle_unsubscribe(const jsonrpc::Request& request, const std::shared_ptr<BatchReply>& batch);
  void handle_listen(jsonrpc::Request& request);
  void handle_extension(jsonrpc::Request& request, const ExtensionMethod& method, std::shared_ptr<BatchReply> batch);
  void handle_cancelled(const jsonrpc::Notification& notification);

  std::shared_ptr<Call> make_call(jsonrpc::Request& request, boost::json::value params, Revision revision,
                                  std::shared_ptr<BatchReply> batch) const;
  void watch_list_with(Call& call);
  bool take_resumed();
  void admit(std::shared_ptr<Call> call);
  void launch(const std::shared_ptr<Call>& call);
  struct Outcome {
    std::string line;
    bool succeeded = false;
  };
  Outcome run(const std::shared_ptr<Call>& call);
  Outcome run_tool(const std::shared_ptr<Call>& call, ToolContext& context);
  Outcome run_tool_in_rounds(const std::shared_ptr<Call>& call, ToolContext& context);
  Outcome run_work(const Call& call, ToolContext& context);
  std::string tool_line(const std::shared_ptr<Call>& call, const ToolOutcome& outcome);
  void finish(const std::shared_ptr<Call>& call, const Outcome& outcome);
  void report_progress(const std::shared_ptr<Call>& call, double done, double total, std::string_view message);
  void send_progress(Call& call, double done, double total, std::string_view message);
  void cancel(const std::shared_ptr<Call>& call);
  void cancel_all();

  void answer(const std::shared_ptr<BatchReply>& batch, std::string line);
  void answer_error(const jsonrpc::Request& request, int code, std::string_view message,
                    const std::shared_ptr<BatchReply>& batch, std::string_view data = {});
  void end_subscription(const std::string& id);
  void log_to_client(std::string_view message);
  void close_when_drained();
  void report_when_finished();

  const std::unique_ptr<transport::LineTransport> transport_;
  const ServerProfile& profile_;
  ServerState& state_;
  const Executors& executors_;
  const std::function<void()> on_finished_;
  jsonrpc::MessageParser parser_;
  ClientRequests client_requests_;
  Subscriptions subscriptions_;

  std::optional<Revision> legacy_;  // agreed on by initialize
  bool legacy_samples_ = false;     // the client offered its own model there
  bool initialized_ = false;        // the client said so
  std::int64_t resuming_ = 0;       // requests to subscribe that are repeated ones
  std::optional<int> log_level_;    // index into the protocol's levels; none until logging/setLevel
  std::unordered_map<std::string, std::shared_ptr<Call>> in_flight_;  // by id
  std::deque<std::shared_ptr<Call>> waiting_;                         // admitted, not started
  std::size_t running_ = 0;  // handlers that have not come back, cancelled ones included
  bool input_ended_ = false;
  bool stopping_ = false;
  bool closed_ = false;
};

}  // namespace memd::mcp
