#pragma once

#include "adapters/adapter.hpp"
#include "adapters/json/json_text.hpp"

#include <string>
#include <string_view>

namespace memd::json {

// Whether what stands at the end of a growing log is a whole record: an object that `open` takes as it is, or with what
// breaks only its encoding replaced.
template <class Open>
bool is_whole_record(std::string_view bytes, Open&& open) {
  const auto last = bytes.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos || bytes[last] != '}') return false;
  if (open(bytes)) return true;
  bool replaced = false;
  std::string cleaned = cleaned_json(bytes, replaced);
  const std::size_t size = cleaned.size();
  cleaned.resize(size + kRecordPadding, ' ');
  return open(std::string_view(cleaned.data(), size));
}

}  // namespace memd::json
