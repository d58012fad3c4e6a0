#pragma once

#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/request_params.hpp"
#include "protocol/mcp/revision.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "protocol/transport/line_transport.hpp"

#include <boost/json/value.hpp>

#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace memd::mcp {

// The answers of one batch. Loop thread.
struct BatchReply {
  std::string answers;      // joined by commas
  std::size_t pending = 0;  // requests not settled yet
};

// Writes answers and notifications to one client, and nothing once the connection is closed. Loop thread. Borrows the
// transport.
class ReplyWriter {
 public:
  explicit ReplyWriter(transport::LineTransport& transport) : transport_(transport) {}

  void write(std::string_view line);
  // Settles a request of a batch, or a single one (`batch` is null). An empty line settles it without an answer.
  void answer(const std::shared_ptr<BatchReply>& batch, std::string_view line);
  void answer_error(const jsonrpc::Request& request, int code, std::string_view message,
                    const std::shared_ptr<BatchReply>& batch, std::string_view data = {});

  void close() { closed_ = true; }
  bool closed() const { return closed_; }

 private:
  transport::LineTransport& transport_;
  bool closed_ = false;
};

// Progress of one call, and what was reported of it to the client. Formats the lines of notifications/progress. The
// worker calls note_stage() and note_report(), both call wanted(), the loop calls the rest.
class CallProgress {
 public:
  // `token`: JSON text; empty when the client wants no progress.
  CallProgress(std::string token, Revision revision) : token_(std::move(token)), revision_(revision) {}

  bool wanted() const { return !token_.empty(); }
  void start(TimeMs now) { started_at_ = heard_at_ = now; }

  // Stores a stage for the next heartbeat.
  void note_stage(double done, double total, std::string_view message);
  // Stores a report like a stage. Returns true when it is due: the last one was sent `interval` ago or earlier.
  bool note_report(double done, double total, std::string_view message, TimeMs now, TimeMs interval);

  // Returns nullopt when `done` has not grown.
  std::optional<std::string> report_line(double done, double total, std::string_view message, TimeMs now);
  // Returns nullopt when something was sent to the client less than `quiet` ago.
  std::optional<std::string> heartbeat_line(TimeMs now, TimeMs quiet);

 private:
  struct Stage {
    double done = 0;
    double total = 0;
    std::string message;
  };
  void set_reported(double done);
  std::optional<std::string> line(double done, double total, std::string_view message, TimeMs now);

  const std::string token_;
  const Revision revision_;

  // Loop thread.
  TimeMs started_at_ = 0;
  TimeMs heard_at_ = 0;  // time of the last notification to the client, or of the start
  int beats_ = 0;        // heartbeats since reported_ last grew
  double reported_ = 0;  // highest progress that the handler reported
  double last_sent_ = -std::numeric_limits<double>::infinity();

  std::mutex mutex_;
  std::optional<TimeMs> sent_at_;  // guarded by mutex_
  Stage stage_;                    // guarded by mutex_
};

struct Call;
// The handler of a request other than tools/call; runs on a worker. Returns the result as JSON text.
using Work = std::function<Result<std::string>(const Call&, ToolContext&)>;

// The additional params of a call that the client repeats after input_required.
struct InputRetry {
  std::optional<std::string> state;
  boost::json::value responses;  // an object, or null
};

// A request while it is handled, shared by RunningCalls and the worker's task. The worker uses only the members above
// "Loop thread"; of these, only progress and stop change after the call is admitted.
struct Call {
  // `p` is moved: a move keeps its arena, an assignment would copy.
  Call(std::string i, boost::json::value p, Revision r, std::shared_ptr<BatchReply> b, std::string progress_token = {})
      : id(std::move(i)),
        revision(r),
        params(std::move(p)),
        progress(std::move(progress_token), r),
        batch(std::move(b)) {}

  const std::string id;
  const Revision revision;
  const Tool* tool = nullptr;       // set for tools/call
  Work work;                        // set for all other methods
  const boost::json::value params;  // the tool's arguments, or the method's params
  ClientOffers client;              // what may be requested from the client for this call
  std::string directory;            // ToolContext::directory
  InputRetry retry;
  int not_found_code = jsonrpc::kInvalidParams;
  bool names_resource = false;  // params.uri is a resource, which an error about it repeats in its data
  CallProgress progress;
  std::stop_source stop;

  // Loop thread.
  std::function<void()> on_success;  // called before the answer goes out
  std::string subscribes;            // the URI that on_success begins to watch; empty: none
  std::shared_ptr<BatchReply> batch;
  bool settled = false;     // answered, or never to be
  bool unhurried = false;   // of memd's own command line: has no deadline
  TimeMs in_flight_ms = 0;  // while not settled
  TimeMs late_ms = 0;       // while settled and its handler has not returned

  bool is_inline() const { return tool != nullptr && tool->info.inline_ok; }
};

}  // namespace memd::mcp
