#pragma once

#include "protocol/models/model_api.hpp"
#include "schemas/error.hpp"
#include "schemas/language_model.hpp"

#include <cstddef>
#include <string>
#include <string_view>

// The two HTTP APIs that language models are served by, as JSON texts.
namespace memd::completions_api {

using model_api::Dialect;

std::string_view path_of(Dialect dialect);  // behind the base address

struct RequestOptions {
  // Of prompt and answer together. ollama is told: it would cut the beginning of a long prompt off without a word.
  std::size_t context_tokens = 8192;
  // OpenAI's own models refuse `max_tokens` and any temperature but the usual one; others know nothing else.
  bool is_openai_itself = false;
};
std::string request_body(Dialect dialect, std::string_view model, const CompletionRequest& request,
                         const RequestOptions& options);

// The answer's text as it came, or Errc::protocol with what is wrong: no JSON, another shape, no words.
Result<Completion> parse_answer(Dialect dialect, std::string_view body);

}  // namespace memd::completions_api
