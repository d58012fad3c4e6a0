#pragma once

#include "schemas/base/json_writer.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::tools {

// Builds the JSON object of a tool's arguments. Empty texts, absent values and false flags are left out. One thread.
class ToolArguments {
 public:
  ToolArguments() : writer_(text_) { writer_.begin_object(); }

  ToolArguments& add(std::string_view name, const std::string& value) {
    if (!value.empty()) writer_.member(name, value);
    return *this;
  }
  ToolArguments& add(std::string_view name, const std::optional<std::string>& value) {
    return add(name, value.value_or(std::string()));
  }
  ToolArguments& add(std::string_view name, const std::optional<std::int64_t>& value) {
    if (!value) return *this;
    writer_.key(name);
    writer_.number(*value);
    return *this;
  }
  ToolArguments& add_flag(std::string_view name, bool value) {
    if (value) writer_.member_bool(name, true);
    return *this;
  }
  ToolArguments& add_list(std::string_view name, const std::vector<std::string>& values) {
    if (values.empty()) return *this;
    writer_.key(name);
    writer_.begin_array();
    for (const auto& value : values)
      writer_.string(value);
    writer_.end_array();
    return *this;
  }
  // Ends the object and moves its text out. Has to be the last call.
  std::string finish() {
    writer_.end_object();
    return std::move(text_);
  }

 private:
  std::string text_;
  json::Writer writer_;
};

}  // namespace memd::tools
