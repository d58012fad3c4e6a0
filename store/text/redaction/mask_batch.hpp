#pragma once

#include "schemas/event_batch.hpp"

namespace memd {

// Masks secrets in everything of a batch that is stored as text, names and places too, once: a batch that is masked
// already is left alone.
void mask_secrets(EventBatch& batch);

}  // namespace memd
