#pragma once

#include "daemon/host/settings.hpp"
#include "daemon/serve/instance_lock.hpp"
#include "protocol/transport/byte_stream.hpp"
#include "schemas/base/result.hpp"

#include <sys/types.h>

#include <atomic>
#include <list>
#include <string>
#include <thread>

namespace memd {

// Answers in the place of a daemon while a command holds the store, so that none can be started. It reads the store as
// it is, and its answers begin with who holds it. Owns its threads; used on one thread. The settings must outlive it.
class StandIn {
 public:
  explicit StandIn(const Settings& settings) : settings_(settings) {}
  ~StandIn();  // waits until its clients have gone, and ends the process if a call hangs
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

  // Returns a socket that is served until `holder` has ended or the socket is closed. Errc::store_busy: for this holder
  // it has failed twice.
  Result<UniqueFd> open(const InstanceLock::Attempt& holder);

 private:
  struct Guest {
    pid_t holder = 0;
    std::string trouble;             // set before `ended`; empty: none
    std::atomic<bool> ended{false};  // only the thread has to be joined
    std::thread thread;
  };
  void join_ended();

  const Settings& settings_;
  std::list<Guest> guests_;
  pid_t failed_for_ = 0;
  int failures_ = 0;  // for that holder
  bool logs_ = false;
};

}  // namespace memd
