#include "daemon/ingest/snapshot_pass.hpp"

#include <gtest/gtest.h>

#include <string>

namespace memd {
namespace {

// Parses known items: "u1 a1 u2! -u3". Items that begin with u start an exchange; '-' marks one that the source no
// longer shows.
std::vector<SourceItem> known(const std::string& words) {
  std::vector<SourceItem> out;
  std::size_t at = 0;
  while (at < words.size()) {
    const auto end = std::min(words.find(' ', at), words.size());
    std::string word = words.substr(at, end - at);
    SourceItem item;
    item.gone = word.front() == '-';
    if (item.gone) word.erase(0, 1);
    item.key = word;
    item.version = 1;
    item.starts_exchange = word.front() == 'u';
    out.push_back(std::move(item));
    at = end + 1;
  }
  return out;
}

// Parses shown items: "u1 a1!". '!' marks changed content, '?' an item that was not examined.
std::vector<SnapshotReader::Item> listed(const std::string& words) {
  std::vector<SnapshotReader::Item> out;
  for (const auto& k : known(words)) {
    SnapshotReader::Item item{k.key, 1, 10};
    if (item.key.back() == '!') item.version = 2, item.key.pop_back();
    if (item.key.back() == '?') item.version = 0, item.key.pop_back();
    out.push_back(std::move(item));
  }
  return out;
}

std::string diff(const std::string& before, const std::string& now, bool replaces_poorer_source = false) {
  const auto items = listed(now);
  const SessionDiff d = compare_session(known(before), {"", std::nullopt, items, replaces_poorer_source});
  std::string out = "keep " + std::to_string(d.keep);
  for (const auto i : d.added)
    out += " +" + items[i].key;
  for (const auto n : d.gone)
    out += " gone " + std::to_string(n);
  return out;
}

TEST(SessionDiff, NothingNew) {
  EXPECT_EQ(diff("", ""), "keep 0");
  EXPECT_EQ(diff("u1 a1", "u1 a1"), "keep 2");
  EXPECT_EQ(diff("u1 a1", "u1? a1?"), "keep 2");
}

TEST(SessionDiff, WhatIsNewIsAdded) {
  EXPECT_EQ(diff("", "u1 a1"), "keep 0 +u1 +a1");
  EXPECT_EQ(diff("u1 a1", "u1? a1? b1 u2"), "keep 2 +b1 +u2");
}

TEST(SessionDiff, AChangeGoesBackToTheStartOfItsExchange) {
  EXPECT_EQ(diff("u1 a1 u2 a2 b2", "u1 a1 u2 a2! b2 c2"), "keep 2 +u2 +a2 +b2 +c2");
  EXPECT_EQ(diff("u1 a1 u2 a2", "u1 a1 u2! a2"), "keep 2 +u2 +a2");
  EXPECT_EQ(diff("u1 a1 u2 a2", "u1 a1! u2 a2"), "keep 0 +u1 +a1 +u2 +a2");
  EXPECT_EQ(diff("a0 b0", "a0 b0!"), "keep 0 +a0 +b0");
  EXPECT_EQ(diff("a0 u1 a1", "a0! u1 a1"), "keep 0 +a0 +u1 +a1");
  EXPECT_EQ(diff("a0 u1 a1", "a0 u1 a1!"), "keep 0 +a0 +u1 +a1");
}

TEST(SessionDiff, WhatComesInBetweenIsPutThere) {
  EXPECT_EQ(diff("u1 a1 u2 a2", "u1 a1 u2 x a2"), "keep 2 +u2 +x +a2");
  EXPECT_EQ(diff("u1 a1 u2 a2", "u1 a1 x u2 a2"), "keep 2 +x +u2 +a2");
}

TEST(SessionDiff, ATailThatVanishedStays) {
  EXPECT_EQ(diff("u1 a1 u2 a2", "u1 a1"), "keep 4 gone 3 gone 4");
  EXPECT_EQ(diff("u1 a1 -u2 -a2", "u1 a1"), "keep 4");
  EXPECT_EQ(diff("u1 a1 u2 a2", "u1 a1 u3 a3"), "keep 4 +u3 +a3 gone 3 gone 4");
  EXPECT_EQ(diff("u1 a1", ""), "keep 2 gone 1 gone 2");
}

TEST(SessionDiff, AfterARewindTheNewTailCanChange) {
  EXPECT_EQ(diff("u1 a1 -u2 -a2 u3 a3", "u1 a1 u3 a3!"), "keep 4 +u3 +a3");
  EXPECT_EQ(diff("u1 a1 -u2 -a2 u3 a3", "u1 a1 u3! a3 b3"), "keep 4 +u3 +a3 +b3");
}

TEST(SessionDiff, NothingGoneIsForgottenForAnOldChange) {
  EXPECT_EQ(diff("u1 a1 -u2 -a2 u3 a3", "u1 a1! u3 a3"), "keep 6");
  EXPECT_EQ(diff("u1 a1 -u2 -a2", "u1 a1!"), "keep 4");
  EXPECT_EQ(diff("u1 a1 -u2 -a2 u3 a3", "u1 a1! x u3 a3 b3"), "keep 4 +x +u3 +a3 +b3");
}

TEST(SessionDiff, AnAnswerMadeAnewTakesThePlaceOfTheOldOne) {
  EXPECT_EQ(diff("u1 a1", "u1 b1"), "keep 2 +b1 gone 2");
  EXPECT_EQ(diff("u1 -a1 b1", "u1 b1!"), "keep 0 +u1 +b1");
  EXPECT_EQ(diff("u1 a1 u2 -a2 b2", "u1 a1 u2 b2!"), "keep 2 +u2 +b2");
}

TEST(SessionDiff, WhatComesBackIsReadAgain) {
  EXPECT_EQ(diff("u1 a1 -u2 -a2", "u1 a1 u2 a2"), "keep 2 +u2 +a2");
  EXPECT_EQ(diff("-u1 -a1", "u1 a1"), "keep 0 +u1 +a1");
}

TEST(SessionDiff, WhatIsToldAnewTakesThePlaceOfAll) {
  EXPECT_EQ(diff("u1 a1 -u2 u3", "v1 w1", true), "keep 0 +v1 +w1");
  EXPECT_EQ(diff("u1 a1", "u1 a1 w1", true), "keep 0 +u1 +a1 +w1");
}

TEST(SessionDiff, AKeyShownTwiceIsOneItem) {
  EXPECT_EQ(diff("", "u1 u1 a1"), "keep 0 +u1 +a1");
  EXPECT_EQ(diff("u1", "u1 u1"), "keep 1");
}

}  // namespace
}  // namespace memd
