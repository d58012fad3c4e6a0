#pragma once

#include "daemon/ingest/mailbox.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <exception>
#include <list>
#include <utility>

namespace memd {

// The coroutines that one object has running on one thread's loop. The object ends them with cancel() and has the loop
// run until they have ended before it goes. An exception that leaves a coroutine leaves io_context::run(). Loop's
// thread only.
class CoroutineGroup {
 public:
  explicit CoroutineGroup(boost::asio::io_context& loop) : loop_(loop), all_ended_(loop) {}

  void spawn(boost::asio::awaitable<void> coroutine) {
    const auto member = members_.emplace(members_.end());
    auto on_end = [this, member](std::exception_ptr failure) {
      // Later: the coroutine, which has the slot, is not quite gone yet.
      boost::asio::post(loop_, [this, member] {
        members_.erase(member);
        if (members_.empty()) all_ended_.cancel();
      });
      if (failure) std::rethrow_exception(failure);
    };
    boost::asio::co_spawn(loop_, run(std::move(coroutine)),
                          boost::asio::bind_cancellation_slot(member->slot(), std::move(on_end)));
  }
  // What the coroutines wait for ends with operation_aborted.
  void cancel() {
    for (auto& member : members_)
      member.emit(boost::asio::cancellation_type::terminal);
  }
  boost::asio::awaitable<void> join() {
    while (!members_.empty()) {
      all_ended_.expires_at(boost::asio::steady_timer::time_point::max());
      co_await all_ended_.async_wait(kAsResult);
    }
  }

 private:
  // Cancelled, a coroutine sees the error of what it waits for; it is not thrown.
  static boost::asio::awaitable<void> run(boost::asio::awaitable<void> coroutine) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    co_await std::move(coroutine);
  }

  boost::asio::io_context& loop_;
  std::list<boost::asio::cancellation_signal> members_;
  boost::asio::steady_timer all_ended_;
};

}  // namespace memd
