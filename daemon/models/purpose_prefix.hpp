#pragma once

#include "store/enrich/embedding/embedder.hpp"

#include <string_view>

namespace memd::embedding {

// What some models were trained to see before a question or a document, by the model's name; empty for all others.
std::string_view purpose_prefix(std::string_view model, Purpose purpose);

}  // namespace memd::embedding
