#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

// The daemon's log. It goes to stderr because stdout carries the protocol. Thread-safe.
namespace memd::log {

enum class Level { info, error };

// Starts the log. Each line carries a time and a level; control characters and line breaks are escaped. `least` is the
// lowest level that is written: debug, info, warn or error. Call it once, before other threads run.
void start(const std::string& least);

void write(Level level, std::string_view line);

template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::info, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::error, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace memd::log
