#pragma once

// What this process holds in memory and does not need for now. Any thread may call these.
namespace memd::process_memory {

// Returns free pages of the heap to the system. Takes milliseconds after much work. Does nothing without glibc.
void trim_heap();

// Lets go of the pages of the program and of its libraries that nothing can have written to: code, constants, the
// embedded model. They stay in the page cache, so what is needed again costs a minor fault for each 64 KiB. Worth it
// when what comes next needs other pages, as after a start, or few. Does nothing outside Linux.
void unmap_program_pages();

}  // namespace memd::process_memory
