#include "store/search/stop_words.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace memd::search {
namespace {

// Sorted at compile time.
constexpr auto kStopWords = [] {
  auto words = std::to_array<std::string_view>(
      {"a",      "about",  "after",  "again",   "all",    "also",   "am",      "an",      "and",   "any",    "are",
       "as",     "at",     "be",     "because", "been",   "being",  "between", "both",    "but",   "by",     "can",
       "could",  "d",      "did",    "do",      "does",   "doing",  "each",    "for",     "from",  "get",    "had",
       "has",    "have",   "he",     "her",     "here",   "him",    "his",     "how",     "i",     "if",     "in",
       "into",   "is",     "it",     "its",     "just",   "let",    "ll",      "m",       "me",    "my",     "no",
       "not",    "of",     "off",    "on",      "or",     "our",    "out",     "please",  "re",    "s",      "she",
       "should", "so",     "some",   "such",    "t",      "than",   "that",    "the",     "their", "them",   "then",
       "there",  "these",  "they",   "this",    "those",  "to",     "too",     "up",      "us",    "ve",     "very",
       "was",    "we",     "were",   "what",    "when",   "where",  "which",   "while",   "who",   "whom",   "why",
       "will",   "with",   "would",  "you",     "your",   "yours",  "а",       "без",     "более", "больше", "будет",
       "будто",  "бы",     "был",    "была",    "были",   "было",   "быть",    "в",       "вам",   "вас",    "вдруг",
       "ведь",   "во",     "вот",    "впрочем", "все",    "всегда", "всего",   "всех",    "всю",   "вы",     "где",
       "да",     "даже",   "для",    "до",      "его",    "ее",     "ей",      "ему",     "если",  "есть",   "еще",
       "ж",      "же",     "за",     "зачем",   "здесь",  "и",      "из",      "или",     "им",    "иногда", "их",
       "к",      "как",    "какая",  "какие",   "каким",  "какой",  "когда",   "конечно", "кто",   "куда",   "ли",
       "между",  "меня",   "мне",    "много",   "может",  "можно",  "мой",     "моя",     "мы",    "на",     "над",
       "надо",   "нас",    "не",     "него",    "нее",    "ней",    "нельзя",  "нет",     "ни",    "нибудь", "никогда",
       "ним",    "них",    "ничего", "но",      "ну",     "о",      "об",      "он",      "она",   "они",    "опять",
       "от",     "перед",  "по",     "под",     "после",  "потом",  "потому",  "почему",  "почти", "при",    "про",
       "раз",    "разве",  "с",      "сам",     "свою",   "себе",   "себя",    "сейчас",  "со",    "совсем", "так",
       "такой",  "там",    "тебя",   "тем",     "теперь", "то",     "тогда",   "того",    "тоже",  "только", "том",
       "тот",    "тут",    "ты",     "у",       "уж",     "уже",    "хоть",    "чего",    "чем",   "через",  "что",
       "чтоб",   "чтобы",  "чуть",   "эти",     "это",    "этого",  "этой",    "этом",    "этот",  "эту",    "я",
       "怎么",   "什么",   "为什么", "怎样",    "如何",   "哪里",   "哪个",    "哪些",    "我们",  "你们",   "他们",
       "这个",   "那个",   "这里",   "那里",    "这些",   "是否",   "可以",    "一下",    "一个",  "没有",   "有没",
       "是不",   "时候",   "还是",   "么样",    "怎麼",   "什麼",   "為什麼",  "甚麼",    "何",    "何故",   "どう",
       "なぜ",   "いつ",   "どこ",   "です",    "ます",   "した",   "する",    "こと",    "これ",  "それ",   "ため",
       "から",   "왜",     "뭐",     "그",      "이",     "저",     "것",      "수",      "때",    "좀",     "어떻게",
       "무엇",   "무엇을", "어디",   "어디에",  "언제",   "우리",   "그때",    "습니",    "니다",  "했던",   "했는",
       "었던",   "었는",   "하는",   "하고",    "해서",   "했지",   "했나",    "했어",    "나요",  "는지",   "에서",
       "으로",   "부터",   "까지",   "하게",    "되게",   "하면",   "되면",    "려면",    "되고",  "돼서",   "되는",
       "있는",   "없는",   "세요",   "해줘",    "어줘",   "어요",   "아요",    "하자",    "하지",  "하기",   "기로",
       "에게",   "않고",   "어떤"});
  std::sort(words.begin(), words.end());
  return words;
}();

// Russian capitals made small, ё made е.
std::string small_cyrillic(std::string_view word) {
  std::string out(word);
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    const auto tail = static_cast<unsigned char>(out[i + 1]);
    if (out[i] == '\xD0' && tail >= 0x90 && tail < 0xA0) {
      out[i + 1] = static_cast<char>(tail + 0x20);
    } else if (out[i] == '\xD0' && tail >= 0xA0 && tail < 0xB0) {
      out[i] = '\xD1';
      out[i + 1] = static_cast<char>(tail - 0x20);
    } else if ((out[i] == '\xD0' && tail == 0x81) || (out[i] == '\xD1' && tail == 0x91)) {
      out[i] = '\xD0';
      out[i + 1] = '\xB5';
    }
  }
  return out;
}

}  // namespace

bool is_stop_word(std::string_view word) {
  const auto is_one = [](std::string_view w) { return std::binary_search(kStopWords.begin(), kStopWords.end(), w); };
  const bool cyrillic = !word.empty() && (word[0] == '\xD0' || word[0] == '\xD1');
  return cyrillic ? is_one(small_cyrillic(word)) : is_one(word);
}

}  // namespace memd::search
