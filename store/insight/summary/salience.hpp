#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace memd {

// Returns hashes of the content words of a text: lower case, without stop words and words shorter than three bytes.
std::vector<std::uint64_t> content_terms(std::string_view text);
// Returns how many words tell what the text is about. Characters of scripts without blanks count by pairs.
std::size_t telling_words(std::string_view text);

// TF·IDF of the words of one input; each exchange is a document. Terms are numbered in the order of their first use. A
// value; one thread.
class TermWeights {
 public:
  std::uint32_t number_of(std::uint64_t term);
  void add_document(std::span<const std::uint32_t> numbers);
  void finish();
  // Returns from 0 to 1 how much these terms cover the main terms of the input.
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

// Scores the wording of a unit: decisions, causes, errors, fixes and open ends add; preambles ("Let me look at …")
// subtract.
double cue_score(std::string_view sentence);

}  // namespace memd
