// Kills `memd import` and `memd share sync` at random moments. Run again, they have done their work once. MEMD_KILLS
// sets the number of kills.
#include "test/fault/memd_process.hpp"
#include "test/support/killed_process.hpp"
#include "test/support/store_dump.hpp"
#include "test/support/transcript_home.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace memd::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// A home with a store.
class Machine {
 public:
  explicit Machine(int first_record = 0) : home(first_record) {
    write_file(dir_ / "config.yaml", "embedding: {provider: disabled}\n");
    run({"ingest", "--once"});
  }

  // Returns how long the command took.
  milliseconds run(std::vector<std::string> command) {
    const auto started = std::chrono::steady_clock::now();
    const auto ended = MemdProcess(arguments(std::move(command)), dir_ / "said").wait(60s);
    EXPECT_TRUE(ended && ended->code == 0 && ended->signal == 0) << bytes_of(dir_ / "said");
    return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - started);
  }
  // Returns whether the command still ran after `lifetime`, and was killed.
  bool kill(std::vector<std::string> command, milliseconds lifetime) {
    MemdProcess process(arguments(std::move(command)), dir_ / "said");
    if (process.wait(lifetime)) return false;
    process.signal(SIGKILL);
    const auto ended = process.wait(60s);
    const bool killed = ended && ended->signal == SIGKILL;
    if (killed) count_kill();
    return killed;
  }
  std::vector<std::string> rows() const {
    auto db = sqlite::Database::open(dir_ / "data/memd.db", sqlite::OpenMode::read_write);
    EXPECT_NO_THROW(check_full_text_index(db));
    auto rows = dump_store(db);
    append_rows(rows, db, "PRAGMA integrity_check");
    return rows;
  }
  std::vector<std::string> turns() const {
    std::vector<std::string> rows;
    auto db = sqlite::Database::open(dir_ / "data/memd.db", sqlite::OpenMode::read_only);
    append_rows(rows, db, "SELECT user_message FROM exchanges ORDER BY 1");
    return rows;
  }

  TranscriptHome home;

 private:
  std::vector<std::string> arguments(std::vector<std::string> command) const {
    const std::vector<std::string> options{"--data-dir", (dir_ / "data").string(),       "--home", home.path().string(),
                                           "--config",   (dir_ / "config.yaml").string()};
    command.insert(command.begin(), options.begin(), options.end());
    return command;
  }

  TempDir dir_;
};

milliseconds moment(std::mt19937& random, milliseconds whole) {
  return milliseconds(1 + random() % static_cast<std::uint32_t>(std::max<long>(whole.count(), 10)));
}

constexpr TimeMs kStart = 1'770'000'000'000;

TEST(CommandKill, OfAnImport) {
  TempDir dir;
  std::vector<std::string> import{"import"};
  {
    Machine from;
    for (int session = 1; session <= 6; ++session)
      for (int turn = 0; turn < 40; ++turn) {
        const std::string word = "word" + std::to_string(session * 100 + turn);
        from.home.turn("/w/p", session, kStart + turn * 60'000, word, "Why " + word + "?", "Because of " + word);
      }
    from.run({"ingest", "--once"});
    for (int session = 1; session <= 6; ++session) {
      import.push_back((dir / (std::to_string(session) + ".jsonl")).string());
      from.run({"export", TranscriptHome::session_id(session), "-o", import.back()});
    }
  }
  Machine clean;
  const auto whole = clean.run(import);
  const auto want = clean.rows();
  ASSERT_EQ(clean.turns().size(), 240U);

  std::mt19937 random(43);
  const int wanted = wanted_kills(3);
  int kills = 0;
  std::unique_ptr<Machine> machine;
  for (int round = 0; kills < wanted && round < 3 * wanted + 10; ++round) {
    // Two of three rounds go on with what earlier kills left.
    if (round % 3 == 0) machine = std::make_unique<Machine>();
    kills += machine->kill(import, moment(random, whole)) ? 1 : 0;
    if (round % 3 != 2) continue;
    machine->run(import);
    ASSERT_EQ(machine->rows(), want);
  }
  EXPECT_GE(kills, wanted) << "too few of the processes were killed in the middle to show anything";
}

TEST(CommandKill, OfASync) {
  TempDir place;
  Machine ada(0);
  Machine bob(100'000);
  const auto say = [&](Machine& who, const char* directory, int turn) {
    const std::string word = (&who == &ada ? "ada" : "bob") + std::to_string(turn);
    who.home.turn(directory, turn / 5, kStart + turn * 60'000, word, "Why " + word + "?", "Because of " + word);
    who.run({"ingest", "--once"});
  };
  say(ada, "/home/ada/parcel", 0);
  ada.run({"share", "init", "--to", place.path().string(), "--project", "parcel"});
  bob.run({"share", "join", place.path().string(), "--project", "parcel"});
  const std::vector<std::string> sync{"share", "sync"};
  const auto whole = bob.run(sync);

  std::mt19937 random(44);
  const int wanted = wanted_kills(3);
  int kills = 0;
  int turn = 1;
  for (; kills < wanted && turn < 2 * wanted + 10; ++turn) {
    say(ada, "/home/ada/parcel", turn);
    for (Machine* machine : {&ada, &bob})
      kills += machine->kill(sync, moment(random, whole)) ? 1 : 0;
  }
  EXPECT_GE(kills, wanted) << "too few of the processes were killed in the middle to show anything";
  ada.run(sync);
  bob.run(sync);
  EXPECT_EQ(ada.turns().size(), static_cast<std::size_t>(turn));
  EXPECT_EQ(bob.turns(), ada.turns());
  for (Machine* machine : {&ada, &bob})
    machine->run({"share", "verify"});
}

}  // namespace
}  // namespace memd::test
