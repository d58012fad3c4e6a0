#pragma once

#include "store/summary/text_units.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace memd {

// Hashes of the content words of a text: lower-cased, no stop words, nothing shorter than three bytes.
std::vector<std::uint64_t> content_terms(std::string_view text);

// TF·IDF of the words of one input, each exchange being a document.
class TermWeights {
 public:
  void add_document(std::span<const std::uint64_t> terms);
  void finish();
  // 0…1: how much of what this input is about stands in these terms.
  double overlap(std::span<const std::uint64_t> terms) const;

 private:
  struct Count {
    std::uint32_t total = 0;
    std::uint32_t documents = 0;
  };
  std::unordered_map<std::uint64_t, Count> counts_;
  std::unordered_map<std::uint64_t, double> weights_;
  std::uint32_t documents_ = 0;
  double heaviest_ = 1;
};

// What the wording alone says about a unit: decisions, causes, errors, fixes, open ends count; preambles
// ("Let me look at …") count against it.
double cue_score(std::string_view sentence);

}  // namespace memd
