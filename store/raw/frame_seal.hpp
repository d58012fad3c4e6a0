#pragma once

#include "schemas/base/result.hpp"
#include "store/raw/raw_frame.hpp"
#include "store/seal/cipher.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace memd::raw {

// The position of a frame. A sealed frame cannot be decrypted at any other position.
struct FramePlace {
  std::string_view file;     // file name relative to the raw directory
  std::uint64_t offset = 0;  // byte offset in the file
};

// Encodes and parses the frames of raw files. Encrypts frames when there is a key, and reads plain and sealed ones. A
// sealed frame contains a whole plain frame, header and content. Copies share the key. Thread-safe.
class FrameSeal {
 public:
  FrameSeal() = default;  // without a key: writes and reads plain frames only
  explicit FrameSeal(std::shared_ptr<seal::LazyCipher> cipher) : cipher_(std::move(cipher)) {}

  bool has_key() const { return cipher_ != nullptr; }
  // Returns the key id in hexadecimal; empty without a key. Fails when the key cannot be obtained.
  Result<std::string> key_id() const;

  // encode() and wrap() throw ErrorException when the key cannot be obtained.
  std::string encode(const FrameHeader& header, std::string_view packed_content, const FramePlace& place) const;
  // `plain`: a whole plain frame.
  std::string wrap(std::string plain, const FramePlace& place) const;

  // Parses the frame at the start of `bytes`. Error messages include the place.
  //   Errc::io           no frame, or an incomplete or damaged one
  //   Errc::bad_config   the frame is sealed, and the key is missing, unavailable or a different one
  Result<ParsedFrame> parse(std::string_view bytes, const FramePlace& place) const;

 private:
  std::shared_ptr<seal::LazyCipher> cipher_;
};

// Frame counts of a raw layer, obtained without any key.
struct FrameTally {
  std::uint64_t plain = 0;
  std::uint64_t sealed = 0;  // with the key `key_id`
  std::uint64_t sealed_otherwise = 0;
};
FrameTally tally_frames(const std::filesystem::path& directory, std::string_view key_id);

}  // namespace memd::raw
