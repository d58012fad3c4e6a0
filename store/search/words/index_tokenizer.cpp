#include "store/search/words/index_tokenizer.hpp"

namespace memd::search {

IndexTokenizer::IndexTokenizer(sqlite3* db) : memd_(tokenizer::fts5_of(db), "memd") {}

void IndexTokenizer::cut(std::string_view text, int flags, std::vector<Token>& out) const {
  const auto take = [](void* p, int, const char* token, int length, int start, int end) {
    static_cast<std::vector<Token>*>(p)->push_back({std::string(token, static_cast<std::size_t>(length)),
                                                    static_cast<std::size_t>(start), static_cast<std::size_t>(end)});
    return SQLITE_OK;
  };
  memd_.tokenize(text, flags, &out, take);
}

}  // namespace memd::search
