#include "schemas/base/hash.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

// FIPS 180-4: an empty text, one block, and a text whose padding needs another block.
TEST(Sha256, OfKnownTexts) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(std::string(200, 'a')), "c2a908d98f5df987ade41b5fce213067efbcc21ef2240212a41e54b5e7c28ae5");
}

TEST(Sha256, BytesInHexadecimal) {
  using namespace std::string_view_literals;
  EXPECT_EQ(hexadecimal("\0\x0f\xa0\xff"sv), "000fa0ff");
  EXPECT_EQ(hexadecimal(""), "");
}

}  // namespace
}  // namespace memd
