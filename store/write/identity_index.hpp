#pragma once

#include "store/db/database.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace memd::assembly {

// Split-block Bloom filter over keys that are hashes. A key sets eight bits of one cache line. At 12 bits per key the
// false-positive rate is about 0.5%; it grows beyond `capacity` keys. One thread.
class BloomFilter {
 public:
  // Sizes the filter for `capacity` keys, at most `most_bytes`.
  BloomFilter(std::uint64_t capacity, std::size_t most_bytes)
      : blocks_(std::clamp<std::size_t>(static_cast<std::size_t>(capacity * kBitsPerKey / 8) / sizeof(Block) + 1, 1,
                                        most_bytes / sizeof(Block))) {}

  void add(std::uint64_t key) {
    Block& block = blocks_[index_of(key)];
    for (std::size_t i = 0; i < kWords; ++i)
      block.words[i] |= bit_of(key, i);
  }

  // False: the key was certainly never added.
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

// Maps events and API responses to their place in the store, so that each is stored once however many copies of it are
// read (tables `identities` and `identity_runs`).
//
// A log-structured merge tree of rows, keyed by hashes. New entries go into the newest run, which is small enough for
// its pages to stay in the cache. Full runs are merged, a number of them into one of the next level, in small steps at
// each flush(). A merge moves the smallest entries first. Each identity is therefore in exactly one run at any time,
// and a merge can be interrupted and resumed anywhere. Triggers delete the entries of deleted events and responses.
//
// New entries are buffered until write(), which inserts them in the order of the B-tree. Call write() before deleting
// rows of events or responses.
//
// During a large ingest a bounded Bloom filter in memory answers for nearly all new keys. It is built once probing the
// runs has cost as much as building it.
//
// Writer thread only; runs inside the writer's transaction. Throws ErrorException.
class IdentityIndex {
 public:
  struct Place {
    std::int64_t session_pk = 0;
    std::int64_t place = 0;  // seq of an event, exchange number of a response
  };

  struct Shape {
    std::int64_t run_entries = 1 << 16;  // capacity of a run of level 0
    std::size_t fan_in = 16;             // number of runs merged into one
    std::size_t filter_bytes = std::size_t{64} << 20;
  };

  explicit IdentityIndex(sqlite::Database& db) : IdentityIndex(db, Shape{}) {}
  IdentityIndex(sqlite::Database& db, const Shape& shape) : db_(db), shape_(shape) {}

  std::optional<Place> find(std::uint64_t identity);
  // The identity must not be in the index yet.
  void add(std::uint64_t identity, std::int64_t session_pk, std::int64_t place);

  void write();    // writes the buffered entries
  void flush();    // calls write() and merges a little; call before a commit
  void forget();   // call after a rollback
  void release();  // frees the filter's memory

 private:
  struct Run {
    std::int64_t run = 0;
    std::int64_t level = 0;
    std::int64_t entries = 0;  // including deleted ones
    bool sealed = false;
    std::int64_t merges_into = 0;  // number of the target run; 0: no merge
  };

  struct Entry {
    std::int64_t identity = 0;  // signed as stored, which is the order of the B-tree
    std::int64_t session_pk = 0;
    std::int64_t place = 0;
  };
  static bool in_order(const Entry& a, const Entry& b) { return a.identity < b.identity; }

  void load();
  Run& newest();
  void insert(std::int64_t run, std::span<const Entry> entries);
  std::int64_t open_run(std::int64_t level);
  std::optional<Place> look_into_held(std::int64_t identity);
  std::optional<Place> look_into(std::int64_t run, std::uint64_t identity);
  bool is_certainly_new(std::uint64_t identity);
  void make_filter();

  void plan_merge();
  void merge(std::int64_t budget);
  std::int64_t merge_step(std::int64_t into, std::vector<std::int64_t>& sources, std::int64_t budget);

  sqlite::Database& db_;
  const Shape shape_;
  bool loaded_ = false;
  std::vector<Run> runs_;     // by number
  std::int64_t entries_ = 0;  // in all runs and in held_
  std::int64_t added_ = 0;    // since the last flush
  std::vector<Entry> held_;
  std::size_t sorted_ = 0;  // length of the sorted prefix of held_
  std::int64_t last_hit_ = 0;

  std::optional<BloomFilter> filter_;
  std::int64_t filter_capacity_ = 0;
  std::int64_t probes_ = 0;  // of runs without a filter
};

}  // namespace memd::assembly
