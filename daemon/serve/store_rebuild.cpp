#include "daemon/serve/store_rebuild.hpp"

#include "daemon/ingest/rebuild.hpp"
#include "daemon/log.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "store/raw/raw_file.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace memd {

Result<void> StoreRebuild::order(OnLoss on_loss) {
  const auto& raw_dir = settings_.layout.raw_dir();
  if (raw::raw_file_names(raw_dir).empty())
    return Error(Errc::not_found, "there are no original records in " + raw_dir.string() + " to make the store from");
  const std::lock_guard lock(mutex_);
  if (phase_ != Phase::idle)
    return Error(Errc::store_busy, admin::rebuild_status_text(*status_) + ": ask again when that has ended");
  phase_ = Phase::ordered;
  on_loss_ = on_loss;
  status_.emplace();
  status_->state = "running";
  status_->started = format_rfc3339(clock_.now());
  want_room();
  return {};
}

std::optional<admin::StoreRebuildStatus> StoreRebuild::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void StoreRebuild::serve(std::function<void()> make_room) {
  const std::lock_guard lock(mutex_);
  make_room_ = std::move(make_room);
  if (wants_room_ && make_room_) std::exchange(make_room_, {})();
}

void StoreRebuild::want_room() {
  wants_room_ = true;
  if (make_room_) std::exchange(make_room_, {})();
}

void StoreRebuild::go_on() {
  {
    const std::lock_guard lock(mutex_);
    wants_room_ = false;
    if (phase_ == Phase::ordered) {
      phase_ = Phase::making;
      has_gone_on_ = false;
      try {
        thread_ = std::thread([this, on_loss = on_loss_] { run(on_loss); });
      } catch (const std::system_error& e) {
        note(Error(Errc::exhausted, std::string("no thread can be made: ") + e.what()), 0);
        phase_ = Phase::idle;
      }
      return;
    }
    has_gone_on_ = true;
  }
  has_room_.notify_all();
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(mutex_);
  phase_ = Phase::idle;
}

bool StoreRebuild::is_under_way() const {
  const std::lock_guard lock(mutex_);
  return phase_ != Phase::idle && phase_ != Phase::ordered;
}

void StoreRebuild::stop() {
  stop_.request_stop();
  {
    const std::lock_guard lock(mutex_);
    has_gone_on_ = true;
  }
  has_room_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void StoreRebuild::run(OnLoss on_loss) {
  log::info("the store is being rebuilt from the original records; until then answers come from the previous one");
  const auto start = std::chrono::steady_clock::now();
  RebuildOptions options;
  options.cipher = settings_.cipher;
  options.on_loss = on_loss;
  options.stop = stop_.get_token();
  options.on_progress = [this](double done, double total, std::string_view) {
    const std::lock_guard lock(mutex_);
    status_->bytes_done = static_cast<std::uint64_t>(done);
    status_->bytes_total = static_cast<std::uint64_t>(total);
  };
  options.before_replacing = [this] {
    std::unique_lock lock(mutex_);
    phase_ = Phase::ready;
    want_room();
    has_room_.wait(lock, [this] { return has_gone_on_; });
  };
  Result<RebuildReport> report = RebuildReport();
  try {
    report = rebuild_store(settings_.layout, find_adapter, options);
  } catch (const std::exception& e) {  // from an adapter with unexpected input
    report = Error(Errc::store, std::string("internal error: ") + e.what());
  }
  const std::lock_guard lock(mutex_);
  note(report, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  if (phase_ != Phase::making) return;
  phase_ = Phase::over;
  want_room();
}

void StoreRebuild::note(const Result<RebuildReport>& report, double seconds) {
  status_->ended = format_rfc3339(clock_.now());
  if (report) {
    status_->result = admin::RebuildAnswer{*report, seconds};
    status_->state = report->replaced ? "replaced" : "refused";
  } else {
    status_->error = report.error().message();
    status_->state = "failed";
  }
  if (status_->state == "replaced")
    log::info("{}", admin::rebuild_status_text(*status_));
  else
    log::error("{}", admin::rebuild_status_text(*status_));
}

}  // namespace memd
