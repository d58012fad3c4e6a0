#pragma once

#include "bench/continuity/transcript.hpp"
#include "schemas/timestamp.hpp"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace memd::bench {

// A home that grows like another one: it shows the Claude Code transcripts of `corpus` as they were on disk at
// successive moments. Moments must come in the order of their times. Throws std::runtime_error.
class CorpusPrefix {
 public:
  CorpusPrefix(const std::filesystem::path& corpus, std::filesystem::path home);

  // Grows the home to the records of `transcript` before `before`, with the moved-out tool results named so far. Other
  // files, including subagents', are grown to their part older than `time`.
  void grow(const Transcript& transcript, std::size_t before, TimeMs time);

  // Appends the records of `transcript` up to `end`, as its agent would.
  void append(const Transcript& transcript, std::size_t end);

 private:
  struct Line {
    std::size_t end = 0;  // offset in the file, in bytes
    TimeMs time = 0;      // 0: none stated
  };
  struct File {
    std::filesystem::path from;
    std::filesystem::path to;
    std::vector<Line> lines;
    std::size_t next = 0;     // index of the next line
    std::size_t written = 0;  // bytes written
  };
  void write_up_to(File& file, std::size_t bytes);
  File& file_of(const Transcript& transcript);

  std::vector<File> files_;
};

}  // namespace memd::bench
