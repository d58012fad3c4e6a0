// Kills writers of memories at random moments. The next writer finishes their work: edges in both directions, an index
// that matches the files, no lost text. MEMD_KILLS sets the number of kills; 20 by default.
#include "store/files/whole_file.hpp"
#include "store/memory/memory_directory.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/killed_process.hpp"
#include "test/support/memory_invariants.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace memd {
namespace {

std::string killed_slug(unsigned n) { return "learning-m" + std::to_string(n); }

bool write_memories(const memory::MemoryPlace& place, unsigned seed) {
  const test::FakeClock clock;
  memory::MemoryDirectory directory(place, {}, clock);
  std::mt19937 random(seed);
  for (int i = 0; i < 400; ++i) {
    const std::string a = killed_slug(random() % 8);
    const std::string b = killed_slug(random() % 8);
    switch (random() % 8) {
      case 0: (void)directory.link(a, b, "implements"); break;
      case 1: (void)directory.unlink(a, b, std::nullopt); break;
      case 2: (void)directory.remove(a); break;
      case 3: (void)directory.undo(); break;
      case 4: {
        memory::MemoryChange change;
        change.tags = std::vector<std::string>{"test", "t" + std::to_string(i)};
        (void)directory.update(a, change);
        break;
      }
      case 5:
        (void)directory.keep_vectors({a, b}, i % 2 == 0 ? "m" : "n", [](const Memory&) { return std::vector{1.0F}; });
        break;
      case 6: {
        Memory m;
        m.type = MemoryType::learning;
        m.slug = "learning-new" + std::to_string(random() % 8);
        m.title = "New";
        m.tags = {"test"};
        m.content = "text of " + m.slug + "\n";
        (void)directory.create(m);
        break;
      }
      default: (void)directory.link(b, a, "part-of"); break;
    }
  }
  return true;
}

TEST(MemoryKill, AtAnyMomentIsFinishedByTheNextWriter) {
  const int wanted = test::wanted_kills(20);
  const test::FakeClock clock;
  const test::TempDir home;
  const memory::MemoryPlaces places{home.path(), {}, {}, {}};
  const auto place = places.place(MemoryScope::global, MemoryDialect::plugin).value();
  memory::MemoryDirectory directory(place, {}, clock);
  for (unsigned n = 0; n < 8; ++n) {
    Memory m;
    m.type = MemoryType::learning;
    m.slug = killed_slug(n);
    m.title = "M";
    m.tags = {"test"};
    m.content = "text" + std::to_string(n) + "x\n";
    ASSERT_TRUE(directory.create(m));
  }
  std::mt19937 random(18);
  int kills = 0;
  int in_the_middle = 0;
  for (int round = 0; round < 20 * wanted && kills < wanted; ++round) {
    const auto lifetime = std::chrono::microseconds(500 + random() % 60'000);
    if (!test::killed_during([&, seed = static_cast<unsigned>(random())] { return write_memories(place, seed); },
                             lifetime))
      continue;
    ++kills;
    in_the_middle += std::filesystem::exists(place.directory / ".pending") ? 1 : 0;
    ASSERT_TRUE(directory.rebuild());
    test::expect_memory_invariants(directory);
    std::string everything;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place.directory))
      if (entry.path().extension() == ".md") everything += files::read_whole(entry.path()).value();
    for (unsigned n = 0; n < 8; ++n)
      EXPECT_NE(everything.find("text" + std::to_string(n) + "x"), std::string::npos) << "round " << round;
  }
  EXPECT_EQ(kills, wanted);
  EXPECT_GE(in_the_middle, wanted / 4) << "too few of them were changing several files";
}

}  // namespace
}  // namespace memd
