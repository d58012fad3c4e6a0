#include "daemon/models/second_look_worker.hpp"

#include "daemon/process_memory.hpp"
#include "store/enrich/second_look.hpp"

#include <algorithm>
#include <utility>

namespace memd {
namespace {

using namespace std::chrono_literals;

constexpr auto kIngestPause = 200ms;  // poll interval while history is being read
constexpr int kPause = 3;             // times the duration of the batch before it: a quarter of a core
constexpr auto kLookAtMachine = 60s;  // between two looks at battery and load

}  // namespace

SecondLookWorker::SecondLookWorker(SecondLookParts parts, const Clock& clock, SecondLookOptions options)
    : parts_(std::move(parts)),
      clock_(clock),
      options_(std::move(options)),
      pause_until_(options_.steady_now() + options_.delay),
      thread_("memd-look", [this](const std::stop_token& stop) { return round(stop); }) {}

SecondLookWorker::~SecondLookWorker() {
  stop();
  join();
}

void SecondLookWorker::hurry(std::int64_t exchanges) {
  {
    const std::lock_guard lock(mutex_);
    hurried_ = exchanges;
  }
  hint();
}

bool SecondLookWorker::hurries() const {
  const std::lock_guard lock(mutex_);
  return hurried_ > 0;
}

// Whoever starts memd for the first time searches next.
bool SecondLookWorker::has_none() const {
  Reader store(parts_.database);
  const auto backlog = store.ask(SecondLookBacklogQuery{});
  return backlog && backlog->made == 0;
}

SecondLookProgress SecondLookWorker::progress() const {
  const std::lock_guard lock(mutex_);
  SecondLookProgress out = progress_;
  if (trouble_.reason.empty()) return out;
  out.paused = trouble_.reason;
  out.store_busy = trouble_.store_busy;
  return out;
}

SecondLookWorker::Next SecondLookWorker::round(const std::stop_token& stop) {
  if (is_off_) return {};
  if (!std::exchange(has_begun_, true) && options_.in_background && has_none()) pause_until_ = options_.steady_now();
  if (maker_) maker_->begin();
  Next next;
  for (bool more = true; more && !stop.stop_requested();) {
    const bool at_once = hurries();
    if (!at_once && pause_until_ > options_.steady_now()) return {.at = pause_until_};
    if (!parts_.wait_for_ingest(kIngestPause)) continue;
    const Time began = options_.steady_now();
    const auto step = take_batch(at_once, stop);
    more = step && *step;
    const Time ended = options_.steady_now();
    if (!at_once) pause_until_ = ended + kPause * (ended - began);
    const std::lock_guard lock(mutex_);
    progress_.busy_seconds += std::chrono::duration<double>(ended - began).count();
    if (!stop.stop_requested()) next = trouble_.note(step, clock_.now(), ended);
  }
  return stop.stop_requested() ? Next() : sleep(next);
}

// Takes the newest exchanges that wait. False: none is left that can be taken now.
Result<bool> SecondLookWorker::take_batch(bool at_once, const std::stop_token& stop) {
  if (!maker_) maker_ = std::make_unique<SecondLookMaker>(parts_, clock_, options_.settled_after);
  MEMD_TRY_ASSIGN(const auto batch, maker_->next_batch(at_once, stop));
  const std::string reason = batch.empty() || at_once ? std::string() : obstacle();
  const bool takes = !batch.empty() && reason.empty();
  {
    const std::lock_guard lock(mutex_);
    progress_.paused = reason;
    progress_.working = takes;
  }
  if (!takes) return false;
  MEMD_TRY(maker_->make(batch, stop));
  const std::lock_guard lock(mutex_);
  progress_.exchanges += batch.size();
  hurried_ = std::max<std::int64_t>(hurried_ - std::ssize(batch), 0);
  return true;
}

// Returns why the machine is left alone; empty: it need not be. Looks at it once a minute.
const std::string& SecondLookWorker::obstacle() {
  const Time now = options_.steady_now();
  if (now < look_again_) return obstacle_;
  look_again_ = now + kLookAtMachine;
  obstacle_ = machine::is_on_battery(options_.power_supplies) ? "on battery"
              : options_.is_busy()                            ? "the machine is busy"
                                                              : "";
  return obstacle_;
}

// Ends a round after which nothing can be done now. `next`: when to try again after trouble.
SecondLookWorker::Next SecondLookWorker::sleep(Next next) {
  return_memory();
  const std::lock_guard lock(mutex_);
  progress_.working = false;
  if (!trouble_.reason.empty()) return next;
  is_off_ = maker_->is_off();
  if (!progress_.paused.empty())
    next.at = look_again_;
  else if (const auto due = maker_->next_settled())
    next.at = options_.steady_now() + std::chrono::milliseconds(std::max<TimeMs>(*due - clock_.now(), 1));
  return next;
}

// Unmaps the network's pages and returns free heap memory, if it was used.
void SecondLookWorker::return_memory() {
  const std::uint64_t taken = progress().exchanges;
  if (std::exchange(taken_at_return_, taken) == taken) return;
  process_memory::trim_heap();
  process_memory::unmap_program_pages();
}

}  // namespace memd
