#pragma once

#include "schemas/source.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace memd::bench {

using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t bound) { return static_cast<std::size_t>(random() % bound); }
inline double uniform(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

// A vocabulary with realistic frequencies: common English and trade words at the top, synthetic words with English
// endings behind them, so that stemming has an effect; frequencies by the law of Zipf and Mandelbrot. The same seed
// gives the same words on every machine. Drawing a word takes constant time.
class Lexicon {
 public:
  explicit Lexicon(std::uint64_t seed, std::size_t words = 220'000);

  const std::string& draw(Random& random) const;
  // Draws a word from the first `ranks`, or log-uniformly from all behind them.
  const std::string& common(Random& random, std::size_t ranks) const { return words_[below(random, ranks)]; }
  const std::string& uncommon(Random& random, std::size_t ranks) const;
  const std::string& at(std::size_t rank) const { return words_[rank]; }
  std::size_t size() const { return words_.size(); }

 private:
  void make_words(Random& random, std::size_t count);
  void weigh();

  struct Slot {  // slot of the alias method
    double keep = 1;
    std::uint32_t other = 0;
  };
  std::vector<std::string> words_;
  std::vector<Slot> slots_;
};

// Generates years of work with agents, session by session, as slices that adapters would make of transcripts. Projects
// have identifiers and files of their own, and some are much busier than others. Sessions have a subject that their
// words come from, with prompts, tool calls, errors, pasted traces and answers. The same seed gives the same history.
class WorkHistory {
 public:
  explicit WorkHistory(std::uint64_t seed);

  // Makes a session of `exchanges` exchanges, in a source of its own that is read to its end.
  SourceSlice session(std::size_t exchanges);
  std::size_t usual_length();  // draws the length of a session in exchanges

 private:
  struct Project {
    std::string root;
    std::vector<std::string> identifiers;
    std::vector<std::string> files;
  };
  struct Subject {
    std::vector<std::string_view> words;
    std::vector<std::size_t> identifiers;  // indexes of the project's identifiers
    std::vector<std::size_t> files;
  };

  void make_project();
  std::string identifier();
  const std::string& identifier_of(const Project& project, const Subject& subject);
  const std::string& file_of(const Project& project, const Subject& subject);
  std::size_t length(double mean_log, double deviation, std::size_t most);
  std::string prose(const Project& project, const Subject& subject, std::size_t words);
  std::string trace(const Project& project, const Subject& subject);

  void exchange(SourceSlice& slice, const Project& project, const Subject& subject);
  void tool_use(SourceSlice& slice, const Project& project, const Subject& subject);
  Event& add(SourceSlice& slice, EventKind kind, Role role);

  Random random_;
  Lexicon lexicon_;
  std::vector<Project> projects_;
  std::uint64_t sessions_ = 0;
  TimeMs start_ = 1'672'531'200'000;  // 2023-01-01
  TimeMs time_ = 0;                   // current time in the session being made
  std::string cwd_;
};

}  // namespace memd::bench
