#include "schemas/time.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

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

}  // namespace
}  // namespace memd
