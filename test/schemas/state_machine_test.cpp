// The state machines of sessions and events, every pair of states.
#include "schemas/event.hpp"
#include "schemas/session.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string_view>

namespace memd {
namespace {

template <class State>
struct Row {
  State from;
  std::set<State> to;
};

template <class State, std::size_t N>
void walk(const std::array<Row<State>, N>& table) {
  std::set<std::string_view> names;
  for (const auto& row : table) {
    EXPECT_TRUE(names.insert(to_string(row.from)).second) << "each state has its name and its row";
    for (const auto& other : table)
      EXPECT_EQ(is_legal_transition(row.from, other.from), row.to.contains(other.from))
          << to_string(row.from) << " -> " << to_string(other.from);
  }
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(SessionStates, EveryTransition) {
  using S = SessionState;
  walk<S>(std::array<Row<S>, 4>{{{S::started, {S::active}},
                                 {S::active, {S::stopped, S::capture_disabled}},
                                 {S::stopped, {S::active}},  // a transcript that grows again
                                 {S::capture_disabled, {S::stopped}}}});
}

TEST(EventStates, EveryTransition) {
  using S = EventState;
  walk<S>(std::array<Row<S>, 4>{{{S::received, {S::validated}},
                                 {S::validated, {S::processed, S::skipped}},
                                 {S::processed, {}},
                                 {S::skipped, {}}}});
}

TEST(SessionStates, StoredNumbersStay) {
  EXPECT_EQ(static_cast<int>(SessionState::started), 0);
  EXPECT_EQ(static_cast<int>(SessionState::active), 1);
  EXPECT_EQ(static_cast<int>(SessionState::stopped), 2);
  EXPECT_EQ(static_cast<int>(SessionState::capture_disabled), 3);
}

TEST(CoarseTypes, EveryKind) {
  for (int i = 0; i < kEventKindCount; ++i) {
    const auto kind = static_cast<EventKind>(i);
    const bool tool = kind == EventKind::tool_call || kind == EventKind::tool_result || kind == EventKind::edit ||
                      kind == EventKind::test_run;
    EXPECT_EQ(coarse_type(kind, "") == EventType::tool_observation, tool) << to_string(kind);
  }
  EXPECT_EQ(coarse_type(EventKind::lifecycle, "session_start"), EventType::session_start);
  EXPECT_EQ(coarse_type(EventKind::lifecycle, "session_stop"), EventType::session_stop);
  EXPECT_FALSE(coarse_type(EventKind::lifecycle, "compaction"));
}

}  // namespace
}  // namespace memd
