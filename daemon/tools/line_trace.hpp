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
  placed,     // every later edit says where its lines are: the numbers were carried through them all
  estimated,  // some later edit does not, or is not recorded: the numbers may be off by what it added or removed
  unplaced,   // the edit does not say where its lines are: whether it is one of these lines is not known
};

struct TracedEdit {
  std::size_t step = 0;  // index of the edit
  TraceMatch match{};
  LineRange lines;     // changed, numbered as the file was right after the edit; 0 when unplaced
  std::string change;  // the hunks that did it
};

struct LineTrace {
  std::vector<TracedEdit> edits;  // newest first
  bool reaches_origin = false;    // the oldest of them wrote the lines first; what is older cannot have touched them
};

// Finds the edits that touched the lines `asked`, numbered as the file is after the last edit. The numbers are carried
// back through the edits, as `git log -L` does. Edits without places get them where the file's contents are known,
// which they are after an edit that wrote the whole file. `edits`: oldest first. Changes by people and shell commands
// are in no record, so they are not seen.
LineTrace trace_lines(const std::vector<TraceStep>& edits, LineRange asked);

// Finds the edits that added or removed a line that contains `text`; oldest last. Needs no places.
LineTrace trace_text(const std::vector<TraceStep>& edits, std::string_view text);

}  // namespace memd::tools
