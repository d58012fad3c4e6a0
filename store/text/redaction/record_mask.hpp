#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace memd {

// Masks secrets in the lines of a source, in place, before anything is made of them. Every line keeps its length and
// its newline, so that offsets stay true: what "[redacted:<kind>]" is shorter than the secret is filled up with blanks
// at the end of the line; where it is longer, a shorter form stands ("[redacted]", "***"). A JSON line stays valid
// JSON. Looks through two layers of escape sequences (a text in a JSON string, JSON in a JSON string). Lines without
// secrets cost a scan. Returns how many secrets were masked. Thread-safe.
std::size_t mask_records(std::span<char> lines);

// The same for a record that is held in a string.
std::size_t mask_record(std::string& record);

}  // namespace memd
