#include "store/text/time_expression.hpp"
#include "store/search/words/query_parser.hpp"
#include "test/support/time_zone.hpp"

#include <gmock/gmock.h>

#include <string>

namespace memd::search {
namespace {

// A Wednesday.
const TimeMs kNow = *parse_rfc3339("2026-02-11T15:30:00Z");

std::string range_of(std::string_view text, TimeMs now = kNow) {
  const auto found = find_time_expression(text, now);
  if (!found) return "none";
  return format_rfc3339(found->range.start).substr(0, 10) + " " + format_rfc3339(found->range.end).substr(0, 10) +
         " '" + std::string(text.substr(found->first, found->end - found->first)) + "'";
}

TEST(TimeExpression, Relative) {
  EXPECT_EQ(range_of("what broke yesterday?"), "2026-02-10 2026-02-11 'yesterday'");
  EXPECT_EQ(range_of("Today's fix"), "2026-02-11 2026-02-12 'Today'");
  EXPECT_EQ(range_of("the fix of last week"), "2026-02-02 2026-02-09 'last week'");
  EXPECT_EQ(range_of("this week"), "2026-02-09 2026-02-16 'this week'");
  EXPECT_EQ(range_of("LAST MONTH"), "2026-01-01 2026-02-01 'LAST MONTH'");
  EXPECT_EQ(range_of("last year"), "2025-01-01 2026-01-01 'last year'");
  EXPECT_EQ(range_of("last monday"), "2026-02-09 2026-02-10 'last monday'");
  EXPECT_EQ(range_of("last wednesday"), "2026-02-04 2026-02-05 'last wednesday'");
  EXPECT_EQ(range_of("two months ago we"), "2025-12-01 2026-01-01 'two months ago'");
  EXPECT_EQ(range_of("a week ago"), "2026-02-02 2026-02-09 'a week ago'");
  EXPECT_EQ(range_of("3 days ago"), "2026-02-08 2026-02-09 '3 days ago'");
  EXPECT_EQ(range_of("in the past 10 days"), "2026-02-01 2026-02-12 'past 10 days'");
  EXPECT_EQ(range_of("14 months ago"), "2024-12-01 2025-01-01 '14 months ago'");
}

TEST(TimeExpression, InOtherLanguages) {
  EXPECT_EQ(range_of("что сломалось вчера?"), "2026-02-10 2026-02-11 'вчера'");
  EXPECT_EQ(range_of("Позавчера чинили"), "2026-02-09 2026-02-10 'Позавчера'");
  EXPECT_EQ(range_of("ошибка на прошлой неделе"), "2026-02-02 2026-02-09 'на прошлой неделе'");
  EXPECT_EQ(range_of("вчерашний день"), "none");
  EXPECT_EQ(range_of("昨天修的错误"), "2026-02-10 2026-02-11 '昨天'");
  EXPECT_EQ(range_of("上个月的部署"), "2026-01-01 2026-02-01 '上个月'");
  EXPECT_EQ(range_of("一昨日の障害"), "2026-02-09 2026-02-10 '一昨日'");
  EXPECT_EQ(range_of("先週の修正"), "2026-02-02 2026-02-09 '先週'");
  EXPECT_EQ(range_of("지난주에 고친 오류"), "2026-02-02 2026-02-09 '지난주'");
  EXPECT_EQ(range_of("어제 작업"), "2026-02-10 2026-02-11 '어제'");
  EXPECT_EQ(range_of("昨天", 0), "none");
}

TEST(TimeExpression, Dates) {
  EXPECT_EQ(range_of("in March"), "2025-03-01 2025-04-01 'March'");
  EXPECT_EQ(range_of("January releases"), "2026-01-01 2026-02-01 'January'");
  EXPECT_EQ(range_of("May 2024 release"), "2024-05-01 2024-06-01 'May 2024'");
  EXPECT_EQ(range_of("on 7 May, 2023"), "2023-05-07 2023-05-08 '7 May, 2023'");
  EXPECT_EQ(range_of("February 3rd"), "2026-02-03 2026-02-04 'February 3rd'");
  EXPECT_EQ(range_of("in 2024"), "2024-01-01 2025-01-01 '2024'");
  EXPECT_EQ(range_of("what was in June 2025", 0), "2025-06-01 2025-07-01 'June 2025'");
}

TEST(TimeExpression, WordsThatOnlyLookLikeTimes) {
  for (const char* text : {"the last commit", "it may fail", "march of progress", "port 2024", "days of work", "jan",
                           "last", "week", "two", "ago", "this", "dec value", ""})
    EXPECT_EQ(range_of(text), "none") << text;
  EXPECT_EQ(range_of("yesterday in March", 0), "none") << "without a clock only years say when";
}

TEST(TimeExpression, InAQuestion) {
  const auto soft = parse_query("parser crash last week", kNow);
  ASSERT_TRUE(soft.preferred);
  EXPECT_FALSE(soft.has_filters());
  ASSERT_EQ(soft.wanted.size(), 2u) << "when it was is no word to look for";
  EXPECT_EQ(parse_query("release in June 2025", kNow).wanted.size(), 4u) << "a month may stand in a text";

  const auto hard = parse_query("what did I work on yesterday?", kNow);
  EXPECT_TRUE(hard.wanted.empty()) << "nothing but a time was asked for";
  EXPECT_EQ(hard.since, *parse_rfc3339("2026-02-10"));
  EXPECT_EQ(hard.until, *parse_rfc3339("2026-02-11"));

  EXPECT_FALSE(parse_query("\"not yesterday\"", kNow).preferred) << "in quotes it is text";
  EXPECT_FALSE(parse_query("since:yesterday crash", kNow).preferred);
}

TEST(TimeExpression, DaysAreOfTheTimeZone) {
  const test::ScopedTimeZone new_york("America/New_York");
  if (!new_york.known()) GTEST_SKIP() << "no zones here";
  const auto range = [](std::string_view text, std::string_view now) {
    const auto found = find_time_expression(text, *parse_rfc3339(now));
    return found ? format_rfc3339(found->range.start) + " " + format_rfc3339(found->range.end) : "none";
  };
  // The local time is 23:30 on the tenth.
  EXPECT_EQ(range("what broke today", "2026-02-11T04:30:00Z"), "2026-02-10T05:00:00.000Z 2026-02-11T05:00:00.000Z");
  EXPECT_EQ(range("last sunday", "2026-03-10T12:00:00Z"), "2026-03-08T05:00:00.000Z 2026-03-09T04:00:00.000Z");
  EXPECT_EQ(range("in november 2026", "2026-12-10T12:00:00Z"), "2026-11-01T04:00:00.000Z 2026-12-01T05:00:00.000Z");
  EXPECT_EQ(range("on november 1", "2026-12-10T12:00:00Z"), "2026-11-01T04:00:00.000Z 2026-11-02T05:00:00.000Z");
}

constexpr TimeMs kMondayAtSix = 1'770'616'800'000;  // 2026-02-09T06:00:00Z, a Monday, six hours into the day

std::string time_read(std::string_view text, RangeEnd end, TimeMs now) {
  const auto time = read_time(text, end, now);
  return time ? format_rfc3339(*time) : "none";
}
std::string since_of(std::string_view text, TimeMs now = kMondayAtSix) { return time_read(text, RangeEnd::since, now); }
std::string until_of(std::string_view text, TimeMs now = kMondayAtSix) { return time_read(text, RangeEnd::until, now); }

TEST(TimeText, AbsoluteTimes) {
  EXPECT_EQ(since_of("2026-02-01T10:00:00Z"), "2026-02-01T10:00:00.000Z");
  EXPECT_EQ(since_of("2026-02-01t10:00:00+02:00"), "2026-02-01T08:00:00.000Z");
  EXPECT_EQ(since_of("2026-02-01"), "2026-02-01T00:00:00.000Z");
}

TEST(TimeText, ADayAsTheEndIsTakenIn) {
  EXPECT_EQ(until_of("2026-02-01"), "2026-02-02T00:00:00.000Z");
  EXPECT_EQ(until_of("9999-12-31"), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(until_of("2026-02-01T00:00:00"), "2026-02-01T00:00:00.000Z");
  EXPECT_EQ(until_of("yesterday"), "2026-02-09T00:00:00.000Z");
  EXPECT_EQ(until_of("today"), "2026-02-10T00:00:00.000Z");
}

TEST(TimeText, DaysAreOfTheTimeZone) {
  const test::ScopedTimeZone tokyo("Asia/Tokyo");
  if (!tokyo.known()) GTEST_SKIP() << "no zones here";
  const TimeMs now = *parse_rfc3339("2026-02-09T14:00:00Z");  // 23:00 in Tokyo
  EXPECT_EQ(since_of("today", now), "2026-02-08T15:00:00.000Z");
  EXPECT_EQ(since_of("yesterday", now), "2026-02-07T15:00:00.000Z");
  EXPECT_EQ(until_of("yesterday", now), "2026-02-08T15:00:00.000Z");
  EXPECT_EQ(since_of("today", now + 2 * 3'600'000), "2026-02-09T15:00:00.000Z");
  EXPECT_EQ(since_of("yesterday at 9:30", now), "2026-02-08T00:30:00.000Z");
  EXPECT_EQ(since_of("2026-02-09 08:30", now), "2026-02-08T23:30:00.000Z");
  EXPECT_EQ(since_of("2026-02-09T08:30:00Z", now), "2026-02-09T08:30:00.000Z");
  EXPECT_EQ(until_of("2026-02-09", now), "2026-02-09T15:00:00.000Z");
  EXPECT_EQ(since_of("2026-02", now), "2026-01-31T15:00:00.000Z");
  EXPECT_EQ(since_of("this week", now), "2026-02-08T15:00:00.000Z");
  EXPECT_EQ(since_of("24h", now), "2026-02-08T14:00:00.000Z");
}

TEST(TimeText, ADayMayHave23Or25Hours) {
  const test::ScopedTimeZone new_york("America/New_York");
  if (!new_york.known()) GTEST_SKIP() << "no zones here";
  const TimeMs spring = *parse_rfc3339("2026-03-09T12:00:00Z");
  EXPECT_EQ(since_of("yesterday", spring), "2026-03-08T05:00:00.000Z");
  EXPECT_EQ(until_of("yesterday", spring), "2026-03-09T04:00:00.000Z");
  EXPECT_EQ(until_of("2026-03-08", spring), "2026-03-09T04:00:00.000Z");
  const TimeMs autumn = *parse_rfc3339("2026-11-02T12:00:00Z");
  EXPECT_EQ(since_of("yesterday", autumn), "2026-11-01T04:00:00.000Z");
  EXPECT_EQ(until_of("yesterday", autumn), "2026-11-02T05:00:00.000Z");
  EXPECT_EQ(since_of("2026-11", autumn), "2026-11-01T04:00:00.000Z");
  EXPECT_EQ(until_of("2026-11", autumn), "2026-12-01T05:00:00.000Z");
  EXPECT_EQ(since_of("november 2", autumn), "2026-11-02T05:00:00.000Z");
}

TEST(TimeText, SpansBackFromNow) {
  EXPECT_EQ(since_of("7d"), "2026-02-02T06:00:00.000Z");
  EXPECT_EQ(since_of("24h"), "2026-02-08T06:00:00.000Z");
  EXPECT_EQ(since_of(" 30 Minutes ago "), "2026-02-09T05:30:00.000Z");
  EXPECT_EQ(since_of("2 weeks ago"), "2026-01-26T06:00:00.000Z");
  EXPECT_EQ(since_of("last 3 days"), "2026-02-06T06:00:00.000Z");
  EXPECT_EQ(since_of("last week"), "2026-02-02T06:00:00.000Z");
  EXPECT_EQ(since_of("an hour ago"), "2026-02-09T05:00:00.000Z");
  EXPECT_EQ(since_of("1mo"), "2026-01-10T06:00:00.000Z");
  EXPECT_EQ(since_of("1y"), "2025-02-09T06:00:00.000Z");
  EXPECT_EQ(since_of("yesterday"), "2026-02-08T00:00:00.000Z");
  EXPECT_EQ(since_of("today"), "2026-02-09T00:00:00.000Z");
  EXPECT_EQ(since_of("now"), "2026-02-09T06:00:00.000Z");
  EXPECT_EQ(since_of("99999y"), "1970-01-01T00:00:00.001Z");
}

TEST(TimeText, AsPeopleTypeThem) {
  EXPECT_EQ(since_of("3 days ago"), "2026-02-06T06:00:00.000Z");
  EXPECT_EQ(since_of("two weeks ago"), since_of("2 weeks ago"));
  EXPECT_EQ(since_of("Three days"), since_of("3d"));
  EXPECT_EQ(since_of("day before yesterday"), "2026-02-07T00:00:00.000Z");
  EXPECT_EQ(since_of("yesterday 14:00"), "2026-02-08T14:00:00.000Z");
  EXPECT_EQ(since_of("today at 4:30"), "2026-02-09T04:30:00.000Z");
  EXPECT_EQ(since_of("2026-01-15 08:30"), "2026-01-15T08:30:00.000Z");
  EXPECT_EQ(since_of("2026/01/15"), "2026-01-15T00:00:00.000Z");
  EXPECT_EQ(until_of("2026/01/15"), "2026-01-16T00:00:00.000Z");
  EXPECT_EQ(since_of("this week"), "2026-02-09T00:00:00.000Z");  // a Monday
  EXPECT_EQ(since_of("this month"), "2026-02-01T00:00:00.000Z");
  EXPECT_EQ(since_of("this year"), "2026-01-01T00:00:00.000Z");
  EXPECT_EQ(since_of("last friday"), "2026-02-06T00:00:00.000Z");
  EXPECT_EQ(since_of("Friday"), "2026-02-06T00:00:00.000Z");
  EXPECT_EQ(until_of("friday"), "2026-02-07T00:00:00.000Z");
}

TEST(TimeText, MonthsAndYears) {
  EXPECT_EQ(since_of("2025-12"), "2025-12-01T00:00:00.000Z");
  EXPECT_EQ(until_of("2025-12"), "2026-01-01T00:00:00.000Z");
  EXPECT_EQ(until_of("2026-02"), "2026-03-01T00:00:00.000Z");
  EXPECT_EQ(since_of("may 2025"), "2025-05-01T00:00:00.000Z");
  EXPECT_EQ(until_of("May 2025"), "2025-06-01T00:00:00.000Z");
  EXPECT_EQ(since_of("May"), "2025-05-01T00:00:00.000Z");
  EXPECT_EQ(since_of("january"), "2026-01-01T00:00:00.000Z");
  EXPECT_EQ(since_of("May 3, 2025"), "2025-05-03T00:00:00.000Z");
  EXPECT_EQ(until_of("3 May 2025"), "2025-05-04T00:00:00.000Z");
  EXPECT_EQ(since_of("2025"), "2025-01-01T00:00:00.000Z");
  EXPECT_EQ(until_of("2025"), "2026-01-01T00:00:00.000Z");
}

TEST(TimeText, APeriodAsTheEndIsTakenIn) {
  EXPECT_EQ(until_of("last week"), "2026-02-09T00:00:00.000Z");
  EXPECT_EQ(until_of("last month"), "2026-02-01T00:00:00.000Z");
  EXPECT_EQ(until_of("this week"), "2026-02-16T00:00:00.000Z");
  EXPECT_EQ(until_of("2 weeks ago"), "2026-01-26T06:00:00.000Z");
  EXPECT_EQ(until_of("last 3 days"), "2026-02-06T06:00:00.000Z");
}

TEST(TimeText, WhatIsNoTime) {
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
                          "tomorrow"})
    EXPECT_EQ(since_of(bad), "none") << bad;
}

}  // namespace
}  // namespace memd::search
