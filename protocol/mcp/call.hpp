#pragma once

#include "protocol/mcp/revision.hpp"
#include "protocol/mcp/server_profile.hpp"

#include <boost/json/value.hpp>

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

// A request on its way through a worker. The loop owns all but what the worker is given: tool, method, params and the
// stop token, none of which changes.
struct Call {
  explicit Call(boost::json::value p) : params(std::move(p)) {}  // a move keeps the arena, an assignment would copy

  std::string id;
  Revision revision{};
  const Tool* tool = nullptr;               // either this
  const ExtensionMethod* method = nullptr;  // or that
  const boost::json::value params;          // the tool's arguments, or the method's params
  std::string progress_token;               // JSON, empty when none is wanted
  std::stop_source stop;
  std::shared_ptr<BatchReply> batch;
  bool settled = false;  // answered, or never to be
  double last_progress = -std::numeric_limits<double>::infinity();

  std::mutex progress_mutex;
  std::optional<TimeMs> progress_sent_at;  // guarded by progress_mutex
};

}  // namespace memd::mcp
