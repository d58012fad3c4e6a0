#include "store/text/redaction/redactor.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/redaction/escaped_text.hpp"
#include "store/text/redaction/literal_scan.hpp"
#include "store/text/redaction/look_ahead.hpp"
#include "store/text/redaction/secret_finder.hpp"
#include "store/text/redaction/value_counts.hpp"
#include "test/support/plants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace memd {
namespace {

// Built from pieces at run time, so that no secret scanner reports this file.
class Canaries {
 public:
  std::string random(std::string_view alphabet, std::size_t n) {
    std::string out;
    for (std::size_t i = 0; i < n; ++i)
      out += alphabet[engine_() % alphabet.size()];
    // Real tokens contain digits; a short random one may not.
    if (alphabet.find('7') != std::string_view::npos && n > 2) out[n / 2] = '7', out[n / 3] = '4';
    return out;
  }
  std::string alnum(std::size_t n) {
    return random("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", n);
  }
  std::string upper(std::size_t n) { return random("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", n); }
  std::string hex(std::size_t n) { return random("0123456789abcdef", n); }

  std::vector<std::string> tokens() {
    std::vector<std::string> out;
    const std::string sk = "sk";
    for (const char* p : {"ghp", "gho", "ghu", "ghs", "ghr"})
      out.push_back(std::string(p) + "_" + alnum(36));
    out.push_back(std::string("github") + "_pat_" + alnum(22) + "_" + alnum(59));
    out.push_back(std::string("glpat") + "-" + alnum(20));
    out.push_back(std::string("AK") + "IA" + upper(16));
    out.push_back(std::string("AS") + "IA" + upper(16));
    for (const char* p : {"xoxb", "xoxp", "xoxa", "xoxr"})
      out.push_back(std::string(p) + "-" + "2401234567-" + alnum(24));
    out.push_back(sk + "_live_" + alnum(24));
    out.push_back(sk + "_test_" + alnum(24));
    out.push_back(std::string("rk") + "_live_" + alnum(24));
    out.push_back(sk + "-" + alnum(48));
    out.push_back(sk + "-proj-" + alnum(60));
    out.push_back(sk + "-ant-api03-" + alnum(40) + "-" + alnum(20) + "AA");
    out.push_back(std::string("AI") + "za" + alnum(35));
    out.push_back(std::string("npm") + "_" + alnum(36));
    out.push_back(std::string("hf") + "_" + alnum(34));
    out.push_back(std::string("SG") + "." + alnum(22) + "." + alnum(43));
    out.push_back(std::string("ya29") + "." + alnum(60));
    out.push_back(std::string("ey") + "J" + alnum(33) + "." + "ey" + "J" + alnum(60) + "." + alnum(43));
    return out;
  }

