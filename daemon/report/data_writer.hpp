#pragma once

#include "schemas/base/json_writer.hpp"
#include "schemas/event.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memd::report {

inline constexpr std::size_t kNameBytes = 300;

// Returns the text on one line, with secrets masked, cut to `most` bytes at a code point boundary.
std::string shown(std::string_view text, std::size_t most);

// A JSON writer that leaves out members that are zero or empty. One thread.
class DataWriter : public json::Writer {
 public:
  using json::Writer::Writer;
  void text(std::string_view name, std::string_view value, std::size_t most = kNameBytes) {
    if (!value.empty()) member(name, shown(value, most));
  }
  template <class Number>
  void count(std::string_view name, Number value) {
    if (value != Number()) member_number(name, value);
  }
  void flag(std::string_view name, bool value) {
    if (value) member_bool(name, true);
  }
  void texts(std::string_view name, const std::vector<std::string>& all, std::size_t most) {
    if (all.empty()) return;
    key(name);
    begin_array();
    for (const auto& one : all)
      string(shown(one, most));
    end_array();
  }
  void tokens(const TokenUsage& t) {
    count("input", t.input);
    count("output", t.output);
    count("cache_read", t.cache_read);
    count("cache_creation", t.cache_creation);
  }
};

}  // namespace memd::report
