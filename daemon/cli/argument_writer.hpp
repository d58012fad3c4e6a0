#pragma once

#include "schemas/json_writer.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cli {

// Builds the JSON object of a tool's arguments from command line options; what was not given is left out.
class ArgumentWriter {
 public:
  ArgumentWriter() : writer_(text_) { writer_.begin_object(); }

  ArgumentWriter& add(std::string_view name, const std::string& value) {
    if (!value.empty()) writer_.member(name, value);
    return *this;
  }
  ArgumentWriter& add(std::string_view name, const std::optional<std::int64_t>& value) {
    if (!value) return *this;
    writer_.key(name);
    writer_.number(*value);
    return *this;
  }
  ArgumentWriter& add_decimal(std::string_view name, std::optional<double> value) {
    if (!value) return *this;
    writer_.key(name);
    writer_.number(*value);
    return *this;
  }
  ArgumentWriter& add_flag(std::string_view name, bool value) {
    if (value) writer_.member_bool(name, true);
    return *this;
  }
  ArgumentWriter& add_list(std::string_view name, const std::vector<std::string>& values) {
    if (values.empty()) return *this;
    writer_.key(name);
    writer_.begin_array();
    for (const auto& value : values)
      writer_.string(value);
    writer_.end_array();
    return *this;
  }
  std::string finish() {
    writer_.end_object();
    return std::move(text_);
  }

 private:
  std::string text_;
  json::Writer writer_;
};

}  // namespace memd::cli
