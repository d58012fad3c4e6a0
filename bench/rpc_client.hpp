#pragma once

#include "bench/served_memd.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace memd::bench {

// An MCP client (initialize, then calls) on a daemon's socket. Throws std::runtime_error when a request is answered
// with an error.
class RpcClient {
 public:
  RpcClient(const std::string& socket, std::string_view client_name);

  // The `result` of the answer.
  boost::json::value call(std::string_view method, boost::json::object params);
  // The result of a tool call as it is, `isError` included.
  boost::json::value call_tool(std::string_view tool, boost::json::object arguments);

 private:
  Connection connection_;
  int next_id_ = 1;
};

}  // namespace memd::bench
