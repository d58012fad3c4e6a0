#include "schemas/base/ascii.hpp"
#include "store/db/database.hpp"
#include "store/db/fts5.hpp"
#include "store/search/words/lexical_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace memd::search {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PassagesTest : public testing::Test {
 protected:
  // Returns the best passage of `text` for a query with these stems.
  Passage best(std::vector<std::string> stems, std::string_view text) const {
    QueryPlan plan;
    Term& term = plan.terms.emplace_back();
    term.forms.push_back({std::move(stems)});
    term.idf = 1;
    return PassageFinder(tokenizer_, plan).best({text, {}, {}, {}});
  }
  std::vector<std::string> matches(std::vector<std::string> stems, std::string_view text) const {
    const Passage passage = best(std::move(stems), text);
    std::vector<std::string> out;
    for (const TextSpan& match : passage.matches)
      out.push_back(passage.text.substr(match.start, match.length));
    return out;
  }
  std::string stem_of(std::string_view word) const {
    std::vector<Token> tokens;
    tokenizer_.tokenize_stored(word, tokens);
    return tokens.size() == 1 ? tokens.front().stem : std::string();
  }

  sqlite::Database db_ = sqlite::Database::open(":memory:", sqlite::OpenMode::read_write);
  IndexTokenizer tokenizer_{db_.handle()};
};

// The finder skips words by their first letters, so it has to know which letters a stemmer changes.
TEST_F(PassagesTest, AnyWordIsFoundByItsStem) {
  constexpr std::array kEndings{"",    "s",    "es",   "ed",    "ing",  "ies",     "ied",     "y",      "yed",
                                "ily", "ally", "ness", "ation", "izer", "ational", "fulness", "biliti", "e"};
  std::mt19937 random(5);
  const auto letter = [&] { return static_cast<char>('a' + random() % 26); };
  std::vector<std::string> roots{""};
  for (char first = 'a'; first <= 'z'; ++first) {
    roots.emplace_back(1, first);
    for (char second = 'a'; second <= 'z'; ++second)
      roots.push_back({first, second});
  }
  for (int i = 0; i < 1000; ++i)
    roots.push_back({letter(), letter(), letter(), letter()});
  for (const std::string& root : roots)
    for (const std::string_view ending : kEndings) {
      std::string word = root + std::string(ending);
      if (word.empty()) continue;
      const std::string stem = stem_of(word);
      ASSERT_FALSE(stem.empty()) << word;
      if (random() % 2 == 0) word.front() = ascii::upper(word.front());
      ASSERT_THAT(matches({stem}, word), ElementsAre(word)) << stem;
    }
}

TEST_F(PassagesTest, WordsOfAnyLengthAtAnyPlace) {
  const std::string filler = "x yy zzz 12345678 ninebytes a-word_of, ";
  for (std::size_t at = 0; at < filler.size(); ++at) {
    const std::string text = filler.substr(0, at) + " Cached " + filler;
    EXPECT_THAT(matches({"cach"}, text), ElementsAre("Cached")) << text;
  }
  EXPECT_THAT(matches({"a"}, "b a"), ElementsAre("a"));
  EXPECT_THAT(matches({"7z"}, "open the 7z, not the 7"), ElementsAre("7z"));
  EXPECT_THAT(matches({"cach"}, "cachet ache recache"), IsEmpty());
}

TEST_F(PassagesTest, WordsWithOtherLetters) {
  EXPECT_THAT(matches({"naiv"}, "so naïve, so naive"), ElementsAre("naïve", "naive"));
  EXPECT_THAT(matches({"cach"}, "it—cached—it"), ElementsAre("cached"));
  EXPECT_THAT(matches({"据库"}, "数据库"), ElementsAre("据库"));
}

}  // namespace
}  // namespace memd::search
