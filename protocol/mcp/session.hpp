#pragma once

#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/request_meta.hpp"
#include "protocol/mcp/revision.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "protocol/transport/line_transport.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace memd::mcp {

using Task = std::function<void()>;

// Where work runs. `to_loop` may be called from any thread and runs tasks of one thread in their order.
struct Executors {
  std::function<void(Task)> to_worker;
  std::function<void(Task)> to_loop;
};

struct Call;        // a request being worked on
struct BatchReply;  // the answers of a batch, collected

// One connection of one client, in either era. Lives on the loop thread; handlers run on workers, many at once, and
// their results come back through the loop. Owns its transport. It has finished, and may be destroyed, when the
// transport has closed and the last handler has returned: `on_finished` says so, from the loop.
class Session final : private transport::LineTransport::Handler {
 public:
  Session(std::unique_ptr<transport::LineTransport> transport, const ServerProfile& profile, const Executors& executors,
          std::function<void()> on_finished);
  ~Session();

  void start();
  // Does not block: running calls are cancelled and answered with an error, subscriptions are ended, what is queued is
  // written, the connection is closed.
  void stop();
  void abort();  // the connection ends now
  void notify_tools_changed();

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
  void handle_modern(jsonrpc::Request& request, std::shared_ptr<BatchReply> batch);
  void handle_set_level(const jsonrpc::Request& request, const std::shared_ptr<BatchReply>& batch);
  void handle_tools_list(const jsonrpc::Request& request, Revision revision, const std::shared_ptr<BatchReply>& batch);
  void handle_tools_call(jsonrpc::Request& request, Revision revision, std::shared_ptr<BatchReply> batch);
  void handle_listen(const jsonrpc::Request& request);
  void handle_extension(jsonrpc::Request& request, const ExtensionMethod& method, std::shared_ptr<BatchReply> batch);
  void handle_cancelled(const jsonrpc::Notification& notification);

  void admit(std::shared_ptr<Call> call);
  void launch(const std::shared_ptr<Call>& call);
  std::string run(const std::shared_ptr<Call>& call);
  std::string run_extension(const Call& call, ToolContext& context);
  void finish(const std::shared_ptr<Call>& call, std::string_view answer);
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
  const Executors& executors_;
  const std::function<void()> on_finished_;
  jsonrpc::MessageParser parser_;

  std::optional<Revision> legacy_;  // agreed on by initialize
  bool initialized_ = false;        // the client said so
  std::optional<int> log_level_;    // index into the protocol's levels; none until logging/setLevel
  std::unordered_map<std::string, std::shared_ptr<Call>> in_flight_;   // by id
  std::deque<std::shared_ptr<Call>> waiting_;                          // admitted, not started
  std::unordered_map<std::string, SubscriptionFilter> subscriptions_;  // by id
  std::size_t running_ = 0;  // handlers that have not come back, cancelled ones included
  bool input_ended_ = false;
  bool stopping_ = false;
  bool closed_ = false;
};

}  // namespace memd::mcp
