#include "daemon/serve/stand_in.hpp"

#include "daemon/log.hpp"
#include "daemon/serve/service.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

namespace memd {

StandIn::~StandIn() {
  for (std::thread& thread : threads_)
    thread.join();
}

Result<UniqueFd> StandIn::open(const InstanceLock::Attempt& holder) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return Error::from_errno(errno, "socketpair", {});
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  for (const int end : ends)
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
  if (!std::exchange(logs_, true)) log::start(settings_.config.log_level);
  try {
    threads_.emplace_back([this, holder_pid = holder.holder, who = holder.who(), end = std::move(ours)]() mutable {
      try {
        Service service(settings_, system_clock(), "stand-in", "");
        service.serve_while_held(holder_pid, who);
        service.serve(std::move(end));
        service.run();
      } catch (const std::exception& e) {  // the client's connection ends
        log::error("answering in place of the daemon: {}", e.what());
      }
    });
  } catch (const std::system_error& e) {
    return Error(Errc::exhausted, std::string("no thread can be made: ") + e.what());
  }
  return theirs;
}

}  // namespace memd
