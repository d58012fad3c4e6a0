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

// Completion token for co_await: errors are returned beside the values instead of thrown.
inline constexpr auto kAsResult = boost::asio::as_tuple(boost::asio::use_awaitable);

// Counts items handed over and not finished yet. Thread-safe.
class InFlightCounter {
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

// A queue of messages to one coroutine, in the order sent. Each message counts as in flight from send() on; the
// receiver calls InFlightCounter::finish() when it is handled. send(), close() and empty() are thread-safe; the rest
// belongs to the receiving coroutine. The work must outlive the mailbox.
template <class Message>
class Mailbox {
 public:
  Mailbox(boost::asio::io_context& receiver, InFlightCounter& work)
      : channel_(receiver, std::numeric_limits<std::size_t>::max()), work_(work) {}

  // Returns false once closed; the message is dropped.
  bool send(Message message) {
    auto owned = std::make_unique<Message>(std::move(message));
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    work_.begin();
    ++waiting_;
    channel_.try_send(boost::system::error_code{}, std::move(owned));
    return true;
  }
  // Closes the mailbox. Messages sent before are still received.
  void close() {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(closed_, true)) channel_.try_send(boost::system::error_code{}, nullptr);
  }
  bool empty() const { return waiting_ == 0; }

  // Waits for a message. Null: the mailbox is closed and empty.
  boost::asio::awaitable<std::unique_ptr<Message>> receive() {
    if (ended_) co_return nullptr;
    auto [ec, message] = co_await channel_.async_receive(kAsResult);
    co_return note(std::move(message));
  }
  // Returns the next message without waiting; null: none.
  std::unique_ptr<Message> take() {
    std::unique_ptr<Message> out;
    channel_.try_receive(
        [&](boost::system::error_code, std::unique_ptr<Message> message) { out = note(std::move(message)); });
    return out;
  }

 private:
  std::unique_ptr<Message> note(std::unique_ptr<Message> message) {
    if (message)
      --waiting_;
    else
      ended_ = true;
    return message;
  }

  // The channel itself is never closed: a closed channel of Boost 1.81 drops its buffered items.
  boost::asio::experimental::concurrent_channel<void(boost::system::error_code, std::unique_ptr<Message>)> channel_;
  InFlightCounter& work_;
  std::mutex mutex_;
  bool closed_ = false;  // guarded by mutex_
  std::atomic<std::size_t> waiting_{0};
  bool ended_ = false;  // the end has been received
};

// The coroutines that one object runs on one thread's loop. Before it is destroyed, the object calls cancel() and runs
// the loop until they have ended. An exception that leaves a coroutine leaves io_context::run(). Loop's thread only.
class CoroutineGroup {
 public:
  explicit CoroutineGroup(boost::asio::io_context& loop) : loop_(loop), all_ended_(loop) {}

  void spawn(boost::asio::awaitable<void> coroutine) {
    const auto member = members_.emplace(members_.end());
    auto on_end = [this, member](std::exception_ptr failure) {
      // Erased later: the coroutine still uses the slot at this point.
      boost::asio::post(loop_, [this, member] {
        members_.erase(member);
        if (members_.empty()) all_ended_.cancel();
      });
      if (failure) std::rethrow_exception(failure);
    };
    boost::asio::co_spawn(loop_, run(std::move(coroutine)),
                          boost::asio::bind_cancellation_slot(member->slot(), std::move(on_end)));
  }
  // Cancels what the coroutines wait for; it completes with operation_aborted.
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
  // Makes cancellation visible to the coroutine as an error of the awaited operation, not as an exception.
  static boost::asio::awaitable<void> run(boost::asio::awaitable<void> coroutine) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    co_await std::move(coroutine);
  }

  boost::asio::io_context& loop_;
  std::list<boost::asio::cancellation_signal> members_;
  boost::asio::steady_timer all_ended_;
};

}  // namespace memd
