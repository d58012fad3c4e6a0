#pragma once

#include "adapters/json/json_access.hpp"

#include <string>
#include <string_view>

namespace memd::json {

// Opens records that are one JSON object each. One that breaks only in its encoding (bytes that are not UTF-8, lone
// surrogates, control bytes) is read from a cleaned copy. What was opened is valid JSON throughout, so that walking it
// cannot fail half way. One record at a time.
class RecordParser {
 public:
  // False: no JSON object. `bytes` has SIMDJSON_PADDING readable bytes behind it and outlives the object's use.
  bool open(std::string_view bytes, od::object& object);

  bool replaced() const { return replaced_; }  // text of the record at hand had to be replaced

 private:
  bool iterate(std::string_view padded, od::object& object);

  simdjson::dom::parser strict_;  // On-Demand does not look at what it skips
  od::parser parser_;
  od::document document_;
  std::string cleaned_;
  bool replaced_ = false;
};

}  // namespace memd::json
