#pragma once

#include "schemas/timestamp.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace memd::bench {

struct ToolInput {
  std::string name;   // name of the argument; for nested ones the outermost
  std::string value;  // strings only
};

struct ToolUse {
  std::string tool;
  std::vector<ToolInput> inputs;

  const std::string* input(std::string_view name) const;
};

enum class RecordKind { user, assistant, boundary, compact_summary, other };

// One line of a Claude Code transcript, reduced to what the benchmark uses.
struct TranscriptRecord {
  std::size_t begin = 0;  // bytes in the file, the newline included
  std::size_t end = 0;
  TimeMs time = 0;
  RecordKind kind = RecordKind::other;
  bool human = false;                // written by a person
  bool sidechain = false;            // from a subagent, or inserted by the client
  std::vector<std::string> texts;    // spoken texts
  std::vector<std::string> results;  // results of tools
  std::vector<std::string> errors;   // results of failed calls
  std::string cwd;                   // empty: not stated
  std::vector<ToolUse> uses;
};

struct Transcript {
  std::filesystem::path file;
  std::string bytes;
  std::vector<TranscriptRecord> records;

  std::string native_id() const { return file.stem().string(); }
};

// Reads a transcript. Lines that are not a JSON object become `other`. Throws std::runtime_error when the file cannot
// be read.
Transcript read_transcript(const std::filesystem::path& file);

// Return the main transcripts of a home by path: all, and those with a compact_boundary.
std::vector<std::filesystem::path> main_transcripts(const std::filesystem::path& home);
std::vector<std::filesystem::path> compacted_transcripts(const std::filesystem::path& home);

// One compaction: the records before `boundary` are the known history, `platform_summary` is the platform's summary of
// them.
struct Compaction {
  std::size_t boundary = 0;
  std::size_t resumed = 0;             // the record after the platform's summary, or after the boundary
  std::string platform_summary;        // empty: none
  std::vector<std::size_t> next_used;  // the next user and assistant records, at most `window` of them, before the
                                       // next compaction
};
std::vector<Compaction> compactions(const Transcript& transcript, std::size_t window);

// Returns a point where a session could have ended: the middle one of a person's messages that have at least `window`
// user and assistant records before and 10 after, before the next compaction. None in a short session; without a
// summary.
std::vector<Compaction> cuts(const Transcript& transcript, std::size_t window);

}  // namespace memd::bench
