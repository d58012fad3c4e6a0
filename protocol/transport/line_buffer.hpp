#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace memd::transport {

// Cuts a byte stream into lines. Looks at each byte once, however the lines are spread over reads. Drops an overlong
// line, up to its newline, without keeping it. One thread.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t max_line) : max_line_(max_line) {}

  // Room for the next read, then how much of it was filled.
  std::span<char> prepare();
  void commit(std::size_t n) { tail_ += n; }

  struct Line {
    std::string_view text;  // without "\n" or "\r\n"; valid until the next prepare()
    bool oversized = false;
  };
  // The next complete line; an oversized one is reported once, as soon as it is known to be too long.
  std::optional<Line> next();
  // What is left when the stream has ended: a last line without a newline.
  std::optional<Line> rest();

 private:
  void shrink_if_idle();

  std::size_t max_line_;
  std::vector<char> bytes_;
  std::size_t head_ = 0;  // start of the line being assembled
  std::size_t scan_ = 0;  // no newline in [head, scan)
  std::size_t tail_ = 0;  // end of what was read
  bool skipping_ = false;
};

}  // namespace memd::transport
