// Commands that agents' hooks call.
#include "daemon/cli/command_context.hpp"
#include "daemon/cli/session_start.hpp"
#include "daemon/serve/daemon_address.hpp"

#include <CLI/CLI.hpp>

#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <iostream>
#include <string>

namespace memd::cli {
namespace {

constexpr std::size_t kMostInput = 64 * 1024;

// Whatever hangs, a disk or the daemon: the process ends in time, having printed nothing.
void end_in_time() {
  struct sigaction end {};
  end.sa_handler = [](int) { ::_exit(0); };
  ::sigaction(SIGALRM, &end, nullptr);
  itimerval timer{};
  timer.it_value.tv_usec =
      static_cast<suseconds_t>(std::chrono::duration_cast<std::chrono::microseconds>(hooks::kHookDeadline).count());
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

std::string read_input() {
  std::string out;
  std::array<char, 8192> chunk;
  while (out.size() < kMostInput) {
    const ssize_t n = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (n <= 0) break;
    out.append(chunk.data(), static_cast<std::size_t>(n));
  }
  return out;
}

int session_start(const Settings& settings) {
  const auto input = parse_hook_input(read_input());
  if (!input) return 0;
  auto daemon = connect_running(settings);
  if (!daemon || !*daemon) return 0;  // none runs: a hook starts none
  const std::string output = hooks::session_start_output((*daemon)->fd.release(), *input, hooks::kHookDeadline);
  if (!output.empty()) std::cout << output << '\n' << std::flush;
  return 0;
}

}  // namespace

void add_hook_command(CLI::App& app, CommandContext& context) {
  auto* c = app.add_subcommand("hook", "For hooks of agents: reads the hook's JSON on stdin, fails open");
  c->require_subcommand(1);
  auto* start = c->add_subcommand("session-start", "Claude Code's SessionStart: what went before, as context");
  start->callback([&context] {
    end_in_time();
    context.fails_open = true;
    context.action = [](const Settings& settings) -> Result<int> { return session_start(settings); };
  });
}

}  // namespace memd::cli
