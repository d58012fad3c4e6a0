#pragma once

#include "daemon/interchange/output_file.hpp"
#include "schemas/base/result.hpp"
#include "store/seal/cipher.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

// Sealed exports. A line states the format, its version, the id of the key and a random number of the file; pieces of
// some 64 KiB follow (docs/events-format.md). Each piece is sealed together with that line, its number and whether it
// is the last, so that missing or moved pieces are detected.
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
