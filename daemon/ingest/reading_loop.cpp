#include "daemon/ingest/reading_loop.hpp"

#include "daemon/process_memory.hpp"

#include <algorithm>
#include <utility>

namespace memd {
namespace asio = boost::asio;
namespace {

// Slices being read, waiting for the writer or being written.
constexpr std::size_t kPlaces = 5;
constexpr std::size_t kTailsAtOnce = 4;
constexpr std::size_t kManyLooks = 5000;

}  // namespace

ReadingLoop::ReadingLoop(asio::io_context& loop, const Discovery& discovery, const Clock& clock,
                         const IngestOptions& options, IngestProgress& progress, InFlightCounter& work,
                         Mailbox<ToWriter>& writer)
    : clock_(clock),
      options_(options),
      progress_(progress),
      work_(work),
      writer_(writer),
      mail_(loop, work),
      sources_(discovery, clock, progress),
      reader_(discovery, clock, options, sources_, progress),
      tails_(loop),
      places_(loop, kPlaces),
      next_look_(loop) {
  work_.begin();  // the first look is still to come
  for (std::size_t i = 0; i < kPlaces; ++i)
    release_place();
}

void ReadingLoop::open(const std::filesystem::path& database, std::vector<Source> sources,
                       std::shared_ptr<const Withheld> withheld) {
  reader_.open_store(database, std::move(withheld));
  reader_.reload(sources);
  sources_.reload(std::move(sources));
}

asio::awaitable<void> ReadingLoop::run() {
  settle();
  for (;;) {
    auto message = co_await mail_.receive();
    if (!message) break;
    // Handles all waiting messages before any look, so that a hundred hints cause one.
    for (; message; message = mail_.take()) {
      if (!stopping_) std::visit([this](auto& content) { on(content); }, *message);
      message.reset();
      if (mail_.empty() && !stopping_) go_on();
      work_.finish();
    }
  }
  next_look_.cancel();
  tails_.cancel();
  co_await tails_.join();
  if (std::exchange(has_work_, false)) work_.finish();
  writer_.close();
}

void ReadingLoop::stop() {
  stopping_ = true;
  mail_.close();
}

void ReadingLoop::on(SliceWritten& message) {
  release_place();
  if (message.slice.epoch == epoch_) sources_.written(message.slice.slice);
}

void ReadingLoop::on(TrimMemory&) { trim(); }

// Returns free heap memory after a large ingest; a daemon may then idle for weeks.
void ReadingLoop::trim() {
  process_memory::trim_heap();
  looks_since_trim_ = 0;
}

void ReadingLoop::on(Reload& message) {
  epoch_ = message.epoch;
  reader_.reload(message.sources);
  sources_.reload(std::move(message.sources));
  look_at_everything_ = true;
}

void ReadingLoop::go_on() {
  const auto due = reader_.take_due();
  if (std::find(due.begin(), due.end(), std::string()) != due.end()) look_at_everything_ = true;
  const auto now = options_.steady_now();
  // Something happened. What came without an event may have come as well.
  if (looked_at_everything_ && now - *looked_at_everything_ > options_.look_at_all_every) look_at_everything_ = true;
  if (std::exchange(look_at_everything_, false)) {
    looked_at_everything_ = now;
    reader_.silent_places().look_at_roots(now);
    if (const auto unlisted = sources_.find_all())
      look_again(unlisted);
    else
      reader_.everything_was_looked_at();
    progress_.update([this](IngestSnapshot& s) { s.last_scan = clock_.now(); });
  }
  look_at_silent_places(now);
  for (const auto& path : std::exchange(hinted_, {}))
    if (const auto unlisted = sources_.hint(path)) look_again(unlisted);
  for (auto& [file, source] : std::exchange(hinted_sources_, {}))
    sources_.hint(source, file);
  for (const auto& path : due)
    sources_.make_dirty(path);
  for (auto& file : std::exchange(taken_, {}))
    sources_.take(std::move(file));
  start_tails();
  settle();
}

void ReadingLoop::look_at_silent_places(SilentPlaces::Time now) {
  SilentPlaces& places = reader_.silent_places();
  for (const auto& place : places.take_due(now)) {
    const auto began = options_.steady_now();
    if (const auto unlisted = sources_.hint(place)) look_again(unlisted);
    const auto looked = options_.steady_now();
    places.looked_at(place, looked, looked - began);
  }
}

void ReadingLoop::look_again(const std::error_code& unlisted) {
  reader_.look_again_at_everything("listing directories: " + unlisted.message());
}

void ReadingLoop::start_tails() {
  while (tailing_ < kTailsAtOnce && !stopping_) {
    const auto path = sources_.dirty().take();
    if (!path) break;
    KnownSource* known = sources_.find(*path);
    if (known == nullptr) continue;
    if (known->adapter == nullptr) {
      sources_.pack(*path);
      continue;
    }
    if (known->is_tailed) {
      known->became_dirty = true;
      continue;
    }
    known->is_tailed = true;
    ++tailing_;
    tails_.spawn(tail(*path, epoch_));
  }
}

// Reads a dirty source until it has nothing more, or until other sources wait.
asio::awaitable<void> ReadingLoop::tail(std::string path, std::uint64_t epoch) {
  for (bool more = true; more;) {
    const bool has_place = co_await acquire_place();
    if (!has_place) break;
    KnownSource* known = epoch == epoch_ ? sources_.find(path) : nullptr;
    if (known == nullptr) {
      release_place();
      break;
    }
    more = read_slice(*known);
    if (more && !sources_.dirty().empty()) {
      sources_.make_dirty(path);
      break;
    }
  }
  end_tail(path, epoch);
}

// Reads one slice. Returns whether there is more. Uses the place or gives it back.
bool ReadingLoop::read_slice(KnownSource& known) {
  const std::string path = known.source.path;
  auto look = reader_.look_at(known);
  if (!look.slice) {
    release_place();
    return look.more;
  }
  progress_.update([&](IngestSnapshot& s) {
    s.current = path;
    s.sources_pending = sources_.dirty().size();
    s.bytes_read += look.bytes;
  });
  unflushed_ = true;
  reader_.message_sent();
  assembly::BatchNotes notes(look.slice->batch);
  writer_.send(SliceRead{std::move(*look.slice), std::move(notes), look.bytes, epoch_, std::move(look.sights)});
  return look.more;
}

// Waits for a place. False: memd is stopping.
asio::awaitable<bool> ReadingLoop::acquire_place() {
  const auto [cancelled] = co_await places_.async_receive(kAsResult);
  if (!cancelled && stopping_) release_place();
  co_return !cancelled && !stopping_;
}

void ReadingLoop::release_place() { places_.try_send(boost::system::error_code{}); }

void ReadingLoop::end_tail(const std::string& path, std::uint64_t epoch) {
  --tailing_;
  KnownSource* known = epoch == epoch_ ? sources_.find(path) : nullptr;
  if (known != nullptr) {
    known->is_tailed = false;
    if (std::exchange(known->became_dirty, false)) sources_.make_dirty(path);
    sources_.pack(path);
    ++looks_since_trim_;
  }
  start_tails();
  settle();
}

// Reports the current state to the writer, to those who wait until idle, and to the timer.
void ReadingLoop::settle() {
  const bool is_reading = tailing_ > 0 || !sources_.dirty().empty();
  if (!is_reading && std::exchange(unflushed_, false)) {
    reader_.message_sent();
    writer_.send(NoMoreSlices{});
  }
  progress_.update([&](IngestSnapshot& s) {
    s.idle = !is_reading && mail_.empty();
    s.sources_pending = sources_.dirty().size();
    if (!is_reading) s.current.clear();
    s.polled = reader_.silent_places().describe();
  });
  if (!is_reading && looks_since_trim_ > kManyLooks) trim();
  const bool has_work = is_reading || reader_.has_put_off_passes();
  if (has_work && !has_work_) work_.begin();
  if (!has_work && has_work_) work_.finish();
  has_work_ = has_work;
  wake_at_next_look();
}

// Sets the timer, which runs only while some look is delayed.
void ReadingLoop::wake_at_next_look() {
  const auto left = reader_.time_to_next_look();
  if (!left || stopping_) {
    next_look_.cancel();
    return;
  }
  next_look_.expires_after(std::chrono::duration_cast<asio::steady_timer::duration>(*left));
  next_look_.async_wait([this](const boost::system::error_code& ec) {
    if (!ec) mail_.send(RetryIsDue{});
  });
}

}  // namespace memd
