#include "schemas/base/stamp.hpp"
#include "schemas/base/time.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace memd {
namespace {

TEST(Stamps, NumbersAreReadByTheirSize) {
  constexpr TimeMs kTime = 1'795'000'000'123;
  EXPECT_EQ(from_unix_number(1'795'000'000), 1'795'000'000'000);
  EXPECT_EQ(from_unix_number(1'795'000'000.123), kTime);
  EXPECT_EQ(from_unix_number(1'795'000'000'123), kTime);
  EXPECT_EQ(from_unix_number(1'795'000'000'123'456), kTime);
  EXPECT_NEAR(static_cast<double>(from_unix_number(1'795'000'000'123'456'789.0)), static_cast<double>(kTime), 1);
  for (const double none : {0.0, -1.0, -1'795'000'000.0, 1e19, 1e300, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(from_unix_number(none), 0) << none;
}

TEST(Stamps, AreTextsAndNumbers) {
  EXPECT_EQ(parse_stamp("2026-11-20T10:00:00+02:00"), 1'795'161'600'000);
  EXPECT_EQ(parse_stamp("2026-11-20T08:00:00"), 1'795'161'600'000) << "without a zone it is UTC";
  EXPECT_EQ(parse_stamp("1795161600"), 1'795'161'600'000);
  EXPECT_EQ(parse_stamp("1795161600000"), 1'795'161'600'000);
  EXPECT_EQ(parse_stamp("1.7951616e9"), 1'795'161'600'000);
  EXPECT_EQ(format_rfc3339(parse_stamp("+010000-01-01T00:00:00.000Z").value_or(1)).substr(0, 10), "10000-01-0");
  EXPECT_EQ(parse_stamp("+275760-09-13T00:00:00.000Z"), parse_stamp("+010000-01-01T00:00:00.000Z"));
  for (const char* bad :
       {"", "0", "-5", "-000001-01-01T00:00:00Z", "+002026-01-01", "+01", "soon", "12x", "nan", "inf"})
    EXPECT_FALSE(parse_stamp(bad)) << bad;
}

}  // namespace
}  // namespace memd
