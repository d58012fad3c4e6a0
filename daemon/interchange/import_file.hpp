#pragma once

#include "schemas/error.hpp"
#include "store/seal/cipher.hpp"

#include <filesystem>
#include <string>

namespace memd::interchange {

// What is read when a file is imported: the file itself or, of a sealed one, an opened copy that only its owner can
// read. The copy goes with this object; the store then has its records in the raw layer. One thread.
class ImportFile {
 public:
  // `copies`: the directory for copies, made when one is needed. Its parent must exist. Errors as of
  // open_sealed_file().
  static Result<ImportFile> open(const std::string& given, const std::filesystem::path& copies,
                                 seal::LazyCipher* cipher);
  ~ImportFile();
  ImportFile(ImportFile&& other) noexcept;
  ImportFile& operator=(ImportFile&&) = delete;

  const std::string& given() const { return given_; }
  // The same for the same file, so that one that is imported twice is one source.
  std::string readable() const { return copy_.empty() ? given_ : copy_.string(); }

 private:
  ImportFile(std::string given, std::filesystem::path copy) : given_(std::move(given)), copy_(std::move(copy)) {}
  std::string given_;
  std::filesystem::path copy_;  // empty: there is none
};

}  // namespace memd::interchange
