#pragma once

#include "daemon/cli/browse/browser.hpp"
#include "daemon/cli/browse/prompt.hpp"
#include "schemas/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace memd::cli::browse {

// The terminal of this process as a full screen (ncurses). The destructor and SIGTERM restore it. At most one instance
// at a time; one thread.
class Terminal {
 public:
  // Errc::unsupported: there is no terminal, it cannot position its cursor, or it is too small.
  static Result<std::unique_ptr<Terminal>> open(bool has_colour);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  std::size_t columns() const;
  std::size_t rows() const;
  // Waits for a key, for `fd` to be readable, for a change of size, or for this many milliseconds (none: no limit).
  // Returns false when the terminal has gone.
  bool wait(int fd, std::optional<std::int64_t> milliseconds);
  // Returns the keys typed since the last call.
  std::vector<Key> keys();
  void show(const ScreenContent& content);
  // Puts the text into the clipboard of terminals that allow it (OSC 52). `text`: ASCII.
  void copy(std::string_view text);

 private:
  explicit Terminal(bool has_colour);
  struct Curses;  // confines the ncurses names to one source file
  std::unique_ptr<Curses> curses_;
};

}  // namespace memd::cli::browse
