#pragma once

#include "schemas/time.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace memd::cli {

enum class Colour { automatic, always, never };

// The layout of output for a user, decided once before anything is printed. A value.
struct Look {
  bool is_terminal = false;
  bool has_colour = false;
  std::size_t columns = 0;  // of a line; 0: no limit, as where a program reads
  std::size_t rows = 0;     // of the terminal
  std::string pager{};      // a shell's command; empty: none
  TimeMs now = 0;           // reference time of "3 h ago"
};

struct LookOptions {
  std::string colour = "auto";  // or always, never
  bool no_pager = false;
};

// Asks standard output and the environment: NO_COLOR, TERM, MEMD_PAGER, PAGER, COLUMNS. MEMD_NOW (RFC 3339) stands for
// the clock, so that screens made from a made-up history come out the same.
Look look_of_stdout(const LookOptions& options);

// The clock of the command line: the system's, or one that stands at MEMD_NOW.
const Clock& command_clock();

// "just now", "12 min ago", "3 h ago", "2 d ago", "5 w ago", else the day. Empty for 0.
std::string ago(TimeMs then, TimeMs now);
// Of a local day: "today", "yesterday", "3 d ago", …
std::string ago_in_days(TimeMs day, TimeMs now);
// The same on a terminal; "2026-02-09 15:01" elsewhere.
std::string when(std::string_view rfc3339, const Look& look);
// "2026-02-09 15:01, 3 h ago"
std::string when_exactly(std::string_view rfc3339, const Look& look);

}  // namespace memd::cli
