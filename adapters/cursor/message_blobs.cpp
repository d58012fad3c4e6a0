#include "adapters/cursor/message_blobs.hpp"

#include "schemas/ascii.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace memd::cursor {
namespace {

constexpr std::size_t kIdBytes = 32;
constexpr std::string_view kHex = "0123456789abcdef";

std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  return c == '/' || c == '_' ? 63 : -1;
}

}  // namespace

std::vector<std::string> child_ids(std::string_view bytes) {
  std::vector<std::string> ids;
  while (!bytes.empty()) {
    const auto tag = take_varint(bytes);
    if (!tag) break;
    std::uint64_t length = 0;
    switch (*tag & 7) {
      case 0:
        if (!take_varint(bytes)) return ids;
        continue;
      case 1: length = 8; break;
      case 5: length = 4; break;
      case 2:
        if (const auto n = take_varint(bytes))
          length = *n;
        else
          return ids;
        break;
      default: return ids;
    }
    if (length > bytes.size()) break;
    if ((*tag & 7) == 2 && *tag >> 3 == 1 && length == kIdBytes) {
      std::string& id = ids.emplace_back();
      for (const char c : bytes.substr(0, kIdBytes)) {
        id.push_back(kHex[static_cast<unsigned char>(c) >> 4]);
        id.push_back(kHex[static_cast<unsigned char>(c) & 15]);
      }
    }
    bytes.remove_prefix(length);
  }
  return ids;
}

std::string from_hex(std::string_view digits) {
  std::string bytes;
  if (digits.size() % 2 != 0) return bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = ascii::hex_value(digits[i]);
    const int low = ascii::hex_value(digits[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes.push_back(static_cast<char>(high << 4 | low));
  }
  return bytes;
}

std::string decode_state(std::string_view state) {
  if (!state.starts_with('~')) return {};
  state.remove_prefix(1);
  if (auto bytes = from_hex(state); !bytes.empty()) return bytes;
  std::string bytes;
  std::uint32_t buffer = 0;
  int bits = 0;
  for (const char c : state) {
    if (c == '=') break;
    const int digit = base64_digit(c);
    if (digit < 0) return {};
    buffer = buffer << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push_back(static_cast<char>(buffer >> bits & 0xff));
    }
  }
  return bytes;
}

}  // namespace memd::cursor
