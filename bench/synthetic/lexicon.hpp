#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace memd::bench {

using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t bound) { return static_cast<std::size_t>(random() % bound); }
inline double uniform(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

// A vocabulary as people and agents use it: common English and trade words at the top, made-up ones with English
// endings behind, so that stemming has something to do; frequencies by the law of Zipf and Mandelbrot. The same seed
// gives the same words on every machine. Drawing a word takes constant time.
class Lexicon {
 public:
  explicit Lexicon(std::uint64_t seed, std::size_t words = 220'000);

  const std::string& draw(Random& random) const;
  // From the first `ranks` or, log-uniformly, from all behind them.
  const std::string& common(Random& random, std::size_t ranks) const { return words_[below(random, ranks)]; }
  const std::string& uncommon(Random& random, std::size_t ranks) const;
  const std::string& at(std::size_t rank) const { return words_[rank]; }
  std::size_t size() const { return words_.size(); }

 private:
  void make_words(Random& random, std::size_t count);
  void weigh();

  struct Slot {  // of the alias method
    double keep = 1;
    std::uint32_t other = 0;
  };
  std::vector<std::string> words_;
  std::vector<Slot> slots_;
};

}  // namespace memd::bench
