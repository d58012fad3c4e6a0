#include "daemon/config/config.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

std::string error_of(std::string_view yaml) {
  const auto r = parse_config(yaml, "c.yaml");
  return r ? std::string() : r.error().message();
}

TEST(Config, EmptyIsDefault) {
  const auto c = parse_config("", "c.yaml");
  ASSERT_TRUE(c);
  EXPECT_EQ(c->query_threads, 2);
  EXPECT_TRUE(c->platforms.empty());
}

TEST(Config, ReadsEveryKey) {
  const auto c = parse_config(
      "platforms:\n  claude_code:\n    enabled: false\n    paths: [/a, /b]\nlog:\n  level: debug\n"
      "query:\n  threads: 4\n  max_tokens: 3000\n",
      "c.yaml");
  ASSERT_TRUE(c) << c.error().message();
  EXPECT_FALSE(c->platforms.at(Platform::claude_code).enabled);
  EXPECT_EQ(c->platforms.at(Platform::claude_code).paths.size(), 2u);
  EXPECT_EQ(c->log_level, "debug");
  EXPECT_EQ(c->query_threads, 4);
  EXPECT_EQ(c->max_tokens, 3000);
}

TEST(Config, ErrorsNameFileLineAndKey) {
  EXPECT_EQ(error_of("log:\n  lvl: info\n"), "c.yaml:2: unknown key 'log.lvl'; known here: level");
  EXPECT_EQ(error_of("quary: {}\n"), "c.yaml:1: unknown key 'quary'; known here: platforms, log, query");
  EXPECT_EQ(error_of("query:\n  threads: 99\n"), "c.yaml:2: query.threads: expected a whole number from 1 to 16");
  EXPECT_EQ(error_of("log:\n  level: loud\n"),
            "c.yaml:2: log.level: expected one of trace, debug, info, warn, error, off");
  EXPECT_EQ(error_of("platforms:\n  cursor:\n    paths:\n      - relative\n"),
            "c.yaml:4: platforms.cursor.paths: expected absolute paths");
  EXPECT_NE(error_of("a: [b\n").find("not valid YAML"), std::string::npos);
  EXPECT_EQ(error_of("- 1\n"), "c.yaml:1: the file must be a mapping");
}

TEST(Config, MissingFileIsNamed) {
  const auto r = load_config("/nonexistent/memd.yaml");
  ASSERT_FALSE(r);
  EXPECT_TRUE(r.error().is(Errc::bad_config));
  EXPECT_NE(r.error().message().find("/nonexistent/memd.yaml"), std::string::npos);
}

}  // namespace
}  // namespace memd
