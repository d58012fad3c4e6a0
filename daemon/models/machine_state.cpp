#include "daemon/models/machine_state.hpp"

#include <cstdlib>
#include <thread>

namespace memd::machine {

bool is_busy() {
  double load = 0;
  const unsigned cores = std::thread::hardware_concurrency();
  return cores > 0 && ::getloadavg(&load, 1) == 1 && load > cores;
}

}  // namespace memd::machine
