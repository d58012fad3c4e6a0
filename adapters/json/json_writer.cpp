#include "adapters/json/json_writer.hpp"

#include "adapters/json/value_scanner.hpp"

#include <utility>

namespace memd::json {

void append_quoted(std::string_view text, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out.push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out.append({'\\', c});
    else if (byte < 0x20)
      out.append("\\u00").append({kHex[byte >> 4], kHex[byte & 15]});
    else
      out.push_back(c);
  }
  out.push_back('"');
}

void ObjectWriter::begin(std::string_view key) {
  if (out_.size() > 1) out_.push_back(',');
  append_quoted(key, out_);
  out_.push_back(':');
}

ObjectWriter& ObjectWriter::text(std::string_view key, std::string_view value) {
  if (value.empty()) return *this;
  begin(key);
  append_quoted(value, out_);
  return *this;
}

ObjectWriter& ObjectWriter::number(std::string_view key, std::int64_t value) {
  if (value == 0) return *this;
  begin(key);
  out_.append(std::to_string(value));
  return *this;
}

ObjectWriter& ObjectWriter::flag(std::string_view key, bool value) {
  if (!value) return *this;
  begin(key);
  out_.append("true");
  return *this;
}

ObjectWriter& ObjectWriter::value(std::string_view key, std::string_view json) {
  begin(key);
  out_.append(json.empty() ? std::string("null") : compacted(json));
  return *this;
}

std::string ObjectWriter::finish() && {
  out_.push_back('}');
  return std::move(out_);
}

}  // namespace memd::json
