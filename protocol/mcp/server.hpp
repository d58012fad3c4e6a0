#pragma once

#include "protocol/mcp/server_profile.hpp"
#include "protocol/mcp/session.hpp"
#include "protocol/transport/line_transport.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace memd::mcp {

// Accepts the connections of a process and owns their sessions. Runs on the thread of `loop`; handlers run where
// `to_worker` puts them. The loop has work while the server listens or a session exists, and runs out of work after
// stop(). Join the workers before destroying the server.
class Server {
 public:
  Server(boost::asio::io_context& loop, std::function<void(Task)> to_worker, const ServerProfile& profile);
  ~Server();

  // Takes over a listening Unix stream socket. Connections of other users are refused.
  void listen(int fd);
  // Serves one client; stdin and stdout are borrowed. `directory`: ToolContext::directory of its calls.
  void serve_stdio(int in_fd = 0, int out_fd = 1, std::string directory = {});
  void serve(std::unique_ptr<transport::LineTransport> transport);

  // Does not block: stops accepting, cancels and answers what is in flight, writes what is queued, closes. A peer that
  // does not take its answers within `grace_ms` is cut off. Idempotent.
  void stop(int grace_ms = 2000);
  // Does not block: stops accepting and reading, answers what was read, then stops; after `patience_ms` it stops
  // whatever still runs. Requests that were not read any more get no answer; their connection is closed.
  void drain(int patience_ms);

  std::size_t session_count() const;
  // `f` is called on the loop after a session has ended, with the number of those left.
  void on_session_closed(std::function<void(std::size_t left)> f);
  // `f` is called on the loop when a handler has not ended ServerLimits::max_late_ms after its call: its worker is
  // lost.
  void on_worker_held(std::function<void()> f);
  // Call it after a commit that may change resources. Clients are notified of the watched resources that have changed,
  // at most once a second. Any thread; cheap while no resource is watched.
  void resources_may_have_changed();

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace memd::mcp
