#pragma once

#include "daemon/ingest/zstd_log.hpp"
#include "schemas/source.hpp"

#include <list>
#include <memory>
#include <string>
#include <string_view>

namespace memd {

// The streams of compressed sources that are being read, kept from slice to slice: a compressed file cannot be entered
// in its middle. A few at a time; who comes while all are taken waits for its turn. One thread.
class CompressedLogs {
 public:
  bool has_room_for(std::string_view path) const;
  // The stream over the file; a fresh one when the file has changed since. Valid until it is closed.
  ZstdLog& open(const std::string& path, SourceFile file);
  void close(std::string_view path);

 private:
  struct Open {
    std::string path;
    std::unique_ptr<ZstdLog> log;
  };
  std::list<Open> open_;
};

// What Source::mark holds of a compressed source: the size of the file when it was read to its end.
std::string end_mark(std::uint64_t file_size);
std::uint64_t size_at_end(std::string_view mark);  // 0: was not read to its end

}  // namespace memd
