#pragma once

#include "schemas/event_batch.hpp"

#include <string>

namespace memd::test {

// Returns a batch as JSON text for golden files. Fields with default values are left out.
std::string batch_json(const EventBatch& batch);

}  // namespace memd::test
