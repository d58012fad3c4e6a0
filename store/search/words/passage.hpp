#pragma once

#include "store/db/fts5.hpp"
#include "store/search/words/query_plan.hpp"

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace memd::search {

struct Passage {
  std::string text;        // matches in «», white space collapsed, "…" where it is cut
  std::size_t column = 0;  // of the texts given
};

// Finds the part of a text that best shows why it was found. For one question, on one thread; the tokenizer and the
// plan must outlive it.
class PassageFinder {
 public:
  PassageFinder(const IndexTokenizer& tokenizer, const QueryPlan& plan);

  // The best passage of the texts; of equals the earlier one. When nothing matches: the start of the first text that is
  // not empty.
  Passage best(const std::array<std::string_view, 4>& texts) const;

  static constexpr std::size_t kBytes = 260;  // of text; marks come on top

 private:
  struct Match {
    std::size_t start;
    std::size_t end;
    std::size_t term;
  };
  struct Window {
    double worth = 0;
    std::size_t first = 0;  // matches
    std::size_t last = 0;
  };
  void find(std::string_view text, std::vector<Match>& out) const;
  void find_in_word(std::string_view text, std::size_t start, std::size_t end, std::vector<Match>& out) const;
  Window best_window(const std::vector<Match>& matches) const;

  const IndexTokenizer& tokenizer_;
  const QueryPlan& plan_;
  std::unordered_map<std::string, std::size_t> terms_;  // by stem
  std::array<bool, 256> starts_{};                      // first bytes a word of the query may have in a text
  mutable std::vector<Token> tokens_;
};

}  // namespace memd::search
