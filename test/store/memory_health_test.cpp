#include "store/memory/memory_health.hpp"

#include "store/memory/embedding_cache.hpp"
#include "store/memory/memory_directory.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/temp_dir.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace memd::memory {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class MemoryHealth : public testing::Test {
 protected:
  Memory good(std::string slug) const {
    Memory m;
    m.slug = std::move(slug);
    m.type = MemoryType::decision;
    m.title = "A title that says what";
    m.tags = {"a", "b"};
    m.content = "A text that is long enough to say what was decided, and why.\n";
    return m;
  }
  std::vector<std::string> found(TimeMs now = 0) const {
    std::vector<std::string> out;
    for (const auto& p : check_health(places_, {}, now == 0 ? clock_.now() : now))
      out.push_back(
          fmt::format("{} {} {}:{} {}", to_string(p.kind), p.slug, p.path.filename().string(), p.line, p.key));
    return out;
  }

  test::FakeClock clock_;
  test::TempDir home_;
  MemoryPlaces places_{home_.path(), {}, {}, {}};
  std::filesystem::path folder_ = home_ / ".claude/memory";
  MemoryDirectory directory_{places_.place(MemoryScope::global, MemoryDialect::plugin).value(), {}, clock_};
};

TEST_F(MemoryHealth, NothingIsWrongWithGoodOnes) {
  EXPECT_THAT(found(), IsEmpty()) << "nothing is there";
  ASSERT_TRUE(directory_.create(good("one")));
  ASSERT_TRUE(directory_.create(good("two")));
  ASSERT_TRUE(directory_.link("one", "two", "supersedes"));
  EXPECT_THAT(found(), IsEmpty());
  EXPECT_THAT(found(clock_.now() + 300 * kMsPerDay), IsEmpty()) << "linked ones are no orphans";
}

TEST_F(MemoryHealth, EachThingThatCanBeWrongIsTold) {
  ASSERT_TRUE(directory_.create(good("one")));
  EXPECT_THAT(found(clock_.now() + 30 * kMsPerDay), IsEmpty());
  EXPECT_THAT(found(clock_.now() + 31 * kMsPerDay), ElementsAre("orphan one one.md:0 "));
  Memory hub = good("hub-empty");
  hub.type = MemoryType::hub;
  ASSERT_TRUE(directory_.create(hub));
  EXPECT_THAT(found(), ElementsAre("empty_hub hub-empty hub-empty.md:0 "));
  ASSERT_TRUE(directory_.link("hub-empty", "one", "contains"));
  EXPECT_THAT(found(), IsEmpty());

  const std::string head = "---\ntype: decision\ntags: [a, b]\ncreated: 2026-01-10\nupdated: 2026-01-10\n";
  test::write_file(folder_ / "by-hand.md", head +
                                               "links: [gone, one]\n---\n# A title that says what\n\npassword = "
                                               "\"hunter2-Zq81xLp0\"\nand more text here, so it is long enough\n");
  test::write_file(folder_ / "broken.md", head + "type: hub\n---\n# T\n");
  test::write_file(folder_ / "one.conflict-1.md", "x");
  test::write_file(folder_ / "thin.md", head + "verification: {status: stale}\n---\n# Thin\n");
  ASSERT_TRUE(EmbeddingCache(files::ScopeRoot(folder_)).put("nobody", "m", "", {1}, 1));
  const auto all = found();
  for (const char* expected : {"broken_link by-hand by-hand.md:0 links", "one_way_edge by-hand by-hand.md:0 links",
                               "missing_index_entry by-hand by-hand.md:0 ", "secret by-hand by-hand.md:0 ",
                               "invalid_file broken broken.md:6 type", "conflict_copy  one.conflict-1.md:0 ",
                               "stale thin thin.md:0 verification.status", "low_quality thin thin.md:0 ",
                               "orphan_cache nobody nobody.json:0 "})
    EXPECT_THAT(all, Contains(expected));

  ASSERT_TRUE(directory_.rebuild());
  test::write_file(folder_ / "graph.json",
                   "{\"one\":[{\"target\":\"hub-empty\",\"label\":\"part-of\",\"timestamp\":\"\"}]}");
  EXPECT_THAT(found(), Contains("one_way_edge one graph.json:0 one"));
  test::write_file(folder_ / "graph.json", "[");
  test::write_file(folder_ / "index.json", "[");
  EXPECT_THAT(found(), Contains("corrupt_graph  graph.json:0 "));
  EXPECT_THAT(found(), Contains("corrupt_index  index.json:0 "));
  std::filesystem::remove(folder_ / "one.md");
  ASSERT_TRUE(directory_.rebuild());
  EXPECT_THAT(found(), Contains("broken_link hub-empty hub-empty.md:0 links"));
}

TEST_F(MemoryHealth, QualityHasItsReasons) {
  Memory m = good("a");
  m.updated = clock_.now();
  EXPECT_EQ(quality_of(m, 1, clock_.now()).score, 95);
  EXPECT_THAT(quality_of(m, 0, clock_.now()).reasons, ElementsAre("no links: -15", "no provenance: -5"));
  m.content = "# A title\n";
  EXPECT_LT(quality_of(m, 1, clock_.now()).score, 50) << "a heading is no text";
  m.verification.status = VerificationStatus::stale;
  m.title = "x";
  m.tags.clear();
  EXPECT_EQ(quality_of(m, 0, clock_.now() + 400 * kMsPerDay).score, 0);
}

}  // namespace
}  // namespace memd::memory
