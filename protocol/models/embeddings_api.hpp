#pragma once

#include "protocol/models/model_api.hpp"
#include "schemas/error.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The two HTTP APIs that embedding models are served by, as JSON texts.
namespace memd::embeddings_api {

using model_api::Dialect;

std::string_view path_of(Dialect dialect);  // behind the base address

// `dimensions`: shorter vectors are asked for; not every model can.
std::string request_body(Dialect dialect, std::string_view model, std::span<const std::string_view> texts,
                         std::optional<int> dimensions);

// One vector a text, in their order: as many as asked for, all of one length, every number finite, none all zero, of
// unit length. Else Errc::protocol with what is wrong.
Result<std::vector<std::vector<float>>> parse_answer(Dialect dialect, std::string_view body, std::size_t texts);

}  // namespace memd::embeddings_api
