#include "schemas/base/time.hpp"

#include "test/support/time_zone.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace memd {
namespace {

using test::ScopedTimeZone;

TEST(UnixSeconds, AreNoTimeBeyond64Bits) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(from_unix_seconds(1'784'000'001), 1'784'000'001'000);
  EXPECT_EQ(from_unix_seconds(-1), -1000);
  EXPECT_EQ(from_unix_seconds(kMost / 1000), kMost / 1000 * 1000);
  EXPECT_EQ(from_unix_seconds(kMost / 1000 + 1), 0);
  EXPECT_EQ(from_unix_seconds(-kMost / 1000 - 1), 0);
  EXPECT_EQ(from_unix_seconds(std::numeric_limits<std::int64_t>::min()), 0);
}

TEST(Time, RoundTripsWithMilliseconds) {
  const auto t = parse_rfc3339("2026-02-09T06:01:53.253Z");
  ASSERT_TRUE(t);
  EXPECT_EQ(*t, 1770616913253);
  EXPECT_EQ(format_rfc3339(*t), "2026-02-09T06:01:53.253Z");
}

TEST(Time, AcceptsWhatPeopleAndAgentsWrite) {
  EXPECT_EQ(parse_rfc3339("1970-01-02"), kMsPerDay);
  EXPECT_EQ(parse_rfc3339("1970-01-02T00:00:00"), kMsPerDay);
  EXPECT_EQ(parse_rfc3339("1970-01-02 00:00"), kMsPerDay);
  EXPECT_EQ(parse_rfc3339("1970-01-02T02:00:00+02:00"), kMsPerDay);
  EXPECT_EQ(parse_rfc3339("1970-01-01T22:30:00-0130"), kMsPerDay);
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:00.123456Z"), 123);
}

TEST(Time, RefusesWhatIsNoTime) {
  for (const char* bad : {"", "yesterday", "2026-02-30", "2026-13-01", "2026-02-09T25:00", "2026-02-09T06:01:53.Z",
                          "2026-02-09T06:01:53Zjunk", "20260209", "9999-12-31T23:59:60Z", "0000-01-01T00:00+01:00"})
    EXPECT_FALSE(parse_rfc3339(bad)) << bad;
}

TEST(Time, UnknownIsEmpty) { EXPECT_EQ(format_rfc3339(0), ""); }

TimeMs utc(std::string_view text) { return *parse_rfc3339(text); }
std::string from_wall(std::string_view text) { return format_rfc3339(from_local(utc(text))); }
std::string begin_of(std::string_view date) { return format_rfc3339(day_start(utc(date) / kMsPerDay)); }
TimeMs hours_of(std::string_view date) {
  const std::int64_t day = utc(date) / kMsPerDay;
  return (day_start(day + 1) - day_start(day)) / 3'600'000;
}

TEST(LocalTime, IsUtcUntilAZoneIsChosen) {
  EXPECT_EQ(time_zone_label(), "UTC");
  EXPECT_EQ(to_local(utc("2026-02-09T23:30:00Z")), utc("2026-02-09T23:30:00Z"));
  EXPECT_EQ(format_local_minute(utc("2026-02-09T23:30:59Z")), "2026-02-09 23:30");
  EXPECT_EQ(format_local_minute(0), "");
  EXPECT_EQ(begin_of("2026-02-09"), "2026-02-09T00:00:00.000Z");
}

TEST(LocalTime, DaysAreOfTheZone) {
  const ScopedTimeZone tokyo("Asia/Tokyo");
  if (!tokyo.known()) GTEST_SKIP() << "no zones here";
  EXPECT_EQ(time_zone_label(), "Asia/Tokyo (UTC+09:00)");
  EXPECT_EQ(format_local_minute(utc("2026-02-09T14:00:00Z")), "2026-02-09 23:00");
  EXPECT_EQ(local_day(utc("2026-02-09T14:59:59Z")), utc("2026-02-09") / kMsPerDay);
  EXPECT_EQ(local_day(utc("2026-02-09T15:00:00Z")), utc("2026-02-10") / kMsPerDay);
  EXPECT_EQ(begin_of("2026-02-10"), "2026-02-09T15:00:00.000Z");
  EXPECT_EQ(parse_local_time("2026-02-10"), utc("2026-02-09T15:00:00Z"));
  EXPECT_EQ(parse_local_time("2026-02-10T08:30"), utc("2026-02-09T23:30:00Z"));
  for (const char* exact : {"2026-02-10T08:30:00Z", "2026-02-10T08:30:00-01:00", "2026-02-10 08:30:00+09:00"})
    EXPECT_EQ(parse_local_time(exact), parse_rfc3339(exact)) << exact;
  EXPECT_FALSE(parse_local_time("2026-02-30"));
}

TEST(LocalTime, DaysOfTheChangeHave23And25Hours) {
  const ScopedTimeZone new_york("America/New_York");
  if (!new_york.known()) GTEST_SKIP() << "no zones here";
  EXPECT_EQ(hours_of("2026-03-07"), 24);
  EXPECT_EQ(hours_of("2026-03-08"), 23);
  EXPECT_EQ(hours_of("2026-11-01"), 25);
  EXPECT_EQ(from_wall("2026-03-08T01:59:00Z"), "2026-03-08T06:59:00.000Z");
  EXPECT_EQ(from_wall("2026-03-08T02:30:00Z"), "2026-03-08T07:30:00.000Z") << "jumped over";
  EXPECT_EQ(from_wall("2026-03-08T03:00:00Z"), "2026-03-08T07:00:00.000Z");
  EXPECT_EQ(from_wall("2026-11-01T01:30:00Z"), "2026-11-01T05:30:00.000Z") << "the first of two";
  EXPECT_EQ(from_wall("2026-11-01T02:00:00Z"), "2026-11-01T07:00:00.000Z");
}

TEST(LocalTime, OffsetsLeadFromTimesToTheClock) {
  const TimeMs from = utc("2026-01-01T12:00:00Z");
  const TimeMs to = utc("2026-12-31T00:00:00Z");
  ASSERT_EQ(clock_offsets(from, to).size(), 1U) << "UTC";
  const ScopedTimeZone berlin("Europe/Berlin");
  if (!berlin.known()) GTEST_SKIP() << "no zones here";
  const auto offsets = clock_offsets(from, to);
  ASSERT_EQ(offsets.size(), 3U);
  EXPECT_EQ(offsets[0].from, from);
  EXPECT_EQ(offsets[1].from, utc("2026-03-29T01:00:00Z"));
  EXPECT_EQ(offsets[2].from, utc("2026-10-25T01:00:00Z"));
  EXPECT_EQ(offsets[1].ahead, 2 * 3'600'000);
  EXPECT_EQ(offsets[2].ahead, 3'600'000);
}

TEST(LocalTime, EveryDayBeginsWhereTheOneBeforeEnds) {
  struct ZoneDay {
    const char* zone;
    const char* date;
    const char* begin;
    TimeMs hours;
  };
  for (const ZoneDay& c :
       {ZoneDay{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00.000Z", 23},  // the day has no midnight
        ZoneDay{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00.000Z", 0},        // the day was skipped
        ZoneDay{"Pacific/Kiritimati", "2026-02-09", "2026-02-08T10:00:00.000Z", 24},
        ZoneDay{"Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00.000Z", 24}}) {  // a shift of half an hour
    const ScopedTimeZone zone(c.zone);
    if (!zone.known()) GTEST_SKIP() << "no zones here";
    EXPECT_EQ(begin_of(c.date), c.begin) << c.zone;
    EXPECT_EQ(hours_of(c.date), c.hours) << c.zone;
    const std::int64_t day = utc(c.date) / kMsPerDay;
    for (std::int64_t d = day - 3; d < day + 3; ++d) {
      EXPECT_LE(day_start(d), day_start(d + 1));
      if (day_start(d) == day_start(d + 1)) continue;
      EXPECT_EQ(local_day(day_start(d)), d) << c.zone;
      EXPECT_EQ(local_day(day_start(d + 1) - 1), d) << c.zone;
    }
  }
}

TEST(LocalTime, NamesAreThoseOfTheSystem) {
  EXPECT_TRUE(is_time_zone("UTC"));
  for (const char* name : {"", "Mars/Base", "../../etc/passwd", "/etc/localtime", "Europe", "Europe/Ber lin"})
    EXPECT_FALSE(is_time_zone(name)) << name;
}

}  // namespace
}  // namespace memd
