#pragma once

#include "schemas/error.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The two HTTP APIs that embedding models are served by, as JSON texts.
namespace memd::embeddings_api {

enum class Dialect {
  ollama,  // POST <base>/api/embed
  openai,  // POST <base>/embeddings, <base> ends in /v1; spoken by many servers
};

std::string_view path_of(Dialect dialect);

// `dimensions`: shorter vectors are asked for; not every model can.
std::string request_body(Dialect dialect, std::string_view model, std::span<const std::string_view> texts,
                         std::optional<int> dimensions);

// One vector a text, in their order: as many as asked for, all of one length, every number finite, none all zero, of
// unit length. Else Errc::protocol with what is wrong.
Result<std::vector<std::vector<float>>> parse_answer(Dialect dialect, std::string_view body, std::size_t texts);

// What an answer with an error status says, on one line and not long; empty when it says nothing readable.
std::string parse_complaint(std::string_view body);

}  // namespace memd::embeddings_api
