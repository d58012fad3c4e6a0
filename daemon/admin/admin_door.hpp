#pragma once

#include "daemon/admin/admin_service.hpp"
#include "schemas/error.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace boost::asio {
class io_context;
}

namespace memd::admin {

// A door of its own to the administration. What it is asked runs where the main socket's requests run: it hands tasks
// to `to_worker`. Loop thread, except committed(). End of life: drain() or stop(), then the destructor, once the loop
// has ended.
class AdminDoor {
 public:
  struct Parts {
    const AdminService& service;
    boost::asio::io_context& loop;
    std::function<void(std::function<void()>)> to_worker;  // called on the loop
    std::function<void(std::string_view)> log;             // failures that are ours; called from any thread
  };

  virtual ~AdminDoor() = default;

  // Takes over a listening Unix stream socket. Connections of other users are refused.
  virtual void listen(int fd) = 0;
  // Something was committed: streams look for what is new. From any thread; costs nothing while there is no stream.
  virtual void committed() = 0;
  // Does not block: takes no more calls, ends streams, and lets the calls that run have `patience` to end; then stop().
  // The loop has work until all have ended. `why` is told to whose call or stream is refused or ended.
  virtual void drain(std::chrono::milliseconds patience, std::string why) = 0;
  // Does not block: takes no more calls, and ends those that run as unavailable.
  virtual void stop() = 0;
};

// Errc::unsupported in a memd that was built without it, Errc::unavailable when gRPC does not start. `parts` must
// outlive the door.
Result<std::unique_ptr<AdminDoor>> make_grpc_door(AdminDoor::Parts parts);

}  // namespace memd::admin
