// `memd` without a command.
#include "daemon/cli/asking.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/render/views.hpp"

namespace memd::cli {
namespace {

Result<tools::ListSessionsAnswer> some_sessions(Caller& caller, std::int64_t count, const std::string& state) {
  tools::ListSessionsParams asked;
  asked.n_results = count;
  asked.state = state;
  asked.all_projects = true;
  return ask_history<tools::ListSessionsAnswer>(caller, "list_sessions", mcp::to_arguments(asked));
}

}  // namespace

Result<int> show_today(const Invocation& call) {
  constexpr std::int64_t kRunning = 20;
  constexpr std::int64_t kLast = 8;
  MEMD_TRY_ASSIGN(const auto caller, open_caller(call.settings, Need::read));
  Today today;
  MEMD_TRY_ASSIGN(today.status, ask_admin<admin::StatusReport>(*caller, "status", "{}"));
  if (call.as_json) return print_json(call, today.status);
  MEMD_TRY_ASSIGN(today.running, some_sessions(*caller, kRunning, "active"));
  MEMD_TRY_ASSIGN(today.last, some_sessions(*caller, kLast, ""));
  today.clients_without_memd = clients_without_memd(call.settings);
  Screen screen(call.look);
  show(screen, today);
  return finish(screen);
}

}  // namespace memd::cli
