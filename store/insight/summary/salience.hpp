#pragma once

#include "store/text/text_units.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace memd {

// Hashes of the content words of a text: lower-cased, no stop words, nothing shorter than three bytes.
std::vector<std::uint64_t> content_terms(std::string_view text);

// TF·IDF of the words of one input, each exchange being a document. Terms go by numbers, given in the order they come.
// A value; one thread.
class TermWeights {
 public:
  std::uint32_t number_of(std::uint64_t term);
  void add_document(std::span<const std::uint32_t> numbers);
  void finish();
  // 0…1: how much of what this input is about stands in these terms.
  double overlap(std::span<const std::uint32_t> numbers) const;

 private:
  struct Term {
    std::uint64_t hash = 0;
    std::uint32_t total = 0;
    std::uint32_t documents = 0;
    std::uint32_t last_document = 0;
    double weight = 0;
  };

  std::size_t slot_of(std::uint64_t term) const;
  void grow();

  std::vector<Term> terms_;
  std::vector<std::uint32_t> slots_;  // open addressing, at most half full: number plus one, 0 in an empty slot
  std::uint32_t documents_ = 0;
  double heaviest_ = 1;
};

// What the wording alone says about a unit: decisions, causes, errors, fixes, open ends count; preambles
// ("Let me look at …") count against it.
double cue_score(std::string_view sentence);

}  // namespace memd
