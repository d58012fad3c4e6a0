#pragma once

#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/revision.hpp"
#include "protocol/mcp/server_profile.hpp"

#include <boost/json/value.hpp>

#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace memd::mcp {

struct BatchReply {
  std::string answers;      // joined by commas
  std::size_t pending = 0;  // requests not settled yet
};

struct Call;
// What a worker does for a request that calls no tool. Gives the result as JSON text.
using Work = std::function<Result<std::string>(const Call&, ToolContext&)>;

// What the client sent along when it calls again with what it was asked for.
struct InputRetry {
  std::optional<std::string> state;
  boost::json::value responses;  // an object, or null
};

// How far a handler said it is.
struct CallStage {
  double done = 0;
  double total = 0;
  std::string message;
};

// A request on its way through a worker. The loop owns all but what the worker is given: tool, work, params, retry and
// the stop token, none of which changes.
struct Call {
  explicit Call(boost::json::value p) : params(std::move(p)) {}  // a move keeps the arena, an assignment would copy

  std::string id;
  Revision revision{};
  const Tool* tool = nullptr;       // either this
  Work work;                        // or that
  const boost::json::value params;  // the tool's arguments, or the method's params
  bool can_sample = false;          // the client offers its model for this call
  InputRetry retry;
  int not_found_code = jsonrpc::kInvalidParams;
  std::function<void()> on_success;  // on the loop, before the answer goes out
  std::string subscribes;            // the URI that on_success begins to watch; empty: none
  std::string progress_token;        // JSON, empty when none is wanted
  std::stop_source stop;
  std::shared_ptr<BatchReply> batch;
  bool settled = false;  // answered, or never to be

  // Progress, of the loop.
  TimeMs started_at = 0;
  TimeMs heard_at = 0;  // when the client was told something last
  int beats = 0;        // since the handler's last report
  double reported = 0;  // by the handler, of what was sent or beaten
  double last_progress = -std::numeric_limits<double>::infinity();

  std::mutex progress_mutex;
  std::optional<TimeMs> progress_sent_at;  // guarded by progress_mutex
  CallStage stage;                         // guarded by progress_mutex
};

}  // namespace memd::mcp
