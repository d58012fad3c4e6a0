#include "protocol/mcp/params.hpp"

#include <boost/json/object.hpp>

namespace memd::mcp {

const boost::json::value* member(const boost::json::value& params, std::string_view name) {
  const boost::json::value* v = params.get_object().if_contains(name);
  return v != nullptr && !v->is_null() ? v : nullptr;
}

std::optional<std::string_view> string_member(const boost::json::value& params, std::string_view name) {
  const boost::json::value* v = member(params, name);
  if (v == nullptr || !v->is_string()) return std::nullopt;
  return std::string_view(v->get_string());
}

}  // namespace memd::mcp
