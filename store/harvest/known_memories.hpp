#pragma once

#include "schemas/memory.hpp"
#include "store/enrich/embedding/embedder.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memd::harvest {

struct SimilarMemory {
  std::string slug;
  MemoryScope scope{};
  std::string title;
  std::filesystem::path path;
  double likeness = 0;  // 0…1
};
// Similarity from which two memories count as duplicates.
inline constexpr double kSameLikeness = 0.8;

// Similarity of two short texts, 0…1: the larger of the share of common words and the cosine similarity of the built-in
// model's vectors. The cosine counts only if the words agree a little too. Pure; thread-safe.
class Likeness {
 public:
  explicit Likeness(std::string_view text);
  double with(const Likeness& other) const;

 private:
  std::vector<std::uint64_t> words_;  // sorted distinct hashes of the informative words
  embedding::Vector vector_;
};

// The memories that exist already, for finding duplicates. Immutable; thread-safe.
class KnownMemories {
 public:
  explicit KnownMemories(const std::vector<Memory>& memories);

  // Returns memories similar to the draft's title and text, the most similar first, from `least` on. Ignores the lines
  // that memd appends to a draft (files, commits, provenance).
  std::vector<SimilarMemory> similar_to(const Memory& draft, double least = kSameLikeness) const;

 private:
  struct Known {
    SimilarMemory memory;
    Likeness title;
    Likeness whole;
  };
  std::vector<Known> known_;
};

}  // namespace memd::harvest
