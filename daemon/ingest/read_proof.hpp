#pragma once

#include "daemon/ingest/log_window.hpp"
#include "schemas/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd {

// Checksums of the bytes of a log that were read, by which a later look finds out whether the log still begins with
// them. They cover blocks of equal size, which doubles as the log grows: a log of any length has fewer than kMostBlocks
// of them, and a few smaller ones behind them. The newest bytes have a checksum of their own. A value; no thread rule.
// The checksums have 32 bits: they protect from programs that rewrite files, not from an adversary.
class ReadProof {
 public:
  static constexpr std::size_t kNewest = 4096;  // also the size of the smallest block, a leaf
  static constexpr std::size_t kMostBlocks = 16;

  // Reads Source::proof. nullopt when it is not about the first `length` bytes; it is then not known what they were.
  static std::optional<ReadProof> decode(std::string_view stored, std::uint64_t length);
  std::string encode() const;

  std::uint64_t length() const { return length_; }
  // The number of bytes that extend() needs to be told again: the newest ones, at most kNewest.
  std::size_t newest_size() const;

  // Adds the next bytes of the log. `newest`: the newest_size() bytes before them.
  void extend(std::string_view newest, std::string_view bytes);

  // Returns whether the log still begins with the bytes covered. Compares the newest ones and blocks chosen by `draw`,
  // some 16 KiB on average; with `all`, and where there are at most 64 KiB, everything. Reads forwards.
  Result<bool> still_holds(LogWindow& log, bool all, std::uint64_t draw) const;

  // When the file's inode last changed, in nanoseconds since the epoch; 0: not known.
  std::int64_t changed_ns = 0;

 private:
  struct Blocks {
    std::vector<std::uint32_t> sums;
    std::uint64_t leaves = 0;

    void add(std::string_view leaf);
    unsigned doublings() const;  // of the size of the large blocks
    std::size_t count() const;   // of the sums for that many leaves
    struct Place {
      std::uint64_t first = 0;  // leaf
      std::uint64_t count = 0;  // of leaves, a power of two
    };
    Place place(std::size_t index) const;
  };
  Result<bool> has(LogWindow& log, std::size_t index) const;
  Result<bool> has_drawn(LogWindow& log, std::uint64_t draw) const;

  std::uint64_t length_ = 0;
  std::uint32_t newest_ = 0;
  Blocks blocks_;
};

}  // namespace memd