 private:
  std::mt19937 engine_{20260209};
};

// Returns texts that contain the secret in various ways.
std::vector<std::string> settings_of(const std::string& secret) {
  return {
      "The key is " + secret + ", please rotate it.",
      "{\"env\":{\"X\":\"" + secret + "\"},\"n\":1}",
      "{\"text\":\"first line\\n" + secret + "\\nlast\"}",
      "export X=" + secret + "\ncurl -H 'X: " + secret + "' https://example.com",
      "service:\n  x: " + secret + "\n  y: \"" + secret + "\"\n",
      secret,
      "(" + secret + ")",
      "url?x=" + secret + "&b=2",
  };
}

void redactor_expect_masked(const std::string& text, const std::string& secret) {
  std::string masked = text;
  EXPECT_TRUE(has_secret(text)) << text;
  EXPECT_TRUE(redact(masked)) << text;
  EXPECT_EQ(masked.find(secret), std::string::npos) << masked;
  EXPECT_NE(masked.find("[redacted:"), std::string::npos) << masked;
  std::string again = masked;
  EXPECT_FALSE(redact(again)) << masked;
  EXPECT_EQ(again, masked);
  EXPECT_LE(masked.size(), text.size() * 2 + 32);
}

TEST(Redactor, KnownTokensInEverySetting) {
  Canaries canaries;
  std::size_t n = 0;
  for (int round = 0; round < 4; ++round)
    for (const std::string& token : canaries.tokens())
      for (const std::string& text : settings_of(token))
        redactor_expect_masked(text, token), ++n;
  EXPECT_GE(n, 60U * 8U);
}

TEST(Redactor, AssignedValues) {
  Canaries canaries;
  for (int round = 0; round < 10; ++round) {
    const std::string key = canaries.alnum(32);
    const std::string password = canaries.alnum(9) + "!";
    for (const std::string& text : {
             "API_KEY=" + key,
             "export AWS_SECRET_ACCESS_KEY=" + canaries.alnum(3) + key + "/+a1",
             "api_key: " + key + "\n",
             "{\"clientSecret\": \"" + key + "\"}",
             "{\\\"apiKey\\\":\\\"" + key + "\\\"}",
             "const authToken = '" + key + "';",
             "auth_token => \"" + key + "\"",
             "tool --api-key " + key + " --verbose",
             "https://example.com/hook?token=" + key + "&id=3",
         })
      redactor_expect_masked(text, key);
    for (const std::string& text : {
             "password=" + password,
             "DB_PASSWORD=" + password + "\nDB_HOST=x",
             "{\"password\":\"" + password + "\",\"user\":\"me\"}",
             "  password: " + password + "\n",
             "mysql --password " + password + " db",
             "mysql --password=" + password + " db",
             "passphrase = \"" + password + "\"",
             "curl -u admin:" + password + " https://example.com",
         })
      redactor_expect_masked(text, password);
  }
}

TEST(Redactor, ConnectionStringsKeepEverythingButThePassword) {
  Canaries canaries;
  for (const char* scheme : {"postgres", "postgresql", "mysql", "mongodb+srv", "redis", "amqp", "https", "ftp"}) {
    const std::string password = canaries.alnum(12);
    redactor_expect_masked(std::string(scheme) + "://app:" + password + "@db.example.com:5432/main", password);
    std::string text = std::string(scheme) + "://app:" + password + "@db.example.com/main?x=1";
    redact(text);
    EXPECT_EQ(text, std::string(scheme) + "://app:[redacted:password]@db.example.com/main?x=1");
  }
}

TEST(Redactor, AuthorizationHeaders) {
  Canaries canaries;
  for (int round = 0; round < 20; ++round) {
    const std::string value = canaries.alnum(24);
    redactor_expect_masked("Authorization: Bearer " + value, value);
    redactor_expect_masked("curl -H \"authorization: Bearer " + value + "\" https://example.com", value);
    redactor_expect_masked("{\"Authorization\":\"Bearer " + value + "\"}", value);
    redactor_expect_masked("headers: { 'Authorization': 'Basic " + value + "==' }", value);
    redactor_expect_masked("{\\\"Authorization\\\": \\\"Bearer " + value + "\\\"}", value);
  }
}

TEST(Redactor, PrivateKeyBlocks) {
  Canaries canaries;
  for (const char* kind : {"RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED ", "DSA "}) {
    const std::string body = canaries.alnum(64);
    const std::string begin = std::string("-----BEGIN ") + kind + "PRIVATE KEY-----";
    const std::string end = std::string("-----END ") + kind + "PRIVATE KEY-----";
    redactor_expect_masked("before\n" + begin + "\n" + body + "\n" + body + "\n" + end + "\nafter", body);
    redactor_expect_masked("{\"key\":\"" + begin + "\\n" + body + "\\n" + end + "\\n\"}", body);
    redactor_expect_masked("cut off: " + begin + "\n" + body, body);
    std::string text = "a " + begin + "\n" + body + "\n" + end + " z";
    redact(text);
    EXPECT_EQ(text, "a [redacted:private_key] z");
  }
}

TEST(Redactor, SlackWebhook) {
  Canaries canaries;
  const std::string path = "T" + canaries.upper(9) + "/B" + canaries.upper(9) + "/" + canaries.alnum(24);
  redactor_expect_masked("post to https://hooks.slack.com/services/" + path + " please", path);
}

TEST(Redactor, LookAlikesSurvive) {
  for (const char* text : {
           "commit 4f2a9b1c3d5e6f708192a3b4c5d6e7f8091a2b3c fixes it",
           "session 0a76fbfe-d767-433e-b4b1-a39e044f21e8",
           "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
           "\"integrity\": "
           "\"sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==\"",
           "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
           "password=xxxxxxxx",
           "password=********",
           "API_KEY=<your key>",
           "API_KEY=your-api-key-goes-here-123",
           "token=$GITHUB_TOKEN_V2",
           "token: ${{ secrets.GITHUB_TOKEN1 }}",
           "SECRET=${SECRET_FROM_ENV_1}",
           "const apiKey = process.env.OPENAI_API_KEY1;",
           "api_key = os.environ[\"API_KEY_12\"]",
           "const token = getToken(user1, 42);",
           "let token = parser.next_token2();",
           "password: string;",
           "password: z.string().min(8)",
           "token: CancellationToken = None",
           "auto token = tokens[index + 1];",
           "\"password\": \"Enter your password\"",
           "<input type=\"password\" name=\"password\">",
           "max_tokens=200000 total_tokens: 123456789012",
           "if (password == expected_password_2) {",
           "if (token === null) return;",
           "git clone https://github.com/user/repo.git",
           "ssh://git@github.com:22/user/repo.git",
           "http://localhost:8080/path?x=a@b",
           "see https://user:password@example.com for the form",
           "postgres://user:$DB_PASS@host/db",
           "postgres://user:${DB_PASS}@host/db",
           "postgres://<user>:<password>@host/db",
           "Authorization: Bearer <token>",
           "Authorization: Bearer $TOKEN",
           "Authorization: Bearer YOUR_TOKEN_HERE",
           "Authorization header missing",
           "-----BEGIN CERTIFICATE-----\nMIIBszCCARygAwIBAgIUabcdefghijklmnop\n-----END CERTIFICATE-----",
           "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
           "looks for -----BEGIN RSA PRIVATE KEY----- in the file",
           "task-force-one-two-three-four-five-six-seven",
           "npm_config_registry=https://registry.npmjs.org/",
           "sk-learn and risk-assessment-of-things-2024-02",
           "disk-usage-of-the-whole-machine-in-bytes-1234567",
           "pk_id sk_buff rk_list ghp_short",
           "eyJ is how a JWT begins",
           "AKIA is the prefix",
           "--token-budget 200000 --password-stdin",
           "--token <token>",
           "PWD=/home/user/project1 OLDPWD=/tmp/x1",
           "next_page_token=CAUQAA1234567890ab",
           "SELECT password_hash1 FROM users WHERE token_id = 'a1'",
           "toolu_01A09q90qw90lq917835lq9",
           "msg_01XFDUDYJgAACzvnptvVoYEL",
           "parentUuid: 5a69ca08-eee5-4626-ac94-c23483e262cb",
           "key: value1 secretary: person12345678",
           "password = hashedPassword2",
           "x := secret.New(config1)",
       }) {
    std::string copy = text;
    EXPECT_FALSE(redact(copy)) << copy;
    EXPECT_EQ(copy, text);
    EXPECT_FALSE(has_secret(text));
  }
}

TEST(Redactor, ManySecretsInOneText) {
  Canaries canaries;
  std::string text;
  for (int i = 0; i < 500; ++i)
    text += "password=" + canaries.alnum(8) + " ";
  const std::size_t before = text.size();
  EXPECT_TRUE(redact(text));
  EXPECT_LE(text.size(), before * 2);
  std::size_t n = 0;
  for (std::size_t at = text.find("[redacted:password]"); at != std::string::npos;
       at = text.find("[redacted:password]", at + 1))
    ++n;
  EXPECT_EQ(n, 500U);
}

TEST(Redactor, AnyBytesAreSafe) {
  std::mt19937 engine(7);
  const std::string_view bits[] = {
      "://",           "=",       ":",    "_",  "-",  "--",   "password",    "token",
      "ghp_",          "eyJ",     ".",    "\"", "\\", "@",    "-----BEGIN ", "PRIVATE KEY-----",
      "Authorization", "Bearer ", "A7b9", " ",  "\n", "\xff", "I",           "AKIA"};
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::size_t n = engine() % 12; n > 0; --n)
      text += bits[engine() % std::size(bits)];
    std::string once = text;
    EXPECT_EQ(redact(once), has_secret(text)) << text;
    std::string twice = once;
    redact(twice);
    EXPECT_EQ(twice, once) << text;
  }
}

