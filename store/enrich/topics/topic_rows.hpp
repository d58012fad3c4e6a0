#pragma once

#include "schemas/enrichment.hpp"
#include "store/db/database.hpp"

#include <span>

namespace memd::topics {

// Replaces the topics of an exchange. What stays is not written again. Throws ErrorException.
void save(sqlite::Database& db, ExchangeId id, std::span<const TopicMention> topics);

}  // namespace memd::topics
