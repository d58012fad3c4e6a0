#include "adapters/json/json_writer.hpp"

#include "schemas/base/json_writer.hpp"

#include <utility>

namespace memd::json {

void append_quoted(std::string_view text, std::string& out) {
  out.push_back('"');
  for (const char c : text)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20)
      append_escaped(out, c);
    else
      out.push_back(c);
  out.push_back('"');
}

void append_compact(std::string_view json, std::string& out) {
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\' && i + 1 < json.size()) {
        out.push_back(c);
        out.push_back(static_cast<unsigned char>(json[++i]) < 0x20 ? ' ' : json[i]);
        continue;
      }
      out.push_back(static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
      in_string = c != '"';
    } else if (static_cast<unsigned char>(c) > ' ') {
      out.push_back(c);
      in_string = c == '"';
    }
  }
}

std::string compacted(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  append_compact(json, out);
  return out;
}

void ObjectWriter::begin(std::string_view key) {
  if (out_.size() > 1) out_.push_back(',');
  append_quoted(key, out_);
  out_.push_back(':');
}

ObjectWriter& ObjectWriter::text(std::string_view key, std::string_view value) {
  begin(key);
  append_quoted(value, out_);
  return *this;
}

ObjectWriter& ObjectWriter::number(std::string_view key, std::int64_t value) {
  begin(key);
  out_.append(std::to_string(value));
  return *this;
}

ObjectWriter& ObjectWriter::json(std::string_view key, std::string_view value) {
  begin(key);
  if (value.empty())
    out_.append("null");
  else
    append_compact(value, out_);
  return *this;
}

ObjectWriter& ObjectWriter::raw(std::string_view key, std::string_view value) {
  begin(key);
  out_.append(value);
  return *this;
}

ObjectWriter& ObjectWriter::some_text(std::string_view key, std::string_view value) {
  return value.empty() ? *this : text(key, value);
}

ObjectWriter& ObjectWriter::some_number(std::string_view key, std::int64_t value) {
  return value == 0 ? *this : number(key, value);
}

ObjectWriter& ObjectWriter::flag(std::string_view key, bool value) {
  if (!value) return *this;
  begin(key);
  out_.append("true");
  return *this;
}

std::string ObjectWriter::finish() && {
  out_.push_back('}');
  return std::move(out_);
}

std::string with_members(ObjectWriter&& members, const std::string& object) {
  std::string out = std::move(members).finish();
  if (out.size() == 2) return object;
  out.pop_back();
  return out.append(object.size() > 2 ? "," : "").append(object, 1);
}

}  // namespace memd::json