// Compares with a byte-by-byte scan: runs of any length at any position of a block of 64, also at the end of the text.
TEST(LongRuns, AreTheMaximalOnes) {
  using Runs = std::vector<std::pair<std::size_t, std::size_t>>;
  constexpr std::size_t kLeast = 12;
  std::mt19937 engine(11);
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    while (text.size() < engine() % 400) {
      text.append(engine() % 90, "aZ09mQ5z"[engine() % 8]);
      text += "@[`{/:\x80\xe1 \0"[engine() % 10];
    }
    if (engine() % 2 == 0) text.append(engine() % 90, 'k');
    Runs expected;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
      for (end = begin; end < text.size() && ascii::is_alnum(text[end]);)
        ++end;
      if (end - begin >= kLeast) expected.emplace_back(begin, end);
    }
    Runs found;
    redaction::each_long_run<kLeast>(text, [&](std::size_t begin, std::size_t end) { found.emplace_back(begin, end); });
    ASSERT_EQ(found, expected) << text;
  }
}

TEST(Redactor, FindsARandomWordNearANameWhateverIsBetween) {
  const std::string secret = "w5Uq4I7P4wvO";
  for (const std::string& text :
       {"cy.get('#password').type('" + secret + "')", "db.changeUserPassword(\"app\", \"" + secret + "\")",
        "new PasswordAuthentication(\"ada\", \"" + secret + "\")", "p.put(\"mail.smtp.password\", \"" + secret + "\");",
        "public string Password { get; set; } = \"" + secret + "\";", "SELECT '" + secret + "' AS password",
        "MOVE \"" + secret + "\" TO WS-PASSWORD.", "[\"password\"]=>\n  string(12) \"" + secret + "\"",
        "password: !!str " + secret, "plain-text-password-value \"" + secret + "\"",
        "I changed the root password to " + secret + " today"}) {
    std::string copy = text;
    EXPECT_TRUE(redact(copy)) << text;
    EXPECT_EQ(copy.find(secret), std::string::npos) << copy;
  }
  for (const std::string text :
       {"hash the password with argon2id", "the password as SHA256", "passwords: see RFC6749#Token",
        "validatePassword(form, 'passwordField2')", "password\nA1b2C3d4E5f", "password; next = A1b2C3d4E5f"}) {
    std::string copy = text;
    EXPECT_FALSE(redact(copy)) << copy;
  }
}

