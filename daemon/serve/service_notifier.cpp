#include "daemon/serve/service_notifier.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace memd::service_notifier {
namespace {

void notify(std::string_view message) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(path);
  if (length >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = '\0';  // abstract name
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM, 0);
  if (fd < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  // A service manager that does not listen is no reason to fail.
  (void)::sendto(fd, message.data(), message.size(), 0, reinterpret_cast<const sockaddr*>(&address), size);
  ::close(fd);
}

}  // namespace

void ready() { notify("READY=1"); }
void stopping() { notify("STOPPING=1"); }
void alive() { notify("WATCHDOG=1"); }

std::optional<std::chrono::milliseconds> watchdog_interval() {
  const char* text = std::getenv("WATCHDOG_USEC");
  if (text == nullptr) return std::nullopt;
  long long usec = 0;
  const auto [end, ec] = std::from_chars(text, text + std::strlen(text), usec);
  if (ec != std::errc{} || usec <= 0) return std::nullopt;
  return std::chrono::milliseconds(usec / 2000);
}

}  // namespace memd::service_notifier
