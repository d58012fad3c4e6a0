#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/error.hpp"

#include <boost/json/object.hpp>

#include <string_view>

namespace memd::mcp {

// The object that a JSON text is. Errc::invalid_argument.
Result<boost::json::object> parse_arguments(std::string_view json);

// read_arguments() from the JSON text of an object: the same checks, the same words.
template <Described T>
Result<T> read_argument_text(std::string_view json) {
  MEMD_TRY_ASSIGN(const boost::json::object arguments, parse_arguments(json));
  return read_arguments<T>(arguments);
}

}  // namespace memd::mcp
