#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace memd::bench {

// Generates text with the statistics that matter to an index: words by Zipf's law, identifiers, paths, shell output.
// The same seed gives the same text on every machine.
class Prose {
 public:
  explicit Prose(std::uint64_t seed, std::size_t vocabulary = 40'000);

  std::string sentence(std::size_t words);
  std::string paragraph(std::size_t sentences);
  std::string path();
  std::string command();
  std::string output(std::size_t lines);  // output of a tool
  std::string uuid();
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

 private:
  const std::string& word();

  std::mt19937_64 random_;
  std::vector<std::string> words_;
  std::vector<double> cumulated_;
};

// Returns `text` as a JSON string, quotes included.
std::string json_string(std::string_view text);

}  // namespace memd::bench
