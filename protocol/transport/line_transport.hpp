#pragma once

#include <cstddef>
#include <string_view>

namespace memd::transport {

// Carries one JSON message a line, in both directions; does not look into messages. Loop thread. Every callback comes
// from the event loop, never from inside a call made to the transport.
class LineTransport {
 public:
  class Handler {
   public:
    virtual void on_line(std::string_view line) = 0;  // without its newline; valid during the call
    virtual void on_oversized_line() = 0;             // one was longer than allowed and is skipped
    virtual void on_end_of_input() = 0;               // nothing more will come; writing still works
    virtual void on_drained() {}                      // congested() has become false
    virtual void on_closed() = 0;                     // the last callback, exactly once; the transport may be destroyed

   protected:
    ~Handler() = default;
  };

  virtual ~LineTransport() = default;

  // Once. The transport may be destroyed after on_closed, or when the event loop runs no more.
  virtual void start(Handler& handler) = 0;
  // Back-pressure: while false no on_line comes and the peer's bytes stay in the kernel. true at first.
  virtual void set_reading(bool on) = 0;
  // Queues `line` and a newline. Lines written while a callback runs leave in one system call.
  virtual void write_line(std::string_view line) = 0;
  // True: so much is unsent that producers of lines should pause. The transport itself reads nothing meanwhile.
  virtual bool congested() const = 0;
  // Tells the peer, after what is queued, that no more comes (a socket is half closed). Reading goes on.
  virtual void end_output() = 0;
  // No more reading; on_closed once everything queued is written.
  virtual void close() = 0;
  // on_closed without writing what is queued.
  virtual void abort() = 0;
};

}  // namespace memd::transport
