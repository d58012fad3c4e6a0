#include "daemon/memories/gardener.hpp"

#include "store/reader.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/memory_invariants.hpp"
#include "test/support/store_fixture.hpp"
#include "test/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace memd::memories {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr TimeMs kToday = 1'770'616'800'000;  // 2026-02-09T06:00:00Z

class GardenerTest : public testing::Test {
 protected:
  GardenerTest() { places.home = home.path(); }

  Notebook notebook() const { return Notebook(places, config, clock); }
  std::string write(const std::string& title, const std::string& text, std::vector<std::string> tags = {"a", "b"},
                    MemoryType type = MemoryType::learning) {
    NewMemory wanted;
    wanted.to.type = type;
    wanted.title = title;
    wanted.text = text;
    wanted.tags = std::move(tags);
    const auto done = notebook().create(std::move(wanted));
    EXPECT_TRUE(done) << done.error().message();
    return done ? done->memory.slug : std::string();
  }
  GardenPlan plan() const {
    auto made = Gardener(notebook(), nullptr, false).plan();
    EXPECT_TRUE(made) << made.error().message();
    return made ? *made : GardenPlan();
  }
  static std::vector<std::string> told(const GardenPlan& plan) {
    std::vector<std::string> out;
    for (const auto& step : plan.steps)
      out.push_back(std::string(to_string(step.action)) + " " + step.slug +
                    (step.other.empty() ? "" : " " + step.other) +
                    (step.done          ? " done"
                     : step.is_proposal ? " ?"
                                        : ""));
    return out;
  }
  GardenPlan apply() const {
    auto made = plan();
    const Notebook own = notebook();
    Gardener(own, nullptr, false).apply(made);
    return made;
  }

  test::TempDir home;
  test::FakeClock clock{kToday};
  memory::MemoryPlaces places;
  MemoryConfig config;
};

TEST_F(GardenerTest, AGoodGardenIsLeftAlone) {
  write("Readers do not wait for the writer", "WAL mode lets readers go on while the one writer commits its rows.");
  EXPECT_THAT(told(plan()), IsEmpty());
}

TEST_F(GardenerTest, PoorOnesThatNobodyLinksAreArchivedAndComeBack) {
  const auto poor = write("Odd", "x", {"a"});
  const auto good = write("Frames are packed by session", "A frame holds the records of one session, in their order.");
  EXPECT_THAT(told(plan()), IsEmpty()) << "they are new";
  clock.advance(366 * kMsPerDay);
  EXPECT_EQ(told(plan()), (std::vector<std::string>{"archive " + poor}));
  EXPECT_EQ(notebook().all().size(), 2U) << "only told";
  EXPECT_EQ(told(apply()), (std::vector<std::string>{"archive " + poor + " done"}));
  ASSERT_EQ(notebook().all().size(), 1U);
  EXPECT_EQ(notebook().all()[0].memory.slug, good);
  EXPECT_EQ(notebook().undo({""})->slug, poor);
  config.garden.archive_days = 0;
  EXPECT_THAT(told(plan()), IsEmpty());
}

TEST_F(GardenerTest, WhatWasChangedSinceThePlanStays) {
  const auto poor = write("Odd", "x", {"a"});
  clock.advance(366 * kMsPerDay);
  auto made = plan();
  const auto found = notebook().find({poor});
  std::ofstream(found->read.memory.path, std::ios::app) << "A hand wrote on.\n";
  const Notebook own = notebook();
  Gardener(own, nullptr, false).apply(made);
  EXPECT_FALSE(made.steps.at(0).done);
  EXPECT_THAT(made.steps.at(0).why, HasSubstr("was changed meanwhile"));
  EXPECT_TRUE(notebook().find({poor}));
}

TEST_F(GardenerTest, DuplicatesAreProposedOrLinkedByTheRule) {
  const std::string text = "Dates of users are read by parse_rfc3339, never by strptime, because locales differ.";
  const auto older = write("Read dates by parse_rfc3339", text);
  clock.advance(1000);
  const auto newer = write("Dates are read by parse_rfc3339", text);
  EXPECT_EQ(told(plan()),
            (std::vector<std::string>{"merge " + newer + " " + older + " ?", "link " + newer + " " + older + " ?"}));
  EXPECT_THAT(plan().steps[0].why, HasSubstr("likeness"));
  config.garden.duplicates = DuplicateRule::link;
  EXPECT_THAT(told(apply()), Contains("supersede " + newer + " " + older + " done"));
  EXPECT_THAT(told(plan()), IsEmpty()) << "they are related now";
  const auto edges = notebook().edges_of(*notebook().find({newer}));
  ASSERT_EQ(edges.size(), 1U);
  EXPECT_EQ(edges[0].label, "supersedes");
}

TEST_F(GardenerTest, RulesOfKindSizeAndNumberAreProposals) {
  config.garden.kinds = {MemoryType::decision};
  config.garden.max_characters = 300;
  config.garden.max_memories = 1;
  std::string lines = "## Writing\n\n";
  for (int i = 0; i < 20; ++i)
    lines += "Line " + std::to_string(i) + " is long.\n";
  write("All about the store", lines + "\n## Reading\n\nShort.\n");
  write("Tests do not sleep", "They use a fake clock, or wait for a condition with a deadline.", {"a", "b"},
        MemoryType::decision);
  const auto made = plan();
  EXPECT_EQ(told(made), (std::vector<std::string>{"split learning-all-about-the-store ?",
                                                  "change_kind learning-all-about-the-store ?", "too_many  ?"}));
  EXPECT_THAT(made.steps[0].why, HasSubstr("300 are allowed: split it at \"Writing\", \"Reading\""));
}

