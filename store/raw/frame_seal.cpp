#include "store/raw/frame_seal.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "store/raw/frame_codec.hpp"
#include "store/raw/raw_file.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>

namespace memd::raw {
namespace {

// Format: magic:4 payload:4 | "MEMD":4 version:1 zero:3 key_id:8 | nonce, sealed frame, tag. The seal authenticates the
// fixed part and the place.
constexpr std::size_t kKeyIdAt = 16;
constexpr std::size_t kFixedPart = kKeyIdAt + seal::kKeyIdBytes;

struct SealedFrame {
  std::string_view fixed;
  std::string_view box;
  std::string_view key_id() const { return fixed.substr(kKeyIdAt); }
  std::uint64_t length() const { return fixed.size() + box.size(); }
};

std::optional<SealedFrame> sealed_frame(std::string_view bytes) {
  const auto fixed = parse_fixed_part(bytes);
  if (!fixed || fixed->version != kSealedVersion || fixed->length < kFixedPart + seal::kOverhead ||
      fixed->length > bytes.size())
    return std::nullopt;
  return SealedFrame{bytes.substr(0, kFixedPart), bytes.substr(kFixedPart, fixed->length - kFixedPart)};
}

std::string about(std::string_view fixed, const FramePlace& place) {
  ByteWriter w;
  w.text(fixed);
  w.text(place.file);
  w.fixed64(place.offset);
  return w.take();
}

std::string named(const FramePlace& place) { return fmt::format("raw/{} at byte {}", place.file, place.offset); }

Error damaged(const FramePlace& place) { return Error(Errc::io, named(place) + ": no whole frame, or a damaged one"); }

Error locked(const SealedFrame& frame, const FramePlace& place, std::string_view why) {
  return Error(Errc::bad_config,
               fmt::format("{}: sealed with the key {}, and {}", named(place), hexadecimal(frame.key_id()), why));
}

const seal::Cipher& cipher_of(seal::LazyCipher& lazy) {
  const auto& cipher = lazy.get();
  if (!cipher) throw ErrorException(cipher.error());
  return **cipher;
}

}  // namespace

Result<std::string> FrameSeal::key_id() const {
  if (!cipher_) return std::string();
  MEMD_TRY(cipher_->get());
  return hexadecimal((*cipher_->get())->key_id());
}

std::string FrameSeal::encode(const FrameHeader& header, std::string_view packed_content,
                              const FramePlace& place) const {
  return wrap(encode_plain_frame(header, packed_content), place);
}

std::string FrameSeal::wrap(std::string plain, const FramePlace& place) const {
  if (!cipher_) return plain;
  const seal::Cipher& cipher = cipher_of(*cipher_);
  const std::uint64_t length = kFixedPart + plain.size() + seal::kOverhead;
  if (length > std::numeric_limits<std::uint32_t>::max())
    throw ErrorException(Error(Errc::io, named(place) + ": a frame too long to be sealed"));
  std::string out = fixed_part(kSealedVersion, length);
  out.append(kKeyIdAt - out.size(), '\0');
  out += cipher.key_id();
  out += cipher.seal(plain, about(out, place));
  return out;
}

Result<ParsedFrame> FrameSeal::parse(std::string_view bytes, const FramePlace& place) const {
  if (auto plain = parse_plain_frame(bytes)) return std::move(*plain);
  const auto sealed = sealed_frame(bytes);
  if (!sealed) return damaged(place);
  if (!cipher_) return locked(*sealed, place, "the configuration names no key (encryption)");
  const auto& fetched = cipher_->get();
  if (!fetched) return fetched.error();
  const seal::Cipher& cipher = **fetched;
  auto opened = cipher.open(sealed->box, about(sealed->fixed, place));
  if (!opened && sealed->key_id() != cipher.key_id()) {
    // The frame has another key, unless only its key id is damaged.
    const std::string with_own_id = std::string(sealed->fixed.substr(0, kKeyIdAt)) + cipher.key_id();
    if (!cipher.open(sealed->box, about(with_own_id, place)))
      return locked(*sealed, place, "the configured key is " + hexadecimal(cipher.key_id()));
  }
  if (!opened) return damaged(place);
  auto frame = parse_plain_frame(*opened);
  if (!frame || frame->length != opened->size()) return damaged(place);
  frame->length = sealed->length();
  frame->unsealed = std::move(*opened);
  return std::move(*frame);
}

FrameTally tally_frames(const std::filesystem::path& directory, std::string_view key_id) {
  FrameTally out;
  for (const auto& name : raw_file_names(directory)) {
    const auto file = FileBytes::open(directory / name);
    if (!file) continue;
    for (std::string_view rest = file->bytes(); !rest.empty();) {
      std::uint64_t length = next_magic(rest);
      if (const auto sealed = sealed_frame(rest)) {
        ++(hexadecimal(sealed->key_id()) == key_id ? out.sealed : out.sealed_otherwise);
        length = sealed->length();
      } else if (const auto plain = parse_plain_frame(rest)) {
        ++out.plain;
        length = plain->length;
      }
      rest.remove_prefix(length);
    }
  }
  return out;
}

}  // namespace memd::raw
