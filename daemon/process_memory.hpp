#pragma once

// Functions that return unneeded memory of this process. Thread-safe.
namespace memd::process_memory {

// Returns free pages of the heap to the system. Takes milliseconds after much work. Does nothing without glibc.
void trim_heap();

// Unmaps the read-only pages of the program and its libraries: code, constants, the models. They stay in the
// page cache, so the next use of a page costs a minor fault (which maps 64 KiB). Useful when the next work needs few or
// other pages, as after a start. Does nothing outside Linux.
void unmap_program_pages();

}  // namespace memd::process_memory
