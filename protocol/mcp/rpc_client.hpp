#pragma once

#include "protocol/mcp/tool_registry.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/base/result.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace memd {

// Sends requests of the command line to a memd daemon over a connected Unix socket, one at a time, and waits for the
// answer. Owns the descriptor. One thread.
class RpcClient {
 public:
  using OnProgress = std::function<void(double done, double total, std::string_view message)>;

  explicit RpcClient(int connected_socket) : fd_(connected_socket) {}
  RpcClient(RpcClient&&) noexcept = default;
  RpcClient& operator=(RpcClient&&) = delete;

  // True when the daemon answers a ping within `limit`.
  bool is_alive(std::chrono::milliseconds limit);

  // `params` and the result are JSON text. A JSON-RPC error becomes Errc::protocol with its message.
  // Errc::unavailable: the daemon has closed the connection.
  Result<std::string> call(std::string_view method, std::string_view params, const OnProgress& on_progress = {});

  // `arguments` is the JSON text of an object.
  Result<mcp::ToolOutcome> call_tool(std::string_view name, std::string_view arguments);

  // Calls one of memd's own methods; they answer {"text", "structured", "is_error"}.
  Result<mcp::ToolOutcome> call_admin(std::string_view method, std::string_view arguments,
                                      const OnProgress& on_progress = {});

  // Ends a call that waits, and all later ones, with an error. Any thread.
  void interrupt() const;

  // The tools the daemon offers: the result of tools/list, as JSON text.
  Result<std::string> list_tools();

 private:
  Result<void> send_line(std::string_view line);
  Result<std::string> receive_line();

  UniqueFd fd_;
  std::int64_t next_id_ = 1;
  std::string received_;
};

}  // namespace memd
