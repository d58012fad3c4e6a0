// Sources that several sessions share keep nothing that names a forgotten one.
#include "daemon/host/memory_host.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/forgotten_turns.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/rebuild.hpp"
#include "store/db/withheld.hpp"
#include "store/write/forgetting.hpp"
#include "test/adapters/opencode_case.hpp"
#include "test/support/cursor_state.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/transcript_home.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace memd {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class ForgottenItems : public testing::Test {
 protected:
  ForgottenItems() {
    fs::permissions(data_.path(), fs::perms::owner_all);
    settings_.config.embedding.choice.provider = EmbeddingProvider::disabled;
  }
  void TearDown() override { host_.reset(); }
  void start() {
    host_.reset();
    host_ = std::make_unique<MemoryHost>(settings_, clock_);
    ASSERT_TRUE(host_->start_ingest());
    read();
  }
  void read() {
    host_->ingest()->scan();
    ASSERT_TRUE(host_->ingest()->block_until_idle(60s));
  }
  std::vector<std::string> column(const std::string& sql) {
    auto db = sqlite::Database::open(settings_.layout.database(), sqlite::OpenMode::read_only);
    std::vector<std::string> out;
    for (sqlite::Statement q(db.handle(), sql); q.step();)
      out.push_back(q.str(0));
    return out;
  }
  void forget(const std::string& uid) {
    ASSERT_TRUE(host_->ingest()->perform([&](Writer& writer) -> Result<void> {
      const auto done = Forgetting(writer, judge_of_records).forget({uid});
      return done ? Result<void>() : done.error();
    }));
  }
  // Returns what the store has of the session and what nothing may have any more: its id and those of its messages.
  std::set<std::string> names_of(const std::string& uid) {
    std::set<std::string> out{uid.substr(uid.find(':') + 1)};
    for (const auto& key : column("SELECT item_key FROM source_items WHERE session_uid = '" + uid + "'"))
      if (key.size() > 12) out.insert(key);
    return out;
  }
  void expect_nothing_of(const std::set<std::string>& names, const char* when) {
    // The write-ahead log keeps old pages until it is written over; what is deleted is overwritten in the store itself.
    const std::string all = test::everything_below(data_.path());
    for (const auto& name : names) {
      const auto at = all.find(name);
      EXPECT_EQ(at, std::string::npos) << when << ": " << name << " in …"
                                       << all.substr(at == std::string::npos || at < 60 ? 0 : at - 60, 120);
    }
  }
  // Checks that the ledger has each byte of each source.
  void expect_exact_ledger(const char* when) {
    EXPECT_EQ(
        column("WITH ledger AS (SELECT path, size, coalesce((SELECT sum(bytes) FROM coverage c WHERE"
               " c.source_pk = s.source_pk), 0) AS covered FROM sources s)"
               " SELECT path || ' ' || coalesce(size, 'NULL') || ' ' || covered FROM ledger WHERE size IS NOT covered"),
        std::vector<std::string>())
        << when;
    EXPECT_EQ(column("SELECT path FROM sources WHERE cursor IS NOT size"), std::vector<std::string>()) << when;
  }
  // Forgets each session of the platform, one after the other.
  void forget_all_of(const std::string& platform, const std::function<void()>& agent_writes) {
    start();
    expect_exact_ledger("at first");
    const auto sessions = column("SELECT DISTINCT session_uid FROM source_items WHERE session_uid LIKE '" + platform +
                                 ":%' AND session_uid IN (SELECT uid FROM sessions) ORDER BY 1");
    ASSERT_FALSE(sessions.empty());
    std::set<std::string> names;
    for (const auto& uid : sessions) {
      names.merge(names_of(uid));
      forget(uid);
      read();
      expect_nothing_of(names, "after forgetting");
      expect_exact_ledger("after forgetting");
    }
    agent_writes();
    read();
    read();
    expect_nothing_of(names, "when the agent has gone on");
    expect_exact_ledger("when the agent has gone on");
    start();
    expect_nothing_of(names, "after a restart");
    EXPECT_EQ(column("SELECT uid FROM sessions WHERE platform = '" + platform + "' AND uid LIKE '%forgotten%'"),
              std::vector<std::string>());
  }

  test::TempDir home_;
  test::TempDir data_;
  test::FakeClock clock_;
  Settings settings_{StoreLayout(data_.path()), false, home_.path(), {}, "", {}};
  std::unique_ptr<MemoryHost> host_;
};