TEST(Redactor, MasksAWordByItselfThatIsAsRandomAsPasswordsOfPrograms) {
  const std::string secret = "w5Uq4I7P4wvO";
  for (const std::string& text :
       {"ada:" + secret, "conn ada/x@db " + secret, "*.mail.example:ada:" + secret + "\n",
        "user ada on >" + secret + " ~*", "10.0.0.1 " + secret + "w5Uq4I7P", "\"app\" \"" + secret + "\"",
        "//ada:" + secret + "@h/s", "x\\n" + secret + "\\n", "{\"text\":\"one\\n" + secret + "\\ntwo\"}"}) {
    std::string copy = text;
    EXPECT_TRUE(redact(copy)) << text;
    EXPECT_EQ(copy.find(secret), std::string::npos) << copy;
  }
  const std::string hash = "c66cf62e1f95";
  for (const std::string& text :
       {"lib/" + secret + "/x", secret + "(x)", "\"node_id\": \"" + secret + "\"",
        "[\"" + secret + "\", \"" + secret + "\"]", hash + "Wait, that", std::string("checkpoint1Id = ShardedPath2(x)"),
        std::string("0x9908b0dfUL, 11"), std::string("M4 6h8v1H4V6zm8 3"),
        std::string("MIIB") + "\nAAAABBBBccccDDDD1111eeee2222FFFF3333gggg4444HHHH5555iiii\n" + secret + "\n",
        "KEY-----\\n" + secret + secret + "\\n-----END", std::string("data: YWJjZGVmZ2hp")}) {
    std::string copy = text;
    EXPECT_FALSE(redact(copy)) << copy;
  }
}

// Words that only the file tells: small letters and digits, hexadecimal digits.
TEST(Redactor, TheContentOfAFileThatIsThereForSecretsIsMasked) {
  const std::string secret = "w5uq4i7p4w";
  const auto is_masked = [](std::string& text) {
    return text.starts_with('{') ? mask_records(std::span(text.data(), text.size())) > 0 : redact(text);
  };
  for (const std::string& text :
       {"$ cat .env\nBILLING=" + secret + "\n", "cat > /app/.env.local <<E\nX: " + secret + "\nE",
        "$ head -n 5 ~/.netrc\nmachine h " + secret,
        "{\"file_path\":\"/app/.env\",\"content\":\"A=1\\nB=" + secret + "\\n\"}",
        "{\"out\":\"A=1\\nB=" + secret + "\\n\",\"file\":{\"filePath\":\"/app/config/secrets.yml\"}}",
        "{\"command\":\"cat .env\"}\n{\"output\":\"B=" + secret + "\"}"}) {
    std::string copy = text;
    EXPECT_TRUE(is_masked(copy)) << text;
    EXPECT_EQ(copy.find(secret), std::string::npos) << copy;
  }
  for (const std::string& text :
       {"process.env.x = " + secret, "cat .env.example\nX=" + secret, "see .env\nX=" + secret,
        std::string("$ cat .env\nHOST=db.example.com:5432\nREGION=us-east-1\nV=2026-11-29T10:00:00Z\nP=/srv/app2/x1\n"),
        "{\"file_path\":\"/app/.env\",\"id\":\"" + secret + "\"}",
        "{\"names\":[\".env\"],\"out\":\"B=" + secret + "\"}",
        "{\"command\":\"cat .env\"}\n{}\n{}\n{}\n{\"output\":\"B=" + secret + "\"}"}) {
    std::string copy = text;
    EXPECT_FALSE(is_masked(copy)) << copy;
  }
}

TEST(LiteralScan, FindsAWordInAnyCase) {
  for (const std::size_t before : {0U, 1U, 14U, 15U, 16U, 40U})
    for (const std::size_t behind : {0U, 1U, 16U, 33U}) {
      const std::string text = std::string(before, 's') + "SuDo" + std::string(behind, 'o');
      EXPECT_TRUE(redaction::has_nocase(text, "sudo")) << text;
      EXPECT_FALSE(redaction::has_nocase(text, "sudos")) << text;
      EXPECT_FALSE(redaction::has_nocase(std::string_view(text).substr(0, before + 3), "sudo")) << text;
    }
  EXPECT_FALSE(redaction::has_nocase("", "sudo"));
}

std::vector<redaction::LiteralScan::Literal> some_literals(std::mt19937& engine, std::size_t n) {
  constexpr std::string_view kCharacters = "abckeyABKEY_-.:/019 \"\xe5\xaf";
  std::vector<redaction::LiteralScan::Literal> out;
  while (out.size() < n) {
    std::string text;
    for (std::size_t length = 3 + engine() % 10; text.size() < length;)
      text += kCharacters[engine() % kCharacters.size()];
    const bool any_case = engine() % 2 == 0;
    out.push_back({any_case ? ascii::lowered(text) : text, any_case});
  }
  return out;
}

// Returns a text composed of literals: complete, cut, and in another case.
std::string text_around(const std::vector<redaction::LiteralScan::Literal>& literals, std::mt19937& engine) {
  std::string text;
  for (const std::size_t length = engine() % 300; text.size() < length;) {
    std::string piece = literals[engine() % literals.size()].text;
    if (engine() % 3 == 0) piece.resize(engine() % (piece.size() + 1));
    if (engine() % 3 == 0 && !piece.empty()) piece[engine() % piece.size()] ^= 0x20;
    text += piece;
    while (engine() % 3 != 0)
      text += static_cast<char>(engine() % 256);
  }
  return text;
}

using Places = std::vector<std::pair<std::size_t, std::size_t>>;

// Compares every literal at every position.
Places places_of(const std::vector<redaction::LiteralScan::Literal>& literals, const std::string& text) {
  const std::string small = ascii::lowered(text);
  Places out;
  for (std::size_t at = 0; at < text.size(); ++at)
    for (std::size_t l = 0; l < literals.size(); ++l)
      if ((literals[l].any_case ? small : text).compare(at, literals[l].text.size(), literals[l].text) == 0)
        out.emplace_back(at, l);
  return out;
}

