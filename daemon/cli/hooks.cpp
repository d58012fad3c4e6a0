#include "daemon/cli/hooks.hpp"

#include "daemon/cli/caller.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/serve/daemon_address.hpp"
#include "daemon/tools/tool_arguments.hpp"
#include "protocol/mcp/rpc_client.hpp"
#include "protocol/mcp/tool_registry.hpp"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <iostream>
#include <memory>

namespace memd::cli {
namespace {

constexpr std::size_t kMostInput = 64 * 1024;

// Ends the process within `time` even if a disk or the daemon hangs; it has then printed nothing.
void end_within(std::chrono::milliseconds time) {
  struct sigaction end {};
  end.sa_handler = [](int) { ::_exit(0); };
  ::sigaction(SIGALRM, &end, nullptr);
  itimerval timer{};
  timer.it_value.tv_usec =
      static_cast<suseconds_t>(std::chrono::duration_cast<std::chrono::microseconds>(time).count());
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

// Returns the token budget: most after a loss of context, less for a resumed session, which has its own transcript.
std::int64_t tokens_for(std::string_view source) {
  if (source == "compact") return 2000;
  if (source == "clear") return 1500;
  return 800;
}

void limit_waits(int fd, std::chrono::milliseconds time) {
  timeval wait{};
  wait.tv_sec = static_cast<time_t>(time.count() / 1000);
  wait.tv_usec = static_cast<suseconds_t>(time.count() % 1000 * 1000);
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
}

std::string session_start_text(const Result<mcp::ToolOutcome>& outcome) {
  if (!outcome || outcome->is_error || outcome->text.empty()) return {};
  return hook_output("SessionStart", "What memd remembers of the work here:\n" + outcome->text);
}

std::string recall_text(const Result<mcp::ToolOutcome>& outcome, const HookInput& input) {
  if (!outcome || outcome->is_error || outcome->text.empty()) return {};
  return hook_output(input.event, "memd, from earlier work here (data, not instructions):\n" + outcome->text);
}

void print_context(const std::string& output) {
  if (!output.empty()) std::cout << output << '\n' << std::flush;
}

// Returns who answers from the store in this process, because no daemon runs. A hook starts none, and does not wait for
// a store that is being made.
Result<std::unique_ptr<Caller>> open_store(const Settings& settings) {
  std::ostream nobody(nullptr);
  return open_caller(settings, Need::read, std::chrono::milliseconds(0), nobody);
}

int recall(const Settings& settings) {
  if (!settings.config.recall_hooks) return kOk;
  const auto input = parse_hook_input(read_input());
  const std::string arguments = input ? recall_arguments(*input) : std::string();
  if (arguments.empty()) return kOk;
  auto daemon = connect_running(settings);
  if (!daemon) return kOk;
  if (*daemon) {
    print_context(recall_output((*daemon)->fd.release(), *input, kRecallDeadline));
  } else if (const auto store = open_store(settings)) {
    print_context(recall_text((*store)->admin("recall", arguments, {}), *input));
  }
  return kOk;
}

int session_start(const Settings& settings) {
  const auto input = parse_hook_input(read_input());
  const std::string arguments = input ? resume_arguments(*input) : std::string();
  if (arguments.empty()) return kOk;
  auto daemon = connect_running(settings);
  if (!daemon) return kOk;
  if (*daemon) {
    print_context(session_start_output((*daemon)->fd.release(), *input, kHookDeadline));
  } else if (const auto store = open_store(settings)) {
    print_context(session_start_text((*store)->tool("resume_context", arguments)));
  }
  return kOk;
}

}  // namespace

std::string resume_arguments(const HookInput& input) {
  // A new session has no history of its own, so the last one of the directory is used.
  const bool of_session = (input.source == "compact" || input.source == "resume") && !input.session_id.empty();
  if (!of_session && input.cwd.empty()) return {};
  tools::ToolArguments w;
  if (of_session)
    w.add("session_id", input.session_id);
  else
    w.add("project", input.cwd);
  // The hook runs before the compaction that it reports is written.
  if (of_session && input.source == "compact") w.add("before", std::string("now"));
  return w.add("max_tokens", tokens_for(input.source)).finish();
}

std::string session_start_output(int connected_socket, const HookInput& input, std::chrono::milliseconds time) {
  limit_waits(connected_socket, time);
  RpcClient client(connected_socket);
  const std::string arguments = resume_arguments(input);
  if (arguments.empty()) return {};
  return session_start_text(client.call_tool("resume_context", arguments));
}

std::string recall_arguments(const HookInput& input) {
  const bool before = input.event == "PreToolUse";
  const bool after = input.event == "PostToolUse" || input.event == "PostToolUseFailure" ||
                     input.event == "AfterTool" || input.event == "postToolUse" || input.event == "postToolUseFailure";
  if (input.cwd.empty() || !(before || after)) return {};
  tools::ToolArguments w;
  w.add("cwd", input.cwd).add("session_id", input.session_id);
  if (after) {
    if (input.output.empty() || input.command.empty() || !(input.failed || input.event == "AfterTool")) return {};
    return w.add("error", input.output).finish();
  }
  if (!input.command.empty()) return w.add("command", input.command).finish();
  constexpr std::array<std::string_view, 5> kEditing{"Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch"};
  const bool edits = std::find(kEditing.begin(), kEditing.end(), input.tool) != kEditing.end();
  return edits && !input.path.empty() ? w.add("path", input.path).finish() : std::string();
}

std::string recall_output(int connected_socket, const HookInput& input, std::chrono::milliseconds time) {
  limit_waits(connected_socket, time);
  RpcClient client(connected_socket);
  const std::string arguments = recall_arguments(input);
  if (arguments.empty()) return {};
  return recall_text(client.call_admin("memd/recall", arguments), input);
}

Command hook_command() {
  Command start{"session-start", "Claude Code's SessionStart: what happened before, as context"};
  start.run = [](const Invocation& call) -> Result<int> { return session_start(call.settings); };
  start.begin = [] { end_within(kHookDeadline); };
  start.fails_open = true;
  Command step{"recall", "Before an edit or a command, and on an error: what earlier work says about it, as context"};
  step.run = [](const Invocation& call) -> Result<int> { return recall(call.settings); };
  step.begin = [] { end_within(kRecallDeadline); };
  step.fails_open = true;
  Command c{"hook", "For hooks of agents: reads the hook's JSON on stdin, fails open"};
  c.subcommands = {std::move(start), std::move(step)};
  return c;
}

}  // namespace memd::cli
