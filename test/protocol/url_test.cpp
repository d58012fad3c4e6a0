#include "protocol/models/url.hpp"

#include <gtest/gtest.h>

namespace memd::http {
namespace {

TEST(Url, ReadsWhatABaseAddressNeeds) {
  const auto plain = parse_url("http://127.0.0.1:11434").value();
  EXPECT_FALSE(plain.secure);
  EXPECT_EQ(plain.host, "127.0.0.1");
  EXPECT_EQ(plain.port, "11434");
  EXPECT_EQ(plain.path, "");
  EXPECT_EQ(plain.authority(), "127.0.0.1:11434");
  const auto secure = parse_url("https://api.openai.com/v1/").value();
  EXPECT_TRUE(secure.secure);
  EXPECT_EQ(secure.port, "443");
  EXPECT_EQ(secure.path, "/v1");
  EXPECT_EQ(secure.authority(), "api.openai.com") << "the usual port is not named";
  EXPECT_EQ(secure.text(), "https://api.openai.com/v1");
  const auto v6 = parse_url("http://[::1]:8080/a/b").value();
  EXPECT_EQ(v6.host, "::1");
  EXPECT_EQ(v6.authority(), "[::1]:8080");
}

TEST(Url, RefusesWhatDoesNotBelongThere) {
  for (const char* bad : {"", "localhost:11434", "ftp://x", "http://", "http://:80", "http://h:0", "http://h:99999",
                          "http://h:8o", "http://u:p@h", "http://h/?q", "http://h/#f", "http://h/a b", "http://[::1",
                          "http://h\r\nX: y/", "http://h:80:80"})
    EXPECT_FALSE(parse_url(bad)) << bad;
}

}  // namespace
}  // namespace memd::http
