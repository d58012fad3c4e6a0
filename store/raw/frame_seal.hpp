#pragma once

#include "schemas/error.hpp"
#include "store/raw/raw_frame.hpp"
#include "store/seal/cipher.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace memd::raw {

// Where a frame stands. A sealed frame opens nowhere else.
struct FramePlace {
  std::string_view file;     // its name below the raw directory
  std::uint64_t offset = 0;  // in the file
};

// The way in and out of raw files for frames: writes them sealed when there is a key, and reads both kinds. A sealed
// frame is a plain one, header and content, in a box (docs/store-format.md). Copies share the key. Thread-safe.
class FrameSeal {
 public:
  FrameSeal() = default;  // without a key: writes plain frames, reads only those
  explicit FrameSeal(std::shared_ptr<seal::LazyCipher> cipher) : cipher_(std::move(cipher)) {}

  bool has_key() const { return cipher_ != nullptr; }
  // The id of the key in hexadecimal; empty without one. An error when the key cannot be had.
  Result<std::string> key_id() const;

  // Throws ErrorException when the key cannot be had, and so does wrap().
  std::string encode(const FrameHeader& header, std::string_view packed_content, const FramePlace& place) const;
  // `plain`: a whole plain frame.
  std::string wrap(std::string plain, const FramePlace& place) const;

  // Parses the frame that `bytes` begins with. Messages name the place.
  //   Errc::io           there is none, or an incomplete or a damaged one
  //   Errc::bad_config   it is sealed, and the key is missing, cannot be had or is another one
  Result<ParsedFrame> parse(std::string_view bytes, const FramePlace& place) const;

 private:
  std::shared_ptr<seal::LazyCipher> cipher_;
};

// What can be said of the frames of a raw layer without any key.
struct FrameTally {
  std::uint64_t plain = 0;
  std::uint64_t sealed = 0;  // with the key of this id
  std::uint64_t sealed_otherwise = 0;
};
FrameTally tally_frames(const std::filesystem::path& directory, std::string_view key_id);

}  // namespace memd::raw
