#pragma once

#include "daemon/interchange/output_file.hpp"
#include "schemas/base/result.hpp"
#include "store/seal/cipher.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

// Sealed exports. The first line is plain ASCII: "memd sealed 1 KEY FILE", with the version, the id of the key (16
// hexadecimal digits) and a random number of the file (32). Pieces follow, each a length (4 bytes, little-endian) and
// as many bytes: a nonce of 24, up to 64 KiB of the content encrypted with XChaCha20-Poly1305, and a tag of 16. Its
// associated data are the first line with its newline, the number of the piece (8 bytes, little-endian, from 0) and a
// byte that is 1 for the last piece, so that missing or moved pieces are detected.
namespace memd::interchange {

// Seals lines and writes them to a file, which must outlive it. One thread.
class SealedLines {
 public:
  SealedLines(OutputFile& out, seal::CipherPtr cipher) : out_(out), cipher_(std::move(cipher)) {}

  Result<void> line(std::string_view text);
  Result<void> finish();  // seals the last piece; the owner of the file finishes it

 private:
  Result<void> write_piece(std::string_view piece, bool last);

  OutputFile& out_;
  const seal::CipherPtr cipher_;
  std::string head_;  // the first line; empty: nothing was written yet
  std::string piece_;
  std::uint64_t number_ = 0;
};

// Returns whether the file begins with the line of a sealed export. False for a file that cannot be read.
bool is_sealed_file(const std::filesystem::path& file);

// Opens the file piece by piece. `write` receives only authenticated pieces, but possibly the start of a file whose end
// is damaged. Errc::bad_config: another key, or none (`cipher` null); Errc::io: damaged or truncated, with the offset;
// Errc::unsupported: a later version.
Result<void> open_sealed_file(const std::filesystem::path& file, seal::LazyCipher* cipher,
                              const std::function<Result<void>(std::string_view bytes)>& write);

}  // namespace memd::interchange