TEST(LiteralScan, FindsEachLiteralOnceWhereverItStands) {
  std::mt19937 engine(12);
  for (const std::size_t n : {1U, 7U, 60U, 300U}) {
    const auto literals = some_literals(engine, n);
    for (const auto form : redaction::LiteralSieve::forms()) {
      const redaction::LiteralScan scan(literals, form);
      for (int i = 0; i < 60; ++i) {
        const std::string text = text_around(literals, engine);
        Places found;
        scan.each(text, [&](std::size_t begin, std::size_t literal) { found.emplace_back(begin, literal); });
        std::sort(found.begin(), found.end());
        ASSERT_EQ(found, places_of(literals, text)) << text;
      }
    }
  }
}

// All forms pass the same positions as the portable one. Superfluous positions count, too: a sieve that passes
// everything would also find everything.
TEST(LiteralSieve, IsTheSameInEveryForm) {
  using redaction::LiteralSieve;
  std::mt19937 engine(13);
  const auto literals = some_literals(engine, 200);
  std::vector<LiteralSieve> sieves;
  for (const auto form : LiteralSieve::forms()) {
    sieves.emplace_back(form);
    for (const auto& literal : literals)
      sieves.back().add(literal.text);
  }
  for (int i = 0; i < 500; ++i) {
    std::string text = text_around(literals, engine);
    const std::size_t places = text.size() / LiteralSieve::kAtOnce * LiteralSieve::kAtOnce;
    text.resize(places + LiteralSieve::kWindow - 1);
    LiteralSieve::Places portable;
    const std::size_t n = sieves.front().find(text.data(), places, portable);
    for (const LiteralSieve& sieve : sieves) {
      LiteralSieve::Places found;
      ASSERT_EQ(sieve.find(text.data(), places, found), n) << text;
      ASSERT_TRUE(std::equal(found.begin(), found.begin() + n, portable.begin())) << text;
    }
  }
}

// One literal, and bytes that have nothing in common with it: only its positions pass.
TEST(LiteralSieve, LetsNothingElseThrough) {
  using redaction::LiteralSieve;
  for (const auto form : LiteralSieve::forms()) {
    LiteralSieve sieve(form);
    EXPECT_EQ(sieve.add("ghp_"), 0U);
    std::string text(256 + LiteralSieve::kWindow - 1, '.');
    for (const std::size_t at : {0U, 31U, 62U, 130U, 255U})
      text.replace(at, 4, "GHp_");
    LiteralSieve::Places found;
    ASSERT_EQ(sieve.find(text.data(), 256, found), 5U);
    EXPECT_EQ(std::vector<int>(found.begin(), found.begin() + 5), (std::vector<int>{0, 31, 62, 130, 255}));
  }
}

// The doubts of a finder decide how far back escape sequences are resolved.
TEST(Doubts, AreLongOnlyWhereABlockOfLinesMayBegin) {
  const auto doubts_in = [](std::string_view text) {
    std::vector<redaction::Secret> secrets;
    redaction::SecretFinder::Signs signs;
    redaction::secret_finder().find(text, secrets, signs);
    std::vector<std::pair<std::size_t, bool>> out;
    for (const auto& doubt : signs.doubts)
      out.emplace_back(doubt.at, doubt.is_long);
    std::sort(out.begin(), out.end());
    return out;
  };
  using Doubts = std::vector<std::pair<std::size_t, bool>>;
  // "secret" is the end of a key name in the first text and the kind of a manifest in the second.
  EXPECT_EQ(doubts_in(R"(CLIENT_SECRET=<client_secret>\n)"), (Doubts{{22, false}}));
  EXPECT_EQ(doubts_in(R"(kind: Secret\nmetadata: x)"), (Doubts{{6, true}}));
}

// A name 1 KiB after a token is not related to it: the mask begins with the token, not earlier.
TEST(Redactor, ADoubtfulNameLeavesWhatIsFarInFrontOfItAlone) {
  Canaries canaries;
  const std::string token = "glagent-" + canaries.alnum(45);
  const std::string behind = std::string(1100, '.') + R"(CLIENT_SECRET=<client_secret>\n)";
  std::string text = R"(MODELS**\n\)" + token + "**" + behind;
  EXPECT_TRUE(redact(text));
  EXPECT_EQ(text, R"(MODELS**\n\[redacted:gitlab_token]**)" + behind);
}

// Three bytes identify an Azure secret; here an escape sequence follows them.
TEST(Redactor, AnEscapedSecretIsFoundAtEvenAndOddPlaces) {
  Canaries canaries;
  const std::string before = canaries.alnum(3);
  const std::string behind = canaries.alnum(31);
  for (std::size_t blanks = 0; blanks < 4; ++blanks) {
    std::string text = std::string(blanks, ' ') + before + R"(8Q~\)" + behind;
    EXPECT_TRUE(redact(text)) << text;
    EXPECT_EQ(text, std::string(blanks, ' ') + "[redacted:azure_secret]");
  }
}

