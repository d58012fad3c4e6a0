#pragma once

#include "schemas/base/result.hpp"

#include <cstddef>
#include <filesystem>
#include <span>

namespace memd::files {

// A file mapped into memory, to be read. Who replaces it has to rename another one over it. Thread-safe.
class MappedFile {
 public:
  // Errors: not_found, io.
  static Result<MappedFile> open(const std::filesystem::path& file);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }  // from the start of a page on
  // Takes the pages out of this process. They stay in the page cache.
  void unmap_pages() const;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace memd::files
