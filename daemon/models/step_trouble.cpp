#include "daemon/models/step_trouble.hpp"

#include "schemas/base/error.hpp"

namespace memd {

BackgroundThread::Next StepTrouble::note(const Result<bool>& step, TimeMs now, BackgroundThread::Time steady_now) {
  *this = {};
  if (step) return {};
  reason = step.error().message();
  store_busy = step.error().is(Errc::store_busy);
  retry_at = now + std::chrono::milliseconds(kRetry).count();
  return {steady_now + kRetry, store_busy ? BackgroundThread::Hints::forget_earlier : BackgroundThread::Hints::wake};
}

}  // namespace memd
