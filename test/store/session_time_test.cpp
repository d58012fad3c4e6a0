// How long a session took, and times that cannot be.
#include "store/read/sessions.hpp"
#include "store/reader.hpp"
#include "test/support/writer_fixture.hpp"

#include <gmock/gmock.h>

namespace memd {
namespace {

constexpr TimeMs kNoon = 1'790'000'000'000;
constexpr TimeMs kOneMinute = 60'000;

class SessionTime : public test::WriterFixture {
 protected:
  SessionTime() { clock_.set(kNoon + 30 * kMsPerDay); }

  Event& at(TimeMs time, EventKind kind, std::string text = {}) {
    Event& e = batch_.events.emplace_back();
    e.session_uid = "claude_code:s";
    e.event_id = record_key(Platform::claude_code, std::to_string(batch_.events.size()));
    e.time = time;
    e.kind = kind;
    e.text = std::move(text);
    e.raw.offset = batch_.events.size() * 100;
    return e;
  }
  void prompt(TimeMs time) {
    Event& e = at(time, EventKind::user_msg, "do it");
    e.role = Role::user;
    e.origin = Origin::typed;
    e.starts_exchange = true;
  }
  void answer(TimeMs time) { at(time, EventKind::assistant_msg, "done").role = Role::assistant; }
  SessionRow row() const { return Reader(file_).ask(SessionQuery{"claude_code:s"}).value(); }
  TimeMs took() {
    apply(std::move(batch_));
    return row().cost.wall_clock;
  }

  EventBatch batch_;
};

TEST_F(SessionTime, IdleDaysAreNoWork) {
  prompt(kNoon);
  answer(kNoon + 28'000);
  at(kNoon + 11 * kMsPerDay, EventKind::lifecycle).lifecycle = "session_resume";
  EXPECT_EQ(took(), 28'000);
}

TEST_F(SessionTime, AnAnswerDaysLaterInTheSameTurnCountsWithItsOwnWorkOnly) {
  prompt(kNoon);
  answer(kNoon + 5 * kOneMinute);
  answer(kNoon + 2 * kMsPerDay);
  answer(kNoon + 2 * kMsPerDay + 7 * kOneMinute);
  EXPECT_EQ(took(), 12 * kOneMinute);
}

TEST_F(SessionTime, OverlappingTurnsCountOnce) {
  for (const TimeMs hour : {0, 1, 2, 3}) {
    prompt(kNoon + hour * 2 * kOneMinute);
    answer(kNoon + 20 * kOneMinute);
  }
  EXPECT_EQ(took(), 20 * kOneMinute);
}

TEST_F(SessionTime, ALongToolCallIsWork) {
  prompt(kNoon);
  Event& call = at(kNoon + kOneMinute, EventKind::tool_call);
  call.call_id = "c1";
  call.tool = "Bash";
  Event& result = at(kNoon + 181 * kOneMinute, EventKind::tool_result, "built");
  result.call_id = "c1";
  EXPECT_EQ(took(), 181 * kOneMinute);
}

TEST_F(SessionTime, AQuestionOpenForDaysIsNoWork) {
  prompt(kNoon);
  Event& call = at(kNoon + kOneMinute, EventKind::tool_call);
  call.call_id = "c1";
  call.tool = "AskUserQuestion";
  Event& result = at(kNoon + 5 * kMsPerDay, EventKind::tool_result, "yes");
  result.call_id = "c1";
  EXPECT_EQ(took(), kOneMinute);
}

class ImplausibleTime : public SessionTime {
 protected:
  void take(TimeMs mtime) {
    if (!writer_) open();
    SourceSlice slice;
    slice.source.platform = Platform::claude_code;
    slice.source.path = "/h/t.jsonl";
    slice.source.mtime = mtime;
    slice.batch = std::move(batch_);
    slice.adapter_version = "1";
    const auto applied = writer_->apply(slice);
    ASSERT_TRUE(applied) << applied.error().message();
    ASSERT_TRUE(writer_->commit());
  }
};

TEST_F(ImplausibleTime, ATimeInTheFutureIsToldAndNotUsed) {
  prompt(kNoon);
  answer(kNoon + 900 * kMsPerDay);
  take(kNoon);
  EXPECT_EQ(row().ended_at, kNoon);
  EXPECT_THAT(rows("SELECT error_type || ' ' || field_names || ' ' || raw_offset FROM diagnostics"),
              testing::ElementsAre("unknown_field_value time 200"));
  EXPECT_THAT(rows("SELECT assistant_response FROM exchanges"), testing::ElementsAre("done")) << "the words stay";
}

TEST_F(ImplausibleTime, TheFileOrTheClockIsEnoughToBelieveIt) {
  prompt(kNoon + 900 * kMsPerDay);
  take(kNoon + 900 * kMsPerDay);  // the clock of this machine is behind
  EXPECT_EQ(row().ended_at, kNoon + 900 * kMsPerDay);
  answer(kNoon + 30 * kMsPerDay);
  take(kNoon);  // a copy of a file that keeps an old time
  EXPECT_THAT(rows("SELECT count(*) FROM diagnostics"), testing::ElementsAre("0"));
}

TEST_F(ImplausibleTime, ATimeSoonAfterTheEpochIsNone) {
  prompt(1000);
  take(kNoon);
  EXPECT_EQ(row().started_at, 0);
  EXPECT_EQ(row().ended_at, 0);
  EXPECT_THAT(rows("SELECT started_at FROM exchanges"), testing::ElementsAre("0"));
}

TEST_F(ImplausibleTime, ASessionWithoutATimeIsSilentSinceItsFileWasWritten) {
  prompt(0);
  take(kNoon);
  EXPECT_EQ(row().life.silent_since, kNoon);
}

}  // namespace
}  // namespace memd
