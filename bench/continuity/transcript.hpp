#pragma once

#include "schemas/time.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace memd::bench {

struct ToolInput {
  std::string name;   // of the argument; of nested ones the outermost
  std::string value;  // strings only
};

struct ToolUse {
  std::string tool;
  std::vector<ToolInput> inputs;

  const std::string* input(std::string_view name) const;
};

enum class RecordKind { user, assistant, boundary, compact_summary, other };

// One line of a Claude Code transcript, as far as the benchmark looks at it.
struct TranscriptRecord {
  std::size_t begin = 0;  // bytes in the file, the newline included
  std::size_t end = 0;
  TimeMs time = 0;
  RecordKind kind = RecordKind::other;
  bool human = false;                // words of a person
  bool sidechain = false;            // of a subagent, or put there by the client
  std::vector<std::string> texts;    // what was said
  std::vector<std::string> results;  // what tools gave back
  std::vector<std::string> errors;   // of those the ones that failed
  std::string cwd;                   // empty: not stated
  std::vector<ToolUse> uses;
};

struct Transcript {
  std::filesystem::path file;
  std::string bytes;
  std::vector<TranscriptRecord> records;

  std::string native_id() const { return file.stem().string(); }
};

// Lines that are no JSON object are `other`. Throws std::runtime_error when the file cannot be read.
Transcript read_transcript(const std::filesystem::path& file);

// Main transcripts of a home, by path; and those of them that hold a compact_boundary.
std::vector<std::filesystem::path> main_transcripts(const std::filesystem::path& home);
std::vector<std::filesystem::path> compacted_transcripts(const std::filesystem::path& home);

// One compaction: the records before `boundary` are what could be known, `summary` is what the platform made of them.
struct Compaction {
  std::size_t boundary = 0;
  std::size_t resumed = 0;             // the record after the platform's summary, or after the boundary
  std::string platform_summary;        // empty: none
  std::vector<std::size_t> next_used;  // the next user and assistant records, at most `window` of them, before the
                                       // next compaction
};
std::vector<Compaction> compactions(const Transcript& transcript, std::size_t window);

// The middle one of the places where a person speaks, with at least `window` user and assistant records before and 10
// after, before the next compaction: where a session could have ended. None in a short session; no summary.
std::vector<Compaction> cuts(const Transcript& transcript, std::size_t window);

}  // namespace memd::bench