// In a record "
// " may precede a token: its letter n is not part of the token.
TEST(Redactor, ATokenThatNamesItselfBehindAnEscapeSequence) {
  Canaries canaries;
  const std::string token = "acme_pat_" + canaries.alnum(30);
  for (const std::string before : {" ", "\\n", "\\t", "\\r", "\\f", "\\b", "\\u0026", "\\\\n", "\\\\\\n"}) {
    std::string record = R"({"a":"see)" + before + token + R"( end"})";
    const std::string as_written = record;
    EXPECT_EQ(mask_record(record), 1U) << as_written;
    EXPECT_EQ(ascii::trimmed(record), R"({"a":"see)" + before + R"([redacted:token] end"})");
    std::string text = as_written;
    EXPECT_TRUE(redact(text));
    EXPECT_EQ(text, R"({"a":"see)" + before + R"([redacted:token] end"})");
  }
}

// JSON is UTF-8: half a code point after a mask makes a record unreadable.
TEST(Redactor, CharactersAreMaskedAsAWhole) {
  Canaries canaries;
  const std::string password = "gla-" + canaries.alnum(30);
  for (const std::string letter : {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"}) {
    std::string record = R"({"a":"x\\password=\")" + password + letter + letter + R"("})";
    EXPECT_EQ(mask_record(record), 1U);
    EXPECT_EQ(ascii::trimmed(record), R"({"a":"x\\password=\"[redacted:password]"})");
  }
}

// Only the string that contains a secret determines how its escape sequences are read; preceding strings do not matter.
TEST(Redactor, AnEscapedSecretIsFoundInWhicheverStringItStands) {
  Canaries canaries;
  std::mt19937 engine(14);
  const std::string before = canaries.alnum(3);
  const std::string behind = canaries.alnum(31);
  for (int i = 0; i < 2000; ++i) {
    std::string other = "{";
    for (auto n = engine() % 30; n > 0; --n) {
      other += '"';
      for (auto letters = engine() % 40; letters > 0; --letters)
        other += 'x';
      if (engine() % 12 == 0) other += (engine() % 2 == 0 ? R"(\\)" : R"(\")");
      other += n % 2 == 0 ? "\":" : "\",";
    }
    other += R"("s":"x )";
    std::string record = other + before + R"(8Q~\u002e)" + behind + R"( \"y\"","t":")" + std::string(80, 'y') + R"("})";
    EXPECT_EQ(mask_record(record), 1U) << record;
    EXPECT_TRUE(record.starts_with(other + R"([redacted:azure_secret] \"y\"","t":"yyyy)")) << record;
  }
}

// Names in a text of nothing but escape sequences: looking back from a name is limited to kLookBack bytes.
TEST(LookBack, IsBoundedHoweverManyEscapeSequencesThereAre) {
  constexpr std::size_t kApart = 2000;
  std::string text;
  std::vector<std::size_t> names;
  for (int i = 0; i < 60; ++i) {
    for (std::size_t n = 0; n < kApart; ++n)
      text += "\\n";
    names.push_back(text.size());
    text += "pwd=";
  }
  std::size_t looked_at = 0;
  for (const std::size_t at : names) {
    const std::size_t begin = redaction::begin_of_escapes(text, at, 0);
    ASSERT_LE(begin, at);
    looked_at += at - begin;
  }
  EXPECT_LE(looked_at, names.size() * redaction::kLookBack);
  EXPECT_EQ(redaction::begin_of_escapes(text, names.back(), 0), names.back() - redaction::kLookBack);
  EXPECT_EQ(redaction::begin_of_escapes(text, names.back(), names.back() - 10), names.back() - 10);
  EXPECT_EQ(redaction::begin_of_escapes("no such sequence", 9, 0), 9U);
}

TEST(LookBack, WhatFollowsManyEscapeSequencesIsMasked) {
  Canaries canaries;
  const std::string password = canaries.alnum(12) + "!";
  std::string record = R"({"a":")";
  for (int i = 0; i < 20'000; ++i)
    record += "\\n";
  const std::string before = record;
  record += R"(\"password\":\")" + password + R"(\",\n"})";
  EXPECT_GT(mask_record(record), 0U);
  EXPECT_TRUE(record.starts_with(before + R"(\"password\":\"[redacted)")) << record.substr(before.size());
  EXPECT_EQ(record.find(password), std::string::npos);
}

