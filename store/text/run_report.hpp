#pragma once

#include "schemas/tool_facts.hpp"

#include <string_view>

namespace memd {

// What the output of a test run or a build says about its end, in the words of its runner
// (store/text/runs/run_output.words).
struct RunReport {
  bool failed = false;           // a summary or a closing line says so
  bool may_have_failed = false;  // a single test or a message says so, and no summary says that all passed
  bool ends_in_error = false;    // a message among its last lines says so, and no summary says that all passed
  bool passed = false;           // a summary or a closing line says so
  bool part_passed = false;      // a line about a part says so: a package, or a count without the others
  bool end_is_cut = false;       // the end of the output is left out
  bool not_ended = false;        // the tool refused or stopped the command
};

// Reads the beginning and the last lines of an output; `end` is empty when `begin` is the whole. Ignores colours. Pure;
// thread-safe.
RunReport read_run_report(CommandPurpose purpose, std::string_view begin, std::string_view end);

}  // namespace memd
