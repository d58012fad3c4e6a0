#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace memd {

// Await with this: errors come back beside the values and are not thrown.
inline constexpr auto kAsResult = boost::asio::as_tuple(boost::asio::use_awaitable);

// Counts what was handed over and is not finished yet. Thread-safe.
class WorkInHand {
 public:
  void begin() {
    const std::lock_guard lock(mutex_);
    ++items_;
  }
  void finish(std::uint64_t items = 1) {
    const std::lock_guard lock(mutex_);
    items_ -= items;
    if (items_ == 0) none_.notify_all();
  }
  // True when nothing is left, false at the deadline.
  bool block_until_none(std::chrono::milliseconds deadline) {
    std::unique_lock lock(mutex_);
    return none_.wait_for(lock, deadline, [this] { return items_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  std::uint64_t items_ = 0;
};

// Letters to one coroutine, in the order they were sent. Each counts as work in hand from when it is sent; whoever
// receives it calls WorkInHand::finish() once it is dealt with. send(), close() and empty() are thread-safe; the rest
// belongs to the one coroutine that receives. The work must outlive the mailbox.
template <class Letter>
class Mailbox {
 public:
  Mailbox(boost::asio::io_context& receiver, WorkInHand& work)
      : channel_(receiver, std::numeric_limits<std::size_t>::max()), work_(work) {}

  // False once closed: the letter is dropped.
  bool send(Letter letter) {
    auto owned = std::make_unique<Letter>(std::move(letter));
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    work_.begin();
    ++waiting_;
    channel_.try_send(boost::system::error_code{}, std::move(owned));
    return true;
  }
  // What was sent before is still received.
  void close() {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(closed_, true)) channel_.try_send(boost::system::error_code{}, nullptr);
  }
  bool empty() const { return waiting_ == 0; }

  // Waits for a letter. Null: the box is closed and empty.
  boost::asio::awaitable<std::unique_ptr<Letter>> receive() {
    if (ended_) co_return nullptr;
    auto [ec, letter] = co_await channel_.async_receive(kAsResult);
    co_return note(std::move(letter));
  }
  // The next letter if one is there. Null: none is.
  std::unique_ptr<Letter> take() {
    std::unique_ptr<Letter> out;
    channel_.try_receive(
        [&](boost::system::error_code, std::unique_ptr<Letter> letter) { out = note(std::move(letter)); });
    return out;
  }

 private:
  std::unique_ptr<Letter> note(std::unique_ptr<Letter> letter) {
    if (letter)
      --waiting_;
    else
      ended_ = true;
    return letter;
  }

  // Never closed itself: Boost 1.81 forgets what is buffered in a channel that is.
  boost::asio::experimental::concurrent_channel<void(boost::system::error_code, std::unique_ptr<Letter>)> channel_;
  WorkInHand& work_;
  std::mutex mutex_;
  bool closed_ = false;  // guarded by mutex_
  std::atomic<std::size_t> waiting_{0};
  bool ended_ = false;  // the end has been received
};

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
