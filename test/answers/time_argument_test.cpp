#include "daemon/tools/scope.hpp"

#include "schemas/error.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/time_zone.hpp"

#include <gtest/gtest.h>

namespace memd::tools {
namespace {

constexpr TimeMs kNow = 1'770'616'800'000;  // 2026-02-09T06:00:00Z, six hours into the day

std::string since(std::string_view text, TimeMs now = kNow) {
  const test::FakeClock clock(now);
  const auto t = parse_time_argument("since", text, RangeEnd::since, clock);
  return t ? format_rfc3339(*t) : t.error().message();
}
std::string until(std::string_view text, TimeMs now = kNow) {
  const test::FakeClock clock(now);
  const auto t = parse_time_argument("until", text, RangeEnd::until, clock);
  return t ? format_rfc3339(*t) : t.error().message();
}

TEST(TimeArgument, AbsoluteTimes) {
  EXPECT_EQ(since("2026-02-01T10:00:00Z"), "2026-02-01T10:00:00.000Z");
  EXPECT_EQ(since("2026-02-01t10:00:00+02:00"), "2026-02-01T08:00:00.000Z");
  EXPECT_EQ(since("2026-02-01"), "2026-02-01T00:00:00.000Z");
}

TEST(TimeArgument, ADayAsTheEndIsTakenIn) {
  EXPECT_EQ(until("2026-02-01"), "2026-02-02T00:00:00.000Z");
  EXPECT_EQ(until("9999-12-31"), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(until("2026-02-01T00:00:00"), "2026-02-01T00:00:00.000Z");
  EXPECT_EQ(until("yesterday"), "2026-02-09T00:00:00.000Z");
  EXPECT_EQ(until("today"), "2026-02-10T00:00:00.000Z");
}

TEST(TimeArgument, DaysAreOfTheTimeZone) {
  const test::ScopedTimeZone tokyo("Asia/Tokyo");
  if (!tokyo.known()) GTEST_SKIP() << "no zones here";
  const TimeMs now = *parse_rfc3339("2026-02-09T14:00:00Z");  // 23:00 in Tokyo
  EXPECT_EQ(since("today", now), "2026-02-08T15:00:00.000Z");
  EXPECT_EQ(since("yesterday", now), "2026-02-07T15:00:00.000Z");
  EXPECT_EQ(until("yesterday", now), "2026-02-08T15:00:00.000Z");
  EXPECT_EQ(since("today", now + 2 * 3'600'000), "2026-02-09T15:00:00.000Z");
  EXPECT_EQ(since("yesterday at 9:30", now), "2026-02-08T00:30:00.000Z");
  EXPECT_EQ(since("2026-02-09 08:30", now), "2026-02-08T23:30:00.000Z");
  EXPECT_EQ(since("2026-02-09T08:30:00Z", now), "2026-02-09T08:30:00.000Z");
  EXPECT_EQ(until("2026-02-09", now), "2026-02-09T15:00:00.000Z");
  EXPECT_EQ(since("2026-02", now), "2026-01-31T15:00:00.000Z");
  EXPECT_EQ(since("this week", now), "2026-02-08T15:00:00.000Z");
  EXPECT_EQ(since("24h", now), "2026-02-08T14:00:00.000Z");
  EXPECT_NE(since("whenever", now).find("days are of Asia/Tokyo (UTC+09:00)"), std::string::npos);
}

TEST(TimeArgument, ADayMayHave23Or25Hours) {
  const test::ScopedTimeZone new_york("America/New_York");
  if (!new_york.known()) GTEST_SKIP() << "no zones here";
  const TimeMs spring = *parse_rfc3339("2026-03-09T12:00:00Z");
  EXPECT_EQ(since("yesterday", spring), "2026-03-08T05:00:00.000Z");
  EXPECT_EQ(until("yesterday", spring), "2026-03-09T04:00:00.000Z");
  EXPECT_EQ(until("2026-03-08", spring), "2026-03-09T04:00:00.000Z");
  const TimeMs autumn = *parse_rfc3339("2026-11-02T12:00:00Z");
  EXPECT_EQ(since("yesterday", autumn), "2026-11-01T04:00:00.000Z");
  EXPECT_EQ(until("yesterday", autumn), "2026-11-02T05:00:00.000Z");
  EXPECT_EQ(since("2026-11", autumn), "2026-11-01T04:00:00.000Z");
  EXPECT_EQ(until("2026-11", autumn), "2026-12-01T05:00:00.000Z");
  EXPECT_EQ(since("november 2", autumn), "2026-11-02T05:00:00.000Z");
}

TEST(TimeArgument, SpansBackFromNow) {
  EXPECT_EQ(since("7d"), "2026-02-02T06:00:00.000Z");
  EXPECT_EQ(since("24h"), "2026-02-08T06:00:00.000Z");
  EXPECT_EQ(since(" 30 Minutes ago "), "2026-02-09T05:30:00.000Z");
  EXPECT_EQ(since("2 weeks ago"), "2026-01-26T06:00:00.000Z");
  EXPECT_EQ(since("last 3 days"), "2026-02-06T06:00:00.000Z");
  EXPECT_EQ(since("last week"), "2026-02-02T06:00:00.000Z");
  EXPECT_EQ(since("an hour ago"), "2026-02-09T05:00:00.000Z");
  EXPECT_EQ(since("1mo"), "2026-01-10T06:00:00.000Z");
  EXPECT_EQ(since("1y"), "2025-02-09T06:00:00.000Z");
  EXPECT_EQ(since("yesterday"), "2026-02-08T00:00:00.000Z");
  EXPECT_EQ(since("today"), "2026-02-09T00:00:00.000Z");
  EXPECT_EQ(since("now"), "2026-02-09T06:00:00.000Z");
  EXPECT_EQ(since("99999y"), "1970-01-01T00:00:00.001Z");
}

TEST(TimeArgument, AsPeopleTypeThem) {
  EXPECT_EQ(since("3 days ago"), "2026-02-06T06:00:00.000Z");
  EXPECT_EQ(since("two weeks ago"), since("2 weeks ago"));
  EXPECT_EQ(since("Three days"), since("3d"));
  EXPECT_EQ(since("day before yesterday"), "2026-02-07T00:00:00.000Z");
  EXPECT_EQ(since("yesterday 14:00"), "2026-02-08T14:00:00.000Z");
  EXPECT_EQ(since("today at 4:30"), "2026-02-09T04:30:00.000Z");
  EXPECT_EQ(since("2026-01-15 08:30"), "2026-01-15T08:30:00.000Z");
  EXPECT_EQ(since("2026/01/15"), "2026-01-15T00:00:00.000Z");
  EXPECT_EQ(until("2026/01/15"), "2026-01-16T00:00:00.000Z");
  EXPECT_EQ(since("this week"), "2026-02-09T00:00:00.000Z");  // a Monday
  EXPECT_EQ(since("this month"), "2026-02-01T00:00:00.000Z");
  EXPECT_EQ(since("this year"), "2026-01-01T00:00:00.000Z");
  EXPECT_EQ(since("last friday"), "2026-02-06T00:00:00.000Z");
  EXPECT_EQ(since("Friday"), "2026-02-06T00:00:00.000Z");
  EXPECT_EQ(until("friday"), "2026-02-07T00:00:00.000Z");
}

TEST(TimeArgument, MonthsAndYears) {
  EXPECT_EQ(since("2025-12"), "2025-12-01T00:00:00.000Z");
  EXPECT_EQ(until("2025-12"), "2026-01-01T00:00:00.000Z");
  EXPECT_EQ(until("2026-02"), "2026-03-01T00:00:00.000Z");
  EXPECT_EQ(since("may 2025"), "2025-05-01T00:00:00.000Z");
  EXPECT_EQ(until("May 2025"), "2025-06-01T00:00:00.000Z");
  EXPECT_EQ(since("May"), "2025-05-01T00:00:00.000Z");
  EXPECT_EQ(since("january"), "2026-01-01T00:00:00.000Z");
  EXPECT_EQ(since("May 3, 2025"), "2025-05-03T00:00:00.000Z");
  EXPECT_EQ(until("3 May 2025"), "2025-05-04T00:00:00.000Z");
  EXPECT_EQ(since("2025"), "2025-01-01T00:00:00.000Z");
  EXPECT_EQ(until("2025"), "2026-01-01T00:00:00.000Z");
}

TEST(TimeArgument, APeriodAsTheEndIsTakenIn) {
  EXPECT_EQ(until("last week"), "2026-02-09T00:00:00.000Z");
  EXPECT_EQ(until("last month"), "2026-02-01T00:00:00.000Z");
  EXPECT_EQ(until("this week"), "2026-02-16T00:00:00.000Z");
  EXPECT_EQ(until("2 weeks ago"), "2026-01-26T06:00:00.000Z");
  EXPECT_EQ(until("last 3 days"), "2026-02-06T06:00:00.000Z");
  const test::FakeClock clock(kNow);
  EXPECT_TRUE(parse_time_span("last week", "last week", clock));
  EXPECT_TRUE(parse_time_span("yesterday", "yesterday", clock));
}

TEST(TimeArgument, WhatIsNoTimeIsToldWhatToSend) {
  for (const char* bad : {"",
                          "soon",
                          "7",
                          "d",
                          "7 parsecs",
                          "2026-02-30",
                          "ago",
                          "999999d",
                          "last",
                          "week",
                          "2026-13",
                          "2026-5",
                          "1999-02-30",
                          "yesterday 25:00",
                          "today noon",
                          "may be",
                          "friday or so",
                          "when it broke last week",
                          "5/1/2026",
                          "in",
                          "0000",
                          "tomorrow"}) {
    const std::string message = since(bad);
    EXPECT_TRUE(message.starts_with("since: ")) << bad << " gave " << message;
    EXPECT_NE(message.find("7d"), std::string::npos);
  }
}

TEST(TimeArgument, AnEmptyRangeIsRefused) {
  const test::FakeClock clock(kNow);
  EXPECT_TRUE(parse_time_span("2026-02-01", "2026-02-01", clock));
  const auto bad = parse_time_span("2026-02-03", "2026-02-01", clock);
  ASSERT_FALSE(bad);
  EXPECT_TRUE(bad.error().is(Errc::invalid_argument));
  const auto future = parse_time_span("2099-01-01", std::nullopt, clock);
  ASSERT_FALSE(future);
  EXPECT_NE(future.error().message().find("still to come"), std::string::npos);
  const auto open = parse_time_span(std::nullopt, "", clock);
  ASSERT_TRUE(open);
  EXPECT_EQ(open->since, 0);
  EXPECT_EQ(open->until, 0);
}

}  // namespace
}  // namespace memd::tools
