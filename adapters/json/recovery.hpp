#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace memd::json {

// A stretch of a line that is not one whole JSON object.
struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool record = false;  // else damaged
};

// Cuts a damaged line into records and what lies between: two objects without a newline, a cut record followed by the
// next, runs of NUL bytes. Calls `emit` with pieces that cover the line without gap or overlap, in order; blanks
// belong to the piece before them.
//
// `try_slice(slice, nested)` parses a candidate and keeps what it gives; `nested` says that the slice may be the
// inside of a cut record, so that only what is certainly a record may be taken. The work is bounded: a line that
// offers too many false starts is damaged from there on.
enum class Slice : std::uint8_t {
  broken,      // no JSON; a record may still start inside
  not_record,  // whole JSON, but part of a cut record
  record,
};
void recover_line(std::string_view line, const std::function<Slice(std::string_view slice, bool nested)>& try_slice,
                  const std::function<void(const Piece&)>& emit);

}  // namespace memd::json
