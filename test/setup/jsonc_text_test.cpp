#include "daemon/setup/jsonc_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace memd::setup {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::vector<std::string> kServerPath{"mcpServers", "memd"};
constexpr std::string_view kServerValue = R"({"command":"/x/memd","args":["--stdio"]})";

std::string put(std::string_view text, JsonDialect dialect = JsonDialect::with_comments) {
  return with_member(text, dialect, kServerPath, kServerValue).value();
}
std::string take(std::string_view text) {
  return without_member(text, JsonDialect::with_comments, kServerPath).value();
}

// A text before an entry is added and after. Removing the entry restores the text before.
struct JsonCase {
  const char* name;
  const char* before;
  const char* after;
  const char* taken = nullptr;  // if removing does not restore `before`
};

const JsonCase kJsonCases[] = {
    {"empty file", "",
     "{\n  \"mcpServers\": {\n    \"memd\": {\n      \"command\": \"/x/memd\",\n      \"args\": [\"--stdio\"]\n    }\n "
     " "
     "}\n}\n",
     "{}\n"},
    {"empty object", "{}\n",
     "{\n  \"mcpServers\": {\n    \"memd\": {\n      \"command\": \"/x/memd\",\n      \"args\": [\"--stdio\"]\n    }\n "
     " "
     "}\n}\n"},
    {"others, tabs", "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"other\": {\"url\": \"x\"}\n\t}\n}\n",
     "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"other\": {\"url\": \"x\"},\n\t\t\"memd\": {\n\t\t\t\"command\": "
     "\"/x/memd\",\n\t\t\t\"args\": [\"--stdio\"]\n\t\t}\n\t}\n}\n"},
    {"CRLF and byte order mark", "\xEF\xBB\xBF{\r\n    \"mcpServers\": {},\r\n    \"z\": 0\r\n}",
     "\xEF\xBB\xBF{\r\n    \"mcpServers\": {\r\n        \"memd\": {\r\n            \"command\": \"/x/memd\",\r\n       "
     "  "
     "   \"args\": [\"--stdio\"]\r\n        }\r\n    },\r\n    \"z\": 0\r\n}",
     "\xEF\xBB\xBF{\r\n    \"z\": 0\r\n}"},
    {"trailing comma and comments",
     "// mine\n{\n  \"mcpServers\": {\n    \"a\": {}, // the first\n    /* off */\n  }, // all\n}\n",
     "// mine\n{\n  \"mcpServers\": {\n    \"a\": {}, // the first\n    \"memd\": {\n      \"command\": \"/x/memd\",\n "
     "    "
     " \"args\": [\"--stdio\"]\n    },\n    /* off */\n  }, // all\n}\n"},
    {"a comment behind the last value", "{\n  \"mcpServers\": {\n    \"a\": {} // the first\n  }\n}\n",
     "{\n  \"mcpServers\": {\n    \"a\": {}, // the first\n    \"memd\": {\n      \"command\": \"/x/memd\",\n      "
     "\"args\": [\"--stdio\"]\n    }\n  }\n}\n"},
    {"only a comment", "{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n",
     "{\n  \"mcpServers\": {\n    // none yet\n    \"memd\": {\n      \"command\": \"/x/memd\",\n      \"args\": "
     "[\"--stdio\"]\n    }\n  }\n}\n"},
    {"one line", "{\"a\": [1, 2], \"mcpServers\": {\"b\": {}}}",
     "{\"a\": [1, 2], \"mcpServers\": {\"b\": {}, \"memd\": {\"command\": \"/x/memd\", \"args\": [\"--stdio\"]}}}"},
    {"memd of another place, with keys of the user's",
     "{\n  \"mcpServers\": {\n    \"memd\": {\"command\": \"/old\", \"disabled\": true}\n  }\n}\n",
     "{\n  \"mcpServers\": {\n    \"memd\": {\n      \"command\": \"/x/memd\",\n      \"args\": [\"--stdio\"]\n    }\n "
     " "
     "}\n}\n",
     "{}\n"},
};

TEST(JsoncText, PutInAndTakenOutChangesNothingElse) {
  for (const JsonCase& c : kJsonCases) {
    SCOPED_TRACE(c.name);
    const std::string after = put(c.before);
    EXPECT_EQ(after, c.after);
    EXPECT_EQ(put(after), after);
    EXPECT_EQ(take(after), c.taken != nullptr ? c.taken : c.before);
  }
}

