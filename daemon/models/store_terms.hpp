#pragma once

#include "daemon/models/term_extractor.hpp"
#include "store/enrich/embedding/embedder.hpp"

#include <filesystem>
#include <memory>

namespace memd {

// Identifiers, and topics with the help of what the store knows of its words and, if there is one, of a model of this
// process.
std::unique_ptr<TermExtractor> make_store_terms(const std::filesystem::path& database,
                                                std::shared_ptr<embedding::Embedder> embedder);

}  // namespace memd
