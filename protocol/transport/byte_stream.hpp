#pragma once

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace memd::transport {

// Bytes in and out of the event loop: a socket, or a pair of descriptors. Loop thread, at most one read and one write
// at a time. Never raises SIGPIPE. Callbacks come from the loop, never from inside the call that asked. Destroy it only
// when no operation is pending, or when the loop runs no more.
class ByteStream {
 public:
  using Done = std::function<void(boost::system::error_code, std::size_t)>;

  virtual ~ByteStream() = default;
  virtual void async_read(std::span<char> into, Done done) = 0;     // some; 0 bytes: the end of input
  virtual void async_write(std::string_view bytes, Done done) = 0;  // all of them
  virtual void post(std::function<void()> f) = 0;                   // runs f from the loop
  // After the end of input: calls `done` without an error when the peer has gone, and not only stopped sending. false:
  // this kind of stream cannot know, and never calls `done`.
  virtual bool async_wait_hangup(Done) { return false; }
  // The peer sees the end of what we send; reading goes on. Only a socket can.
  virtual void shutdown_write() {}
  // Pending operations end with operation_aborted.
  virtual void close() = 0;
};

}  // namespace memd::transport
