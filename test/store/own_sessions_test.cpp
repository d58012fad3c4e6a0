#include "schemas/language_model.hpp"
#include "test/support/event_script.hpp"
#include "test/support/writer_fixture.hpp"

#include <gtest/gtest.h>

namespace memd {
namespace {

using test::EventScript;

class OwnSessionsTest : public test::WriterFixture {
 protected:
  void SetUp() override { open(); }
  // Applies the events from `first` on as one slice of the session's log. Each is a record of 100 bytes.
  void take(const EventScript& script, std::size_t first = 0, std::string parent = {}) {
    SourceSlice slice;
    slice.source.platform = Platform::claude_code;
    slice.source.session_uid = script.events().front().session_uid;
    slice.source.path = "/x/" + slice.source.session_uid;
    slice.source.cursor = slice.source.size = script.events().size() * 100;
    slice.adapter_version = "1.0.0";
    slice.caught_up = true;
    slice.raw = raw_;
    slice.raw_length = raw_.size();
    slice.batch.events.assign(script.events().begin() + static_cast<std::ptrdiff_t>(first), script.events().end());
    const auto n = slice.batch.events.size();
    slice.batch.cover("user", Disposition::indexed, "", n * 100, n);
    SessionUpdate update;
    update.session_uid = slice.source.session_uid;
    update.platform = Platform::claude_code;
    update.native_id = update.session_uid.substr(update.session_uid.find(':') + 1);
    update.parent_uid = std::move(parent);
    slice.batch.sessions.push_back(update);
    const auto applied = writer_->apply(slice);
    ASSERT_TRUE(applied) << applied.error().message();
  }
  std::string value(const std::string& sql) {
    EXPECT_TRUE(writer_->commit());
    auto db = reading();
    auto& q = db.prepare(sql);
    q.bind();
    std::string out = q.step() ? q.str(0) : "(none)";
    q.reset();
    return out;
  }
  std::string skipped() {
    return value(
        "SELECT group_concat(record_type || ' ' || disposition || ' ' || reason || ' ' || bytes, ', ') FROM coverage");
  }

  static std::string own_prompt() { return std::string(kOwnRequestLine) + "\nSummarise the session below."; }

  std::string raw_;
};

TEST_F(OwnSessionsTest, WhatMemdCausedIsCountedAndNotTakenIn) {
  take(EventScript().user(own_prompt()).answer("A summary of secrets."));
  EXPECT_EQ(value("SELECT count(*) FROM sessions"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM events"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "0");
  EXPECT_EQ(value("SELECT uid FROM own_sessions"), "claude_code:s1");
  EXPECT_EQ(skipped(), "user 1 caused by memd 200");
  EXPECT_EQ(value("SELECT cursor FROM sources"), "200") << "all bytes are accounted for";
}

TEST_F(OwnSessionsTest, ItStaysOutAsItGrowsAcrossRestarts) {
  EventScript script;
  take(script.user("  \n" + own_prompt()).answer("A summary."));
  ASSERT_TRUE(writer_->commit());
  open();
  take(script.user("And now?").answer("More."), 2);
  EXPECT_EQ(value("SELECT count(*) FROM events"), "0");
  EXPECT_EQ(skipped(), "user 1 caused by memd 400");
}

TEST_F(OwnSessionsTest, WhatStoodBeforeItsFirstPromptGoes) {
  EventScript script;
  take(script.lifecycle("session_start").user("<environment>", Origin::injected));
  EXPECT_EQ(value("SELECT count(*) FROM sessions"), "1");
  take(script.user(own_prompt()).answer("A summary."), 2);
  EXPECT_EQ(value("SELECT count(*) FROM sessions"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM events"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM identities"), "0") << "it could be read anew";
  EXPECT_EQ(skipped(), "user 1 caused by memd 400");
}

TEST_F(OwnSessionsTest, ItsSubagentsStayOutToo) {
  take(EventScript().user(own_prompt()));
  take(EventScript("claude_code:sub").user("Look at the record", Origin::parent_agent), 0, "claude_code:s1");
  EXPECT_EQ(value("SELECT count(*) FROM sessions"), "0");
}

TEST_F(OwnSessionsTest, WhicheverIsReadFirst) {
  take(EventScript("claude_code:sub").user("Look at the record", Origin::parent_agent), 0, "claude_code:s1");
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "1");
  take(EventScript().user(own_prompt()));
  EXPECT_EQ(value("SELECT count(*) FROM sessions"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM exchanges_fts WHERE exchanges_fts MATCH 'record'"), "0");
  EXPECT_EQ(value("SELECT sum(bytes) FROM coverage WHERE reason = 'caused by memd'"), "200");
}

TEST_F(OwnSessionsTest, APersonsSessionIsNotLostWhateverIsPastedIntoIt) {
  EventScript script;
  script.user("What does this mean?\n" + own_prompt()).answer("It is a request of memd.");
  take(script);
  take(script.user(own_prompt()).answer("Again."), 2);  // not committed before the next slice
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "2");
  EXPECT_EQ(value("SELECT count(*) FROM own_sessions"), "0");
  open();
  take(script.user(own_prompt()), 4);
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "3");
  take(EventScript("claude_code:s2").user("Hello").answer("Hello.").user(own_prompt()));  // in one slice
  EXPECT_EQ(value("SELECT count(*) FROM own_sessions"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "5");
}

TEST_F(OwnSessionsTest, AnotherSessionOfTheSameSliceIsTakenIn) {
  EventScript both("claude_code:s2");
  both.user("Hello").answer("Hello.");
  const EventScript own = EventScript().user(own_prompt());
  SourceSlice slice;
  slice.source.platform = Platform::claude_code;
  slice.source.path = "/x/both";
  slice.adapter_version = "1.0.0";
  slice.batch.events = own.events();
  slice.batch.events.insert(slice.batch.events.end(), both.events().begin(), both.events().end());
  slice.batch.cover("user", Disposition::indexed, "", 300, 3);
  ASSERT_TRUE(writer_->apply(slice));
  EXPECT_EQ(value("SELECT count(*) FROM exchanges"), "1");
  EXPECT_EQ(value("SELECT count(*) FROM coverage WHERE reason = 'caused by memd'"), "0")
      << "its records are the other session's, too";
}

TEST_F(OwnSessionsTest, ItsRecordsAreNotKeptEither) {
  writer_.reset();
  auto writer = Writer::open(dir_ / "memd.db", clock_, dir_ / "raw");
  ASSERT_TRUE(writer) << writer.error().message();
  writer_ = std::move(*writer);
  raw_ = "{\"text\": \"of another session\"}\n";
  take(EventScript().user(own_prompt()));
  EXPECT_EQ(value("SELECT count(*) FROM raw_frames"), "0");
  take(EventScript("claude_code:s2").user("Hello"));
  EXPECT_EQ(value("SELECT count(*) FROM raw_frames"), "1");
}

TEST_F(OwnSessionsTest, AfterARollbackItIsFoundAgain) {
  EventScript script;
  take(script.user(own_prompt()));
  open();  // nothing was committed
  take(script);
  EXPECT_EQ(value("SELECT count(*) FROM events"), "0");
  EXPECT_EQ(value("SELECT uid FROM own_sessions"), "claude_code:s1");
}

}  // namespace
}  // namespace memd
