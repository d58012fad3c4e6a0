#include "protocol/transport/line_buffer.hpp"

#include <algorithm>
#include <cstring>

namespace memd::transport {
namespace {

constexpr std::size_t kReadSize = 32U << 10;
constexpr std::size_t kKeepCapacity = 256U << 10;

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

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
    if (skipping_) {
      skipping_ = false;
      continue;
    }
    if (line.size() > max_line_) return Line{{}, true};
    return Line{without_return(line)};
  }
  if (skipping_) {
    head_ = scan_ = tail_;
  } else if (tail_ - head_ > max_line_) {
    skipping_ = true;
    head_ = scan_ = tail_;
    return Line{{}, true};
  }
  return std::nullopt;
}

std::optional<LineBuffer::Line> LineBuffer::rest() {
  const std::string_view line(bytes_.data() + head_, tail_ - head_);
  head_ = scan_ = tail_;
  if (line.empty() || skipping_) return std::nullopt;
  return Line{without_return(line)};
}

void LineBuffer::shrink_if_idle() {
  if (bytes_.size() <= kKeepCapacity) return;
  bytes_ = std::vector<char>();
}

}  // namespace memd::transport
