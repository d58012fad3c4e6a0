#pragma once

#include "adapters/json/json_text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memd::json {

// How much of a record becomes text: what the store keeps, or all of it (for Adapter::event_text).
enum class Detail : std::uint8_t { stored, full };

// Turns tokens into text, and remembers whether characters had to be replaced on the way.
class TextReader {
 public:
  explicit TextReader(Detail detail = Detail::stored) : detail_(detail) {}

  // A token's meaning; empty unless it is a string.
  std::string text(std::string_view token, std::size_t limit = kNoLimit) {
    std::string out;
    append_text(token, out, limit);
    return out;
  }
  void append_text(std::string_view token, std::string& out, std::size_t limit = kNoLimit) {
    lossy_ |= append_unescaped(string_body(token), out, limit);
  }

  Detail detail() const { return detail_; }
  bool lossy() const { return lossy_; }
  void mark_lossy() { lossy_ = true; }

 private:
  Detail detail_;
  bool lossy_ = false;
};

}  // namespace memd::json
