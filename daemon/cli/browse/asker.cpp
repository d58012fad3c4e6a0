#include "daemon/cli/browse/asker.hpp"

#include "daemon/host/settings.hpp"
#include "schemas/base/error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>
#include <utility>

namespace memd::cli::browse {
namespace {

// Returns whether another connection, or the store itself, may still answer after this error.
bool is_of_the_connection(const Error& error) {
  return error.is(Errc::unavailable) || error.is(Errc::io) || error.is(Errc::cancelled);
}

}  // namespace

Asker::Asker(const Settings& settings, std::unique_ptr<Caller> caller)
    : settings_(settings), caller_(std::move(caller)) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw ErrorException(Error::from_errno(errno, "pipe", ""));
  wake_ = UniqueFd(ends[0]);
  waker_ = UniqueFd(ends[1]);
  for (const int end : ends) {
    ::fcntl(end, F_SETFL, O_NONBLOCK);
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
  }
  thread_ = std::thread([this] { work(); });
}

Asker::~Asker() {
  {
    const std::lock_guard hold(mutex_);
    over_ = true;
    if (asking_ && caller_) caller_->interrupt();
  }
  changed_.notify_all();
  thread_.join();
}

void Asker::ask(Asked question) {
  {
    const std::lock_guard hold(mutex_);
    waiting_ = std::move(question);
    if (asking_ && caller_) caller_->interrupt();
  }
  changed_.notify_all();
}

std::optional<Reply> Asker::take() {
  std::array<char, 64> bytes{};
  while (::read(wake_.get(), bytes.data(), bytes.size()) > 0) {
  }
  const std::lock_guard hold(mutex_);
  return std::exchange(reply_, std::nullopt);
}

bool Asker::is_superseded() {
  const std::lock_guard hold(mutex_);
  return over_ || waiting_;
}

void Asker::work() {
  for (;;) {
    Asked asked;
    {
      std::unique_lock hold(mutex_);
      changed_.wait(hold, [this] { return over_ || waiting_; });
      if (over_) return;
      asked = std::move(*std::exchange(waiting_, std::nullopt));
      asking_ = true;
    }
    Result<Answer> found = answer(asked.question);
    const std::lock_guard hold(mutex_);
    asking_ = false;
    if (over_) return;
    if (waiting_) continue;  // superseded
    reply_ = Reply{asked.ticket, std::move(found), caller_ && caller_->is_daemon()};
    [[maybe_unused]] const auto written = ::write(waker_.get(), "", 1);
  }
}

Result<void> Asker::open_again() {
  {
    const std::lock_guard hold(mutex_);
    caller_.reset();
  }
  std::ostringstream warnings;  // discarded: the screen belongs to the browser
  MEMD_TRY_ASSIGN(std::shared_ptr<Caller> caller, open_caller(settings_, Need::read, kPatience, warnings));
  const std::lock_guard hold(mutex_);
  caller_ = std::move(caller);
  return {};
}

Result<Answer> Asker::answer(const Question& question) {
  try {
    std::shared_ptr<Caller> caller;
    for (bool again = false;; again = true) {
      {
        const std::lock_guard hold(mutex_);
        caller = caller_;
      }
      if (!caller) {
        MEMD_TRY(open_again());
        if (is_superseded()) return Error(Errc::cancelled, "not wanted any more");
        const std::lock_guard hold(mutex_);
        caller = caller_;
      }
      Result<Answer> found = answer_to(question, *caller, settings_);
      if (found || !is_of_the_connection(found.error())) return found;
      // the connection broke: by interrupt(), or because the daemon has gone
      if (caller->is_daemon()) {
        const std::lock_guard hold(mutex_);
        caller_.reset();
      }
      if (again || is_superseded()) return found;
    }
  } catch (const ErrorException& e) {
    return e.error();
  } catch (const std::exception& e) {
    return Error(Errc::io, e.what());
  }
}

}  // namespace memd::cli::browse
