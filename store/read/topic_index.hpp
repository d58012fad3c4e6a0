#pragma once

#include "schemas/topic.hpp"
#include "store/db/database.hpp"

// What was talked about, from the stored topics. All functions throw ErrorException; not_found or invalid_argument when
// filter.session names no session or several.
namespace memd::topics {

// Of topics that hold one another ("cache", "cache key") the one talked about most is listed.
TopicList list(sqlite::Database& db, const TopicListQuery& query);

TopicFinding find(sqlite::Database& db, const TopicQuestion& question);

}  // namespace memd::topics
