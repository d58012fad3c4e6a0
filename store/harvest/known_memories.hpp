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
// From here on two memories say the same.
inline constexpr double kSameLikeness = 0.8;

// How alike two short texts are, 0…1: the larger of the share of common words and the cosine of the built-in model's
// vectors, where the words have to agree a little too. Pure; every thread may embed.
class Likeness {
 public:
  explicit Likeness(std::string_view text);
  double with(const Likeness& other) const;

 private:
  std::vector<std::uint64_t> words_;  // hashes, in order, each once; without words that say nothing
  embedding::Vector vector_;
};

// What memories say already. Immutable; every thread may ask.
class KnownMemories {
 public:
  explicit KnownMemories(const std::vector<Memory>& memories);

  // Those that may say what a title and a text do, the most alike first, from `least` on. What memd writes below a
  // draft (files, commits, where it comes from) does not count.
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
