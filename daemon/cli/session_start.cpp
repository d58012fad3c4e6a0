#include "daemon/cli/session_start.hpp"

#include "protocol/mcp/rpc_client.hpp"
#include "schemas/json_writer.hpp"

#include <sys/socket.h>
#include <sys/time.h>

namespace memd::hooks {
namespace {

// Where the context was lost there is most to say; a session that is resumed has its own transcript.
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

}  // namespace

std::string resume_arguments(const HookInput& input) {
  // A session that begins has no history of its own: the last one of the directory is what went before.
  const bool of_session = (input.source == "compact" || input.source == "resume") && !input.session_id.empty();
  if (!of_session && input.cwd.empty()) return {};
  std::string out;
  json::Writer w(out);
  w.begin_object();
  if (of_session)
    w.member("session_id", input.session_id);
  else
    w.member("project", input.cwd);
  w.key("max_tokens");
  w.number(tokens_for(input.source));
  w.end_object();
  return out;
}

std::string session_start_output(int connected_socket, const HookInput& input, std::chrono::milliseconds time) {
  limit_waits(connected_socket, time);
  RpcClient client(connected_socket);
  const std::string arguments = resume_arguments(input);
  if (arguments.empty()) return {};
  const auto outcome = client.call_tool("resume_context", arguments);
  if (!outcome || outcome->is_error || outcome->text.empty()) return {};
  return hook_output("SessionStart", "What memd remembers of the work here:\n" + outcome->text);
}

}  // namespace memd::hooks
