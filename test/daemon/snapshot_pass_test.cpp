#include "daemon/ingest/snapshot_pass.hpp"
#include "daemon/ingest/capture_gate.hpp"
#include "schemas/base/error.hpp"
#include "schemas/ids.hpp"
#include "test/support/in_place_store.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

namespace memd {
namespace {

using test::InPlaceStore;
using test::ScriptedSource;

SnapshotLimits tiny() { return {64, 4096, 2}; }

class SnapshotPassTest : public testing::Test {
 protected:
  // Checks that the rows equal those of a store that reads the source for the first time.
  void expect_as_read_at_once(const std::string& what) {
    InPlaceStore fresh(source_);
    fresh.sync();
    const auto want = fresh.dump();
    const auto have = store_.dump();
    for (std::size_t i = 0; i < std::min(want.size(), have.size()); ++i)
      ASSERT_EQ(have[i], want[i]) << what;
    ASSERT_EQ(have.size(), want.size()) << what;
  }
  void a_session() {
    source_.change("s1", [](auto& s) { s.head = "head;title=Flags;cwd=/w/p;mode=agent"; });
    source_.add("s1", "u1", "user;text=add a flag;at=1");
    source_.add("s1", "a1", "answer;text=I will look.;response=r1;out=4;at=2");
    source_.add("s1", "c1", "call;id=c1;tool=Bash;input=go test ./...;at=3");
    source_.add("s1", "u2", "user;text=and the docs;at=5");
    source_.add("s1", "a2", "answer;text=Docs;response=r2;out=2;at=6");
  }

