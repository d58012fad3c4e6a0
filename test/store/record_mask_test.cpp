
#include "store/text/redaction/redactor.hpp"
#include "test/support/canaries.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <random>

namespace memd {
namespace {

namespace bj = boost::json;

// Built from pieces at run time, so that no secret scanner reports this file.
std::string word(std::mt19937& engine, std::size_t n) {
  static constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string out;
  for (std::size_t i = 0; i < n; ++i)
    out += kAlphabet[engine() % kAlphabet.size()];
  out[n / 2] = '7', out[n / 3] = '4', out[n / 4] = 'q';
  return out;
}

struct Case {
  std::string text;
  std::string secret;
};

std::vector<Case> cases(std::mt19937& engine) {
  std::vector<Case> out;
  const auto add = [&](const std::string& before, const std::string& secret, const std::string& after) {
    out.push_back({before + secret + after, secret});
  };
  const std::string token = std::string("ghp") + "_" + word(engine, 36);
  for (const char* before : {"The key is ", "first line\n", "\ttab\t", "<", "a & b \"", "é "})
    add(before, token, "\nlast \"line\"");
  add("", std::string("sk") + "-ant-api03-" + word(engine, 40), "");
  add("id ", std::string("AK") + "IA" + "ABCDEFGHIJ234567", " done");
  const std::string key = word(engine, 32);
  add("API_KEY=", key, "\nNEXT=1");
  add("const authToken = '", key, "';");
  add("{\"apiKey\": \"", key, "\", \"n\": 1}");
  add("{\n  \"client_secret\" : \"", key, "\"\n}");
  add("tool --api-key ", key, " --verbose");
  add("https://example.com/hook?token=", key, "&id=3");
  const std::string password = word(engine, 12);
  add("password=", password, " user=me");
  add("passphrase: \"", password + "&<>", "\"");
  add("postgres://app:", password, "@db.example.com:5432/main");
  add("https://me:", password + "&x", "@host/path");
  add("curl -u admin:", password, " https://example.com");
  add("Authorization: Bearer ", word(engine, 24), "\r\nHost: x");
  const std::string body = word(engine, 64);
  add("k -----BEGIN RSA PRIVATE KEY-----\n", body, "\n" + body + "\n-----END RSA PRIVATE KEY----- z");
  return out;
}

// Escapes as other writers do: slashes, and all characters special in HTML.
std::string escaped_more(const std::string& json) {
  std::string out;
  bool escape = false;
  for (const char c : json) {
    if (escape) {
      escape = false;
      out += c;
      continue;
    }
    escape = c == '\\';
    if (c == '/')
      out += "\\/";
    else if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else
      out += c;
  }
  return out;
}

void expect_masked(const std::string& line, const std::string& secret) {
  std::string masked = line;
  EXPECT_GT(mask_record(masked), 0u) << line;
  EXPECT_EQ(masked.size(), line.size());
  EXPECT_EQ(masked.find(secret), std::string::npos) << masked;
  bj::error_code ec;
  const auto value = bj::parse(masked, ec);
  ASSERT_FALSE(ec) << masked;
  EXPECT_FALSE(has_secret(bj::serialize(value))) << masked;
  std::string again = masked;
  mask_record(again);
  EXPECT_EQ(again, masked);
}

TEST(RecordMask, FindsSecretsThroughLayersOfEscapes) {
  std::mt19937 engine(20260209);
  for (int round = 0; round < 20; ++round)
    for (const Case& c : cases(engine)) {
      ASSERT_TRUE(has_secret(c.text)) << c.text;
      const std::string once = bj::serialize(bj::value{{"type", "user"}, {"text", c.text}, {"n", 1}});
      expect_masked(once, c.secret);
      expect_masked(escaped_more(once), c.secret);
      const std::string twice = bj::serialize(bj::value{{"type", "tool"}, {"arguments", once}});
      expect_masked(twice, c.secret);
      expect_masked(escaped_more(twice), c.secret);
    }
}

// Canaries as adapters see them: in a JSON string, and in JSON inside a JSON string.
TEST(RecordMask, CanariesAreMaskedThroughLayersOfEscapes) {
  for (const test::Canary& canary : test::Canaries(3).make(2)) {
    const std::string once = bj::serialize(bj::value{{"type", "user"}, {"text", canary.text}, {"n", 1}});
    const std::string twice = bj::serialize(bj::value{{"type", "tool"}, {"arguments", once}});
    for (const std::string& line : {once, twice, escaped_more(once)}) {
      std::string masked = line;
      mask_record(masked);
      EXPECT_EQ(masked.size(), line.size());
      bj::error_code ec;
      bj::parse(masked, ec);
      EXPECT_FALSE(ec) << canary.kind << ": " << masked;
      // An answer shows such a record as plain text.
      std::string text = line;
      redact(text);
      for (const std::string& piece : canary.pieces)
        EXPECT_EQ(text.find(piece), std::string::npos) << canary.kind << ": " << text;
      for (const std::string& piece : canary.pieces)
        EXPECT_EQ(masked.find(piece), std::string::npos) << canary.kind << ": " << line << "\n" << masked;
    }
  }
}

TEST(RecordMask, TextsAreMaskedAsEventsAre) {
  std::mt19937 engine(3);
  for (const Case& c : cases(engine)) {
    std::string line = bj::serialize(bj::value{{"text", c.text}});
    mask_record(line);
    std::string want = c.text;
    redact(want);
    std::string have(bj::parse(line).at("text").as_string());
    // If "[redacted:…]" is longer than the secret, a shorter form is used.
    if (have.find("[redacted:") != std::string::npos) {
      EXPECT_EQ(have, want);
    }
  }
}

TEST(RecordMask, LinesKeepTheirPlacesAndOthersAreLeftAlone) {
  std::mt19937 engine(5);
  const std::string plain = R"({"a":"nothing to see, max_tokens=200000","b":[1,2.5,"http://localhost:80/x?a=b"]})";
  const std::string secret = std::string("ghp") + "_" + word(engine, 36);
  const std::string lines =
      plain + "\n{\"t\":\"" + secret + "\"}\n" + plain + "\r\n{\"p\":\"" + secret + "\"}\r\n" + plain;
  std::string masked = lines;
  EXPECT_EQ(mask_records(std::span(masked.data(), masked.size())), 2u);
  ASSERT_EQ(masked.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i] == '\n') {
      EXPECT_EQ(masked[i], '\n');
      EXPECT_EQ(lines[i - 1] == '\r', masked[i - 1] == '\r');
    }
  EXPECT_EQ(masked.substr(0, plain.size()), plain);
  EXPECT_TRUE(masked.ends_with(plain));
}

TEST(RecordMask, NumbersStayNumbers) {
  std::string line = R"({"user":"x","password": 83742915 })";
  const std::size_t size = line.size();
  mask_record(line);
  EXPECT_EQ(line.size(), size);
  EXPECT_TRUE(bj::parse(line).at("password").is_int64());
  EXPECT_EQ(line.find("83742915"), std::string::npos);
}

TEST(RecordMask, AnyBytesAreSafe) {
  std::mt19937 engine(11);
  const std::string_view bits[] = {"://",      "=",          ":",         "_",       "-",           "--",
                                   "password", "token",      "ghp_",      "eyJ",     ".",           "\"",
                                   "\\",       "\\\\",       "@",         "\\u00",   "\\n",         "{",
                                   "}",        "A7b",        "\xff",      "passwd=", "-----BEGIN ", "PRIVATE KEY-----",
                                   "Bearer ",  "hunter22aB", "curl -u a:"};
  for (int i = 0; i < 30000; ++i) {
    std::string text = i % 2 == 0 ? "{\"" : "";
    for (std::size_t n = engine() % 14; n > 0; --n)
      text += bits[engine() % std::size(bits)];
    const std::size_t size = text.size();
    mask_record(text);
    EXPECT_EQ(text.size(), size);
  }
}

}  // namespace
}  // namespace memd
