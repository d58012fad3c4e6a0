#pragma once

#include "schemas/error.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

// What the HTTP APIs that models are served by have in common. Pure functions, any thread.
namespace memd::model_api {

enum class Dialect {
  ollama,  // POST <base>/api/…
  openai,  // POST <base>/…, <base> ends in /v1; spoken by many servers
};
std::string_view to_string(Dialect dialect);

// The message in an answer with an error status, on one line and cut short; empty when there is none to read.
std::string parse_complaint(std::string_view body);

Error nonsense(std::string what);  // Errc::protocol
Result<boost::json::value> parse_document(std::string_view body);

}  // namespace memd::model_api
