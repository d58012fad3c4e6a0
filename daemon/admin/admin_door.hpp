#pragma once

#include "schemas/base/result.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace boost::asio {
class io_context;
}

namespace memd::admin {

struct AdminService;

// An additional endpoint for administration, with a socket of its own. Its requests run where those of the main socket
// run: it passes tasks to `to_worker`. Loop thread, except committed(). To end it, call drain() or stop(), and destroy
// it once the loop has ended.
class AdminDoor {
 public:
  struct Parts {
    const AdminService& service;
    boost::asio::io_context& loop;
    std::function<void(std::function<void()>)> to_worker;  // called on the loop
    std::function<void(std::string_view)> log;             // logs failures of the door itself; called from any thread
  };

  virtual ~AdminDoor() = default;

  // Takes over a listening Unix stream socket. Connections of other users are refused.
  virtual void listen(int fd) = 0;
  // Notifies streams of a commit, so that they look for news. Any thread; costs nothing while there is no stream.
  virtual void committed() = 0;
  // Takes no more calls, ends streams, gives running calls `patience` to end, then calls stop(). Does not block. The
  // loop has work until all have ended. `why` is sent to clients whose call or stream is refused or ended.
  virtual void drain(std::chrono::milliseconds patience, std::string why) = 0;
  // Takes no more calls and ends running ones with status unavailable. Does not block.
  virtual void stop() = 0;
};

// Makes the gRPC door. Errc::unsupported in a memd built without it, Errc::unavailable when gRPC does not start.
// `parts` must outlive the door.
Result<std::unique_ptr<AdminDoor>> make_grpc_door(AdminDoor::Parts parts);

}  // namespace memd::admin
