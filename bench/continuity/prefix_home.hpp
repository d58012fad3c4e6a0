#pragma once

#include "bench/continuity/transcript.hpp"

#include <cstddef>
#include <filesystem>

namespace memd::bench {

// Writes what of a session stood on disk before a record into another home, at the same place below its projects: the
// bytes of the transcript up to the record, of its subagents' transcripts the records that are older, and the tool
// results that were moved out and are named so far.
void write_prefix(const Transcript& transcript, std::size_t before, const std::filesystem::path& home);

// Appends the records from `first` up to `end`, as the agent would.
void append_records(const Transcript& transcript, std::size_t first, std::size_t end,
                    const std::filesystem::path& home);

}  // namespace memd::bench
