// The state of a session as computed from its stored fields, and the names of states.
#include "schemas/session.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

TEST(SessionStates, FollowFromEvidenceThenSilenceThenCapture) {
  using S = SessionState;
  constexpr TimeMs kNow = 10'000;
  constexpr TimeMs kSilence = 1000;
  const auto state = [](const SessionLife& life) { return life.state(kNow, kSilence); };
  EXPECT_EQ(state({.silent_since = kNow}), S::started);
  EXPECT_EQ(state({.has_events = true, .silent_since = kNow - kSilence + 1}), S::active);
  EXPECT_EQ(state({.has_events = true, .silent_since = kNow - kSilence}), S::stopped);
  EXPECT_EQ(state({.has_events = true, .silent_since = kNow, .stopped_at = kNow - 1}), S::stopped);
  EXPECT_EQ(state({.has_events = true, .silent_since = kNow, .capture_disabled_at = 1}), S::capture_disabled);
  EXPECT_EQ(state({.has_events = true, .silent_since = 1, .capture_disabled_at = 1}), S::stopped);
}

TEST(SessionStates, TheEndIsWhatTheAgentSaidElseTheLastEvent) {
  EXPECT_EQ((SessionLife{.silent_since = 500}.ended_at(1000, 501)), 0);
  EXPECT_EQ((SessionLife{.silent_since = 500}.ended_at(1000, 500)), 500);
  EXPECT_EQ((SessionLife{.silent_since = 500, .stopped_at = 700}.ended_at(1000, 5000)), 700);
  EXPECT_EQ(SessionLife{}.ended_at(1000, 500), 0) << "a missing time is no end";
  EXPECT_EQ(SessionLife{}.state(1000, 500), SessionState::started);
}

TEST(SessionStates, EachHasAName) {
  for (const auto state :
       {SessionState::started, SessionState::active, SessionState::stopped, SessionState::capture_disabled})
    EXPECT_EQ(parse_session_state(to_string(state)), state);
  EXPECT_FALSE(parse_session_state("unknown"));
  EXPECT_FALSE(parse_session_state(""));
}

}  // namespace
}  // namespace memd
