#pragma once

#include <csignal>

namespace memd {

// Blocks SIGTERM and SIGINT while it lives. Between listening and the service's own handlers a signal would leave the
// socket file behind, and between two services it would be lost. Applies to the thread that makes it and to those that
// this thread starts: one without it may take a signal while no service listens.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace memd
