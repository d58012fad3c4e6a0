#pragma once

#include "schemas/error.hpp"

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace memd::interchange {

// Where an export goes: stdout, or a file that appears only when it is complete, readable by its owner alone. Owns the
// file; one thread.
class OutputFile {
 public:
  // An existing file is replaced by finish(). Empty: standard output.
  static Result<OutputFile> open(const std::filesystem::path& path);
  ~OutputFile();  // removes a file that was not finished
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  Result<void> line(std::string_view text);  // writes a newline behind it
  Result<void> bytes(std::string_view bytes);
  Result<void> finish();

 private:
  OutputFile(std::FILE* file, std::filesystem::path path, std::filesystem::path part)
      : file_(file), path_(std::move(path)), part_(std::move(part)) {}

  std::FILE* file_;  // stdout is not owned
  std::filesystem::path path_;
  std::filesystem::path part_;  // empty: stdout
};

}  // namespace memd::interchange
