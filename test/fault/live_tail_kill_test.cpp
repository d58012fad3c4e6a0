// Kills a daemon at random moments while agents write lines that may be torn at any byte. In the end the store equals
// one read of everything. MEMD_KILLS sets the number of kills.
#include "test/fault/memd_process.hpp"
#include "test/support/killed_process.hpp"
#include "test/support/mixed_store.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/transcript_home.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>

namespace memd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::MemdProcess;

// A home that receives the bytes of another one, a few at a time.
class TricklingHome {
 public:
  void tell(int session, int turn) {
    const std::string word = "word" + std::to_string(session) + "x" + std::to_string(turn);
    transcripts_.turn("/w/p", session, 1'770'000'000'000 + turn * 60'000, word, "Why " + word + "?",
                      "Because of " + word);
  }
  // Returns false if there are no bytes left.
  bool trickle(std::mt19937& random) {
    bool more = false;
    for (const auto& entry : fs::recursive_directory_iterator(transcripts_.path())) {
      if (!entry.is_regular_file()) continue;
      const fs::path name = fs::relative(entry.path(), transcripts_.path());
      std::size_t& written = written_[name];
      const std::string text = test::bytes_of(entry.path());
      const std::size_t size = std::min<std::size_t>(text.size() - written, 1 + random() % 2000);
      if (size > 0) test::append_file(path() / name, std::string_view(text).substr(written, size));
      written += size;
      more = more || written < text.size();
    }
    return more;
  }
  const fs::path& path() const { return home_.path(); }

 private:
  test::TranscriptHome transcripts_;
  test::TempDir home_;
  std::map<fs::path, std::size_t> written_;
};

std::vector<std::string> rows_of(const fs::path& data) {
  auto db = sqlite::Database::open(data / "memd.db", sqlite::OpenMode::read_write);
  EXPECT_NO_THROW(test::check_full_text_index(db));
  auto rows = test::dump_store(db);
  test::append_rows(rows, db, "PRAGMA integrity_check");
  test::append_rows(rows, db,
                    "SELECT 'ledger', count(*) FROM sources o WHERE cursor <> (SELECT coalesce(sum(bytes), 0) FROM"
                    " coverage c WHERE c.source_pk = o.source_pk)");
  return rows;
}

TEST(LiveTailKill, AtRandomMomentsNothingIsLostAndNothingDoubled) {
  test::TempDir dir;
  test::write_file(dir / "config.yaml", "embedding: {provider: disabled}\n");
  TricklingHome home;
  const auto arguments = [&](const char* data, std::initializer_list<std::string> command) {
    std::vector<std::string> out{"--data-dir", (dir / data).string(),         "--home", home.path().string(),
                                 "--config",   (dir / "config.yaml").string()};
    out.insert(out.end(), command);
    return out;
  };
  const auto read_all = [&](const char* data) {
    MemdProcess memd(arguments(data, {"ingest", "--once"}), dir / "said");
    const auto ending = memd.wait(60s);
    ASSERT_TRUE(ending);
    ASSERT_EQ(ending->code, 0) << ending->said;
  };
  std::mt19937 random(41);
  for (int session = 0; session < 4; ++session)
    home.tell(session, 0);
  home.trickle(random);
  const auto began = std::chrono::steady_clock::now();
  read_all("data");
  const auto once = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began);
  const auto span = std::max<std::int64_t>(900'000, 3 * once.count());  // a slow machine gets as far
  const auto at_first = rows_of(dir / "data").size();

  const int wanted = test::wanted_kills(3);
  int stored_meanwhile = 0;
  auto before = at_first;
  for (int kills = 0; kills < wanted; ++kills) {
    for (int session = 0; session < 4; ++session)
      home.tell(session, 1 + kills);
    MemdProcess daemon(arguments("data", {"--socket"}), dir / "said");
    const auto killed_at = std::chrono::steady_clock::now() +
                           std::chrono::microseconds(200'000 + static_cast<std::int64_t>(random()) % span);
    while (std::chrono::steady_clock::now() < killed_at && !daemon.is_over()) {
      home.trickle(random);
      (void)daemon.wait(1ms);
    }
    ASSERT_FALSE(daemon.is_over()) << test::bytes_of(dir / "said");
    daemon.signal(SIGKILL);
    ASSERT_TRUE(daemon.wait(60s));
    test::count_kill();
    const auto rows = rows_of(dir / "data");
    stored_meanwhile += rows.size() > before ? 1 : 0;
    before = rows.size();
    ASSERT_THAT(rows, testing::Contains("ok|"));
    ASSERT_THAT(rows, testing::Contains("ledger|0|"));
  }
  EXPECT_GT(stored_meanwhile, wanted / 4) << "too few of the daemons wrote anything";
  while (home.trickle(random)) {
  }
  read_all("data");
  read_all("fresh");
  EXPECT_EQ(test::rows_of_one(rows_of(dir / "data"), rows_of(dir / "fresh")), std::vector<std::string>());
}

}  // namespace
}  // namespace memd
