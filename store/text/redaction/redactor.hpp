#pragma once

#include "schemas/event_batch.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace memd {

// The one place that knows what is not stored: what a person marked as private (redaction/private_text.hpp), and
// secrets: what the rules in store/text/secrets describe, what stands beside a telling name, and tokens that name
// themselves (redaction/secret_finder.hpp). Each becomes "[redacted:<kind>]", "[redacted:private]" among them. Text
// without secrets is left untouched. Commit hashes, digests and identifiers survive. Idempotent. Thread-safe.

// Masks in place; true if something was masked.
bool redact(std::string& text);

bool has_secret(std::string_view text);

// Masks secrets in everything of a batch that is stored as text, names and places too, once: a batch that is masked
// already is left alone.
void mask_secrets(EventBatch& batch);

// Masks secrets in the lines of a source, in place, before anything is made of them. Every line keeps its length and
// its newline, so that offsets stay true: what "[redacted:<kind>]" is shorter than the secret is filled up with blanks
// at the end of the line; where it is longer, a shorter form stands ("[redacted]", "***"). A JSON line stays valid
// JSON. Looks through two layers of escape sequences (a text in a JSON string, JSON in a JSON string). Lines without
// secrets cost a scan. Returns how many secrets were masked. Thread-safe.
std::size_t mask_records(std::span<char> lines);

// The same for a record that is held in a string.
std::size_t mask_record(std::string& record);

// The same for what a person marked as private alone: where secrets are kept, that is not.
std::size_t mask_private(std::span<char> lines);
bool may_be_private(std::string_view lines);  // false: mask_private() would find nothing

}  // namespace memd
