#pragma once

#include "daemon/serve/client_ledger.hpp"
#include "daemon/serve/daemon_client.hpp"
#include "schemas/error.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace boost::asio {
class io_context;
}

namespace memd {

// `memd --stdio`: passes lines between a client's stdin/stdout and the daemon's socket.
//
// It gets through to the daemon at once, so that its answer to `initialize` does not wait for a start. When the daemon
// goes away, requests in flight that only read are put to the next one, once; the others are answered with an error,
// and the next line of the client (not before: a daemon that was stopped on purpose stays stopped) opens a new
// connection. On it the handshake is replayed unseen. When that fails the client's request is answered with the reason.
// A daemon that is stopped or hangs says nothing: while requests wait it is asked for a sign of life, and when none
// comes they are answered with an error that may be retried, and the connection is given up.
// It ends when stdin ends, after what is in flight has been answered or the drain time is over; or when stop() is
// called. Everything on the thread that runs `loop`, which runs out of work at the end.
class StdioPump {
 public:
  struct Options {
    int in_fd = 0;
    int out_fd = 1;
    std::chrono::milliseconds drain{2000};
    std::chrono::milliseconds silence{3000};  // until a sign of life is asked for, and again until it is given up
  };

  StdioPump(boost::asio::io_context& loop, DaemonDial& dial, Options options);
  ~StdioPump();

  void start(std::function<void()> on_finished = {});
  void stop();
  // Why it ended, when the first connection could not be made.
  const std::optional<Error>& failure() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

// The whole of `memd --stdio`, ended by SIGTERM and SIGINT too. The error is for stderr and exit code 1.
Result<void> run_stdio_pump(DaemonAddress address);

}  // namespace memd
