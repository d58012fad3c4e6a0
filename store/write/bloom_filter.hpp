#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace memd::assembly {

// Split-block Bloom filter over keys that are hashes already: one cache line a key, eight bits of it. At 12 bits a key
// some 0.5% of the keys that are not in it look as if they were; beyond `capacity` ever more do. One thread.
class BloomFilter {
 public:
  // Room for `capacity` keys, within `most_bytes`.
  BloomFilter(std::uint64_t capacity, std::size_t most_bytes)
      : blocks_(std::clamp<std::size_t>(static_cast<std::size_t>(capacity * kBitsPerKey / 8) / sizeof(Block) + 1, 1,
                                        most_bytes / sizeof(Block))) {}

  void add(std::uint64_t key) {
    Block& block = blocks_[index_of(key)];
    for (std::size_t i = 0; i < kWords; ++i)
      block.words[i] |= bit_of(key, i);
  }

  // False: the key was never added.
  bool may_contain(std::uint64_t key) const {
    const Block& block = blocks_[index_of(key)];
    std::uint32_t missing = 0;
    for (std::size_t i = 0; i < kWords; ++i)
      missing |= bit_of(key, i) & ~block.words[i];
    return missing == 0;
  }

  std::size_t bytes() const { return blocks_.size() * sizeof(Block); }

 private:
  static constexpr std::size_t kWords = 8;
  static constexpr std::uint64_t kBitsPerKey = 12;
  static constexpr std::array<std::uint32_t, kWords> kSalts{0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du,
                                                            0x705495c7u, 0x2df1424bu, 0x9efc4947u, 0x5c6bfb31u};
  struct alignas(32) Block {
    std::array<std::uint32_t, kWords> words{};
  };

  std::size_t index_of(std::uint64_t key) const {
    return static_cast<std::size_t>(((key >> 32) * static_cast<std::uint64_t>(blocks_.size())) >> 32);
  }
  static std::uint32_t bit_of(std::uint64_t key, std::size_t word) {
    return 1u << ((static_cast<std::uint32_t>(key) * kSalts[word]) >> 27);
  }

  std::vector<Block> blocks_;
};

}  // namespace memd::assembly
