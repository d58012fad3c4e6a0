#include "store/text/text_chunks.hpp"
#include "schemas/base/hash.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace memd::enrichment {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

std::string without_space(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && (c < '\t' || c > '\r')) out += c;
  return out;
}

std::string prose(std::mt19937& random, std::size_t bytes) {
  constexpr const char* kPieces[] = {
      "the cache ", "was full. ", "naïve ", "为什么。",      "\n\n",    "\n",
      "```cpp\n",   "```\n",      "~~~\n",  "  return x;\n", "Is it? ", "a_rather_long_identifier(",
      ")",          "😀",          "  "};
  std::string out;
  while (out.size() < bytes)
    out += kPieces[random() % std::size(kPieces)];
  return out;
}

TEST(Cut, ShortTextIsOneStretch) {
  EXPECT_THAT(cut("", 100), IsEmpty());
  EXPECT_THAT(cut(" \n ", 100), IsEmpty());
  EXPECT_THAT(cut(" a b\n", 100), ElementsAre("a b"));
}

TEST(Cut, PrefersParagraphsThenSentencesThenWords) {
  EXPECT_THAT(cut("one two. three\nfour\n\nfive six. seven eight nine", 40),
              ElementsAre("one two. three\nfour", "five six. seven eight nine"));
  EXPECT_THAT(cut("one two three four. five six seven eight nine", 30),
              ElementsAre("one two three four.", "five six seven eight nine"));
  EXPECT_THAT(cut("one two three four five six seven eight nine", 30),
              ElementsAre("one two three four five six", "seven eight nine"));
  EXPECT_THAT(cut("第一句话在这里。第二句话在那里。第三句", 50),
              ElementsAre("第一句话在这里。第二句话在那里。", "第三句"));
}

TEST(Cut, NeverInsideACharacter) {
  std::string text;
  for (int i = 0; i < 50; ++i)
    text += "é😀";
  for (const auto stretch : cut(text, 16)) {
    EXPECT_LE(stretch.size(), 16U);
    EXPECT_NE(stretch.front() & 0xC0, 0x80);
    EXPECT_THAT(stretch, testing::AnyOf(EndsWith("é"), EndsWith("😀")));
  }
  EXPECT_THAT(cut(std::string(40, '\x80'), 16), Not(IsEmpty()));  // not valid UTF-8
}

TEST(Cut, CodeThatFitsStaysWhole) {
  const std::string code = "```cpp\nint f() {\n\n  return 1;\n}\n```";
  const std::string before = "Here is what I would write instead of it.";
  EXPECT_THAT(cut(before + "\n" + code + "\nAnd then more words follow it here.", 64),
              ElementsAre(before, code, "And then more words follow it here."));
  // An empty line inside a code block does not end a paragraph.
  const std::string long_code = "```\n" + std::string(30, 'a') + "\n\n" + std::string(20, 'b') + "\n" +
                                std::string(20, 'c') + "\n```\nafter\n\nthe code";
  EXPECT_THAT(cut(long_code, 64).front(), EndsWith(std::string(20, 'b')));
}

TEST(Cut, CoversEveryByteAndKeepsTheLimit) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::string text = prose(random, random() % 4000);
    std::string joined;
    for (const auto stretch : cut(text, 200)) {
      EXPECT_LE(stretch.size(), 200U);
      EXPECT_FALSE(stretch.empty());
      joined += stretch;
    }
    EXPECT_EQ(without_space(joined), without_space(text));
  }
}

TEST(Cut, GrowingTextKeepsAllButTheLast) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    const std::string text = prose(random, 3000);
    const auto all = cut(text, 200);
    for (std::size_t size = random() % 20; size < text.size(); size += 1 + random() % 60) {
      const auto some = cut(std::string_view(text).substr(0, size), 200);
      ASSERT_LE(some.size(), all.size());
      for (std::size_t i = 0; i + 1 < some.size(); ++i)
        ASSERT_EQ(some[i], all[i]) << "at " << i << " of " << size << " bytes";
    }
  }
}

TEST(Chunks, ShortExchangeIsOneChunk) {
  const auto chunks = chunks_of({.user_message = "why is it slow?", .assistant_response = "The index is missing."});
  ASSERT_THAT(chunks, SizeIs(1));
  EXPECT_EQ(chunks[0].text, "why is it slow?\n\nThe index is missing.");
  EXPECT_EQ(chunks[0].hash, hash64(chunks[0].text));
  ExchangeRow nothing_said{.tool_text = "ls"};
  nothing_said.session_title = "title";
  EXPECT_THAT(chunks_of(nothing_said), IsEmpty());
}

