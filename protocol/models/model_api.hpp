#pragma once

#include <string>
#include <string_view>

// What the HTTP APIs that models are served by have in common.
namespace memd::model_api {

enum class Dialect {
  ollama,  // POST <base>/api/…
  openai,  // POST <base>/…, <base> ends in /v1; spoken by many servers
};
std::string_view to_string(Dialect dialect);

// What an answer with an error status says, on one line and not long; empty when it says nothing readable.
std::string parse_complaint(std::string_view body);

}  // namespace memd::model_api
