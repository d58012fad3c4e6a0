#pragma once

#include "daemon/interchange/output_file.hpp"
#include "schemas/error.hpp"
#include "store/seal/cipher.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

// Exports that are sealed: a line that names the format, its version, the key's id and a random number of the file,
// then pieces of some 64 KiB (docs/events-format.md). Each piece is sealed together with that line, its number, and
// whether it is the last: pieces that are missing, or stand elsewhere, are found.
namespace memd::interchange {

// Seals lines on their way to a file, which must outlive it. One thread.
class SealedLines {
 public:
  SealedLines(OutputFile& out, seal::CipherPtr cipher) : out_(out), cipher_(std::move(cipher)) {}

  Result<void> line(std::string_view text);
  Result<void> finish();  // seals the end; the file itself is finished by its owner

 private:
  Result<void> write_piece(std::string_view piece, bool last);

  OutputFile& out_;
  const seal::CipherPtr cipher_;
  std::string head_;  // empty: nothing was written yet
  std::string piece_;
  std::uint64_t number_ = 0;
};

// Whether the file says of itself that it is one. False for what cannot be read.
bool is_sealed_file(const std::filesystem::path& file);

// Opens the file piece by piece. `write` is given nothing that was not whole, but may be given the beginning of a file
// whose end is damaged. Errc::bad_config: another key, or none (`cipher` null); Errc::io: damaged or cut off, with the
// place; Errc::unsupported: a later version.
Result<void> open_sealed_file(const std::filesystem::path& file, seal::LazyCipher* cipher,
                              const std::function<Result<void>(std::string_view bytes)>& write);

}  // namespace memd::interchange
