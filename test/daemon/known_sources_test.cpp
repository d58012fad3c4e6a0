#include "daemon/ingest/known_sources.hpp"

#include "test/support/fake_clock.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace memd {
namespace {

class KnownSourcesTest : public testing::Test {
 protected:
  const test::FakeClock clock_;
  IngestProgress progress_;
  const Discovery discovery_{{}, "/home/u", {}, {}};
  KnownSources sources_{discovery_, clock_, progress_};
};

void expect_same(const Source& have, const Source& want) {
  EXPECT_EQ(have.id, want.id);
  EXPECT_EQ(have.platform, want.platform);
  EXPECT_EQ(have.path, want.path);
  EXPECT_EQ(have.format, want.format);
  EXPECT_EQ(have.state, want.state);
  EXPECT_EQ(have.state_reason, want.state_reason);
  EXPECT_EQ(have.identity, want.identity);
  EXPECT_EQ(have.size, want.size);
  EXPECT_EQ(have.mtime, want.mtime);
  EXPECT_EQ(have.cursor, want.cursor);
  EXPECT_EQ(have.generation, want.generation);
  EXPECT_EQ(have.open_tail, want.open_tail);
  EXPECT_EQ(have.proof, want.proof);
  EXPECT_EQ(have.session_uid, want.session_uid);
  EXPECT_EQ(have.mark, want.mark);
  EXPECT_EQ(have.failures, want.failures);
  EXPECT_EQ(have.retry_at, want.retry_at);
}

TEST_F(KnownSourcesTest, ASourceThatRestsIsWhatItWas) {
  Source read;
  read.id = 7;
  read.platform = Platform::claude_code;
  read.path = "/home/u/.claude/projects/p/s1.jsonl";
  read.identity = {1, 2, 0xfedcba9876543210, 1024};
  read.size = read.cursor = 5000;
  read.mtime = 1'790'000'000'123;
  read.session_uid = "claude_code:s1";
  Source odd = read;
  odd.path = "/home/u/.codex/x.jsonl";
  odd.format = SourceFormat::sqlite;
  odd.state = SourceState::quarantined;
  odd.state_reason = "reading it failed";
  odd.cursor = 4000;
  odd.mtime = -5;
  odd.generation = 3;
  odd.open_tail = std::string("a\0b", 3);
  odd.proof = std::string("\0p\xff", 3);
  odd.mark = "m 1";
  odd.failures = 6;
  odd.retry_at = 1'790'000'009'999;
  Source fresh;
  fresh.path = "/home/u/n.jsonl";
  sources_.reload({read, odd, fresh});
  for (int round = 0; round < 2; ++round)
    for (const Source* want : {&read, &odd, &fresh}) {
      KnownSource* const known = sources_.find(want->path);
      ASSERT_NE(known, nullptr);
      expect_same(known->source, *want);
      EXPECT_FALSE(known->is_hinted);
      sources_.pack(want->path);
    }
  EXPECT_EQ(sources_.find("/home/u/other"), nullptr);
}

TEST_F(KnownSourcesTest, WhatIsLeftToDoIsNotForgotten) {
  Source source;
  source.path = "/home/u/a.jsonl";
  sources_.reload({source});
  sources_.hint(source.path);
  sources_.pack(source.path);  // no effect on a dirty source
  EXPECT_EQ(sources_.dirty().take(), source.path);
  sources_.pack(source.path);
  KnownSource* const known = sources_.find(source.path);
  EXPECT_TRUE(known->is_hinted);
  known->last_sent = 3;
  sources_.pack(source.path);
  EXPECT_EQ(sources_.find(source.path)->last_sent, 3u);
}

TEST_F(KnownSourcesTest, OfADirectoryThoseBelowItAreLookedAt) {
  std::vector<Source> all;
  for (const char* path : {"/home/u/.a/b", "/home/u/.a/b/1", "/home/u/.a/b/d/2", "/home/u/.a/bd/3", "/home/u/.a/b-/4"})
    all.emplace_back().path = path;
  sources_.reload(all);
  sources_.forget("/home/u/.a/b");
  sources_.hint("/home/u/.a/b");
  EXPECT_TRUE(sources_.dirty().contains("/home/u/.a/b/1"));
  EXPECT_TRUE(sources_.dirty().contains("/home/u/.a/b/d/2"));
  EXPECT_FALSE(sources_.dirty().contains("/home/u/.a/bd/3"));
  EXPECT_FALSE(sources_.dirty().contains("/home/u/.a/b-/4"));
  EXPECT_EQ(sources_.find("/home/u/.a/b"), nullptr);
}

}  // namespace
}  // namespace memd
