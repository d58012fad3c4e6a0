#include "store/db/russian_stemmer.hpp"

#include <libstemmer.h>
#ifdef MEMD_STEMMER
#include <dlfcn.h>
#endif

#include <new>
#include <stdexcept>

namespace memd::tokenizer {
namespace {

#ifdef MEMD_STEMMER  // else it is linked
// The stemmer library. Never unloaded.
struct Library {
  void* handle = ::dlopen(MEMD_STEMMER, RTLD_NOW | RTLD_LOCAL);
  decltype(&sb_stemmer_new) make = find<decltype(&sb_stemmer_new)>("sb_stemmer_new");
  decltype(&sb_stemmer_delete) remove = find<decltype(&sb_stemmer_delete)>("sb_stemmer_delete");
  decltype(&sb_stemmer_stem) stem = find<decltype(&sb_stemmer_stem)>("sb_stemmer_stem");
  decltype(&sb_stemmer_length) length = find<decltype(&sb_stemmer_length)>("sb_stemmer_length");

  template <class Function>
  Function find(const char* name) const {
    if (handle != nullptr)
      if (auto* found = ::dlsym(handle, name)) return reinterpret_cast<Function>(found);
    throw std::runtime_error("Russian words cannot be cut to their stems: " MEMD_STEMMER
                             " cannot be opened; install libstemmer");
  }
};
#else
struct Library {
  decltype(&sb_stemmer_new) make = &sb_stemmer_new;
  decltype(&sb_stemmer_delete) remove = &sb_stemmer_delete;
  decltype(&sb_stemmer_stem) stem = &sb_stemmer_stem;
  decltype(&sb_stemmer_length) length = &sb_stemmer_length;
};
#endif

const Library& library() {
  static const Library one;
  return one;
}

}  // namespace

RussianStemmer::RussianStemmer() : stemmer_(library().make("russian", "UTF_8")) {
  if (stemmer_ == nullptr) throw std::bad_alloc();
}

RussianStemmer::~RussianStemmer() { library().remove(static_cast<sb_stemmer*>(stemmer_)); }

std::string_view RussianStemmer::stem(std::string_view word) {
  auto* stemmer = static_cast<sb_stemmer*>(stemmer_);
  const auto* stem =
      library().stem(stemmer, reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
  if (stem == nullptr) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(library().length(stemmer))};
}

}  // namespace memd::tokenizer
