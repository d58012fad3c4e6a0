#include "adapters/json/base64.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace memd::json {

std::string base64_decoded(std::string_view text) {
  static constexpr auto kDigits = [] {
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::array<std::int8_t, 256> digits{};
    digits.fill(-1);
    for (std::size_t i = 0; i < kAlphabet.size(); ++i)
      digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
    digits['-'] = 62;
    digits['_'] = 63;
    return digits;
  }();
  const auto digit_of = [](char c) { return static_cast<int>(kDigits[static_cast<unsigned char>(c)]); };
  text = text.substr(0, text.find('='));
  std::string bytes(text.size() / 4 * 3, '\0');
  char* out = bytes.data();
  for (; text.size() >= 4; text.remove_prefix(4)) {
    const int all = digit_of(text[0]) << 18 | digit_of(text[1]) << 12 | digit_of(text[2]) << 6 | digit_of(text[3]);
    if (all < 0) return {};
    *out++ = static_cast<char>(all >> 16);
    *out++ = static_cast<char>(all >> 8 & 0xff);
    *out++ = static_cast<char>(all & 0xff);
  }
  std::uint32_t buffer = 0;
  int bits = 0;
  for (const char c : text) {
    const int digit = digit_of(c);
    if (digit < 0) return {};
    buffer = buffer << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>(buffer >> bits & 0xff));
  }
  return bytes;
}

}  // namespace memd::json
