#pragma once

#include "protocol/jsonrpc/message.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// Remembers what a client has under way with the daemon. With that, another daemon can take over unnoticed, and
// requests that the old one left open can be answered. One thread.
class ClientLedger {
 public:
  // Each line before it is passed on.
  void from_client(std::string_view line);
  // false: the answer to a replayed line, to be swallowed.
  bool from_daemon(std::string_view line);

  // The daemon is gone: the requests that went with it and only read, which another daemon can be asked as well. Each
  // is given once; it stays in flight.
  std::vector<std::string> reads_to_ask_again();
  // The answers for the other ones: errors that say whether to ask again. A handshake that was under way is not among
  // them: it is replayed, and its answer goes to the client.
  std::vector<std::string> fail_in_flight(std::string_view message);
  // There will be no other daemon: the handshake fails too, and is forgotten.
  std::vector<std::string> fail_everything(std::string_view message);
  // The lines that bring a new daemon to where the old one was.
  std::vector<std::string> replay();

  bool idle() const { return in_flight_.empty(); }

 private:
  struct Subscription {
    std::string line;
    bool acknowledged = false;
  };

  struct InFlight {
    std::string line;    // of a read that memd may put to the next daemon; else empty
    bool reads = false;  // the client may ask again
  };

  std::string initialize_line_;
  std::string initialize_id_;
  bool initialize_answered_ = false;
  std::string initialized_line_;
  std::map<std::string, InFlight> in_flight_;          // by id
  std::map<std::string, Subscription> subscriptions_;  // by id
  std::map<std::string, std::string> watched_;         // resources/subscribe of the handshake era: URI -> line
  std::set<std::string> asked_again_;                  // ids, until the others are failed
  std::string list_line_;                              // resources/list of the handshake era
  std::multiset<std::string> swallow_responses_;       // ids
  std::multiset<std::string> swallow_acks_;            // subscription ids
  jsonrpc::EnvelopeReader reader_;
};

}  // namespace memd
