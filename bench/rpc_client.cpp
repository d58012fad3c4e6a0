#include "bench/rpc_client.hpp"

#include <boost/json.hpp>

#include <stdexcept>

namespace memd::bench {
namespace json = boost::json;

RpcClient::RpcClient(const std::string& socket, std::string_view client_name) : connection_(socket) {
  call("initialize", {{"protocolVersion", "2025-06-18"},
                      {"capabilities", json::object()},
                      {"clientInfo", {{"name", client_name}, {"version", "1"}}}});
}

json::value RpcClient::call(std::string_view method, json::object params) {
  const json::object request{{"jsonrpc", "2.0"}, {"id", next_id_++}, {"method", method}, {"params", std::move(params)}};
  json::value answer = json::parse(connection_.ask(json::serialize(request)));
  if (const auto* error = answer.as_object().if_contains("error"))
    throw std::runtime_error(std::string(method) + ": " + json::serialize(*error));
  return std::move(answer.at("result"));
}

json::value RpcClient::call_tool(std::string_view tool, json::object arguments) {
  return call("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}});
}

}  // namespace memd::bench
