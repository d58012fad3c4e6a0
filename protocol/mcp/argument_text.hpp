#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"

#include <boost/json/object.hpp>

#include <string_view>

namespace memd::mcp {

// Parses the JSON text of an object. Errc::invalid_argument: it is none.
Result<boost::json::object> parse_arguments(std::string_view json);

// Calls read_arguments() with the JSON text of an object.
template <Described T>
Result<T> read_argument_text(std::string_view json) {
  MEMD_TRY_ASSIGN(const boost::json::object arguments, parse_arguments(json));
  return read_arguments<T>(arguments);
}

}  // namespace memd::mcp
