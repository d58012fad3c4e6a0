#pragma once

#include "protocol/jsonrpc/message.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// Records a client's session with the daemon: handshake, subscriptions and requests in flight. With it, another daemon
// can take over unnoticed, and requests that the old one left open can be answered. One thread.
class ClientLedger {
 public:
  // Records a line of the client. Call it before the line is passed on.
  void from_client(std::string_view line);
  // Records a line of the daemon. False: it answers a replayed line and must not be passed on.
  bool from_daemon(std::string_view line);

  // Returns the read-only requests that the lost daemon left open, to be sent to another one. Each is returned once and
  // stays in flight.
  std::vector<std::string> reads_to_ask_again();
  // Returns error responses for the other open requests; each says whether a retry makes sense. A handshake in progress
  // is not among them: it is replayed, and its answer goes to the client.
  std::vector<std::string> fail_in_flight(std::string_view message);
  // As fail_in_flight(), for the case that no other daemon follows: the handshake fails too and is forgotten.
  std::vector<std::string> fail_everything(std::string_view message);
  // Returns the lines that bring a new daemon to the state of the old one.
  std::vector<std::string> replay();

  bool idle() const { return in_flight_.empty(); }

 private:
  struct Subscription {
    std::string line;
    bool acknowledged = false;
  };

  struct InFlight {
    std::string line;    // the line, if it is a read that may be sent to the next daemon; else empty
    bool reads = false;  // read-only: the client may retry
  };

  std::string initialize_line_;
  std::string initialize_id_;
  bool initialize_answered_ = false;
  std::string initialized_line_;
  std::map<std::string, InFlight> in_flight_;          // by id
  std::map<std::string, Subscription> subscriptions_;  // by id
  std::map<std::string, std::string> watched_;         // resources/subscribe of the handshake era: URI -> line
  std::set<std::string> asked_again_;                  // ids, until fail_in_flight()
  std::string list_line_;                              // resources/list of the handshake era
  std::multiset<std::string> swallow_responses_;       // ids
  std::multiset<std::string> swallow_acks_;            // subscription ids
  jsonrpc::EnvelopeReader reader_;
};

}  // namespace memd
