#pragma once

#include "schemas/event_batch.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace memd {

namespace redaction {
class ForgottenTexts;
}

// Masks text that must not be stored: text that a person marked as private (redaction/private_text.hpp), and secrets
// (redaction/secret_finder.hpp). Secrets are matches of the rules in store/text/secrets, values of sensitive names such
// as "password", and tokens with a vendor's prefix. Each is replaced by "[redacted:<kind>]" or "[redacted:private]".
// Other text is unchanged; commit hashes, digests and identifiers are kept. Idempotent. Thread-safe.

// Masks in place. Returns whether something was masked.
bool redact(std::string& text);

bool has_secret(std::string_view text);

// Masks secrets in every stored text of a batch, names and paths included. Identifiers that link records must not
// become one: those of calls are renamed if they hold a secret, those of sessions and parents are not looked at.
void mask_secrets(EventBatch& batch);

// Masks secrets in the lines of a source, in place, before they are decoded. Every line keeps its length and its
// newline, so that offsets stay valid. If "[redacted:<kind>]" is shorter than the secret, blanks at the end of the line
// fill the difference; if it is longer, a shorter form replaces it ("[redacted]", "***"). A JSON line stays valid JSON.
// Resolves two layers of escape sequences (a text in a JSON string, JSON in a JSON string). Lines without secrets cost
// one scan. Returns the number of masked secrets. Thread-safe.
std::size_t mask_records(std::span<char> lines);

// Like mask_records(), for a record in a string.
std::size_t mask_record(std::string& record);

// Masks only text that a person marked as private. Used where secrets are stored unmasked.
std::size_t mask_private(std::span<char> lines);
bool may_be_private(std::string_view lines);  // false: mask_private() would find nothing

// Masks only texts that a person had removed (redaction/forgotten_text.hpp): in the lines of a source like
// mask_records(), or in a text like redact().
std::size_t mask_forgotten(std::span<char> lines, const redaction::ForgottenTexts& texts);
bool redact_forgotten(std::string& text, const redaction::ForgottenTexts& texts);

}  // namespace memd