  ScriptedSource source_;
  InPlaceStore store_{source_, tiny()};
};

// A key may begin like another one.
TEST_F(SnapshotPassTest, AMarkNamesNoForgottenSession) {
  const test::TempDir dir;
  test::FakeClock clock;
  const std::shared_ptr<Withheld> withheld = Withheld::open(dir / "withheld").value();
  const Platform platform = store_.adapter().describe().platform;
  const std::string first = make_session_uid(platform, "sess");
  const std::string second = make_session_uid(platform, "sess-two");
  ASSERT_TRUE(withheld->forget({first, second}, {}));
  CaptureGate gate(Exclusion(), withheld, clock);
  SnapshotLimits limits = tiny();
  limits.gate = &gate;
  InPlaceStore store(source_, limits);
  a_session();
  for (const char* session : {"sess", "sess-two"}) {
    source_.change(session, [](auto& s) { s.head = "head;title=T;cwd=/w/p"; });
    source_.add(session, std::string("u") + session, "user;text=hello;at=1");
  }
  source_.mark_more = " sess sess-two";
  store.sync();
  const auto native = [&](const std::string& uid) { return gate.alias(uid).substr(gate.alias(uid).find(':') + 1); };
  const std::string mark = store.source().mark;
  EXPECT_EQ(mark.substr(mark.find(' ')), " " + native(first) + " " + native(second));
}

TEST_F(SnapshotPassTest, ReadsAllInSlicesAndThenNothing) {
  a_session();
  const auto slices = store_.read();
  EXPECT_GT(slices.size(), 2u) << "one slice for all of it is no slice";
  EXPECT_EQ(slices.back().source.mark.empty(), false);
  for (std::size_t i = 0; i + 1 < slices.size(); ++i)
    EXPECT_EQ(slices[i].source.mark, "") << "only the last slice says that all is read";
  store_.sync();
  expect_as_read_at_once("");
  EXPECT_EQ(store_.number("SELECT cursor FROM sources"), static_cast<std::int64_t>(source_.size()));
  EXPECT_EQ(store_.number("SELECT sum(bytes) FROM coverage"), static_cast<std::int64_t>(source_.size()));
  const int items = source_.counts().items;
  EXPECT_TRUE(store_.read().empty());
  EXPECT_EQ(source_.counts().items, items);
}

TEST_F(SnapshotPassTest, StreamingReadsTheNewestExchangeOnly) {
  source_.tells_only_changes = true;
  a_session();
  store_.sync();
  const std::string id = store_.text("SELECT exchange_pk FROM exchanges WHERE exchange_number = 1");
  const int items = source_.counts().items;
  source_.set("s1", "a2", "answer;text=Docs are done.;response=r2;out=9;at=7");
  store_.sync();
  EXPECT_EQ(source_.counts().items - items, 3) << "the head, the prompt and the answer";
  EXPECT_EQ(store_.text("SELECT assistant_response FROM exchanges WHERE exchange_number = 1"), "Docs are done.");
  EXPECT_EQ(store_.number("SELECT sum(output) FROM responses"), 13);
  EXPECT_EQ(store_.text("SELECT exchange_pk FROM exchanges WHERE exchange_number = 1"), id)
      << "what was said of an exchange by its id stays true";
  expect_as_read_at_once("");
}

TEST_F(SnapshotPassTest, AResultThatIsTakenBackLeavesItsCallOpen) {
  a_session();
  source_.add("s1", "r1", "result;id=c1;text=FAIL;error=1;at=7");
  store_.sync();
  EXPECT_EQ(store_.number("SELECT tool_pairs FROM sessions"), 1);
  source_.set("s1", "r1", "life;name=interrupt;at=7");
  store_.sync();
  EXPECT_EQ(store_.number("SELECT tool_pairs FROM sessions"), 0);
  EXPECT_EQ(store_.number("SELECT count(*) FROM events WHERE kind = 3 AND pair_seq IS NULL"), 1);
  expect_as_read_at_once("");
}

TEST_F(SnapshotPassTest, WhatVanishesStaysAndLeavesTheLedger) {
  a_session();
  store_.sync();
  source_.change("s1", [](auto& s) { s.items.resize(3); });
  store_.sync();
  EXPECT_EQ(store_.number("SELECT count(*) FROM exchanges"), 2);
  EXPECT_EQ(store_.number("SELECT count(*) FROM source_items WHERE flags & 2"), 2);
  EXPECT_EQ(store_.number("SELECT sum(bytes) FROM coverage"), static_cast<std::int64_t>(source_.size()));
  source_.add("s1", "u3", "user;text=no, the man page;at=9");
  store_.sync();
  source_.add("s1", "a3", "answer;text=Man;at=10");
  store_.sync();
  source_.set("s1", "a3", "answer;text=Man page.;at=11");
  store_.sync();
  EXPECT_EQ(store_.text("SELECT group_concat(coalesce(user_message, '') || ': ' || assistant_response, ' / ') FROM"
                        " (SELECT * FROM exchanges ORDER BY exchange_number)"),
            "add a flag: I will look. / and the docs: Docs / no, the man page: Man page.");
  EXPECT_EQ(store_.number("SELECT sum(bytes) FROM coverage"), static_cast<std::int64_t>(source_.size()));
}

TEST_F(SnapshotPassTest, ASessionThatIsGoneAndComesBack) {
  a_session();
  store_.sync();
  const auto before = store_.dump();
  const std::uint64_t size = source_.size();
  std::vector<ScriptedSource::Item> items;
  source_.change("s1", [&](auto& s) { items = s.items; });
  source_.erase_session("s1");
  store_.sync();
  EXPECT_EQ(store_.number("SELECT count(*) FROM exchanges"), 2);
  source_.change("s1", [&](auto& s) {
    s.head = "head;title=Flags;cwd=/w/p;mode=agent";
    s.items = items;
  });
  store_.sync();
  EXPECT_EQ(source_.size(), size);
  EXPECT_EQ(store_.dump(), before);
}

TEST_F(SnapshotPassTest, TheRestOfTheLedgerIsSet) {
  a_session();
  source_.set_rest(
      {{"blob", Disposition::skipped, "no conversation", 3, 900}, {"odd", Disposition::unknown, "", 1, 7}});
  store_.sync();
  source_.set_rest(
      {{"blob", Disposition::skipped, "no conversation", 4, 1000}, {"odd", Disposition::unknown, "", 0, 0}});
  store_.sync();
  EXPECT_EQ(store_.text("SELECT records || ' ' || bytes FROM coverage WHERE record_type = 'blob'"), "4 1000");
  EXPECT_EQ(store_.number("SELECT count(*) FROM coverage WHERE record_type = 'odd'"), 0);
  EXPECT_EQ(store_.number("SELECT sum(bytes) FROM coverage"), static_cast<std::int64_t>(source_.size()));
}

TEST_F(SnapshotPassTest, AnItemThatIsTooLargeIsCountedAndDiagnosed) {
  source_.add("s1", "u1", "user;text=" + std::string(5000, 'x'));
  source_.add("s1", "u2", "user;text=small");
  store_.sync();
  EXPECT_EQ(store_.number("SELECT count(*) FROM exchanges"), 1);
  EXPECT_EQ(store_.number("SELECT count(*) FROM diagnostics WHERE error_type = 'oversized_record'"), 1);
  EXPECT_EQ(store_.number("SELECT sum(bytes) FROM coverage"), static_cast<std::int64_t>(source_.size()));
}

TEST_F(SnapshotPassTest, ARecordThatIsReadAgainIsDiagnosedOnce) {
  source_.add("s1", "u1", "user;text=hi");
  source_.add("s1", "m1", "mystery;text=1");
  for (int i = 2; i < 6; ++i) {
    store_.sync();
    source_.set("s1", "m1", "mystery;text=" + std::to_string(i));
  }
  EXPECT_EQ(store_.number("SELECT count(*) FROM diagnostics"), 1);
}

TEST_F(SnapshotPassTest, ASourceThatIsBusyInTheMiddleLosesNothing) {
  a_session();
  int busy = 0;
  for (int calls = 0; calls < 12; ++calls) {
    source_.be_busy(1, calls);
    const auto done = store_.try_sync();
    if (!done) {
      EXPECT_TRUE(done.error().is(Errc::busy));
      ++busy;
    }
    source_.be_busy(0);
    store_.sync();
    expect_as_read_at_once("busy after " + std::to_string(calls) + " calls");
    source_.add("s1", "x" + std::to_string(calls), "answer;text=more " + std::to_string(calls));
    source_.set("s1", "a2", "answer;text=Docs " + std::to_string(calls));
  }
  EXPECT_GT(busy, 8);
}

TEST_F(SnapshotPassTest, WhatWasLeftOffIsReadByTheNextPass) {
  a_session();
  for (std::size_t written = 1;; ++written) {
    auto slices = store_.read();
    if (slices.size() <= 1) break;
    store_.write(slices.front());  // then the process ends
    ASSERT_TRUE(store_.writer().commit());
    EXPECT_EQ(store_.number("SELECT cursor FROM sources"), store_.number("SELECT sum(bytes) FROM coverage"));
    store_.restart();
    ASSERT_LT(written, 20u);
  }
  store_.sync();
  expect_as_read_at_once("");
}

// Returns a random item of a session: prompts, answers that grow, calls whose results come later, changes of directory.
std::string random_item(std::mt19937& random, int serial) {
  const auto pick = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::string n = std::to_string(serial);
  std::string text;
  switch (pick(8)) {
    case 0:
    case 1: text = "user;text=question " + n; break;
    case 2:
      text = "answer;text=I'll use SQLite instead of file " + std::to_string(pick(3)) + " because it is safe.";
      break;
    case 3: text = "answer;text=answer " + n + ";response=r" + n + ";out=" + std::to_string(1 + pick(90)); break;
    case 4:
      text = "call;id=c" + std::to_string(pick(4)) + ";tool=Bash;input=go test ./p" + std::to_string(pick(2));
      break;
    case 5: text = "result;id=c" + std::to_string(pick(4)) + ";text=out " + n + (pick(2) == 0 ? ";error=1" : ""); break;
    case 6:
      text = "tool;id=t" + n + ";tool=Edit;input=e;file=/w/f" + std::to_string(pick(3)) + ";added=2;removed=1";
      break;
    default: text = pick(2) == 0 ? "life;name=compaction" : "odd;x=" + n;
  }
  if (pick(5) == 0) text += ";cwd=/w/" + std::to_string(pick(3));
  if (pick(6) == 0) text += ";branch=b" + std::to_string(pick(3));
  if (pick(6) == 0) text += ";model=m" + std::to_string(pick(2));
  return text + ";at=" + std::to_string(serial % 7 == 0 ? serial / 2 : serial);
}

// For any additions, changes and insertions, any slicing and any restarts, the rows equal those of one read of the
// final state.
TEST_F(SnapshotPassTest, AnyHistoryGivesTheRowsOfItsFinalState) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    ScriptedSource source;
    source.tells_only_changes = seed % 2 == 0;
    InPlaceStore store(source, {32 + pick(400), 4096, 1 + pick(3)});
    int serial = 0;
    for (int step = 0; step < 60; ++step) {
      const std::string session = "s" + std::to_string(pick(2));
      const std::string item = random_item(random, ++serial);
      const std::string key = "k" + std::to_string(serial);
      source.change(session, [&](ScriptedSource::Session& s) {
        const auto any = [&] { return s.items.begin() + static_cast<std::ptrdiff_t>(pick(s.items.size() + 1)); };
        switch (pick(10)) {
          case 0: s.items.insert(any(), ScriptedSource::item(key, item)); break;
          case 1:
            if (!s.items.empty()) {
              auto& changed = s.items[pick(s.items.size())];
              changed = ScriptedSource::item(changed.key, item);
            }
            break;
          case 2:
          case 3:
            if (!s.items.empty()) s.items.back() = ScriptedSource::item(s.items.back().key, item);
            break;
          case 4:
            s.head = "head;title=t" + key + ";cwd=/h" + std::to_string(pick(3)) + ";branch=hb;model=hm" +
                     std::to_string(pick(2)) + ";mode=agent;context=" + std::to_string(1 + serial) +
                     ";cost=0.5;started=" + std::to_string(seed % 20) + ";ended=" + std::to_string(40 + serial);
            break;
          default: s.items.push_back(ScriptedSource::item(key, item));
        }
      });
      if (pick(3) == 0) store.sync();
      if (pick(8) == 0) store.restart();
    }
    store.sync();
    InPlaceStore fresh(source);
    fresh.sync();
    const auto want = fresh.dump();
    const auto have = store.dump();
    for (std::size_t i = 0; i < std::min(want.size(), have.size()); ++i)
      ASSERT_EQ(have[i], want[i]) << "seed " << seed;
    ASSERT_EQ(have.size(), want.size()) << "seed " << seed;
    ASSERT_EQ(store.number("SELECT sum(bytes) FROM coverage"), static_cast<std::int64_t>(source.size()));
  }
}

}  // namespace
}  // namespace memd
