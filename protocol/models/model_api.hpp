#pragma once

#include "schemas/base/result.hpp"
#include "schemas/language_model.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Common parts of the HTTP APIs of model servers. Pure functions, any thread.
namespace memd::model_api {

enum class Dialect {
  ollama,  // POST <base>/api/…
  openai,  // POST <base>/…, <base> ends in /v1; spoken by many servers
};
std::string_view to_string(Dialect dialect);

// Returns the message in a response with an error status, on one line and shortened; empty when there is none.
std::string parse_error_message(std::string_view body);

Error protocol_error(std::string what);  // Errc::protocol
Result<boost::json::value> parse_document(std::string_view body);

}  // namespace memd::model_api

// The two HTTP APIs that embedding models are served by, as JSON texts.
namespace memd::embeddings_api {

using model_api::Dialect;

std::string_view path_of(Dialect dialect);  // after the base address

// `dimensions` requests shorter vectors, which not every model supports.
std::string request_body(Dialect dialect, std::string_view model, std::span<const std::string_view> texts,
                         std::optional<int> dimensions);

// Returns one unit vector per text, in the order of the texts. Errc::protocol with the reason: another number of
// vectors, different dimensions, a number that is not finite, or a vector of zeros.
Result<std::vector<std::vector<float>>> parse_answer(Dialect dialect, std::string_view body, std::size_t texts);

}  // namespace memd::embeddings_api

// The two HTTP APIs that language models are served by, as JSON texts.
namespace memd::completions_api {

using model_api::Dialect;

std::string_view path_of(Dialect dialect);  // after the base address

struct RequestOptions {
  // Limit for prompt and answer together. It is sent to ollama, which otherwise cuts off the beginning of a long prompt
  // silently.
  std::size_t context_tokens = 8192;
  // OpenAI's own models refuse `max_tokens` and every temperature but the default. Other servers support only
  // `max_tokens`.
  bool is_openai_itself = false;
};
std::string request_body(Dialect dialect, std::string_view model, const CompletionRequest& request,
                         const RequestOptions& options);

// Returns the completion, its text unchanged. Errc::protocol with the reason: no JSON, another shape, a refusal, no
// text.
Result<Completion> parse_answer(Dialect dialect, std::string_view body);

}  // namespace memd::completions_api