TEST_F(GardenerTest, IndexGraphAndVectorsAreMadeToFit) {
  const auto slug = write("Locks are dropped with their holder", "flock ends with the process that holds it, always.");
  const fs::path directory = home / ".claude/memory";
  std::ofstream(directory / "index.json") << "nonsense";
  fs::create_directories(directory / ".embedding-cache");
  std::ofstream(directory / ".embedding-cache/gone.json") << "{}";
  EXPECT_EQ(told(apply()), (std::vector<std::string>{"rebuild  done", "drop_cache  done"}));
  EXPECT_THAT(told(plan()), IsEmpty());
  EXPECT_FALSE(fs::exists(directory / ".embedding-cache/gone.json"));
  test::expect_memory_invariants(
      notebook().directory(places.place(MemoryScope::global, MemoryDialect::plugin).value()));
}

TEST_F(GardenerTest, AProjectHasItsOwnRulesAndNeedsOptIn) {
  places.project = home / "app";
  config.policy.opt_in_enabled = places.policy.opt_in_enabled = true;
  NewMemory wanted;
  wanted.to = {MemoryType::fact, {}, {}};
  wanted.title = "How tests are run";
  wanted.text = std::string(400, 'x');
  ASSERT_TRUE(notebook().create(wanted));
  EXPECT_THAT(told(plan()), IsEmpty());
  std::ofstream(home / "app/.thunderus/memory/gardener.json") << R"({"max_characters": 200})";
  EXPECT_EQ(told(plan()), (std::vector<std::string>{"split fact.how-tests-are-run ?"}));
  std::ofstream(home / "app/.thunderus/memory/gardener.json") << R"({"max_chars": 200})";
  const auto broken = Gardener(notebook(), nullptr, false).plan();
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message(), HasSubstr("gardener.json:1: unknown key 'max_chars'"));
  std::ofstream(home / "app/.thunderus/memory/gardener.json") << "{}";
  fs::remove_all(home / "app/.thunderus/memory/indexes");
  config.policy.opt_in_enabled = places.policy.opt_in_enabled = false;
  for (const auto& step : apply().steps)
    EXPECT_FALSE(step.done);
  EXPECT_FALSE(fs::exists(home / "app/.thunderus/memory/indexes"));
}

TEST_F(GardenerTest, AConfigBesideMemoriesCounts) {
  const auto orphans = [&] {
    const auto problems = notebook().health();
    return std::count_if(problems.begin(), problems.end(),
                         [](const auto& p) { return p.kind == MemoryProblemKind::orphan; });
  };
  write("Frames are packed by session", "A frame holds the records of one session, in their order.");
  clock.set(kToday + 40 * kMsPerDay);
  EXPECT_EQ(orphans(), 1);
  test::write_file(home / ".claude/memory/config.json", R"({"quality": {"orphanThreshold": 60}})");
  EXPECT_EQ(orphans(), 0);
  EXPECT_EQ(notebook().config().orphan_days, 60);
  test::write_file(home / ".claude/memory/config.json", R"({"quality": {"orphanThreshold": "long"}})");
  EXPECT_EQ(orphans(), 1) << "it changes nothing";
  const auto told = notebook().health();
  EXPECT_TRUE(std::any_of(told.begin(), told.end(), [](const auto& p) {
    return p.kind == MemoryProblemKind::bad_config && p.line == 1 &&
           p.message.find("quality.orphanThreshold") != std::string::npos;
  }));
}

TEST_F(GardenerTest, YesterdaysRecapIsWrittenOnceWhereTheRulesWantIt) {
  test::StoreFixture store;
  const auto session = store.session(
      {.native_id = "aaaa1111", .title = "Parser", .project = (home / "app").string(), .start = kToday - kMsPerDay});
  store.exchange(session, {.user = "How do we read dates?", .answer = "By parse_rfc3339."});
  places.project = home / "app";
  places.policy.opt_in_enabled = config.policy.opt_in_enabled = true;
  Reader reader(store.file());
  const Notebook without = notebook();
  EXPECT_THAT(told(*Gardener(without, &reader, false).plan()), IsEmpty());
  config.garden.daily_recap = true;
  const Notebook own = notebook();
  const Gardener gardener(own, &reader, false);
  auto made = *gardener.plan();
  ASSERT_EQ(told(made), (std::vector<std::string>{"write_recap recap.2026-02-08"}));
  gardener.apply(made);
  EXPECT_TRUE(made.steps[0].done) << made.steps[0].why;
  const auto recap = notebook().find({"recap.2026-02-08"});
  ASSERT_TRUE(recap) << recap.error().message();
  EXPECT_THAT(recap->read.memory.content,
              HasSubstr("## Provenance\n\n- `claude_code:aaaa1111#0` to `claude_code:aaaa1111#0`"));
  EXPECT_THAT(told(*gardener.plan()), IsEmpty());
}

}  // namespace
}  // namespace memd::memories
