#include "schemas/base/utf8.hpp"
#include "store/db/database.hpp"
#include "store/db/fts5.hpp"
#include "store/text/script.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace memd::tokenizer {
namespace {

struct Cut {
  std::string token;
  int flags;
  int start;
  int end;
  bool operator==(const Cut&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Cut& c) {
  return out << c.token << '@' << c.start << '-' << c.end << '/' << c.flags;
}

class TokenizerTest : public testing::Test {
 protected:
  static std::vector<Cut> cut_by(const Fts5Instance& by, std::string_view text, int flags = FTS5_TOKENIZE_DOCUMENT) {
    std::vector<Cut> out;
    const auto take = [](void* p, int token_flags, const char* token, int size, int start, int end) {
      static_cast<std::vector<Cut>*>(p)->push_back(
          {std::string(token, static_cast<std::size_t>(size)), token_flags, start, end});
      return SQLITE_OK;
    };
    EXPECT_EQ(by.tokenize(text, flags, &out, take), SQLITE_OK);
    return out;
  }

  // Returns the tokens separated by spaces; a colocated token follows a plus sign.
  std::string words(std::string_view text, int flags = FTS5_TOKENIZE_DOCUMENT) const {
    std::string out;
    for (const Cut& c : cut_by(memd_, text, flags))
      out.append(out.empty() ? "" : (c.flags & FTS5_TOKEN_COLOCATED) != 0 ? "+" : " ").append(c.token);
    return out;
  }
  std::string asked(std::string_view text) const { return words(text, FTS5_TOKENIZE_QUERY); }

  void expect_as_built_in(std::string_view text) const {
    ASSERT_FALSE(has_other_scripts(text)) << text;
    ASSERT_EQ(cut_by(memd_, text), cut_by(built_in_, text)) << testing::PrintToString(text);
  }

  sqlite::Database db_ = sqlite::Database::open(":memory:", sqlite::OpenMode::read_write);
  Fts5Instance memd_{fts5_of(db_.handle()), "memd"};
  Fts5Instance built_in_{fts5_of(db_.handle()), "porter", {"unicode61", "remove_diacritics", "2"}};
};

TEST_F(TokenizerTest, LatinIsCutAsTheBuiltInDoes) {
  for (const std::string_view text :
       {"", " ", "a", "I'm running the generalizations of relational databases, hopefully adjusting possibly",
        "src/foo_bar.cpp:120: error[E0308]: don’t — “naïve” café résumé Ærøskøbing ÀÉÎÕÜ straße ﬁne",
        "parseConfig HTTPServer2 v1.2.3 0xDEADBEEF 3f2a9c1 snake_case kebab-case a1b2c3 x86_64 utf8",
        "e\xCC\x81t\xC3\xA9 n\xCC\x83", "│ ├── └── ✓ ✗ → … • 😀 👩‍💻 ½ ² Ⅷ",
        "ΑΒΓ αβγ ἀρχή שלום مرحبا हिन्दी Ünïcödé",
        "flies dies agreed plastered motoring conflated troubled sized hopping tanned falling hissing fizzed failing"})
    expect_as_built_in(text);
  for (const std::size_t size : {31U, 32U, 33U, 63U, 64U, 65U, 66U, 5000U})
    for (const std::string ending : {"ing", "ational", "s", "7"})
      expect_as_built_in(std::string(size - std::min(size, ending.size()), 'b') + ending + " word");
}

// Random texts of real stems and endings, and of bytes that do not occur in practice.
TEST_F(TokenizerTest, RandomTextsAreCutAsTheBuiltInDoes) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::vector<std::string> stems{"index", "relat", "config", "happ",  "commun", "hope", "oper", "valid",
                                       "x",     "ab",    "sky",    "naïve", "Élan",   "z9",   "q",    "ﬀ"};
  const std::vector<std::string> endings{
      "",      "s",     "es",      "ies", "ed", "ing", "ational", "ization", "fulness", "ousli",    "iviti",
      "icate", "ement", "ability", "y",   "e",  "ll",  "sses",    "eed",     "1",       "\xCC\x81", "İ"};
  const std::vector<std::string> signs{" ", "\n", "_", "-", "::", "’", "—", "\xCC\x81", "�", "", "😀", "\x7F", "."};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::size_t i = below(30); i > 0; --i) {
      std::string word = stems[below(stems.size())] + endings[below(endings.size())] + endings[below(endings.size())];
      for (char& c : word)
        if (below(9) == 0 && c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
      text += word + signs[below(signs.size())];
    }
    expect_as_built_in(text);
  }
  int other = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t i = below(24); i > 0; --i)
      text += static_cast<char>(below(3) == 0 ? random() : below(2) == 0 ? 0xC0 + below(64) : 'a' + below(26));
    if (has_other_scripts(text))
      ++other;
    else
      expect_as_built_in(text);
  }
  EXPECT_LT(other, 12'000);
}

TEST_F(TokenizerTest, EveryCharacterOutsideOfTheOtherScripts) {
  for (std::uint32_t c = 0x80; c < 0x110000; c += c < 0x20000 ? 1 : 61) {
    const std::string one = as_utf8(c);
    if (script_of(c) == Script::other) expect_as_built_in("a" + one + "b " + one + " " + one + one);
  }
}

