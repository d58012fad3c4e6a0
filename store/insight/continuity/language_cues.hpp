#pragma once

#include <array>
#include <string_view>

// What sentences do, by words of Russian, Chinese, Japanese and Korean, as spoken_form() writes them. Only what seldom
// means anything else: 总是, 항상 and всегда demand, but mostly complain.
namespace memd::continuity::cues {

// Forbids or demands.
inline constexpr auto kBinding = std::to_array<std::string_view>({" не надо ",     " не нужно ",    " нельзя ",
                                                                  " обязательно ", " вместо ",      " не трогай",
                                                                  " не меняй",     " не используй", " не добавляй",
                                                                  " не удаляй",    " не делай",     " не забудь",
                                                                  " не создавай",  " должен ",      " должна ",
                                                                  " должно ",      " должны ",      "不要",
                                                                  "必须",          "必須",          "禁止",
                                                                  "务必",          "一定要",        "不得",
                                                                  "不许",          "确保",          "千万别",
                                                                  "而不是",        "しないで",      "しないように",
                                                                  "てはいけない",  "てはならない",  "なければならない",
                                                                  "必ず",          "ではなく",      "使わないで",
                                                                  "変えないで",    "하지 마",       "하지마",
                                                                  "지 말고",       "지 말아",       "지 마세요",
                                                                  "반드시",        "절대",          "해야 해",
                                                                  "해야 합니다",   "안 됩니다",     "금지"});

inline constexpr auto kWished =
    std::to_array<std::string_view>({" нужно ", " надо ", " хочу ", " хотелось бы ", "应该", "應該", "希望",
                                     "してほしい", "べきです", "べきだ", "좋겠"});

inline constexpr auto kAsked =
    std::to_array<std::string_view>({"？", "吗", "为什么", "怎么", "是否", "ですか", "ますか", "でしょうか", "なぜ",
                                     " 왜 ", "나요 ", "까요 ", "습니까", "어떻게", " почему ", " зачем ", " ли "});

// It is so only if.
inline constexpr auto kSupposed =
    std::to_array<std::string_view>({" если ", " возможно ", "如果", "可能", "もし", "かもしれ", "만약", "수도 있"});

inline constexpr auto kTrouble = std::to_array<std::string_view>(
    {" не работает ", " не работают ", " падает ", " падают ",     " не проходит ", " не проходят ", " сломан",
     " проблема в ",  " отсутствует ", "失败",     "报错",         "崩溃",          "问题是",        "不正确",
     "失敗",          "動作しない",    "動かない", "動作しません", "壊れて",        "問題は",        "실패",
     "동작하지 않",   "작동하지 않",   "깨집니다", "문제는"});

inline constexpr auto kMended =
    std::to_array<std::string_view>({" исправил",  " исправлен",   " починил", " тесты проходят ", " теперь работает ",
                                     "已修复",     "修复了",       "已解决",   "解决了",           "测试通过",
                                     "全部通过",   "修正しました", "修正した", "直しました",       "解決しました",
                                     "テストが通", "수정했",       "고쳤",     "해결했",           "해결됐",
                                     "모두 통과",  "테스트가 통과"});

// Words only to go on.
inline constexpr auto kGoOn =
    std::to_array<std::string_view>({" продолжай", " давай дальше ", " спасибо ", " хорошо ", "继续", "谢谢", "好的",
                                     "続けて", "ありがとう", "계속", "고마워", "감사합니다"});

}  // namespace memd::continuity::cues
