#include "adapters/adapter.hpp"
#include "adapters/cursor/state_rows.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/base/error.hpp"
#include "test/adapters/state_follower.hpp"
#include "test/support/cursor_state.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <mutex>
#include <thread>

namespace memd {
namespace {

namespace fs = std::filesystem;
using test::CursorState;
using test::StateFollower;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class CursorLive : public testing::Test {
 protected:
  static std::string key(int conversation, int bubble) {
    return CursorState::composer_id(conversation) + "/" + CursorState::bubble_id(conversation, bubble);
  }
  StateFollower::Look look() { return follower_.look().value(); }

  test::TempDir home_;
  std::string path_ = (home_ / ".config/Cursor/User/globalStorage/state.vscdb").string();
  CursorState cursor_{path_};
  StateFollower follower_{*find_adapter(Platform::cursor), path_};
};

TEST_F(CursorLive, OneNewBubbleIsAllThatIsRead) {
  const int conversations = cursor_.fill(8'000'000);
  ASSERT_GE(conversations, 2);
  auto first = look();
  EXPECT_THAT(first.sessions, SizeIs(conversations));
  EXPECT_THAT(first.read, SizeIs(conversations * CursorState::kBubbles));
  EXPECT_TRUE(look().unchanged);

  const auto text = cursor_.add_bubble(0, CursorState::kBubbles + 1);
  const auto second = look();
  // The previous conversation of the list is checked once more for changes that a build may make in place.
  EXPECT_LE(second.sessions.size(), 3U);
  EXPECT_EQ(second.sessions.back(), CursorState::composer_id(0));
  EXPECT_THAT(second.read, ElementsAre(key(0, CursorState::kBubbles + 1)));
  EXPECT_LE(second.examined.size(), 10U);
  ASSERT_THAT(second.batch.events, SizeIs(1));
  EXPECT_EQ(second.batch.events[0].text, text);
  EXPECT_FALSE(second.batch.events[0].time_estimated);
  EXPECT_TRUE(look().unchanged);
}

// Cursor rewrites the row of a conversation all the time. The row is counted with its conversation; counted as "other"
// it would stay in the ledger for good.
TEST_F(CursorLive, AConversationWrittenWhileRowsAreCountedIsNothingElse) {
  cursor_.fill(1);
  const DiskView view;
  const auto rows = cursor::StateRows::open(view, path_).value();
  cursor::RowLedger ledger(*rows);
  ledger.note(rows->conversation(CursorState::composer_id(0)).value());
  cursor_.add_bubble(0, CursorState::kBubbles);
  ASSERT_TRUE(ledger.count());
  for (const CoverageEntry& line : ledger.take_rest()) {
    if (line.record_type != "composerData") continue;
    EXPECT_EQ(line.records, 0U) << line.reason;
  }
}

TEST_F(CursorLive, ABubbleThatGrowsAndOneInTheMiddleThatIsWrittenAgain) {
  cursor_.fill(1);
  look();
  cursor_.put("bubbleId:" + key(0, 3).replace(36, 1, ":"), R"({"type":2,"text":"said again"})");
  EXPECT_THAT(look().read, ElementsAre(key(0, 3)));
  for (int i = 0; i < 5; ++i) {
    cursor_.put("bubbleId:" + key(0, CursorState::kBubbles - 1).replace(36, 1, ":"),
                R"({"type":2,"text":"more and more)" + std::string(static_cast<std::size_t>(i), '.') + "\"}");
    EXPECT_THAT(look().read, ElementsAre(key(0, CursorState::kBubbles - 1)));
  }
}

TEST_F(CursorLive, ARowUpdatedInPlaceAtTheEnd) {
  cursor_.fill(1);
  look();
  cursor_.run("UPDATE cursorDiskKV SET value = '{\"type\":2,\"text\":\"in place\"}' WHERE key = 'bubbleId:" +
              key(0, CursorState::kBubbles - 1).replace(36, 1, ":") + "'");
  EXPECT_THAT(look().read, ElementsAre(key(0, CursorState::kBubbles - 1)));
}

TEST_F(CursorLive, VacuumRenumbersAndNothingIsReadTwice) {
  const int conversations = cursor_.fill(4'000'000);
  look();
  cursor_.add_bubble(0, CursorState::kBubbles);
  cursor_.run("DELETE FROM cursorDiskKV WHERE key LIKE 'agentKv%'; VACUUM");
  const auto after = look();
  EXPECT_THAT(after.sessions, SizeIs(conversations));
  EXPECT_THAT(after.read, ElementsAre(key(0, CursorState::kBubbles)));
  cursor_.add_bubble(0, CursorState::kBubbles + 1);
  EXPECT_THAT(look().read, ElementsAre(key(0, CursorState::kBubbles + 1)));
}

// SQLite reuses row ids at the end of a table once the last rows are deleted.
TEST_F(CursorLive, LastRowsDeletedAndTheirNumbersGivenAgain) {
  cursor_.fill(1);
  look();
  cursor_.run("DELETE FROM cursorDiskKV WHERE key = 'composerData:" + CursorState::composer_id(0) + "'");
  cursor_.add_bubble(0, CursorState::kBubbles);
  EXPECT_THAT(look().read, ElementsAre(key(0, CursorState::kBubbles)));
}

TEST_F(CursorLive, APromptEditedCutsTheConversation) {
  cursor_.fill(1);
  look();
  cursor_.put("composerData:" + CursorState::composer_id(0),
              R"({"fullConversationHeadersOnly":[{"bubbleId":")" + CursorState::bubble_id(0, 0) + R"(","type":1}]})");
  const auto cut = look();
  EXPECT_THAT(cut.read, IsEmpty());
  EXPECT_THAT(cut.gone, SizeIs(CursorState::kBubbles - 1));
  cursor_.run("UPDATE cursorDiskKV SET value = NULL");
  cursor_.put("composerData:" + CursorState::composer_id(0), "");
  EXPECT_THAT(look().gone, ElementsAre(key(0, 0)));
}

TEST_F(CursorLive, AWriterNeverSeesItsReader) {
  for (const char* mode : {"WAL", "DELETE"}) {
    SCOPED_TRACE(mode);
    cursor_.run(std::string("PRAGMA journal_mode = ") + mode + "; PRAGMA synchronous = OFF");
    // In rollback mode a writer waits for readers, in WAL for one that met half a header of the index and asks whether
    // it has to be recovered. The driver that Cursor uses has a timeout of one second.
    sqlite3_busy_timeout(cursor_.handle(), 1000);
    cursor_.fill(2'000'000);
    std::atomic<bool> done = false;
    std::atomic<int> looks = 0, busy = 0, failed = 0;
    std::jthread reader([&] {
      StateFollower follower(*find_adapter(Platform::cursor), path_);
      for (bool is_last = false; !is_last;) {
        is_last = done;  // then nobody writes any more: it succeeds, whatever the others met
        const auto look = follower.look();
        ++looks;
        if (!look) ++(look.error().is(Errc::busy) ? busy : failed);
      }
    });
    std::string error;
    int written = 0;
    for (; (written < 300 || looks < 20) && written < 20'000 && error.empty(); ++written) {
      try {
        cursor_.add_bubble(written % 3, CursorState::kBubbles + written);
      } catch (const std::exception& e) {
        error = e.what();
      }
    }
    done = true;
    reader.join();
    EXPECT_EQ(error, "") << "after " << written;
    EXPECT_EQ(failed, 0);
    EXPECT_GT(looks - busy, 0);
  }
}

// Records every statement of a connection as SQLite runs it.
struct Statements {
  static inline std::mutex mutex;
  static inline std::vector<std::string> all;
  static int note(unsigned, void*, void* statement, void*) {
    const std::lock_guard lock(mutex);
    all.emplace_back(sqlite3_sql(static_cast<sqlite3_stmt*>(statement)));
    return 0;
  }
  static int install(sqlite3* database, const char**, const void*) {
    return sqlite3_trace_v2(database, SQLITE_TRACE_STMT, note, nullptr);
  }
};

TEST_F(CursorLive, CredentialsAreNeverRead) {
  const std::string canary = "eyJhbGciOi-canary-token";
  cursor_.fill(1);
  cursor_.run("INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', '" + canary +
              "'), ('cursorAuth/cachedEmail', '" + canary + "'), ('composer.composerData', '{}')");
  const auto workspace = home_ / ".config/Cursor/User/workspaceStorage/abc/state.vscdb";
  CursorState(workspace).run("INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', '" + canary + "')");

  using Entry = void (*)();
  sqlite3_auto_extension(reinterpret_cast<Entry>(&Statements::install));
  const auto look_at = [](const std::string& path) {
    return StateFollower(*find_adapter(Platform::cursor), path).look().value();
  };
  const auto global = look_at(path_);
  const auto local = look_at(workspace.string());
  sqlite3_cancel_auto_extension(reinterpret_cast<Entry>(&Statements::install));

  bool keys_were_listed = false;
  for (const auto& sql : Statements::all) {
    if (sql.find("ItemTable") == std::string::npos) continue;
    const bool takes_values = sql.find("value") != std::string::npos;
    const bool of_named_keys =
        sql.find("WHERE key = ") != std::string::npos || sql.find("key >= ") != std::string::npos;
    EXPECT_TRUE(!takes_values || of_named_keys) << sql;
    keys_were_listed |= sql.find("SELECT rowid, key FROM ItemTable") != std::string::npos;
  }
  EXPECT_TRUE(keys_were_listed);
  for (const auto* look : {&global, &local}) {
    std::uint64_t counted = 0;
    for (const auto& line : look->plan.rest)
      if (line.record_type == "ItemTable:credentials") counted += line.records;
    EXPECT_EQ(counted, look == &global ? 2U : 1U);
    EXPECT_EQ(look->plan.mark.find(canary), std::string::npos);
  }
  EXPECT_THAT(local.sessions, IsEmpty());
}

TEST_F(CursorLive, ACutOffDatabaseIsAnErrorAndNothingElse) {
  cursor_.fill(2'000'000);
  cursor_.run("PRAGMA journal_mode = DELETE");
  const auto copy = home_ / "copy/Cursor/User/globalStorage/state.vscdb";
  fs::create_directories(copy.parent_path());
  const auto size = fs::file_size(path_);
  int errors = 0;
  for (const std::uintmax_t part : {0, 50, 100, 4096, 5000, 100'000, 1'000'000}) {
    fs::copy_file(path_, copy, fs::copy_options::overwrite_existing);
    fs::resize_file(copy, part);
    const auto look = StateFollower(*find_adapter(Platform::cursor), copy.string()).look();
    if (look) continue;
    EXPECT_TRUE(look.error().is(Errc::io)) << part << " " << look.error().message();
    ++errors;
  }
  EXPECT_GE(errors, 4);
  // Damages the middle of the file.
  fs::copy_file(path_, copy, fs::copy_options::overwrite_existing);
  std::fstream(copy, std::ios::in | std::ios::out | std::ios::binary).seekp(static_cast<std::streamoff>(size / 2))
      << std::string(200'000, '\xa5');
  const auto look = StateFollower(*find_adapter(Platform::cursor), copy.string()).look();
  EXPECT_TRUE(!look && look.error().is(Errc::io));
}

}  // namespace
}  // namespace memd