TEST(Chunks, QuestionStandsWithTheFinalAnswer) {
  const auto chunks = chunks_of({.user_message = "why?",
                                 .interventions = "stop, look there",
                                 .assistant_response = "Let me look. Because.",
                                 .answer_offset = 13});
  ASSERT_THAT(chunks, SizeIs(3));
  EXPECT_EQ(chunks[0].text, "why?\n\nBecause.");
  EXPECT_EQ(chunks[1].text, "stop, look there");
  EXPECT_EQ(chunks[2].text, "Let me look.");
}

TEST(Chunks, LongPromptHasItsOwn) {
  const std::string prompt(700, 'p');
  const auto chunks = chunks_of({.user_message = prompt, .assistant_response = "short"});
  ASSERT_THAT(chunks, SizeIs(2));
  EXPECT_EQ(chunks[0].text, prompt);
  EXPECT_EQ(chunks[1].text, "short");
}

TEST(Chunks, AnswerThatGrowsKeepsAllHashesButOne) {
  std::mt19937 random(4);
  for (const std::size_t prompt : {20U, 2000U}) {
    ExchangeRow e{.user_message = prose(random, prompt), .interventions = prose(random, 1500)};
    e.assistant_response = prose(random, 1200);
    e.answer_offset = 600;
    std::multiset<std::uint64_t> before;
    for (int step = 0; step < 40; ++step) {
      std::multiset<std::uint64_t> now;
      for (const TextChunk& c : chunks_of(e)) {
        EXPECT_LE(c.text.size(), kChunkBytes);
        now.insert(c.hash);
      }
      std::vector<std::uint64_t> lost;
      std::set_difference(before.begin(), before.end(), now.begin(), now.end(), std::back_inserter(lost));
      EXPECT_LE(lost.size(), 1U);
      before = now;
      e.assistant_response += prose(random, 150);
    }
  }
}

// Only the start of a long answer is joined to the prompt.
TEST(Chunks, PromptAndLongAnswerAreCutAsOneText) {
  std::mt19937 random(8);
  for (int i = 0; i < 300; ++i) {
    ExchangeRow e{.user_message = prose(random, random() % 500)};
    e.user_message.resize(std::min<std::size_t>(e.user_message.size(), 500));
    e.assistant_response = std::string(random() % 3 == 0 ? random() % 3000 : 0, ' ');
    while (e.assistant_response.size() < 6000)
      e.assistant_response +=
          prose(random, random() % 2000) + std::string(random() % 4 == 0 ? random() % 1500 : 0, '\n');
    const std::string both = e.user_message + "\n\n" + e.assistant_response;
    std::vector<std::string> chunks;
    for (const TextChunk& chunk : chunks_of(e))
      chunks.push_back(chunk.text);
    const auto pieces = cut(both, kChunkBytes);
    ASSERT_EQ(chunks, std::vector<std::string>(pieces.begin(), pieces.end()));
  }
}

TEST(Chunks, EachCanBeMadeAlone) {
  std::mt19937 random(9);
  for (const std::size_t prompt : {0U, 20U, 2000U}) {
    ExchangeRow e{.user_message = prose(random, prompt),
                  .interventions = prose(random, 1500),
                  .assistant_response = prose(random, 5000),
                  .answer_offset = 1200};
    const ChunkedTexts texts{e.user_message, e.assistant_response, e.interventions, e.answer_begin()};
    const auto chunks = chunks_of(e);
    for (std::size_t i = 0; i < chunks.size(); ++i)
      EXPECT_EQ(chunk_at(texts, i), chunks[i].text);
    EXPECT_EQ(chunk_at(texts, chunks.size()), "");
  }
}

TEST(Chunks, EverythingSaidIsInThem) {
  std::mt19937 random(6);
  for (const std::int64_t offset : {-5, 0, 900, 1'000'000}) {
    ExchangeRow e{.user_message = prose(random, 3000),
                  .interventions = prose(random, 500),
                  .assistant_response = prose(random, 4000),
                  .answer_offset = offset};
    std::string all;
    for (const TextChunk& c : chunks_of(e))
      all += without_space(c.text);
    EXPECT_EQ(all.size(), without_space(e.user_message + e.interventions + e.assistant_response).size());
  }
}

}  // namespace
}  // namespace memd::enrichment
