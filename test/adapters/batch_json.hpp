#pragma once

#include "schemas/event_batch.hpp"

#include <string>

namespace memd::test {

// A batch as JSON text, fields at their defaults left out; for golden files.
std::string batch_json(const EventBatch& batch);

}  // namespace memd::test
