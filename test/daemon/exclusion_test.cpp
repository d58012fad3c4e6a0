#include "daemon/ingest/exclusion.hpp"
#include "daemon/config/config.hpp"
#include "daemon/ingest/capture_gate.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/in_place_store.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

TEST(Exclusion, ProjectsByNameAndDirectory) {
  const Exclusion e({"Payroll", "/home/me/work/clinic/"}, {});
  for (const char* out : {"/home/me/src/payroll", "/srv/PAYROLL/", "/home/me/work/clinic", "/home/me/work/clinic/api",
                          "/home/me/src/payroll/.claude/worktrees/w"})
    EXPECT_TRUE(e.has_directory(out)) << out;
  for (const char* in : {"", "/", "/home/me/src/payroll2", "/home/me/work/clinical", "/home/me/work"})
    EXPECT_FALSE(e.has_directory(in)) << in;
  EXPECT_FALSE(e.has_file("/home/me/.claude/projects/-home-me-src-payroll/s.jsonl")) << "the directory decides";
}

TEST(Exclusion, PatternsOfPaths) {
  const Exclusion e({}, {"/mnt/clients/*", "*/.codex/archived_sessions"});
  EXPECT_TRUE(e.has_directory("/mnt/clients/a/b"));
  EXPECT_FALSE(e.has_directory("/mnt/clients2"));
  EXPECT_TRUE(e.has_file("/home/me/.codex/archived_sessions/2026/r.jsonl"));
  EXPECT_FALSE(e.has_file("/home/me/.codex/sessions/2026/r.jsonl"));
  EXPECT_TRUE(Exclusion().is_empty());
  EXPECT_FALSE(Exclusion().has_directory("/x"));
}

TEST(Exclusion, DirectoriesThatStandForProjects) {
  const Exclusion e({"payroll", "/home/me/work/clinic"}, {});
  EXPECT_TRUE(e.may_have_stand_in("/home/me/.claude/projects/-home-me-src-payroll/s/subagents/agent-1.meta.json"));
  EXPECT_TRUE(e.may_have_stand_in("/home/me/.claude/projects/-home-me-work-clinic/s.jsonl"));
  EXPECT_FALSE(e.may_have_stand_in("/home/me/.claude/projects/-home-me-work/s.jsonl"));
}

TEST(Exclusion, MistakesInTheConfigurationAreNamed) {
  const auto error = [](const char* yaml) {
    const auto c = parse_config(yaml, "c.yaml");
    return c ? std::string() : c.error().message();
  };
  EXPECT_NE(error("exclude: {projects: [a/b]}\n").find("c.yaml:1: exclude.projects"), std::string::npos);
  EXPECT_NE(error("exclude: {paths: [a]}\n").find("begin with / or *"), std::string::npos);
  EXPECT_NE(error("exclude: {agents: [hal]}\n").find("there is no agent 'hal'"), std::string::npos);
  EXPECT_NE(error("exclude: {projects: a}\n").find("expected a list"), std::string::npos);
}

// Of sources that change in place nothing is stored of what is held back but its bytes: under an alias for a forgotten
// session, item by item in a pause.
TEST(CaptureGate, ItemsAreHeldBack) {
  test::TempDir dir;
  auto withheld = Withheld::open(dir / "withheld");
  ASSERT_TRUE(withheld);
  test::FakeClock clock;
  CaptureGate gate({}, *withheld, clock);
  test::ScriptedSource source;
  source.add("s1", "u1", "user;text=first question");
  SnapshotLimits limits;
  limits.raw = RawMode::masked;
  limits.gate = &gate;
  test::InPlaceStore store(source, limits);
  store.sync();
  const std::string uid = store.text("SELECT uid FROM sessions");
  ASSERT_TRUE((*withheld)->forget({uid.substr(0, uid.find(':') + 1) + "s2"}, {}));
  gate.withheld_changed({});
  source.add("s2", "u2", "user;text=second question");
  source.add("s1", "u3", "user;text=third question");
  source.add("s2", "u4", "user;text=fourth question");
  store.sync();
  EXPECT_EQ(store.number("SELECT count(*) FROM exchanges"), 2);
  EXPECT_EQ(store.number("SELECT count(*) FROM source_items WHERE reason = 'forgotten'"), 1);
  EXPECT_EQ(store.number("SELECT cursor - (SELECT sum(bytes) FROM coverage) FROM sources"), 0);
  EXPECT_EQ(store.number("SELECT count(*) FROM source_items WHERE session_uid LIKE '%s2' OR item_key LIKE 'u4'"), 0);
  store.sync();
  EXPECT_EQ(store.number("SELECT count(*) FROM source_items"), 3) << "and are not read again";

  ASSERT_TRUE((*withheld)->pause(clock.now(), kOpenEnd));
  source.add("s1", "u5", "user;text=fifth question");
  store.sync();
  EXPECT_EQ(store.number("SELECT count(*) FROM exchanges"), 2);
  EXPECT_EQ(store.number("SELECT count(*) FROM source_items WHERE reason = 'not to be captured'"), 1);
}

}  // namespace
}  // namespace memd