TEST_F(ForgottenItems, OfCursor) {
  test::CursorState cursor(home_ / ".config/Cursor/User/globalStorage/state.vscdb");
  cursor.fill(400'000);
  forget_all_of("cursor", [&] { cursor.add_bubble(0, 3); });
}

TEST_F(ForgottenItems, OfOpencode) {
  test::lay_out({test::opencode_golden() / "turn_with_tools", false}, home_ / ".local/share/opencode");
  forget_all_of("opencode", [&] {
    test::WrittenDatabase((home_ / ".local/share/opencode/opencode.db").string())
        .run("UPDATE session SET time_updated = time_updated + 1");
  });
}

TEST_F(ForgottenItems, OfOpencodesFiles) {
  test::lay_out({test::opencode_golden() / "file_tree", true}, home_ / ".local/share/opencode");
  forget_all_of("opencode", [] {});
}

TEST_F(ForgottenItems, OfGemini) {
  for (const auto& golden : fs::directory_iterator(test::source_dir() / "test/golden/gemini"))
    if (fs::exists(golden.path() / "home"))
      fs::copy(golden.path() / "home", home_.path(), fs::copy_options::recursive | fs::copy_options::skip_existing);
  forget_all_of("gemini", [] {});
}

// One exchange of each session that has several. The items stay counted, the exchange does not come back.
TEST_F(ForgottenItems, OneExchangeOfEachSession) {
  test::CursorState cursor(home_ / ".config/Cursor/User/globalStorage/state.vscdb");
  cursor.fill(400'000);
  test::lay_out({test::opencode_golden() / "turn_with_tools", false}, home_ / ".local/share/opencode");
  for (const auto& golden : fs::directory_iterator(test::source_dir() / "test/golden/gemini"))
    if (fs::exists(golden.path() / "home"))
      fs::copy(golden.path() / "home", home_.path(), fs::copy_options::recursive | fs::copy_options::skip_existing);
  start();
  const char* all =
      "SELECT s.uid || '#' || exchange_number || ' ' || coalesce(user_message, '') FROM exchanges JOIN"
      " sessions s USING (session_pk) ORDER BY 1";
  auto kept = column(all);
  ExchangeForgetPlanQuery query;
  std::vector<std::string> gone;
  for (const auto& row : column("SELECT exchange_pk || ' ' || s.uid || '#' || exchange_number || ' ' ||"
                                " coalesce(user_message, '') FROM exchanges JOIN sessions s USING (session_pk)"
                                " WHERE (exchange_number % 2 = 1 OR s.next_exchange = 1) AND s.kind = 0 ORDER BY 1")) {
    query.ids.push_back(std::stoll(row));
    gone.push_back(row.substr(row.find(' ') + 1));
  }
  ASSERT_GT(gone.size(), 2U);
  std::erase_if(kept, [&](const std::string& row) { return std::find(gone.begin(), gone.end(), row) != gone.end(); });
  ASSERT_TRUE(host_->ingest()->perform([&](Writer& writer) -> Result<void> {
    std::vector<ForgottenExchange> exchanges;
    MEMD_TRY_ASSIGN(const auto plan, writer.transact([&](sqlite::Database& db) { return query.run(db); }));
    for (const auto& p : plan)
      exchanges.push_back(p.exchange);
    const auto done = Forgetting(writer, judge_of_records).forget({}, exchanges);
    return done ? Result<void>() : done.error();
  }));
  const auto expect_kept = [&](const char* when) {
    EXPECT_EQ(column(all), kept) << when;
    expect_exact_ledger(when);
  };
  expect_kept("after forgetting");
  read();
  expect_kept("after another look");
  start();
  expect_kept("after a restart");
  host_.reset();
  ASSERT_TRUE(rebuild_store(settings_.layout, find_adapter));
  start();
  EXPECT_EQ(column(all), kept) << "after a rebuild";
  host_.reset();
  fs::remove_all(settings_.layout.raw_dir());
  for (const char* suffix : {"", "-wal", "-shm"})
    fs::remove(settings_.layout.database().string() + suffix);
  start();
  EXPECT_EQ(column(all), kept) << "in a store made anew";
}

// A store in which an earlier version has forgotten a session.
TEST_F(ForgottenItems, AnOlderStoreIsMended) {
  test::CursorState cursor(home_ / ".config/Cursor/User/globalStorage/state.vscdb");
  cursor.fill(100'000);
  start();
  const auto uid = column("SELECT uid FROM sessions WHERE platform = 'cursor' ORDER BY 1").front();
  const auto names = names_of(uid);
  ASSERT_GT(names.size(), 2U);
  host_.reset();
  ASSERT_TRUE((*Withheld::open(settings_.layout.withheld()))->forget({uid}, {}));
  ASSERT_TRUE((*Withheld::open(settings_.layout.withheld()))->finished());
  start();
  EXPECT_EQ(column("SELECT item_key FROM source_items WHERE session_uid = '" + uid + "'"), std::vector<std::string>());
  expect_exact_ledger("after the start");
}

}  // namespace
}  // namespace memd
