#pragma once

#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/executors.hpp"
#include "schemas/error.hpp"

#include <boost/json/value.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::mcp {

// Requests of ours to the client of one connection. Workers ask and wait; everything else happens on the loop, and
// nothing here may be destroyed while a worker waits.
class ClientRequests {
 public:
  // `send` writes a line to the client; called on the loop.
  ClientRequests(const Executors& executors, std::function<void(std::string_view line)> send);
  ~ClientRequests();

  // Sends one request for each of `params` (JSON text), all at once, and waits for the answers; they come in this
  // order. The first error ends it: what the client said, Errc::unavailable; Errc::cancelled after `stop`; no answer
  // in `patience`, Errc::unavailable. Requests left open are cancelled. From a worker.
  Result<std::vector<boost::json::value>> ask(std::string_view method, std::vector<std::string> params,
                                              std::stop_token stop, std::chrono::milliseconds patience);

  void on_response(jsonrpc::Response& response);
  // No answer will come any more.
  void end();

 private:
  struct Round;
  struct Waiting {
    std::shared_ptr<Round> round;
    std::size_t index;
  };
  void send(std::string_view method, const std::vector<std::string>& params, const std::shared_ptr<Round>& round);
  void give_up(const std::shared_ptr<Round>& round);

  const Executors& executors_;
  const std::function<void(std::string_view)> send_;
  const std::string prefix_;  // of ids: the answer to a request of an earlier process means nothing here
  std::uint64_t last_ = 0;
  bool ended_ = false;
  std::unordered_map<std::string, Waiting> waiting_;  // by id
};

}  // namespace memd::mcp
