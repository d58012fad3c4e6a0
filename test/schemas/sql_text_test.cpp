#include "schemas/sql_text.hpp"
#include "test/support/source_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

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
  // The texts equal those in schemas/sql/0001_model.sql, because SQLite compares them.
  EXPECT_EQ(sql_text("kind = EventKind::tool_call AND pair_seq IS NULL").view(), "kind = 3 AND pair_seq IS NULL");
  EXPECT_EQ(sql_text("missing & kMissingTerms").view(), "missing & 1");
  EXPECT_EQ(sql_text("missing & kMissingVectors").view(), "missing & 2");
}

bool compares_with_number(std::string_view line) {
  if (line.find('"') == std::string_view::npos) return false;
  for (const std::string column : {"kind", "origin", "state", "disposition", "access", "flags", "missing"})
    for (const char* comparison : {" = ", " <> ", " & ", " IN ("}) {
      const std::string start = column + comparison;
      for (auto at = line.find(start); at != std::string_view::npos; at = line.find(start, at + 1)) {
        const char before = at == 0 ? ' ' : line[at - 1];
        const std::string_view behind = line.substr(at + start.size());
        const bool whole_word = before != '_' && !(before >= 'a' && before <= 'z');
        if (whole_word && !behind.empty() && behind[0] >= '0' && behind[0] <= '9') return true;
      }
    }
  return false;
}

// A number in a statement has no meaning to the reader, and a wrong one compiles.
TEST(SqlText, StatementsNameWhatTheyCompareWith) {
  EXPECT_TRUE(compares_with_number("\"WHERE e.kind = 7\""));
  EXPECT_FALSE(compares_with_number("\"WHERE kind = EventKind::edit AND my_flags & 2\""));
  for (const char* folder : {"store", "daemon"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_dir() / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp") continue;
      std::ifstream in(entry.path());
      int number = 0;
      for (std::string line; std::getline(in, line);) {
        ++number;
        EXPECT_FALSE(compares_with_number(line)) << entry.path() << ":" << number << ": " << line;
      }
    }
}

}  // namespace
}  // namespace memd
