#pragma once

#include "schemas/error.hpp"
#include "store/seal/cipher.hpp"

#include <filesystem>
#include <string>

namespace memd::interchange {

// The file that ingest reads for an import: the given file or, if that is sealed, an opened copy that only its owner
// can read. The destructor removes the copy; the store then has its records in the raw layer. One thread.
class ImportFile {
 public:
  // `copies`: directory for copies, created when one is needed. Its parent must exist. Errors as for
  // open_sealed_file().
  static Result<ImportFile> open(const std::string& given, const std::filesystem::path& copies,
                                 seal::LazyCipher* cipher);
  ~ImportFile();
  ImportFile(ImportFile&& other) noexcept;
  ImportFile& operator=(ImportFile&&) = delete;

  const std::string& given() const { return given_; }
  // Returns the same path for the same file, so that a file imported twice is one source.
  std::string readable() const { return copy_.empty() ? given_ : copy_.string(); }

 private:
  ImportFile(std::string given, std::filesystem::path copy) : given_(std::move(given)), copy_(std::move(copy)) {}
  std::string given_;
  std::filesystem::path copy_;  // empty: there is none
};

}  // namespace memd::interchange
