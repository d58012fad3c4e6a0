#include "daemon/models/enrichment_worker.hpp"

#include "daemon/process_memory.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace memd {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookAtIngest = 200ms;  // poll interval while history is being read
constexpr std::uint64_t kMany = 300;   // exchanges written between two calls that return memory

std::optional<TargetModel::Time> earlier(std::optional<TargetModel::Time> a, std::optional<TargetModel::Time> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace

EnrichmentWorker::EnrichmentWorker(EnrichmentParts parts, const Clock& clock, EnrichmentOptions options)
    : parts_(std::move(parts)),
      clock_(clock),
      options_(std::move(options)),
      exchanges_("memd-enrich", [this](const std::stop_token& stop) { return enrich(stop); }),
      sessions_("memd-analyze", [this](const std::stop_token& stop) { return analyze(stop); }) {}

EnrichmentWorker::~EnrichmentWorker() {
  stop();
  join();
}

void EnrichmentWorker::start() {
  exchanges_.start(options_.in_background);
  sessions_.start(options_.in_background);
}

void EnrichmentWorker::hint() {
  exchanges_.hint();
  sessions_.hint();
}

void EnrichmentWorker::include_unsettled(bool yes) {
  {
    const std::lock_guard lock(mutex_);
    include_unsettled_ = yes;
  }
  hint();
}

void EnrichmentWorker::stop() {
  exchanges_.stop();
  sessions_.stop();
}

void EnrichmentWorker::join() {
  exchanges_.join();
  sessions_.join();
}

bool EnrichmentWorker::block_until_idle(std::chrono::milliseconds deadline) {
  using SteadyClock = std::chrono::steady_clock;
  const auto until = SteadyClock::now() + deadline;
  const auto left = [until] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::max(until - SteadyClock::now(), 0ns));
  };
  // What one thread stores wakes the other.
  do {
    if (!exchanges_.block_until_idle(left()) || !sessions_.block_until_idle(left())) return false;
  } while (!exchanges_.block_until_idle(0ms));
  return true;
}

EnrichmentProgress EnrichmentWorker::progress() const {
  const bool working = exchanges_.is_working() || sessions_.is_working();
  const std::lock_guard lock(mutex_);
  EnrichmentProgress out = progress_;
  out.working = working;
  for (const StepTrouble* trouble : {&with_exchanges_, &with_model_, &with_sessions_}) {
    out.store_busy = out.store_busy || trouble->store_busy;
    if (!out.trouble.empty()) continue;
    out.trouble = trouble->reason;
    out.retry_at = trouble->retry_at;
  }
  return out;
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

EnrichmentWorker::Next EnrichmentWorker::enrich(const std::stop_token& stop) {
  if (!enricher_) {
    ExchangeEnricher::Listener& listener = *this;
    enricher_ = std::make_unique<ExchangeEnricher>(parts_, clock_, options_, listener);
  }
  enricher_->begin();
  Next next;
  model_retry_at_.reset();
  for (bool more = true; more && !stop.stop_requested();) {
    if (leaves_store_alone(with_exchanges_, with_sessions_)) return {.at = options_.steady_now() + StepTrouble::kRetry};
    if (!parts_.wait_for_ingest(kLookAtIngest)) continue;
    const auto began = std::chrono::steady_clock::now();
    const auto step = enricher_->take_batch(includes_unsettled(), stop);
    more = step && *step;
    {
      const std::lock_guard lock(mutex_);
      progress_.busy_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    }
    if (!stop.stop_requested()) next = after(step, with_exchanges_);
  }
  trim_memory(enricher_->exchanges_written());
  next.at = earlier(earlier(next.at, model_retry_at_), steady_time(enricher_->next_settled()));
  return next;
}

EnrichmentWorker::Next EnrichmentWorker::analyze(const std::stop_token& stop) {
  if (!analyzer_) analyzer_ = std::make_unique<SessionAnalyzer>(parts_, clock_, options_);
  analyzer_->begin();
  Next next;
  for (bool more = true; more && !stop.stop_requested();) {
    if (leaves_store_alone(with_sessions_, with_exchanges_)) return {.at = options_.steady_now() + StepTrouble::kRetry};
    if (!parts_.wait_for_ingest(kLookAtIngest)) continue;
    const auto step = analyzer_->take_some();
    more = step && *step;
    if (!stop.stop_requested()) next = after(step, with_sessions_);
  }
  next.at = earlier(next.at, steady_time(analyzer_->next_stop()));
  return next;
}

// Notes the outcome of a step of a thread. Trouble is over only when a step has succeeded.
EnrichmentWorker::Next EnrichmentWorker::after(const Result<bool>& step, StepTrouble& trouble) {
  const std::lock_guard lock(mutex_);
  return trouble.note(step, clock_.now(), options_.steady_now());
}

// Whether a thread leaves it to the other one to find out when a locked store is free.
bool EnrichmentWorker::leaves_store_alone(const StepTrouble& own, const StepTrouble& of_other) const {
  const std::lock_guard lock(mutex_);
  return of_other.store_busy && !own.store_busy;
}

std::optional<TargetModel::Time> EnrichmentWorker::steady_time(std::optional<TimeMs> due) const {
  if (!due) return std::nullopt;
  return options_.steady_now() + std::chrono::milliseconds(std::max<TimeMs>(*due - clock_.now(), 1));
}

void EnrichmentWorker::on_trouble(const Error& error, TargetModel::Time until) {
  model_retry_at_ = earlier(model_retry_at_, until);
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(until - options_.steady_now());
  const std::lock_guard lock(mutex_);
  with_model_.reason = error.message();
  with_model_.retry_at = clock_.now() + wait.count();
}

void EnrichmentWorker::on_trouble_over() {
  const std::lock_guard lock(mutex_);
  with_model_ = {};
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