TEST(JsoncText, SaysWhereTheTextIsWrong) {
  const auto error = [](std::string_view text, JsonDialect dialect = JsonDialect::with_comments) {
    const auto parsed = parse_jsonc(text, dialect);
    return parsed ? std::string("none") : parsed.error().context;
  };
  EXPECT_EQ(error("{\n  \"a\": 1\n  \"b\": 2\n}"), "line 3: a comma or the end is expected");
  EXPECT_EQ(error("{\"a\": }"), "line 1: a value is expected");
  EXPECT_EQ(error("{\"a\": 1"), "line 1: a comma or the end is expected");
  EXPECT_EQ(error("{} x"), "line 1: something follows the end of the value");
  EXPECT_EQ(error("{\n/* c"), "line 2: the comment has no end");
  EXPECT_EQ(error("{\"a\": \"\\q\"}"), "line 1: no such escape");
  EXPECT_EQ(error("{\"a\": 1e}"), "line 1: a value is expected");
  EXPECT_EQ(error("{\n// c\n}", JsonDialect::strict), "line 2: this file may not have comments");
  EXPECT_EQ(error("{\"a\": 1,}", JsonDialect::strict), "line 1: there is a comma before the end");
  EXPECT_EQ(error("{\"a\": 1, // c\n}", JsonDialect::only_comments), "line 2: there is a comma before the end");
  EXPECT_EQ(error("{\"a\": 1 // c\n}", JsonDialect::only_comments), "none");
  EXPECT_THAT(error(std::string(300, '[')), HasSubstr("too many levels"));
  EXPECT_EQ(error("  \n\t"), "none");
}

TEST(JsoncText, RefusesWhatIsNoObject) {
  const auto text = with_member("{\n\"mcpServers\": []}", JsonDialect::strict, kServerPath, kServerValue);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().context, "line 2: mcpServers is no object");
  EXPECT_FALSE(with_member("[]", JsonDialect::strict, kServerPath, kServerValue));
}

TEST(JsoncText, ElementsOfArrays) {
  const std::vector<std::string> path{"hooks", "SessionStart"};
  const std::string one = with_element("{}", JsonDialect::strict, path, R"({"a":[{"b":1}]})").value();
  const std::string two = with_element(one, JsonDialect::strict, path, R"({"c":2})").value();
  EXPECT_EQ(two,
            "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"a\": [\n          {\n            \"b\": "
            "1\n          }\n        ]\n      },\n      {\n        \"c\": 2\n      }\n    ]\n  }\n}");
  EXPECT_EQ(without_element(two, JsonDialect::strict, path, 1).value(), one);
  EXPECT_EQ(without_element(one, JsonDialect::strict, path, 0).value(), "{}");
  EXPECT_EQ(without_element("{\"hooks\": {\"SessionStart\": [1, 2, 3]}}", JsonDialect::strict, path, 0).value(),
            "{\"hooks\": {\"SessionStart\": [2, 3]}}");
}

TEST(JsoncText, ComparesWithoutBlanks) {
  const std::string text = "{ \"a\" : [ 1, \"\\u00e4\\n\" ] , /* c */ \"b\": {} }";
  EXPECT_EQ(compact_json(text, parse_jsonc(text, JsonDialect::with_comments).value()), "{\"a\":[1,\"ä\\n\"],\"b\":{}}");
}

// Random layouts: an added entry can be read, and removing it restores the bytes.
TEST(JsoncText, RandomLayouts) {
  std::mt19937 random(7);
  const auto pick = [&](std::initializer_list<const char*> words) {
    return std::string(words.begin()[random() % words.size()]);
  };
  for (int round = 0; round < 2000; ++round) {
    const std::string line = pick({"\n", "\r\n"}) + pick({"  ", "\t", "    ", ""});
    const std::string comment = pick({"", " // c", " /* c */"});
    const std::string trailing = pick({"", ","});
    std::string text = pick({"", "\xEF\xBB\xBF", "// head\n"}) + "{";
    const auto count = 1 + random() % 3;
    for (std::size_t i = 0; i < count; ++i) {
      text +=
          line + "\"k" + std::to_string(i) + "\":" + pick({" ", ""}) + pick({"1", "\"x // y\"", "[]", "{}", "null"});
      text += i + 1 < count ? "," : trailing;
      text += comment;
    }
    text += line.substr(0, line.find('\n') + 1) + "}" + pick({"", "\n"});
    const std::string after = put(text);
    const auto root = parse_jsonc(after, JsonDialect::with_comments);
    ASSERT_TRUE(root) << text << "\n---\n" << after;
    const JsonValue* server = find_value(*root, kServerPath);
    ASSERT_NE(server, nullptr) << after;
    EXPECT_EQ(compact_json(after, *server), kServerValue);
    ASSERT_EQ(take(after), text) << after;
  }
}

}  // namespace
}  // namespace memd::setup
