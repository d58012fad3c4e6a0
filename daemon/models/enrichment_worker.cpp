#include "daemon/models/enrichment_worker.hpp"

#include "daemon/process_memory.hpp"

#include <pthread.h>
#include <algorithm>
#include <tuple>
#include <utility>
#ifdef __APPLE__
#include <pthread/qos.h>
#else
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace memd {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookAtIngest = 200ms;  // poll interval while history is being read
constexpr auto kRetryStore = 30s;
constexpr std::uint64_t kMany = 300;  // exchanges written between two calls that return memory

void name_this_thread() {
#ifdef __APPLE__
  ::pthread_setname_np("memd-enrich");
#else
  ::pthread_setname_np(::pthread_self(), "memd-enrich");
#endif
}

// Gives the calling thread the lowest CPU priority.
void become_background_thread() {
#ifdef __APPLE__
  ::pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0);
#elif defined(__linux__)
  // Applies to this thread only. Not SCHED_IDLE, because search should get new content even while a build runs for an
  // hour.
  constexpr int kNicest = 19;
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), kNicest);
#endif
}

}  // namespace

EnrichmentWorker::EnrichmentWorker(EnrichmentParts parts, const Clock& clock, EnrichmentOptions options)
    : parts_(std::move(parts)), clock_(clock), options_(std::move(options)) {}

EnrichmentWorker::~EnrichmentWorker() {
  stop();
  join();
}

void EnrichmentWorker::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    name_this_thread();
    if (options_.in_background) become_background_thread();
    run(stop);
  });
}

void EnrichmentWorker::hint() {
  const std::lock_guard lock(mutex_);
  hinted_ = true;
  idle_ = false;
  wake_.notify_one();
}

void EnrichmentWorker::include_unsettled(bool yes) {
  const std::lock_guard lock(mutex_);
  include_unsettled_ = yes;
  hinted_ = true;
  idle_ = false;
  wake_.notify_one();
}

void EnrichmentWorker::stop() { thread_.request_stop(); }

void EnrichmentWorker::join() {
  if (thread_.joinable()) thread_.join();
}

bool EnrichmentWorker::block_until_idle(std::chrono::milliseconds deadline) {
  std::unique_lock lock(mutex_);
  return became_idle_.wait_for(lock, deadline, [this] { return idle_; });
}

EnrichmentProgress EnrichmentWorker::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

// Frees the writer's caches, returns free heap memory, and unmaps the pages of the embedded model.
void EnrichmentWorker::trim_memory(std::uint64_t written) {
  if (written - written_at_trim_ <= kMany) return;
  written_at_trim_ = written;
  std::ignore = parts_.perform([](Writer& writer) -> Result<void> {
    writer.release();
    return {};
  });
  process_memory::trim_heap();
  process_memory::unmap_program_pages();
}

void EnrichmentWorker::run(const std::stop_token& stop) {
  ExchangeEnricher enricher(parts_, clock_, options_, *this);
  SessionAnalyzer analyzer(parts_, clock_, options_);
  while (wait_for_work(stop)) {
    work(enricher, analyzer, stop);
    trim_memory(enricher.exchanges_written());
    const std::lock_guard lock(mutex_);
    progress_.working = false;
  }
  const std::lock_guard lock(mutex_);
  idle_ = true;
  became_idle_.notify_all();
}

// Waits for work. False: stop.
bool EnrichmentWorker::wait_for_work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto has_work = [this] { return hinted_; };
  if (!hinted_) {
    idle_ = true;
    became_idle_.notify_all();
  }
  // Waits with a timeout only while a retry or an unsettled exchange is pending.
  if (wake_at_)
    wake_.wait_until(lock, stop, *wake_at_, has_work);
  else
    wake_.wait(lock, stop, has_work);
  if (stop.stop_requested()) return false;
  hinted_ = false;
  idle_ = false;
  wake_at_.reset();
  progress_.working = true;
  return true;
}

// Alternates between a batch of exchanges and a few sessions, so that neither waits for all of the other.
void EnrichmentWorker::work(ExchangeEnricher& enricher, SessionAnalyzer& analyzer, const std::stop_token& stop) {
  enricher.begin();
  analyzer.begin();
  bool exchanges = true;
  bool sessions = true;
  const auto more = [&](const Result<bool>& step) {
    if (step) return *step;
    if (stop.stop_requested()) return false;
    on_trouble(step.error(), options_.steady_now() + kRetryStore);
    if (step.error().is(Errc::store_busy)) {
      exchanges = sessions = false;
      wait_for_store();
    }
    return false;
  };
  while ((exchanges || sessions) && !stop.stop_requested()) {
    if (!parts_.wait_for_ingest(kLookAtIngest)) continue;
    if (exchanges) {
      const auto began = std::chrono::steady_clock::now();
      exchanges = more(enricher.take_batch(includes_unsettled(), stop));
      const std::lock_guard lock(mutex_);
      progress_.busy_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    }
    if (sessions && !stop.stop_requested()) sessions = more(analyzer.take_some());
  }
  wake_when(enricher.next_settled());
  wake_when(analyzer.next_stop());
}

void EnrichmentWorker::wake_when(std::optional<TimeMs> due) {
  if (!due) return;
  const std::lock_guard lock(mutex_);
  const auto at = options_.steady_now() + std::chrono::milliseconds(std::max<TimeMs>(*due - clock_.now(), 1));
  wake_at_ = wake_at_ ? std::min(*wake_at_, at) : at;
}

void EnrichmentWorker::on_trouble(const Error& error, TargetModel::Time until) {
  const std::lock_guard lock(mutex_);
  progress_.trouble = error.message();
  wake_at_ = wake_at_ ? std::min(*wake_at_, until) : until;
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(until - options_.steady_now());
  progress_.retry_at = clock_.now() + wait.count();
}

// Pauses all work: a locked store blocks every task, and each try costs SQLite up to ten seconds.
void EnrichmentWorker::wait_for_store() {
  const std::lock_guard lock(mutex_);
  hinted_ = false;
  progress_.store_busy = true;
}

void EnrichmentWorker::on_trouble_over() {
  const std::lock_guard lock(mutex_);
  progress_.store_busy = false;
  progress_.trouble.clear();
  progress_.retry_at = 0;
}

void EnrichmentWorker::on_model(const std::string& name) {
  const std::lock_guard lock(mutex_);
  progress_.model = name;
}

void EnrichmentWorker::on_texts(std::uint64_t embedded, std::uint64_t refused) {
  const std::lock_guard lock(mutex_);
  progress_.texts = embedded;
  progress_.refused = refused;
}

void EnrichmentWorker::on_exchanges(std::uint64_t finished) {
  const std::lock_guard lock(mutex_);
  progress_.exchanges += finished;
}

bool EnrichmentWorker::includes_unsettled() const {
  const std::lock_guard lock(mutex_);
  return include_unsettled_;
}

}  // namespace memd