// Each sign is examined only up to the next one, so any number of them costs one pass. When each was examined to the
// end of the text, 32 KiB of the second unit took minutes.
TEST(Redactor, TextOfNothingButSignsIsReadInOnePass) {
  for (const std::string_view unit : {"kind: Secret\n", "kind: Secret \"data\":{ ", "kind: Secret data: data:\n  x\n",
                                      "-----BEGIN RSA PRIVATE KEY-----", "eyJ"}) {
    std::string text;
    while (text.size() < 30'000)
      text += unit;
    EXPECT_EQ(redact(text), unit.ends_with("{ ")) << unit << ": an open section has values";
  }
}

// The value of each of these signs extends over the signs behind it. When each sign examined all of it, that was
// hundreds of bytes for each byte of the text, and of cookies and headers as many as the text has.
TEST(Redactor, ValuesThatOverlapAreExaminedOnce) {
  constexpr std::size_t kMostForAByte = 10;  // different things that one sign looks for
  for (const std::string_view unit :
       {"AccountKey=", "PASSWORD=x",     "password=",      "PASS=a.",
        "token:",      "glpat-",         "xoxb-",          "eyJ-",
        "ops_eyJ",     "*:*:*:",         ":5432:",         "dckr_pat_",
        "GR1348941",   "mysql -p'",      "mysql -p\"",     "az login -p '",
        "password=a,", "secret=a&b",     "cookie=",        "cookie=a1B",
        "cookie=my-",  "authorization=", "authorization:", "authorization=cookie=token=&"}) {
    std::string text;
    while (text.size() < 30'000)
      text += unit;
    std::vector<redaction::Secret> found;
    redaction::SecretFinder::Signs signs;
    redaction::secret_finder().find(text, found, signs);
    EXPECT_LE(signs.looked_at, kMostForAByte * text.size()) << unit;
  }
}

// A sign finds the same end whether it comes after the signs in front of it, before them or alone.
TEST(LookAhead, FindsTheSameEndInAnyOrder) {
  std::mt19937 engine(20260209);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (auto n = 1 + engine() % 80; n > 0; --n)
      text += engine() % 12 == 0 ? ' ' : 'x';
    const auto is_blank = [&](std::size_t i) { return text[i] == ' '; };
    redaction::LookAhead ahead(text);
    for (int i = 0; i < 60; ++i) {
      const std::size_t from = engine() % (text.size() + 1);
      const std::size_t most = from + engine() % (text.size() + 1 - from);
      const bool back = engine() % 2 == 0;
      std::size_t expected = back ? most : from;
      if (back)
        while (expected > from && !is_blank(expected - 1))
          --expected;
      else
        while (expected < most && !is_blank(expected))
          ++expected;
      ASSERT_EQ(back ? ahead.begin_of(redaction::LookAhead::kWord, most, from, is_blank)
                     : ahead.end_of(redaction::LookAhead::kWord, from, most, is_blank),
                expected)
          << text;
    }
  }
}

// However the next value of a text differs from the last, its counts are those of a value counted by itself.
TEST(ValueCounts, AreThoseOfEachValueByItself) {
  std::mt19937 engine(20260209);
  constexpr std::string_view kBytes = "aeixyzbcdAEXYZ0123-_= \t";
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (auto n = 1 + engine() % 120; n > 0; --n)
      text += engine() % 3 == 0 ? kBytes[engine() % kBytes.size()] : kBytes[engine() % 13];
    redaction::ValueCounts counts(text);
    for (int i = 0; i < 60; ++i) {
      const std::size_t begin = engine() % text.size();
      const std::size_t end = begin + 1 + engine() % (text.size() - begin);
      const std::string_view value = std::string_view(text).substr(begin, end - begin);
      counts.move_to(begin, end);
      ASSERT_EQ(counts.shape(), redaction::shape_of(value)) << value;
      ASSERT_EQ(counts.wordiness(), redaction::wordiness(value)) << value;
      ASSERT_EQ(counts.entropy(), redaction::entropy(value)) << value;
    }
  }
}

// Of a run in which no next part can begin, only the end is tried. Other patterns are tried at each place.
TEST(SecretPattern, FindsWhatFollowsARun) {
  const auto found = [](std::string_view pattern, std::string_view text, std::string_view anchor) {
    redaction::LookAhead ahead(text);
    const auto secret = redaction::SecretPattern(pattern, true).match(text, text.find(anchor), 0, ahead);
    return secret ? text.substr(secret->begin, secret->end - secret->begin) : std::string_view("none");
  };
  EXPECT_EQ(found("abc<lower 2->{.}x", "abcdefgh.x", "abc"), ".");
  EXPECT_EQ(found("abc<lower 2->{x}", "abcdefxghXi", "abc"), "X");  // the last one that fits
  EXPECT_EQ(found("abc<upnum 2->{<lower 2>}", "abcDE34fg", "abc"), "fg");
  EXPECT_EQ(found("abc<lower 2->.", "abcd.", "abc"), "none");
  EXPECT_EQ(found("abc<gap> -p{<arg>}", "abc -x - -P 'a' -pq", "abc"), "q");
  EXPECT_EQ(found("abc<gap> -p{<arg>}", "abc -x -P'a b'", "abc"), "a b");
  EXPECT_EQ(found("abc<gap> -p{<arg>}", "abc -x\n -pq", "abc"), "none");
}

TEST(Redactor, EachManifestOfATextIsMasked) {
  const std::string value = "c2VjcmV0MTIzNDU2";
  const std::string first = "data:\n  a: " + value + "\nkind: Secret\n";
  const std::string last = "kind: Secret\nstringData:\n  b: correct4horse\n";
  const std::string json = R"({"kind":"Secret","data":{"data":{"c":")" + value + R"("}}})";
  const std::string record = R"({"type":"progress","data":{"output":")";
  for (std::string text :
       {first + "---\n" + first + last + last, first + first, last + first, json + json,
        record + "\nkind: Secret\ndata:\n  a: " + value + "\n", record + json + "\"}}", "data: " + json}) {
    redact(text);
    EXPECT_EQ(text.find(value), std::string::npos) << text;
    EXPECT_EQ(text.find("correct4horse"), std::string::npos) << text;
  }
}

