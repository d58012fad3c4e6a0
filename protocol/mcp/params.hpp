#pragma once

#include <boost/json/value.hpp>

#include <optional>
#include <string_view>

// Looking into the params of a request, which are always an object.
namespace memd::mcp {

// nullptr when it is absent or null.
const boost::json::value* member(const boost::json::value& params, std::string_view name);
// nullopt also when it is no string.
std::optional<std::string_view> string_member(const boost::json::value& params, std::string_view name);

}  // namespace memd::mcp
