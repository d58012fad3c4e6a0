// Rebuilds sources that change in place from the raw layer: random histories, with and without merged frames.
#include "daemon/ingest/rebuild.hpp"
#include "test/support/in_place_store.hpp"
#include "test/support/store_dump.hpp"

#include <gtest/gtest.h>

#include <random>

namespace memd {
namespace {

namespace fs = std::filesystem;
using test::InPlaceStore;
using test::ScriptedSource;

std::vector<std::string> rows(InPlaceStore& store) {
  auto out = store.dump();
  auto db = sqlite::Database::open(store.file(), sqlite::OpenMode::read_only);
  for (const char* sql : {"SELECT session_uid, item_no, item_key, version, flags, record_type, disposition, reason, "
                          "bytes FROM source_items"
                          " ORDER BY 1, 2",
                          "SELECT exchange_pk, session_pk, exchange_number, ingested_at FROM exchanges ORDER BY 1",
                          "SELECT path, size, cursor, mark, state FROM sources ORDER BY 1"})
    test::append_rows(out, db, sql);
  return out;
}

std::string item(std::mt19937& random, int n) {
  const std::string at = ";at=" + std::to_string(n + 1);
  const std::string word = std::to_string(random() % 1000);
  switch (random() % 4) {
    case 0: return "user;text=question " + word + at;
    case 1: return "call;id=c" + std::to_string(n) + ";tool=Bash;input=go test " + word + at;
    default: return "answer;text=answer " + word + ";response=r" + std::to_string(n) + ";out=" + word + at;
  }
}

void play(std::mt19937& random, ScriptedSource& source, InPlaceStore& store, int steps) {
  for (int n = 0; n < steps; ++n) {
    const std::string session = "s" + std::to_string(random() % 3);
    const std::string text = item(random, n);
    switch (random() % 8) {
      case 0:
        source.change(session, [&](auto& s) {
          if (!s.items.empty()) s.items[random() % s.items.size()].text = text;
        });
        break;
      case 1: source.change(session, [&](auto& s) { s.items.resize(s.items.size() - s.items.size() / 3); }); break;
      case 2: source.change(session, [&](auto& s) { s.head = "head;title=Title " + std::to_string(n); }); break;
      default: source.add(session, "k" + std::to_string(n), text);
    }
    if (random() % 2 == 0) store.sync();
  }
  store.sync();
}

TEST(InPlaceRebuild, GivesTheSameRowsAndItems) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    ScriptedSource source;
    InPlaceStore store(source, {256, 4096, 2});
    play(random, source, store, 40 + static_cast<int>(seed) * 25);
    const auto want = rows(store);
    ASSERT_GT(want.size(), 20u);
    store.close();
    for (const char* suffix : {"", "-wal", "-shm"})
      fs::remove(store.file().string() + suffix);
    const auto report = rebuild_store(StoreLayout(store.directory()), [&](Platform) { return &store.adapter(); });
    ASSERT_TRUE(report) << report.error().message();
    const auto have = rows(store);
    for (std::size_t i = 0; i < std::min(want.size(), have.size()); ++i)
      ASSERT_EQ(have[i], want[i]);
    ASSERT_EQ(have.size(), want.size());
    // Ingest continues where it was: nothing is read again.
    store.restart();
    EXPECT_TRUE(store.read().empty());
  }
}

}  // namespace
}  // namespace memd
