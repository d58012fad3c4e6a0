// memd statusline: the line at the edge of an agent's screen, or of tmux's.
#include "daemon/cli/command.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/usage/statusline.hpp"
#include "store/reader.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>

namespace memd::cli {
namespace {

// The line for when there is no time or no store to say more.
constexpr std::string_view kShort = "memd\n";
constexpr suseconds_t kDeadlineUs = 250'000;
constexpr std::size_t kMostStdin = std::size_t{1} << 20;

// An agent shows nothing when its command fails, and waits while it runs: after the deadline the process ends with the
// short line.
void end_in_time() {
  struct sigaction end {};
  end.sa_handler = [](int) {
    [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, kShort.data(), kShort.size());
    ::_exit(0);
  };
  ::sigaction(SIGALRM, &end, nullptr);
  itimerval timer{};
  timer.it_value.tv_usec = kDeadlineUs;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

std::string read_stdin() {
  std::string out;
  if (::isatty(STDIN_FILENO) == 1) return out;
  std::array<char, 65536> chunk;
  while (out.size() < kMostStdin) {
    const ssize_t n = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (n <= 0) break;
    out.append(chunk.data(), static_cast<std::size_t>(n));
  }
  return out;
}

std::string line_of(const Settings& settings, usage::StatuslineStyle style, bool with_input) {
  usage::StatuslineInput input;
  if (with_input)
    if (auto told = usage::parse_statusline_input(read_stdin())) input = *std::move(told);
  usage::PriceTable prices;
  if (!settings.config.prices.empty()) (void)prices.add_own(settings.config.prices);
  Reader reader(settings.layout.database());
  const TimeMs now = command_clock().now();
  const auto figures = usage::statusline_figures(reader, input, prices, now);
  return usage::statusline_text(input, figures ? *figures : usage::StatuslineFigures(), style, now);
}

}  // namespace

Command statusline_command() {
  const auto tmux = std::make_shared<bool>(false);
  Command c{"statusline", "One line for the edge of the screen: context, session, today, block, limits"};
  c.options = {{"--tmux", tmux.get(), "For tmux's status-right: reads nothing, and # is written ##"}};
  c.begin = end_in_time;
  c.fails_open = true;
  c.runs_without_settings = true;
  c.run = [tmux](const Invocation& call) -> Result<int> {
    try {
      const auto style = *tmux ? usage::StatuslineStyle::tmux : usage::StatuslineStyle::plain;
      std::cout << line_of(call.settings, style, !*tmux) << '\n' << std::flush;
    } catch (const std::exception&) {
      std::cout << kShort << std::flush;
    }
    return kOk;
  };
  return c;
}

}  // namespace memd::cli
