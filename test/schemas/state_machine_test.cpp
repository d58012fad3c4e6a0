// The state machines of sessions and events, every pair of states.
#include "schemas/event.hpp"

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

TEST(SessionStates, StoredNumbersStay) {
  EXPECT_EQ(static_cast<int>(SessionState::started), 0);
  EXPECT_EQ(static_cast<int>(SessionState::active), 1);
  EXPECT_EQ(static_cast<int>(SessionState::stopped), 2);
  EXPECT_EQ(static_cast<int>(SessionState::capture_disabled), 3);
}

}  // namespace
}  // namespace memd
