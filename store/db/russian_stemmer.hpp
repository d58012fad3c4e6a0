#pragma once

#include <string_view>

namespace memd::tokenizer {

// Snowball's stemmer for Russian words. Its library is loaded on first use: few texts contain Russian, and loading its
// tables of thirty languages would slow every start of the program. One thread.
class RussianStemmer {
 public:
  // Throws std::bad_alloc, or std::runtime_error when the library is not installed.
  RussianStemmer();
  ~RussianStemmer();
  RussianStemmer(const RussianStemmer&) = delete;
  RussianStemmer& operator=(const RussianStemmer&) = delete;

  // Returns the stem of `word` (lower case, UTF-8). Valid until the next call.
  std::string_view stem(std::string_view word);

 private:
  void* stemmer_;
};

}  // namespace memd::tokenizer
