#pragma once

#include "schemas/error.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

// For the parsers of what such APIs answer.
namespace memd::model_api {

Error nonsense(std::string what);  // Errc::protocol
Result<boost::json::value> parse_document(std::string_view body);

}  // namespace memd::model_api
