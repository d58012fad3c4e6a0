#pragma once

#include "schemas/base/result.hpp"

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace memd::interchange {

// The destination of an export: stdout, or a file that appears only when it is complete, readable by its owner only.
// Owns the file; one thread.
class OutputFile {
 public:
  // finish() replaces an existing file. An empty path, or "-": standard output. Removes what killed processes have left
  // of the same file.
  static Result<OutputFile> open(const std::filesystem::path& path);
  ~OutputFile();  // removes an unfinished file
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  bool is_named() const { return !part_.empty(); }  // false: standard output
  Result<void> line(std::string_view text);         // appends a newline
  Result<void> bytes(std::string_view bytes);
  Result<void> finish();

 private:
  OutputFile(std::FILE* file, std::filesystem::path path, std::filesystem::path part)
      : file_(file), path_(std::move(path)), part_(std::move(part)) {}

  std::FILE* file_;  // stdout is not closed
  std::filesystem::path path_;
  std::filesystem::path part_;  // temporary path; empty: stdout
};

}  // namespace memd::interchange
