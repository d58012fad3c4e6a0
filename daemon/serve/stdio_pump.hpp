#pragma once

#include "daemon/serve/daemon_client.hpp"
#include "schemas/base/result.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace boost::asio {
class io_context;
}

namespace memd {

// `memd --stdio`: passes lines between a client's stdin/stdout and the daemon's socket.
//
// It connects to the daemon at once, so that the answer to `initialize` does not wait for a start. When the connection
// is lost, read-only requests in flight are sent to the next daemon once; the others are answered with an error.
// Otherwise a new connection is opened only with the client's next line, so a daemon that was stopped on purpose stays
// stopped. The handshake is replayed on the new connection without the client noticing. If that fails, the client's
// request is answered with the reason.
// A stopped or hung daemon sends nothing. While requests wait, the pump probes it. If the probe is not answered, the
// requests are answered with a retryable error and the connection is dropped.
// It ends when stdin ends, after the requests in flight were answered or the drain time is over, or when stop() is
// called. Everything runs on the thread that runs `loop`, which runs out of work at the end.
class StdioPump {
 public:
  struct Options {
    int in_fd = 0;
    int out_fd = 1;
    std::chrono::milliseconds drain{2000};
    std::chrono::milliseconds silence{3000};  // until a probe is sent, and again until the daemon is given up
    std::string directory{};                  // stated to each daemon first (mcp::kWorkingDirectory); empty: not known
  };

  StdioPump(boost::asio::io_context& loop, DaemonDial& dial, Options options);
  ~StdioPump();

  void start(std::function<void()> on_finished = {});
  void stop();
  // The error that ended it when the first connection could not be made.
  const std::optional<Error>& failure() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

// Returns the directory that the client of this process works in: $CLAUDE_PROJECT_DIR, else the working directory, in
// which clients start their servers. Empty: neither tells, because it is the home directory or the root.
std::string client_directory(const std::filesystem::path& home);

// Runs `memd --stdio` for a client that works in `directory`; SIGTERM and SIGINT end it too. The error is for stderr
// and exit code 1.
Result<void> run_stdio_pump(DaemonAddress address, std::string directory, StandInDoor stand_in);

}  // namespace memd
