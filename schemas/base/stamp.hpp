#pragma once

#include "schemas/base/timestamp.hpp"

#include <optional>
#include <string_view>

// Times as agents write them.
namespace memd {

// Converts a number: Unix epoch seconds, milliseconds, microseconds or nanoseconds, by its size. 0 for a number that is
// none of them, and for times before 1970.
TimeMs from_unix_number(double number);

// Reads a time in the forms of parse_rfc3339(), with a year beyond 9999 and its sign ("+010000-…", read as the first
// day that format_rfc3339() cannot write in four digits), or as a number of from_unix_number(). nullopt for anything
// else.
std::optional<TimeMs> parse_stamp(std::string_view text);

}  // namespace memd
