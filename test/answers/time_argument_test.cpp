
#include "daemon/tools/time_argument.hpp"
#include "schemas/base/error.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/time_zone.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace memd::tools {
namespace {

using testing::HasSubstr;

const test::FakeClock kClock(1'770'616'800'000);  // 2026-02-09T06:00:00Z

TEST(TimeArgument, WhatIsNoTimeIsToldWhatToSend) {
  const test::ScopedTimeZone tokyo("Asia/Tokyo");
  const auto bad = parse_time_argument("since", "soon", RangeEnd::since, kClock);
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message(), testing::StartsWith("since: \"soon\" is no time, send "));
  if (tokyo.known()) EXPECT_THAT(bad.error().message(), HasSubstr("days are of Asia/Tokyo (UTC+09:00)"));
}

TEST(TimeArgument, AnEmptyRangeIsRefused) {
  EXPECT_TRUE(parse_time_span("last week", "last week", kClock));
  EXPECT_TRUE(parse_time_span("2026-02-01", "2026-02-01", kClock));
  const auto bad = parse_time_span("2026-02-03", "2026-02-01", kClock);
  ASSERT_FALSE(bad);
  EXPECT_TRUE(bad.error().is(Errc::invalid_argument));
  const auto future = parse_time_span("2099-01-01", std::nullopt, kClock);
  ASSERT_FALSE(future);
  EXPECT_NE(future.error().message().find("still to come"), std::string::npos);
  const auto open = parse_time_span(std::nullopt, "", kClock);
  ASSERT_TRUE(open);
  EXPECT_EQ(open->since, 0);
  EXPECT_EQ(open->until, 0);
}

}  // namespace
}  // namespace memd::tools
