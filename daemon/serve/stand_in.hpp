#pragma once

#include "daemon/host/settings.hpp"
#include "daemon/serve/instance_lock.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/error.hpp"

#include <thread>
#include <vector>

namespace memd {

// Answers in the place of a daemon while a command holds the store, so that none can be started. It reads the store as
// it is, and its answers begin with who holds it. Owns its threads; used on one thread. The settings must outlive it.
class StandIn {
 public:
  explicit StandIn(const Settings& settings) : settings_(settings) {}
  ~StandIn();  // waits until its clients have gone
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

  // Returns a socket that is served until `holder` has ended or the socket is closed.
  Result<UniqueFd> open(const InstanceLock::Attempt& holder);

 private:
  const Settings& settings_;
  std::vector<std::thread> threads_;
  bool logs_ = false;
};

}  // namespace memd
