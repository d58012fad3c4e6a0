#include "schemas/base/embedded.hpp"
#include "schemas/event.hpp"
#include "schemas/event_batch.hpp"
#include "schemas/ids.hpp"
#include "schemas/observation.hpp"
#include "schemas/platform.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string_view>

namespace memd {
namespace {

TEST(Platform, KeysRoundTrip) {
  for (const Platform p : platform_ids())
    EXPECT_EQ(parse_platform(to_string(p)), p);
  EXPECT_EQ(parse_platform("claude"), Platform::claude_code);
  EXPECT_FALSE(parse_platform("emacs"));
}

TEST(Platform, LinesOfTheTableAreFitForUseAndUnlike) {
  std::set<std::string_view> keys;
  std::set<std::string_view> names;
  std::set<std::string_view> colours;
  const auto consists_of = [](std::string_view text, std::string_view letters) {
    return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
  };
  for (const PlatformInfo& p : platforms()) {
    EXPECT_TRUE(consists_of(p.key, "abcdefghijklmnopqrstuvwxyz0123456789_")) << p.key;
    EXPECT_FALSE(p.name.empty()) << p.key;
    for (const std::string_view colour : {p.light, p.dark}) {
      EXPECT_TRUE(colour.size() == 7 && colour.starts_with('#') && consists_of(colour.substr(1), "0123456789abcdef"))
          << p.key << ": " << colour;
      EXPECT_TRUE(colours.insert(colour).second) << p.key << ": another platform has " << colour;
    }
    EXPECT_TRUE(keys.insert(p.key).second) << p.key;
    EXPECT_TRUE(names.insert(p.name).second) << p.name;
  }
}

// The ids of stored events contain the number of their platform.
TEST(Platform, NumbersStayAsTheyAre) {
  constexpr std::array<std::string_view, 10> stored{"claude_code", "cursor", "cline",     "codex",    "grok",
                                                    "opencode",    "gemini", "thunderus", "imported", "pi"};
  for (std::size_t i = 0; i < stored.size(); ++i)
    EXPECT_EQ(to_string(static_cast<Platform>(i)), stored[i]) << "numbers are never given again";
}

TEST(Event, KindsRoundTrip) {
  for (int i = 0; i < kEventKindCount; ++i) {
    const auto k = static_cast<EventKind>(i);
    EXPECT_EQ(parse_event_kind(to_string(k)), k);
  }
}

TEST(Observation, TypesRoundTripAndAreTheOnesOfTheTable) {
  const std::string_view sql = migrations().front().sql;
  for (const auto t : kAllObservationTypes) {
    EXPECT_EQ(parse_observation_type(to_string(t)), t);
    EXPECT_NE(sql.find("'" + std::string(to_string(t)) + "'"), std::string_view::npos) << to_string(t);
  }
  EXPECT_FALSE(parse_observation_type("rumour"));
}

TEST(Ids, ExchangeIdsAndUids) {
  EXPECT_EQ(format_exchange_id(42), "x42");
  EXPECT_EQ(parse_exchange_id("x42"), 42);
  for (const char* bad : {"", "x", "42", "x-1", "x0", "x4 2", "y42"})
    EXPECT_FALSE(parse_exchange_id(bad)) << bad;
  const auto uid = make_session_uid(Platform::claude_code, "abc");
  EXPECT_EQ(uid, "claude_code:abc");
  EXPECT_EQ(split_session_uid(uid)->native_id, "abc");
  EXPECT_FALSE(split_session_uid("claude_code:"));
  EXPECT_TRUE(is_uuid("258c7280-ae70-4798-800f-63464d01a85d"));
  EXPECT_FALSE(is_uuid("agent-258c7280"));
}

TEST(EventBatch, AggregatesTheLedger) {
  EventBatch b;
  b.cover("user", Disposition::indexed, "", 10);
  b.cover("progress", Disposition::skipped, "heartbeat", 5);
  b.cover("user", Disposition::indexed, "", 7);
  ASSERT_EQ(b.coverage.size(), 2u);
  EXPECT_EQ(b.coverage[0].bytes, 17u);
  EXPECT_EQ(b.coverage[0].records, 2u);
}

}  // namespace
}  // namespace memd
