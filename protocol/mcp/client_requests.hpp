#pragma once

#include "protocol/jsonrpc/message.hpp"
#include "schemas/base/result.hpp"

#include <boost/json/value.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::mcp {

struct Executors;  // server_state.hpp

// Returns 32 unpredictable hexadecimal digits. Throws ErrorException when the system gives no random numbers.
std::string random_id();

// Sends memd's requests to the client of one connection and collects the answers. Workers call ask() and wait; the
// loop does the rest. Must not be destroyed while a worker waits. Borrows the executors.
class ClientRequests {
 public:
  // `send` writes a line to the client; called on the loop.
  ClientRequests(const Executors& executors, std::function<void(std::string_view line)> send);
  ~ClientRequests();

  // Sends one request for each of `params` (JSON text), all at once, and waits for the answers, in this order. Call it
  // from a worker. The first error ends it and cancels the requests still open. Errors: unavailable (the client
  // refused, or did not answer within `patience`), cancelled (`stop` was requested).
  Result<std::vector<boost::json::value>> ask(std::string_view method, std::vector<std::string> params,
                                              std::stop_token stop, std::chrono::milliseconds patience);

  void on_response(jsonrpc::Response& response);
  // Call it when the client sends no more answers. All waiting and later calls of ask() fail with unavailable.
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
  const std::string prefix_;  // of ids, so that answers to requests of an earlier process match none
  std::uint64_t last_ = 0;
  bool ended_ = false;
  std::unordered_map<std::string, Waiting> waiting_;  // by id
};

// A notification that is memd's own: the bridge of a client states the directory in which the client started it.
// Clients of the stateless era are not asked for roots, and some of the handshake era have none.
inline constexpr std::string_view kWorkingDirectory = "notifications/memd/working_directory";
std::string working_directory_line(std::string_view directory);

// The roots of the client of one connection of the handshake era: URIs of the directories it works in. The client is
// asked when they are first needed, and again after it reported a change. A client that refuses or does not answer
// has none until then. Borrows `client`.
class ClientRoots {
 public:
  ClientRoots(ClientRequests& client, std::chrono::milliseconds patience) : client_(client), patience_(patience) {}

  // At the handshake: whether the client offers its roots. Loop.
  void set_offered(bool offered);
  // Loop.
  void changed() { ++version_; }
  // Waits for the client's answer if need be: call it from a worker. Thread-safe.
  std::vector<std::string> list(const std::stop_token& stop);

 private:
  ClientRequests& client_;
  const std::chrono::milliseconds patience_;
  std::atomic<bool> offered_{false};
  std::atomic<std::uint64_t> version_{1};
  std::mutex asking_;                // not taken by the loop, which brings the answer
  std::vector<std::string> known_;   // guarded by asking_
  std::uint64_t known_version_ = 0;  // guarded by asking_
};

}  // namespace memd::mcp
