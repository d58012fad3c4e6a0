#pragma once

#include <chrono>
#include <optional>

// The notification protocol of systemd (sd_notify(3)), without its library. Does nothing outside a service manager.
namespace memd::service_notifier {

void ready();
void stopping();
void alive();
std::optional<std::chrono::milliseconds> watchdog_interval();  // half of WATCHDOG_USEC

}  // namespace memd::service_notifier
