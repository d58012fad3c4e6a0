#pragma once

#include "bench/continuity/transcript.hpp"
#include "schemas/time.hpp"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace memd::bench {

// A home that grows as another one did: the Claude Code transcripts of `corpus` as they stood on disk at one moment
// after the other. Moments come in the order of their times. Throws std::runtime_error.
class CorpusPrefix {
 public:
  CorpusPrefix(const std::filesystem::path& corpus, std::filesystem::path home);

  // Of `transcript` the records before `before`, with the tool results that were moved out and are named so far; of all
  // other files, its subagents' too, the beginning that is older than `time`.
  void grow(const Transcript& transcript, std::size_t before, TimeMs time);

  // The records of `transcript` up to `end`, as its agent would append them.
  void append(const Transcript& transcript, std::size_t end);

 private:
  struct Line {
    std::size_t end = 0;  // bytes of the file
    TimeMs time = 0;      // 0: none stated
  };
  struct File {
    std::filesystem::path from;
    std::filesystem::path to;
    std::vector<Line> lines;
    std::size_t next = 0;     // line
    std::size_t written = 0;  // bytes
  };
  void write_up_to(File& file, std::size_t bytes);
  File& file_of(const Transcript& transcript);

  std::vector<File> files_;
};

}  // namespace memd::bench
