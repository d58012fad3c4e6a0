#pragma once

#include "adapters/events_v1/foreign_export.hpp"
#include "schemas/base/result.hpp"
#include "schemas/base/unique_fd.hpp"
#include "store/seal/cipher.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace memd::interchange {

// The file that ingest reads for an import: the given file or, if that is sealed or another program's export
// (adapters/events_v1/foreign_export.hpp), an opened copy in events.v1 that only its owner can read. The destructor
// removes the copy; the store then has its records in the raw layer. If the process is killed before that, the next
// import or the next process that ingests removes it. One thread.
class ImportFile {
 public:
  // `copies`: directory for copies, created when one is needed. Its parent must exist. Errors as for
  // open_sealed_file(); Errc::unsupported: an archive, which is to be unpacked.
  static Result<ImportFile> open(const std::string& given, const std::filesystem::path& copies,
                                 seal::LazyCipher* cipher);
  ~ImportFile();
  ImportFile(ImportFile&& other) noexcept;
  ImportFile& operator=(ImportFile&&) = delete;

  const std::string& given() const { return given_; }
  // The program whose export it is, empty: none; and what became of its conversations.
  std::string_view program() const { return events_v1::name_of(format_); }
  const events_v1::ConvertedExport& converted() const { return converted_; }
  // Returns the same path for the same file, so that a file imported twice is one source.
  std::string readable() const { return copy_.empty() ? given_ : copy_.string(); }

 private:
  ImportFile(std::string given, std::filesystem::path copy, UniqueFd copies)
      : given_(std::move(given)), copy_(std::move(copy)), copies_(std::move(copies)) {}
  std::string given_;
  std::filesystem::path copy_;  // empty: there is none
  events_v1::ExportFormat format_ = events_v1::ExportFormat::none;
  events_v1::ConvertedExport converted_;
  UniqueFd copies_;  // the directory of the copies, locked while this one is in use
};

// Deletes the copies that killed imports have left in the directory, unless an import runs. Any process.
void remove_left_copies(const std::filesystem::path& copies);

}  // namespace memd::interchange