// With the raw layer off or unmasked, nothing else masks the fields that are not prose.
TEST(MaskBatch, NamesAndPlacesAreMaskedToo) {
  const std::string secret = "ghp_" + std::string("0123456789abcdefghijABCDEFGHIJ012345");
  EventBatch batch;
  Event& e = batch.events.emplace_back();
  for (auto* text : {&e.text, &e.summary, &e.search_text, &e.tool, &e.lifecycle, &e.cwd, &e.git_branch, &e.model,
                     &e.agent_version, &e.text_end, &e.pull_request})
    *text = "a/" + secret;
  e.files.push_back({"/w/" + secret + "/x.py"});
  SessionUpdate& u = batch.sessions.emplace_back();
  for (auto* text : {&u.title, &u.description, &u.agent_name, &u.project_hint, &u.cwd, &u.git_branch, &u.model,
                     &u.agent_version, &u.mode, &u.repo})
    *text = "a/" + secret;
  batch.cover(secret, Disposition::unknown, "", 1);
  mask_secrets(batch);
  for (const auto& text :
       {e.agent_version, e.text_end,    e.pull_request, u.agent_version, u.mode, u.repo,       e.text,
        e.summary,       e.search_text, e.tool,         e.lifecycle,     e.cwd,  e.git_branch, e.model,
        u.title,         u.description, u.agent_name,   u.project_hint,  u.cwd,  u.git_branch, u.model})
    EXPECT_EQ(text, "a/[redacted:github_token]");
  EXPECT_EQ(e.files[0].path, "/w/[redacted:github_token]/x.py");
  EXPECT_EQ(batch.coverage[0].record_type, "[redacted:github_token]");
}

// Short texts are searched together, and each comes out as by itself.
TEST(MaskBatch, TextsBesideEachOtherAreMaskedAsAlone) {
  EventBatch batch;
  std::vector<std::string> alone;
  const auto add = [&](std::string text) {
    batch.events.emplace_back().text = text;
    redact(text);
    alone.push_back(std::move(text));
  };
  for (const redaction::SecretRule& rule : redaction::secret_finder().rules())
    for (const auto* texts : {&rule.examples, &rule.misses})
      for (std::string text : *texts) {
        std::erase_if(text, [](char c) { return c == '{' || c == '}'; });
        add("password:");  // the name and the value of the next line are no pair
        add(std::move(text));
        add("hunter2-Is-Mine");
        add("kx7Q2vL9wR4t");
        add("");
      }
  ASSERT_GT(alone.size(), 500U);
  mask_secrets(batch);
  for (std::size_t i = 0; i < alone.size(); ++i)
    EXPECT_EQ(batch.events[i].text, alone[i]);
}

TEST(MaskBatch, IdentifiersOfSessionsStay) {
  const std::string id = "ses_" + std::string("acme_token_Qw3eRt5yUi7oPa9sDf1gHj2kLz4x");
  EventBatch batch;
  Event& e = batch.events.emplace_back();
  e.session_uid = id;
  SessionUpdate& u = batch.sessions.emplace_back();
  u.session_uid = u.native_id = u.parent_uid = u.forked_from = id;
  mask_secrets(batch);
  for (const auto& text : {e.session_uid, u.session_uid, u.native_id, u.parent_uid, u.forked_from})
    EXPECT_EQ(text, id);
}

TEST(MaskBatch, IdsOfCallsWithSecretsAreRenamedAndStillLink) {
  const std::string secret = "ghp_" + std::string("0123456789abcdefghijABCDEFGHIJ012345");
  EventBatch batch;
  for (const std::string& id : {"a_" + secret, "b_" + secret, "a_" + secret, std::string("toolu_01")})
    batch.events.emplace_back().call_id = id;
  batch.sessions.emplace_back().parent_call_id = "b_" + secret;
  mask_secrets(batch);
  const auto& events = batch.events;
  EXPECT_EQ(events[0].call_id.find(secret), std::string::npos) << events[0].call_id;
  EXPECT_NE(events[0].call_id, events[1].call_id);
  EXPECT_EQ(events[0].call_id, events[2].call_id);
  EXPECT_EQ(events[3].call_id, "toolu_01");
  EXPECT_EQ(batch.sessions[0].parent_call_id, events[1].call_id);
  EventBatch again;  // an export that is imported
  again.events = events;
  mask_secrets(again);
  EXPECT_EQ(again.events[0].call_id, events[0].call_id);
}

// A source map is a megabyte of Base64 with many signs in it. It is looked into part by part, to its end.
TEST(Redactor, LooksIntoLongBase64) {
  std::string plain;
  while (plain.size() < 700'000)
    plain += "a>b?c>d?~ ~~";
  plain += "\nPASSWORD=" + std::string("kx7Q2vL9") + "wR4t\n";
  const std::string coded = test::base64(plain);
  std::string text = "map=" + coded + " end";
  EXPECT_TRUE(redact(text));
  EXPECT_TRUE(text.starts_with("map=" + coded.substr(0, 600'000))) << "what has no secret stays";
  EXPECT_TRUE(text.ends_with("] end")) << text.substr(text.size() - 40);
  EXPECT_LT(text.size(), coded.size());
}

}  // namespace
}  // namespace memd
