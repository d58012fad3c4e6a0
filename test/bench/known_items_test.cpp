#include "bench/retrieval/datasets.hpp"
#include "store/db/database.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace memd::bench {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

class KnownItems : public testing::Test {
 protected:
  KnownItems() {
    fs::remove_all(home_);
    write(".claude/projects/-p/one.jsonl",
          R"({"type":"user","uuid":"u1","sessionId":"one","message":{"content":"the \"summary\" of it"}})"
          "\n"
          R"({"type":"user","uuid":"u2","sessionId":"one","message":{"content":"bye"}})"
          "\n");
    write(".claude/projects/-p/two.jsonl",
          R"({"type":"summary","summary":"Boats named","leafUuid":"u2"})"
          "\n"
          R"({"type":"summary","summary":"Of a session that is gone","leafUuid":"u9"})"
          "\n"
          R"({"type":"custom-title","customTitle":"Harbour","sessionId":"two"})"
          "\n"
          R"({"type":"user","uuid":"u3","sessionId":"two","message":{"content":"moor it"}})"
          "\n");
    write(".codex/session_index.jsonl", R"({"id":"abc","thread_name":"lighthouse"})"
                                        "\n"
                                        R"({"id":"def","thread_name":"not here"})"
                                        "\n");
    write(".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-abc.jsonl", "{}\n");
    fs::create_directories(cursor().parent_path());
    auto db = sqlite::Database::open(cursor(), sqlite::OpenMode::read_write);
    db.exec(
        "CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB);"
        "INSERT INTO cursorDiskKV VALUES ('composerData:c1', '{\"name\":\"Icons\",\"x\":1}'),"
        " ('composerData:c2', '{\"name\":\"Sent to Chat\"}'), ('other', 'no JSON')");
  }
  ~KnownItems() override { fs::remove_all(home_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((home_ / path).parent_path());
    std::ofstream(home_ / path) << text;
  }
  std::string read(const std::string& path) const { return test::bytes_of(home_ / path); }
  fs::path cursor() const { return home_ / ".config/Cursor/User/globalStorage/state.vscdb"; }

  fs::path home_ = fs::path(testing::TempDir()) / "known-items";
};

TEST_F(KnownItems, NamesFindTheSessionsTheyAreOf) {
  EXPECT_THAT(
      session_names(home_),
      ElementsAre(Pair("Boats named", ElementsAre("claude_code:one")), Pair("Harbour", ElementsAre("claude_code:two")),
                  Pair("Icons", ElementsAre("cursor:c1")), Pair("lighthouse", ElementsAre("codex:abc"))));
}

TEST_F(KnownItems, RemovedNamesAreGoneAndNothingElse) {
  const std::string before = read(".claude/projects/-p/one.jsonl");
  remove_session_names(home_);
  EXPECT_THAT(session_names(home_), IsEmpty());
  EXPECT_EQ(read(".claude/projects/-p/one.jsonl"), before) << "words of people stay, whatever they are";
  EXPECT_THAT(read(".claude/projects/-p/two.jsonl"), HasSubstr("moor it"));
  EXPECT_THAT(read(".claude/projects/-p/two.jsonl"), Not(HasSubstr("Boats")));
  auto db = sqlite::Database::open(cursor(), sqlite::OpenMode::read_only);
  auto& q = db.prepare("SELECT value FROM cursorDiskKV WHERE key = 'composerData:c1'");
  ASSERT_TRUE(q.step());
  EXPECT_EQ(q.str(0), R"({"x":1})");
}

}  // namespace
}  // namespace memd::bench
