#include "adapters/snapshot/item_json.hpp"

#include <cstdio>

namespace memd::snapshot {

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

void append_quoted(std::string_view text, std::string& out) {
  out.push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out.append("\\n");
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out.append(escape);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

void ObjectWriter::key(std::string_view name) {
  if (out_.size() > 1) out_.push_back(',');
  append_quoted(name, out_);
  out_.push_back(':');
}

ObjectWriter& ObjectWriter::text(std::string_view name, std::string_view value) {
  key(name);
  append_quoted(value, out_);
  return *this;
}

ObjectWriter& ObjectWriter::number(std::string_view name, std::int64_t value) {
  key(name);
  out_.append(std::to_string(value));
  return *this;
}

ObjectWriter& ObjectWriter::flag(std::string_view name, bool value) {
  if (!value) return *this;
  key(name);
  out_.append("true");
  return *this;
}

ObjectWriter& ObjectWriter::json(std::string_view name, std::string_view value) {
  key(name);
  append_compact(value, out_);
  return *this;
}

}  // namespace memd::snapshot
