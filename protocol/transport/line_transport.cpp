#include "protocol/transport/line_transport.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace memd::transport {
namespace {

constexpr std::size_t kReadSize = 32U << 10;
constexpr std::size_t kKeepCapacity = 256U << 10;
constexpr std::size_t kEndBytes = LineEnds::kEndBytes;

// Returns the line without the byte order mark that some programs begin their output with.
std::string_view without_mark(std::string_view line) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  return line;
}

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view bare(std::string_view line) { return without_mark(without_return(line)); }

void keep_end(std::string& end, std::string_view bytes) {
  end.append(bytes.substr(bytes.size() - std::min(bytes.size(), kEndBytes)));
  if (end.size() > kEndBytes) end.erase(0, end.size() - kEndBytes);
}

constexpr std::size_t kStreamTransportKeepCapacity = 1U << 20;

}  // namespace

std::span<char> LineBuffer::prepare() {
  if (head_ == tail_) {
    head_ = scan_ = tail_ = 0;
    shrink_if_idle();
  }
  if (bytes_.size() - tail_ < kReadSize && head_ > 0) {
    std::memmove(bytes_.data(), bytes_.data() + head_, tail_ - head_);
    scan_ -= head_;
    tail_ -= head_;
    head_ = 0;
  }
  // Doubling keeps a line of n bytes at O(n) copying.
  if (bytes_.size() - tail_ < kReadSize) bytes_.resize(std::max(bytes_.size() * 2, tail_ + kReadSize));
  return std::span(bytes_).subspan(tail_);
}

std::optional<LineBuffer::Line> LineBuffer::next() {
  while (scan_ < tail_) {
    const void* found = std::memchr(bytes_.data() + scan_, '\n', tail_ - scan_);
    if (found == nullptr) {
      scan_ = tail_;
      break;
    }
    const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - bytes_.data());
    const std::string_view line(bytes_.data() + head_, end - head_);
    head_ = scan_ = end + 1;
    if (skipping_ || line.size() > max_line_) return cut(line);
    return Line{bare(line), nullptr};
  }
  if (skipping_ || tail_ - head_ > max_line_) {
    cut(std::string_view(bytes_.data() + head_, tail_ - head_));
    skipping_ = true;
    head_ = scan_ = tail_;
  }
  return std::nullopt;
}

// Keeps the ends of a part of an oversized line, and takes it for the last one.
LineBuffer::Line LineBuffer::cut(std::string_view line) {
  if (!std::exchange(skipping_, false)) {
    line = without_mark(line);
    ends_ = {std::string(line.substr(0, kEndBytes)), {}};
  }
  keep_end(ends_.end, without_return(line));
  return Line{{}, &ends_};
}

std::optional<LineBuffer::Line> LineBuffer::rest() {
  const std::string_view line(bytes_.data() + head_, tail_ - head_);
  head_ = scan_ = tail_;
  if (skipping_) return cut(line);
  if (line.empty()) return std::nullopt;
  return Line{bare(line), nullptr};
}

void LineBuffer::shrink_if_idle() {
  if (bytes_.size() <= kKeepCapacity) return;
  bytes_ = std::vector<char>();
}

StreamTransport::StreamTransport(std::unique_ptr<ByteStream> stream, StreamLimits limits)
    : stream_(std::move(stream)), limits_(limits), input_(limits.max_line_bytes) {}

StreamTransport::~StreamTransport() = default;

void StreamTransport::start(Handler& handler) {
  handler_ = &handler;
  pump();
}

void StreamTransport::set_reading(bool on) {
  reading_ = on;
  if (!on || corked_ || shut_) return;
  // The handler is in the middle of something: buffered lines reach it later, from the loop.
  post_pump();
}

void StreamTransport::post_pump() {
  ++posted_;
  stream_->post([this] {
    --posted_;
    if (!shut_) pump();
    report_closed_when_quiet();
  });
}

bool StreamTransport::may_deliver() const { return reading_ && !closing_ && !shut_ && !congested(); }

void StreamTransport::pump() {
  deliver();
  if (read_pending_ || input_ended_ || !may_deliver()) return;
  read_pending_ = true;
  stream_->async_read(input_.prepare(), [this](boost::system::error_code ec, std::size_t n) { on_read(ec, n); });
}

void StreamTransport::deliver() {
  corked_ = true;
  while (may_deliver()) {
    auto line = input_.next();
    if (!line && input_ended_) line = input_.rest();
    if (!line) break;
    if (line->oversized != nullptr)
      handler_->on_oversized_line(*line->oversized);
    else
      handler_->on_line(line->text);
    // Sends early, so that a chunk of many small requests does not accumulate all its responses first.
    if (pending_.size() > kStreamTransportKeepCapacity) flush();
  }
  if (input_ended_ && !end_reported_ && may_deliver()) {
    end_reported_ = true;
    handler_->on_end_of_input();
  }
  corked_ = false;
  flush();
}

void StreamTransport::on_read(boost::system::error_code ec, std::size_t n) {
  read_pending_ = false;
  if (!shut_) {
    input_.commit(n);
    if (ec) shut();
    if (!ec && n == 0) end_input();
    if (!shut_) pump();
  }
  report_closed_when_quiet();
}

void StreamTransport::end_input() {
  input_ended_ = true;
  hangup_pending_ = stream_->async_wait_hangup([this](boost::system::error_code ec, std::size_t) {
    hangup_pending_ = false;
    if (!ec) shut();
    report_closed_when_quiet();
  });
}

void StreamTransport::write_line(std::string_view line) {
  if (shut_) return;
  pending_.append(line);
  pending_.push_back('\n');
  if (unsent_bytes() > limits_.max_unsent_bytes) return abort();
  if (!corked_) flush();
}

void StreamTransport::flush() {
  if (write_pending_ || shut_) return;
  if (pending_.empty()) {
    if (std::exchange(ending_output_, false)) stream_->shutdown_write();
    if (closing_) shut();
    return;
  }
  writing_.swap(pending_);
  write_pending_ = true;
  stream_->async_write(writing_, [this](boost::system::error_code ec, std::size_t) { on_written(ec); });
}

void StreamTransport::on_written(boost::system::error_code ec) {
  const bool was_congested = congested();
  write_pending_ = false;
  if (writing_.capacity() > kStreamTransportKeepCapacity)
    writing_ = std::string();
  else
    writing_.clear();
  if (ec) shut();
  flush();
  if (!shut_ && was_congested && !congested()) handler_->on_drained();
  if (!shut_) pump();
  report_closed_when_quiet();
}

void StreamTransport::end_output() {
  ending_output_ = true;
  if (!corked_) flush();
}

void StreamTransport::close() {
  if (closing_ || shut_) return;
  closing_ = true;
  if (!corked_) flush();
}

void StreamTransport::abort() { shut(); }

void StreamTransport::shut() {
  if (shut_) return;
  shut_ = true;
  pending_.clear();
  stream_->close();
  post_pump();  // with nothing pending on_closed still has to come, and from the loop
}

void StreamTransport::report_closed_when_quiet() {
  if (!shut_ || read_pending_ || write_pending_ || hangup_pending_ || posted_ > 0 || handler_ == nullptr) return;
  std::exchange(handler_, nullptr)->on_closed();
}

}  // namespace memd::transport
