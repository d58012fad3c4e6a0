#include "schemas/clock.hpp"

#include <chrono>

namespace memd {
namespace {

class SystemClock final : public Clock {
 public:
  TimeMs now() const override {
    using namespace std::chrono;
    return duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace memd
