#include "daemon/serve/memory_after_burst.hpp"

#include <unistd.h>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace memd {

MemoryAfterBurst::MemoryAfterBurst(boost::asio::io_context& loop, Parts parts)
    : loop_(loop), timer_(loop), parts_(std::move(parts)) {}

void MemoryAfterBurst::on_request() {
  is_busy_ = true;
  if (!is_waiting_ && !stopped_) wait();
}

void MemoryAfterBurst::stop() {
  stopped_ = true;
  timer_.cancel();
}

void MemoryAfterBurst::wait() {
  is_waiting_ = true;
  is_busy_ = false;
  timer_.expires_after(parts_.quiet);
  timer_.async_wait([this](const boost::system::error_code& ec) {
    if (!ec && !stopped_) on_quiet();
  });
}

void MemoryAfterBurst::on_quiet() {
  if (is_busy_) return wait();
  const std::uint64_t held = parts_.held();
  if (rest_ != 0 && held < rest_ + parts_.worth_it) {
    rest_ = std::min(rest_, held);
    is_waiting_ = false;
    return;
  }
  parts_.give_back([this] {
    boost::asio::post(loop_, [this] {
      rest_ = parts_.held();
      is_waiting_ = false;
      if (is_busy_ && !stopped_) wait();
    });
  });
}

}  // namespace memd
