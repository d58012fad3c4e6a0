#include "schemas/sql_text.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

TEST(SqlText, NamesBecomeNumbers) {
  constexpr auto sql = sql_text("WHERE kind IN (EventKind::tool_call,EventKind::user_msg) AND flags & kFlagPlanned=0");
  EXPECT_EQ(sql.view(), "WHERE kind IN (3,0) AND flags & 512=0");
}

TEST(SqlText, LeavesEverythingElse) {
  constexpr auto sql = sql_text("SELECT kind, 'kept: as it is', key, k FROM t WHERE a = ?1 -- k1");
  EXPECT_EQ(sql.view(), "SELECT kind, 'kept: as it is', key, k FROM t WHERE a = ?1 -- k1");
  EXPECT_EQ(sql_text("").view(), "");
}

TEST(SqlText, ConditionsOfIndexesAreMet) {
  // As schemas/sql/0001_model.sql writes them; SQLite compares the texts of both.
  EXPECT_EQ(sql_text("kind = EventKind::tool_call AND pair_seq IS NULL").view(), "kind = 3 AND pair_seq IS NULL");
  EXPECT_EQ(sql_text("missing & kMissingTerms").view(), "missing & 1");
  EXPECT_EQ(sql_text("missing & kMissingVectors").view(), "missing & 2");
}

}  // namespace
}  // namespace memd
