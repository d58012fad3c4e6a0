#include "protocol/mcp/rpc_client.hpp"
#include "schemas/base/error.hpp"

#include <boost/json.hpp>

#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <utility>

namespace memd {
namespace bj = boost::json;
namespace {

// A request of the stateless revision needs no handshake.
bj::object modern_meta() {
  return {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
          {"io.modelcontextprotocol/clientCapabilities", bj::object()},
          {"io.modelcontextprotocol/clientInfo", {{"name", "memd-cli"}, {"version", "1"}}}};
}

void report(const bj::object& notification, const RpcClient::OnProgress& on_progress) {
  const auto* params = notification.if_contains("params");
  if (!on_progress || params == nullptr || !params->is_object()) return;
  const auto& p = params->as_object();
  const auto number = [&p](std::string_view key) {
    const auto* v = p.if_contains(key);
    return v != nullptr && v->is_number() ? v->to_number<double>() : 0.0;
  };
  const auto* message = p.if_contains("message");
  on_progress(number("progress"), number("total"),
              message != nullptr && message->is_string() ? std::string_view(message->get_string()) : "");
}

Error closed_by_daemon() {
  return Error(Errc::unavailable, "the daemon closed the connection; see its log, then ask again");
}

}  // namespace

Result<void> RpcClient::send_line(std::string_view line) {
  while (!line.empty()) {
#ifdef MSG_NOSIGNAL
    const ssize_t n = ::send(fd_.get(), line.data(), line.size(), MSG_NOSIGNAL);
#else
    const ssize_t n = ::send(fd_.get(), line.data(), line.size(), 0);
#endif
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) return closed_by_daemon();
    if (n < 0) return Error::from_errno(errno, "send to the daemon", "");
    line.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<std::string> RpcClient::receive_line() {
  std::array<char, 64 * 1024> chunk;
  std::size_t searched = 0;
  while (true) {
    const auto nl = received_.find('\n', searched);
    if (nl != std::string::npos) {
      std::string line = received_.substr(0, nl);
      received_.erase(0, nl + 1);
      return line;
    }
    searched = received_.size();
    const ssize_t n = ::recv(fd_.get(), chunk.data(), chunk.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 || (n < 0 && errno == ECONNRESET)) return closed_by_daemon();
    if (n < 0) return Error::from_errno(errno, "receive from the daemon", "");
    received_.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

Result<std::string> RpcClient::call(std::string_view method, std::string_view params, const OnProgress& on_progress) {
  const std::int64_t id = next_id_++;
  boost::system::error_code ec;
  bj::value parsed = params.empty() ? bj::value(bj::object()) : bj::parse(params, ec);
  if (ec || !parsed.is_object()) return Error(Errc::invalid_argument, "the arguments must be a JSON object");
  auto& meta = parsed.as_object()["_meta"];
  meta = modern_meta();
  if (on_progress) meta.as_object()["progressToken"] = id;
  const bj::object request{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(parsed)}};
  MEMD_TRY(send_line(bj::serialize(request) + "\n"));

  while (true) {
    MEMD_TRY_ASSIGN(const std::string line, receive_line());
    const bj::value message = bj::parse(line, ec);
    if (ec || !message.is_object()) return Error(Errc::protocol, "the daemon sent something that is not JSON-RPC");
    const auto& object = message.as_object();
    const auto* answered = object.if_contains("id");
    if (answered == nullptr) {
      report(object, on_progress);
      continue;
    }
    if (const auto* error = object.if_contains("error")) {
      const auto* text = error->is_object() ? error->as_object().if_contains("message") : nullptr;
      return Error(Errc::protocol, text != nullptr && text->is_string()
                                       ? std::string(text->get_string())
                                       : std::string("the daemon refused the request"));
    }
    if (*answered != bj::value(id)) continue;
    const auto* result = object.if_contains("result");
    if (result == nullptr) return Error(Errc::protocol, "the daemon sent an answer without a result");
    return bj::serialize(*result);
  }
}

bool RpcClient::is_alive(std::chrono::milliseconds limit) {
  const auto wait_at_most = [this](std::chrono::milliseconds time) {
    const timeval value{static_cast<time_t>(time.count() / 1000), static_cast<suseconds_t>(time.count() % 1000 * 1000)};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
  };
  wait_at_most(limit);
  const auto answer = call("server/discover", "{}");
  wait_at_most(std::chrono::milliseconds(0));          // as long as it takes
  return answer || answer.error().is(Errc::protocol);  // a refusal is an answer
}

void RpcClient::interrupt() const { ::shutdown(fd_.get(), SHUT_RDWR); }

Result<mcp::ToolOutcome> RpcClient::call_tool(std::string_view name, std::string_view arguments) {
  boost::system::error_code ec;
  bj::value args = arguments.empty() ? bj::value(bj::object()) : bj::parse(arguments, ec);
  if (ec || !args.is_object()) return Error(Errc::invalid_argument, "the arguments must be a JSON object");
  const bj::object params{{"name", name}, {"arguments", std::move(args)}};
  MEMD_TRY_ASSIGN(const std::string text, call("tools/call", bj::serialize(params)));
  const bj::value result = bj::parse(text);
  mcp::ToolOutcome out;
  const auto& object = result.as_object();
  if (const auto* content = object.if_contains("content"); content != nullptr && content->is_array())
    for (const auto& block : content->as_array())
      if (const auto* t = block.as_object().if_contains("text"); t != nullptr && t->is_string())
        out.text += std::string_view(t->get_string());
  if (const auto* structured = object.if_contains("structuredContent")) out.structured = bj::serialize(*structured);
  if (const auto* is_error = object.if_contains("isError")) out.is_error = is_error->is_bool() && is_error->get_bool();
  return out;
}

Result<mcp::ToolOutcome> RpcClient::call_admin(std::string_view method, std::string_view arguments,
                                               const OnProgress& on_progress) {
  MEMD_TRY_ASSIGN(const std::string text, call(method, arguments, on_progress));
  const bj::value result = bj::parse(text);
  mcp::ToolOutcome out;
  const auto& object = result.as_object();
  if (const auto* t = object.if_contains("text"); t != nullptr && t->is_string()) out.text = t->get_string();
  if (const auto* s = object.if_contains("structured")) out.structured = bj::serialize(*s);
  const auto is_set = [&object](std::string_view name) {
    const auto* flag = object.if_contains(name);
    return flag != nullptr && flag->is_bool() && flag->get_bool();
  };
  out.is_error = is_set("is_error");
  out.is_usage = is_set("is_usage");
  return out;
}

Result<std::string> RpcClient::list_tools() { return call("tools/list", "{}"); }

}  // namespace memd
