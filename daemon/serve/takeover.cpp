#include "daemon/serve/takeover.hpp"

#include <poll.h>

#include <csignal>
#include <string>
#include <utility>

namespace memd {

Result<InstanceLock> take_over(const std::filesystem::path& data_dir, std::chrono::milliseconds patience) {
  const auto started = std::chrono::steady_clock::now();
  pid_t asked = 0;
  while (true) {
    MEMD_TRY_ASSIGN(auto attempt, InstanceLock::attempt(data_dir));
    if (attempt.lock) return std::move(*attempt.lock);
    if (attempt.holder > 1 && attempt.holder != asked) {
      asked = attempt.holder;
      ::kill(asked, SIGTERM);
    }
    if (std::chrono::steady_clock::now() - started > patience)
      return Error(Errc::store_busy, "memd (pid " + std::to_string(attempt.holder) + ") did not end");
    ::poll(nullptr, 0, 20);
  }
}

}  // namespace memd
