#include "daemon/serve/stand_in.hpp"

#include "daemon/log.hpp"
#include "daemon/serve/service.hpp"
#include "daemon/serve/shutdown_limit.hpp"
#include "daemon/serve/takeover.hpp"
#include "schemas/base/error.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

namespace memd {

namespace {

constexpr int kMostFailures = 2;

}  // namespace

StandIn::~StandIn() {
  if (guests_.empty()) return;
  const ShutdownLimit limit(kDaemonEndsWithin, "calls that were answered in place of the daemon");
  for (Guest& guest : guests_)
    guest.thread.join();
}

void StandIn::join_ended() {
  guests_.remove_if([this](Guest& guest) {
    if (!guest.ended) return false;
    guest.thread.join();
    if (guest.trouble.empty()) return true;
    if (std::exchange(failed_for_, guest.holder) != guest.holder) failures_ = 0;
    ++failures_;
    return true;
  });
}

Result<UniqueFd> StandIn::open(const InstanceLock::Attempt& holder) {
  join_ended();
  if (holder.holder == failed_for_ && failures_ >= kMostFailures) return holder.busy();
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return Error::from_errno(errno, "socketpair", {});
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  for (const int end : ends)
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
  if (!std::exchange(logs_, true)) log::start(settings_.config.log_level);
  Guest& guest = guests_.emplace_back();
  guest.holder = holder.holder;
  try {
    guest.thread = std::thread([this, &guest, who = holder.who(), end = std::move(ours)]() mutable {
      try {
        Service service(settings_, system_clock(), "stand-in", "");
        service.be_guest();
        service.serve_while_held(guest.holder, who);
        service.serve(std::move(end));
        service.run();
      } catch (const std::exception& e) {  // the client's connection ends
        log::error("answering in place of the daemon: {}", e.what());
        guest.trouble = e.what();
      }
      guest.ended = true;
    });
  } catch (const std::system_error& e) {
    guests_.pop_back();
    return Error(Errc::exhausted, std::string("no thread can be made: ") + e.what());
  }
  return theirs;
}

}  // namespace memd
