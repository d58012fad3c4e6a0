#pragma once

#include "schemas/file_history.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memd::tools {

struct LineRange {
  std::int64_t first = 0;  // from 1, both included
  std::int64_t last = 0;
};

// The recorded content of one edit of the file. No hunks: nothing is recorded.
struct TraceStep {
  std::vector<EditHunk> hunks;
  bool whole_file = false;
};

enum class TraceMatch {
  placed,     // all later edits have line numbers, and the numbers were carried through them
  estimated,  // a later edit has no line numbers, or no record: the numbers may be off by what it added or removed
  unplaced,   // the edit has no line numbers, so whether it touched the lines is unknown
};

struct TracedEdit {
  std::size_t step = 0;  // index of the edit
  TraceMatch match{};
  LineRange lines;     // changed, numbered as the file was right after the edit; 0 when unplaced
  std::string change;  // the hunks that changed them
};

struct LineTrace {
  std::vector<TracedEdit> edits;  // newest first
  bool reaches_origin = false;    // ended at the edit that wrote the lines first; older ones cannot have touched them
};

// Finds the edits that touched the lines `asked`, numbered as the file is after the last edit. The numbers are carried
// back through the edits, as `git log -L` does. Edits without line numbers get them where the file's contents are
// known, that is, after an edit that wrote the whole file. `edits`: oldest first. Changes by people and shell commands
// are not recorded, so they are missed.
LineTrace trace_lines(const std::vector<TraceStep>& edits, LineRange asked);

// Finds the edits that added or removed a line that contains `text`. `edits`: oldest first. Needs no line numbers; the
// match is `placed` if the edit itself has them, whatever later edits have.
LineTrace trace_text(const std::vector<TraceStep>& edits, std::string_view text);

}  // namespace memd::tools
