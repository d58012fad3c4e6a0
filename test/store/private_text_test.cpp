#include "store/text/redaction/private_text.hpp"
#include "schemas/base/ascii.hpp"
#include "store/text/redaction/redactor.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <random>
#include <string>

namespace memd {
namespace {
namespace bj = boost::json;

std::string redacted(std::string text) {
  redact(text);
  return text;
}

TEST(PrivateText, BlocksAndMarkedTextsGo) {
  const std::string m = "[redacted:private]";
  EXPECT_EQ(redacted("a <private>b</private> c"), "a " + m + " c");
  EXPECT_EQ(redacted("<PRIVATE>b</Private>"), m);
  EXPECT_EQ(redacted("<pRivatE>b</pRivatE>"), m);
  EXPECT_EQ(redacted("a <private>b\nc"), "a " + m) << "without an end: to the end of the text";
  EXPECT_EQ(redacted("<private>a<private>b</private>c</private>d"), m + "d") << "blocks nest";
  EXPECT_EQ(redacted("<private>a</private>, <private>b</private>"), m + ", " + m);
  EXPECT_EQ(redacted("#private what is my salary"), m);
  EXPECT_EQ(redacted("  \n#Private: salary"), "  \n" + m);
  EXPECT_EQ(redacted("<user_query>\n#private salary\n</user_query>"), "<user_query>\n" + m);
  EXPECT_EQ(redacted("<ide_opened_file>a.cpp is open.</ide_opened_file>\n#private salary"),
            "<ide_opened_file>a.cpp is open.</ide_opened_file>\n" + m);
  EXPECT_EQ(redacted("<a>x</a> <b>y<c>z</c></b>\n\n #private salary"), "<a>x</a> <b>y<c>z</c></b>\n\n " + m);
  EXPECT_EQ(redacted("<a>x</a> y\n#private c"), "<a>x</a> y\n#private c") << "not at the start";
  EXPECT_EQ(redacted(R"({"text":"<ide_selection>x</ide_selection>\n#private salary","b":1})"),
            R"({"text":"<ide_selection>x</ide_selection>\n[redacted:private]","b":1})");
  EXPECT_EQ(redacted("a <private>b</private>\n#private c"), "a " + m + "\n#private c") << "not at the start";
  for (const char* left : {"a private matter", "class A { #privateField = 1 }", "see #private", "</private> alone",
                           "List<PrivateKey>", "#privately", "< private>", "private:\n  int x;"})
    EXPECT_EQ(redacted(left), left);
}

TEST(PrivateText, AStringOfJsonIsATextOfItsOwn) {
  EXPECT_EQ(redacted(R"({"a":"x <private>y","b":"z"})"), R"({"a":"x [redacted:private]","b":"z"})");
  EXPECT_EQ(redacted(R"({"a":"#private y","b":"z"})"), R"({"a":"[redacted:private]","b":"z"})");
  EXPECT_EQ(redacted(R"([1] he said "<private>y" and z</private> w)"), R"([1] he said "[redacted:private] w)");
  EXPECT_EQ(redacted(R"({"a":"{\"b\":\"<private>y\"}","c":1})"), R"({"a":"{\"b\":\"[redacted:private]\"}","c":1})");
}

// Generates texts with parts to remove and parts to keep, in JSON strings nested 0 to 3 deep and escaped as various
// serialisers do.
class Records {
 public:
  std::string word() { return "w" + std::to_string(engine_() % 1000) + "é"; }
  std::string text(std::string& secret) {
    secret = "canary" + std::to_string(engine_());
    switch (engine_() % 5) {
      case 0: return word() + " <private>" + secret + " \"q\" \\ \n" + word() + "</private> kept";
      case 1: return word() + " <private>x<private>" + secret + "</private>" + secret + "</private> kept";
      case 2: return word() + " kept <private>" + secret + " \"q\n";
      case 3: return "#private " + secret + " \"q\" " + word();
      default: return "<user_query>\n#PRIVATE\n" + secret + "\n</user_query>";
    }
  }
  std::string record(const std::string& text) {
    std::string out = bj::serialize(bj::value{{"role", "user"}, {"text", text}, {"after", "kept too"}});
    for (auto layers = engine_() % 3; layers > 0; --layers)
      out = bj::serialize(bj::value{{"n", 7}, {"arguments", escaped(std::move(out))}, {"last", "kept three"}});
    return escaped(std::move(out));
  }

 private:
  std::string escaped(std::string json) {
    std::string out;
    const auto way = engine_() % 3;
    for (const char c : json)
      if (way == 1 && (c == '<' || c == '>'))
        out += c == '<' ? "\\u003C" : "\\u003e";
      else if (way == 2 && c == '/')
        out += "\\/";
      else
        out += c;
    return out;
  }
  std::mt19937 engine_{20261123};
};

TEST(PrivateText, IsMaskedInRecordsInPlace) {
  Records records;
  for (int round = 0; round < 2000; ++round) {
    std::string secret;
    const std::string text = records.text(secret);
    const std::string before = records.record(text);
    for (const bool secrets_too : {false, true}) {
      std::string line = before;
      const auto n = secrets_too ? mask_record(line) : mask_private(line);
      EXPECT_GT(n, 0u) << before;
      EXPECT_EQ(line.size(), before.size());
      EXPECT_EQ(line.find(secret), std::string::npos) << line;
      bj::error_code ec;
      const auto value = bj::parse(line, ec);
      ASSERT_FALSE(ec) << line;
      if (text.find("kept") != std::string::npos) {
        EXPECT_NE(line.find("kept"), std::string::npos) << line;
      }
      EXPECT_NE(line.find("kept too"), std::string::npos) << line;
      EXPECT_EQ(mask_private(line), 0u) << line;
    }
  }
}

bool may_be_private_by_plain_search(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), ascii::lower);
  for (const char* mark : {"<private", "#private", "23private", "3cprivate"})
    if (text.find(mark) != std::string::npos) return true;
  return false;
}

// The scan compares 64 positions at once.
TEST(PrivateText, IsLookedForAtEachPlace) {
  std::mt19937 engine(7);
  const std::string letters = "pPvV <#rivate3c";
  int found = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (auto n = engine() % 200; n > 0; --n)
      text += letters[engine() % letters.size()];
    for (const char* word : {"", "private", "PrIVate", "<private", "\\u0023PRIVATE", "privat"}) {
      std::string with = text;
      with.insert(engine() % (text.size() + 1), word);
      const bool expected = may_be_private_by_plain_search(with);
      EXPECT_EQ(redaction::may_be_private(with), expected) << with;
      found += expected ? 1 : 0;
    }
  }
  EXPECT_GT(found, 10'000);
  EXPECT_LT(found, 15'000);
}

TEST(PrivateText, LinesThatAreNoWholeJson) {
  std::string document = "  \"content\": \"a <private>b\",\n  \"next\": \"c\"\n<private>d\ne</private>\n";
  const std::size_t size = document.size();
  mask_private(document);
  EXPECT_EQ(document.size(), size);
  EXPECT_EQ(document.find("  \"content\": \"a "), 0u);
  EXPECT_NE(document.find("\",\n"), std::string::npos) << document;
  EXPECT_NE(document.find("  \"next\": \"c\"\n"), std::string::npos);
  EXPECT_EQ(document.find("b\""), std::string::npos);
  EXPECT_EQ(document.find("d\n"), std::string::npos);
}

TEST(PrivateText, SecretsStayWhereOnlyThePrivateIsMasked) {
  const std::string token = std::string("ghp") + "_" + std::string(18, 'a') + std::string(18, '7');
  std::string line = R"({"text":"<private>x</private> )" + token + "\"}";
  mask_private(line);
  EXPECT_NE(line.find(token), std::string::npos);
  EXPECT_EQ(line.find("<private>"), std::string::npos);
}

}  // namespace
}  // namespace memd
