#pragma once

#include <string_view>

namespace memd::tokenizer {

// Snowball's stemmer of Russian words, from a library that is opened for the first of them: few texts have any, and to
// load its tables of thirty languages would cost each start of the program. One thread.
class RussianStemmer {
 public:
  // Throws std::bad_alloc, and std::runtime_error where the library is not installed.
  RussianStemmer();
  ~RussianStemmer();
  RussianStemmer(const RussianStemmer&) = delete;
  RussianStemmer& operator=(const RussianStemmer&) = delete;

  // `word`: small letters, UTF-8. Valid until the next call.
  std::string_view stem(std::string_view word);

 private:
  void* stemmer_;
};

}  // namespace memd::tokenizer