TEST_F(TokenizerTest, PairsOfCharacters) {
  EXPECT_EQ(words("数据库"), "数据+数 据库+据+库");
  EXPECT_EQ(asked("数据库"), "数据 据库");
  EXPECT_EQ(words("库"), "库");
  EXPECT_EQ(asked("库"), "库");
  EXPECT_EQ(words("人人"), "人人+人");
  EXPECT_EQ(words("使用SQLite数据"), "使用+使+用 sqlite 数据+数+据");
  EXPECT_EQ(asked("第3章，锁。"), "第 3 章 锁");
  EXPECT_EQ(asked("서버를 재시작"), "서버 버를 재시 시작");
  EXPECT_EQ(asked("データベース"), "デー ータ タベ ベー ース");
  EXPECT_EQ(asked("接続プールの設定"), "接続 続プ プー ール ルの の設 設定");
  EXPECT_EQ(asked("ไฟล์"), "ไฟ ฟล ล์");
  EXPECT_EQ(asked("ไฟ文件"), "ไฟ 文件");
  EXPECT_EQ(asked("𠮷野家"), "𠮷野 野家");
}

TEST_F(TokenizerTest, PlacesOfPairs) {
  EXPECT_EQ(
      cut_by(memd_, "a 表示", FTS5_TOKENIZE_DOCUMENT),
      (std::vector<Cut>{
          {"a", 0, 0, 1}, {"表示", 0, 2, 8}, {"表", FTS5_TOKEN_COLOCATED, 2, 5}, {"示", FTS5_TOKEN_COLOCATED, 5, 8}}));
}

TEST_F(TokenizerTest, FormsOfCharactersAreOne) {
  EXPECT_EQ(asked("ＡＰＩ２"), "api2");
  EXPECT_EQ(asked("ﾃﾞｰﾀﾍﾞｰｽ"), asked("データベース"));
  EXPECT_EQ(asked("ﾊﾟｽ"), asked("パス"));
  EXPECT_EQ(asked("か\u3099く"), asked("がく"));
  EXPECT_EQ(asked("\u1109\u1165\u1107\u1165"), asked("서버"));
  EXPECT_EQ(asked("\u1112\u1161\u11AB\u1100\u1173\u11AF"), asked("한글"));
}

TEST_F(TokenizerTest, RussianIsStemmed) {
  EXPECT_EQ(asked("Ошибка"), asked("ошибкой"));
  EXPECT_EQ(asked("сервера серверу СЕРВЕРЫ"), "сервер сервер сервер");
  EXPECT_EQ(asked("ещё Ёлка"), asked("еще елка"));
  EXPECT_EQ(asked("и\u0306"), "й");
  EXPECT_EQ(asked("dockerом JSONы"), "docker ом json ы");
  EXPECT_EQ(asked("версия2"), "версия2");
  EXPECT_EQ(asked("настройка-подключения"), asked("настройку подключение"));
  EXPECT_EQ(asked("сверхвысокопроизводительными"), asked("сверхвысокопроизводительный"));
}

TEST_F(TokenizerTest, OtherScriptsAreKnown) {
  EXPECT_FALSE(has_other_scripts("plain text — “quoted” é 😀 │ αβγ"));
  EXPECT_TRUE(has_other_scripts("0123456789abcdef я"));
  EXPECT_TRUE(has_other_scripts("字"));
  EXPECT_TRUE(has_other_scripts("ｱ"));
  EXPECT_TRUE(has_other_scripts("Ａ"));
  EXPECT_FALSE(has_other_scripts("、。「」・"));
}

// Checks the matches of a table that uses the tokenizer, and that its index agrees with the texts.
TEST_F(TokenizerTest, InATable) {
  db_.exec("CREATE VIRTUAL TABLE notes USING fts5 (text, tokenize = 'memd')");
  db_.exec("INSERT INTO notes VALUES ('我们使用SQLite数据库'), ('서버를 재시작했다'), ('перезапустить сервера')");
  const auto found = [&](std::string_view question) {
    auto& q = db_.prepare("SELECT group_concat(rowid) FROM notes WHERE notes MATCH ?").bind(question);
    q.step();
    std::string out = q.str(0);
    q.reset();
    return out;
  };
  EXPECT_EQ(found("数据"), "1");
  EXPECT_EQ(found("据库"), "1");
  EXPECT_EQ(found("库"), "1");
  EXPECT_EQ(found("我"), "1");
  EXPECT_EQ(found("使用sqlite数据"), "1");
  EXPECT_EQ(found("\"用 sqlite 数\""), "1");
  EXPECT_EQ(found("库数"), "");
  EXPECT_EQ(found("서버"), "2");
  EXPECT_EQ(found("시작"), "2");
  EXPECT_EQ(found("сервер"), "3");
  db_.exec("INSERT INTO notes(notes) VALUES ('integrity-check')");
  EXPECT_FALSE(sqlite::guard([&] { db_.exec("CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = 'memd loudly')"); }));
}

}  // namespace
}  // namespace memd::tokenizer
