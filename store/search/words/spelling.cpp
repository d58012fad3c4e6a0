#include "store/search/words/spelling.hpp"

#include "schemas/ascii.hpp"
#include "store/read/row_filter.hpp"

#include <algorithm>
#include <map>

namespace memd::search {
namespace {

constexpr std::size_t kShortest = 5;
constexpr std::size_t kLongest = 24;

template <class F>
void each_slip(const std::string& word, F&& f) {
  for (std::size_t i = 1; i <= word.size(); ++i) {
    const std::string before = word.substr(0, i);
    if (i < word.size()) f(before + word.substr(i + 1));
    if (i + 1 < word.size() && word[i] != word[i + 1]) f(before + word[i + 1] + word[i] + word.substr(i + 2));
    for (char c = 'a'; c <= 'z'; ++c) {
      f(before + c + word.substr(i));
      if (i < word.size() && c != word[i]) f(before + c + word.substr(i + 1));
    }
  }
}

}  // namespace

std::optional<Correction> corrected(std::string_view word, const IndexTokenizer& tokenizer,
                                    TermStatistics& statistics) {
  const std::string typed = ascii::lowered(word);
  if (typed.size() < kShortest || typed.size() > kLongest || !std::all_of(typed.begin(), typed.end(), ascii::is_lower))
    return std::nullopt;
  std::map<std::string, std::string> slips;  // stem → text
  std::vector<Token> tokens;
  each_slip(typed, [&](const std::string& text) {
    tokens.clear();
    tokenizer.tokenize(text, tokens);
    if (tokens.size() == 1 && tokens[0].stem.size() + 2 >= kShortest) slips.try_emplace(tokens[0].stem, text);
  });
  std::optional<Correction> best;
  for (const auto& [stem, text] : slips) {
    if (!statistics.index().contains_long_since(stem)) continue;
    const std::int64_t frequency = statistics.document_frequency(stem);
    if (frequency > 0 && (!best || frequency > best->frequency)) best = Correction{text, stem, frequency};
  }
  return best;
}

}  // namespace memd::search
