#include "protocol/mcp/argument_text.hpp"
#include "schemas/base/error.hpp"

#include <boost/json/parse.hpp>

#include <utility>

namespace memd::mcp {

Result<boost::json::object> parse_arguments(std::string_view json) {
  boost::system::error_code ec;
  boost::json::value parsed = boost::json::parse(boost::json::string_view(json.data(), json.size()), ec);
  if (ec) return Error(Errc::invalid_argument, "the arguments are not JSON: " + ec.message());
  if (!parsed.is_object()) return Error(Errc::invalid_argument, "the arguments are not a JSON object");
  return std::move(parsed).as_object();
}

}  // namespace memd::mcp
