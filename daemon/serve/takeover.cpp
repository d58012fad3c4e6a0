#include "daemon/serve/takeover.hpp"
#include "schemas/base/error.hpp"

#include <poll.h>

#include <csignal>
#include <utility>

namespace memd {

Result<InstanceLock> take_over(const std::filesystem::path& data_dir, const TakeOver& how) {
  auto started = std::chrono::steady_clock::now();
  pid_t met = 0;
  while (true) {
    MEMD_TRY_ASSIGN(auto attempt, InstanceLock::attempt(data_dir));
    if (attempt.lock) return std::move(*attempt.lock);
    const bool is_waited_for = attempt.ends_by_itself() && !how.ends_commands;
    if (attempt.holder > 1 && attempt.holder != met) {
      met = attempt.holder;
      if (how.on_holder) how.on_holder(attempt);
      if (!is_waited_for) ::kill(met, SIGTERM);
    }
    if (is_waited_for) started = std::chrono::steady_clock::now();
    if (std::chrono::steady_clock::now() - started > how.patience)
      return Error(Errc::store_busy, attempt.who() + " did not end");
    ::poll(nullptr, 0, 20);
  }
}

}  // namespace memd
