#pragma once

#include "schemas/base/timestamp.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace memd::cli {

enum class Colour { automatic, always, never };

// The layout of output for a user, decided once before anything is printed. A value.
struct Look {
  bool is_terminal = false;
  bool has_colour = false;
  std::size_t columns = 0;  // line width; 0: no limit, for output to a program
  std::size_t rows = 0;     // height of the terminal
  std::string pager{};      // shell command; empty: none
  TimeMs now = 0;           // reference time of "3 h ago"
};

struct LookOptions {
  std::string colour = "auto";  // or always, never
  bool no_pager = false;
};

// Reads the properties of standard output and the environment: NO_COLOR, TERM, MEMD_PAGER, PAGER, COLUMNS. MEMD_NOW
// (RFC 3339) replaces the clock, so that screens of a prepared history are reproducible.
Look look_of_stdout(const LookOptions& options);

// Returns the clock of the command line: the system's, or one that always returns MEMD_NOW.
const Clock& command_clock();

// Returns "just now", "12 min ago", "3 h ago", "2 d ago", "5 w ago", else the day. Empty for 0.
std::string ago(TimeMs then, TimeMs now);
// Returns "today", "yesterday", "3 d ago", … for a local day.
std::string ago_in_days(TimeMs day, TimeMs now);
// Returns ago() on a terminal, else "2026-02-09 15:01".
std::string when(std::string_view rfc3339, const Look& look);
// Returns "2026-02-09 15:01, 3 h ago".
std::string when_exactly(std::string_view rfc3339, const Look& look);

}  // namespace memd::cli
