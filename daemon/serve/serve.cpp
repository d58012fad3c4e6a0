#include "daemon/serve/serve.hpp"

#include "daemon/log.hpp"
#include "daemon/serve/daemon_address.hpp"
#include "daemon/serve/instance_lock.hpp"
#include "daemon/serve/listening_socket.hpp"
#include "daemon/serve/service.hpp"
#include "daemon/serve/stdio_pump.hpp"

#include <csignal>
#include <optional>
#include <utility>

namespace memd {
namespace {

// A SIGTERM between listening and the service's own handlers would leave the socket file behind: it waits so long.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_;
};

Result<ListeningSocket> listening_socket(const Settings& settings, const std::optional<std::string>& path,
                                         const InstanceLock& lock) {
  MEMD_TRY_ASSIGN(auto adopted, ListeningSocket::adopt());
  if (adopted) return std::move(*adopted);
  MEMD_TRY_ASSIGN(const auto socket, socket_of(settings, path));
  return ListeningSocket::create(socket, lock);
}

}  // namespace

Result<int> serve_socket(const Settings& settings, const std::optional<std::string>& path) {
  std::signal(SIGPIPE, SIG_IGN);
  log::start(settings.config.log_level);
  MEMD_TRY_ASSIGN(const auto directory, open_state_directory(settings.layout.data_dir()));
  MEMD_TRY_ASSIGN(auto attempt, InstanceLock::attempt(settings.layout.data_dir()));
  if (!attempt.lock)
    return Error(Errc::store_busy, "memd is running already for " + settings.layout.data_dir().string() + " (pid " +
                                       std::to_string(attempt.holder) + ")");
  auto held = std::make_optional<HeldSignals>();
  MEMD_TRY_ASSIGN(auto listener, listening_socket(settings, path, *attempt.lock));
  MEMD_TRY(attempt.lock->publish(listener.path()));

  Service service(settings, system_clock(), "daemon", listener.path().string());
  MEMD_TRY(service.start_ingest());
  service.listen(listener.release_fd());
  log::info("listening on {}", listener.path().string());
  held.reset();
  service.run();
  return 0;
}

Result<int> serve_stdio_pump(const Settings& settings) {
  MEMD_TRY_ASSIGN(auto address, daemon_address(settings));
  MEMD_TRY(run_stdio_pump(std::move(address)));
  return 0;
}

Result<int> serve_stdio_standalone(const Settings& settings) {
  std::signal(SIGPIPE, SIG_IGN);
  log::start(settings.config.log_level);
  MEMD_TRY_ASSIGN(const auto directory, open_state_directory(settings.layout.data_dir()));
  MEMD_TRY_ASSIGN(auto attempt, InstanceLock::attempt(settings.layout.data_dir()));
  Service service(settings, system_clock(), "standalone", "");
  if (attempt.lock)
    MEMD_TRY(service.start_ingest());
  else
    log::info("pid {} ingests for this data directory; answering from its store", attempt.holder);
  service.serve_stdio();
  service.run();
  return 0;
}

}  // namespace memd
