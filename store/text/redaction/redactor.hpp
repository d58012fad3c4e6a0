#pragma once

#include "schemas/event_batch.hpp"

#include <string>
#include <string_view>

namespace memd {

// The one place that knows what a secret looks like: private key blocks, keys and tokens of known services, JWTs,
// Authorization headers, passwords in connection strings, and assignments such as `password=…` with a value that is no
// placeholder. Each becomes "[redacted:<kind>]". Text without secrets is left untouched at memory-scan speed. Prefers
// leaving a doubtful word to spoiling code: commit hashes, UUIDs, digests and identifiers survive.
// Idempotent. Thread-safe.

// Masks in place; true if something was masked.
bool redact(std::string& text);

bool has_secret(std::string_view text);

// Masks secrets in everything of a batch that is stored as text, names and places too, once: a batch that is masked
// already is left alone.
void mask_secrets(EventBatch& batch);

}  // namespace memd
